"""The hand on a desktop, in pixels of its screen: here by X, elsewhere by VNC."""

from collections.abc import Callable, Sequence
from typing import Protocol

from tapwright.core.actions import Button
from tapwright.core.geometry import Point, Size, to_pixel
from tapwright.devices.desktop.pointer import Pixel, Pointer
from tapwright.devices.hand import Hand

__all__ = ["DesktopHand"]


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
