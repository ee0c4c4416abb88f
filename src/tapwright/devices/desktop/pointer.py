"""A mouse's gestures on a desktop, whatever carries them there."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

from tapwright.core.actions import Button
from tapwright.core.geometry import Point, Size, to_pixel
from tapwright.devices.desktop.home import DOUBLE_CLICK_S
from tapwright.devices.hand import Hand, way_through

__all__ = ["DesktopHand", "Mouse", "Pixel", "Pointer"]


Pixel: TypeAlias = tuple[int, int]
_BUTTONS: Mapping[Button, int] = {"left": 1, "middle": 2, "right": 3, "back": 8, "forward": 9}
_WHEEL = {"up": 4, "down": 5, "left": 6, "right": 7}
_NOTCHES_PER_SCREEN = 10  # GTK scrolls by (height of the view)^(2/3) pixels a notch
_MOVES = 12
# Chromium counts presses of one millisecond as one (ui/events/event.cc, GetRepeatCount).
_BETWEEN_S = 0.01
_SAME_PLACE_PX = 5


class Mouse(Protocol):
    """What moves, and has buttons by the numbers of X: 1 is the left one, 4 to 7 the wheel."""

    def move(self, at: Pixel) -> None:
        """Move to a pixel."""

    def press(self, button: int) -> None:
        """Press a button."""

    def release(self, button: int) -> None:
        """Release a button."""

    def flush(self) -> None:
        """Return when what was done has arrived."""


class Pointer:
    """Gestures in pixels; each is sent at once, but for what must take time."""

    def __init__(self, mouse: Mouse) -> None:
        self._mouse = mouse
        self._clicked: tuple[float, Pixel] | None = None
        self._at: Pixel = (0, 0)

    def move(self, at: Pixel) -> None:
        """Move there."""
        self._go(at)
        self._mouse.flush()

    def click(self, at: Pixel, button: Button = "left", *, times: int = 1) -> None:
        """Move there and click; `times` clicks count as one gesture, two calls never do."""
        self._keep_apart(at)
        self._go(at)
        for number in range(times):
            if number:
                self._mouse.flush()
                time.sleep(_BETWEEN_S)
            self._mouse.press(_BUTTONS[button])
            self._mouse.release(_BUTTONS[button])
        self._mouse.flush()
        self._clicked = (time.monotonic(), at)

    def drag(self, places: Sequence[Pixel], duration_s: float, button: Button = "left") -> None:
        """Press at the first place, move through the others in straight lines, release."""
        self._keep_apart(places[0])
        self._go(places[0])
        self._mouse.press(_BUTTONS[button])
        self._mouse.flush()
        way = list(way_through(places, _MOVES))
        for x, y in way:
            time.sleep(duration_s / len(way))
            self.move((round(x), round(y)))
        self._mouse.release(_BUTTONS[button])
        self._mouse.flush()
        self._clicked = (time.monotonic(), places[-1])

    def scroll(self, at: Pixel, dx: float, dy: float) -> None:
        """Turn the wheel there by screens of content; to the right and down is positive."""
        self._go(at)
        for amount, back, forth in ((dx, "left", "right"), (dy, "up", "down")):
            button = _WHEEL[forth if amount > 0 else back]
            for _ in range(_notches(amount)):
                self._mouse.press(button)
                self._mouse.release(button)
        self._mouse.flush()

    def press(self, button: Button, *, down: bool) -> None:
        """A button goes down where the pointer is, or up."""
        (self._mouse.press if down else self._mouse.release)(_BUTTONS[button])
        self._mouse.flush()

    def place(self) -> Pixel:
        """Where it is; nobody else moves it."""
        return self._at

    def turn(self, notches: int, *, sideways: bool = False) -> None:
        """Turn the wheel where the pointer is: down, or to the right, is positive."""
        forth, back = ("right", "left") if sideways else ("down", "up")
        button = _WHEEL[forth if notches > 0 else back]
        for _ in range(abs(notches)):
            self._mouse.press(button)
            self._mouse.release(button)
        self._mouse.flush()

    def release(self, at: Pixel) -> None:
        """Move there with no button pressed, whatever was before."""
        self._clicked = None
        for button in _BUTTONS.values():
            self._mouse.release(button)
        self._go(at)
        self._mouse.flush()

    def _go(self, at: Pixel) -> None:
        self._mouse.move(at)
        self._at = at

    def _keep_apart(self, at: Pixel) -> None:
        if self._clicked is None:
            return
        when, where = self._clicked
        if max(abs(at[0] - where[0]), abs(at[1] - where[1])) <= _SAME_PLACE_PX:
            time.sleep(max(0.0, when + 2 * DOUBLE_CLICK_S - time.monotonic()))


def _notches(amount: float) -> int:
    return max(1, round(abs(amount) * _NOTCHES_PER_SCREEN)) if amount else 0


class _Keyboard(Protocol):
    def chord(self, names: Sequence[str]) -> None: ...

    def press(self, name: str, *, down: bool) -> None: ...

    def type(self, text: str) -> None: ...


class DesktopHand(Hand):
    """A pointer and a keyboard of one screen, whose `size` may change."""

    def __init__(self, pointer: Pointer, keyboard: _Keyboard, size: Callable[[], Size]) -> None:
        super().__init__()
        self._pointer, self._keyboard, self._size = pointer, keyboard, size

    def move(self, at: Point) -> None:
        """Move the pointer."""
        self._pointer.move(self._pixel(at))

    def click(self, at: Point, button: Button, times: int) -> None:
        """Click; clicks of two calls never count as one gesture."""
        self._pointer.click(self._pixel(at), button, times=times)

    def hold(self, at: Point, button: Button, duration_s: float) -> None:
        """Press, and release after a while."""
        self._pointer.drag([self._pixel(at)] * 2, duration_s, button)

    def drag(self, places: Sequence[Point], button: Button, duration_s: float) -> None:
        """Drag through the places."""
        self._pointer.drag([self._pixel(one) for one in places], duration_s, button)

    def scroll(self, at: Point, dx: float, dy: float) -> None:
        """Turn the wheel."""
        self._pointer.scroll(self._pixel(at), dx, dy)

    def button(self, button: Button, *, down: bool) -> None:
        """Press or release a button."""
        self._pointer.press(button, down=down)

    def key(self, name: str, *, down: bool) -> None:
        """Press or release a key."""
        self._keyboard.press(name, down=down)

    def chord(self, names: Sequence[str]) -> None:
        """Press keys together."""
        self._keyboard.chord(names)

    def type(self, text: str) -> None:
        """Type a text."""
        self._keyboard.type(text)

    def _pixel(self, at: Point) -> Pixel:
        return to_pixel(at, self._size())
