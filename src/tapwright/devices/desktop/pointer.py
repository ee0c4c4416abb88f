"""A mouse on an X server, by the extension XTEST.

https://www.x.org/releases/current/doc/xextproto/xtest.html
"""

import time
from typing import Literal, TypeAlias

from Xlib import X
from Xlib.ext.xtest import fake_input

from tapwright.devices.desktop.home import DOUBLE_CLICK_S
from tapwright.devices.desktop.x11 import XConnection

__all__ = ["Button", "Pixel", "Pointer"]

Pixel: TypeAlias = tuple[int, int]
Button: TypeAlias = Literal["left", "right", "middle"]
_BUTTONS: dict[Button, int] = {"left": 1, "middle": 2, "right": 3}
_WHEEL = {"up": 4, "down": 5, "left": 6, "right": 7}
_NOTCHES_PER_SCREEN = 10  # GTK scrolls by (height of the view)^(2/3) pixels a notch
_MOVES = 12
_SAME_PLACE_PX = 5


class Pointer:
    """Gestures in pixels; each is sent at once, but for what must take time."""

    def __init__(self, connection: XConnection) -> None:
        self._x = connection
        self._clicked: tuple[float, Pixel] | None = None

    def move(self, at: Pixel) -> None:
        """Move there."""
        with self._x.within():
            self._move(at)
            self._x.display.sync()

    def click(self, at: Pixel, button: Button = "left", *, times: int = 1) -> None:
        """Move there and click; `times` clicks count as one gesture, two calls never do."""
        self._keep_apart(at)
        with self._x.within():
            self._move(at)
            for _ in range(times):
                self._press(_BUTTONS[button])
                self._release(_BUTTONS[button])
            self._x.display.sync()
        self._clicked = (time.monotonic(), at)

    def hold(self, at: Pixel, duration_s: float) -> None:
        """Press there, and release after a while."""
        self.drag(at, at, duration_s)

    def drag(self, start: Pixel, end: Pixel, duration_s: float) -> None:
        """Press at `start`, move to `end` in a straight line, release."""
        self._keep_apart(start)
        (x, y), (to_x, to_y) = start, end
        with self._x.within():
            self._move(start)
            self._press(1)
            self._x.display.sync()
        for move in range(1, _MOVES + 1):
            time.sleep(duration_s / _MOVES)
            share = move / _MOVES
            self.move((round(x + (to_x - x) * share), round(y + (to_y - y) * share)))
        with self._x.within():
            self._release(1)
            self._x.display.sync()
        self._clicked = (time.monotonic(), end)

    def scroll(self, at: Pixel, dx: float, dy: float) -> None:
        """Turn the wheel there by screens of content; to the right and down is positive."""
        with self._x.within():
            self._move(at)
            for amount, back, forth in ((dx, "left", "right"), (dy, "up", "down")):
                button = _WHEEL[forth if amount > 0 else back]
                for _ in range(_notches(amount)):
                    self._press(button)
                    self._release(button)
            self._x.display.sync()

    def press(self, button: Button, *, down: bool) -> None:
        """A button goes down where the pointer is, or up."""
        with self._x.within():
            (self._press if down else self._release)(_BUTTONS[button])
            self._x.display.sync()

    def place(self) -> Pixel:
        """Where it is."""
        with self._x.within():
            found = self._x.root.query_pointer()
            return int(found.root_x), int(found.root_y)

    def turn(self, notches: int, *, sideways: bool = False) -> None:
        """Turn the wheel where the pointer is: down, or to the right, is positive."""
        forth, back = ("right", "left") if sideways else ("down", "up")
        button = _WHEEL[forth if notches > 0 else back]
        with self._x.within():
            for _ in range(abs(notches)):
                self._press(button)
                self._release(button)
            self._x.display.sync()

    def release(self, at: Pixel) -> None:
        """Move there with no button pressed, whatever was before."""
        self._clicked = None
        with self._x.within():
            for button in _BUTTONS.values():
                self._release(button)
            self._move(at)
            self._x.display.sync()

    def _keep_apart(self, at: Pixel) -> None:
        if self._clicked is None:
            return
        when, where = self._clicked
        if max(abs(at[0] - where[0]), abs(at[1] - where[1])) <= _SAME_PLACE_PX:
            time.sleep(max(0.0, when + 2 * DOUBLE_CLICK_S - time.monotonic()))

    def _move(self, at: Pixel) -> None:
        fake_input(self._x.display, X.MotionNotify, x=at[0], y=at[1])

    def _press(self, button: int) -> None:
        fake_input(self._x.display, X.ButtonPress, button)

    def _release(self, button: int) -> None:
        fake_input(self._x.display, X.ButtonRelease, button)


def _notches(amount: float) -> int:
    return max(1, round(abs(amount) * _NOTCHES_PER_SCREEN)) if amount else 0
