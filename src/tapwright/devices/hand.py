"""The actions of a mouse and a keyboard, whatever carries them to the screen; and what is down.

A device that is a computer has a `Hand`. What stays down, as `ButtonDown` and `KeyDown` leave it,
is known here, and is let go when the device starts over, when an attempt ends, and when the device
was lost and is there again.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from math import hypot
from typing import TypeAlias, TypeVar, assert_never

from tapwright.core import actions
from tapwright.core.actions import Button
from tapwright.core.geometry import Point
from tapwright.core.keys import find_key
from tapwright.errors import UnsupportedActionError

__all__ = ["Hand", "HandAction", "way_through"]

# What is dragged hears of one place in each frame that it draws: the last.
_FRAME_S = 1 / 30

T = TypeVar("T")

HandAction: TypeAlias = (
    actions.Tap | actions.DoubleTap | actions.TripleTap | actions.LongPress | actions.Hover
    | actions.Drag | actions.Swipe | actions.Scroll | actions.TypeText | actions.PressKey
    | actions.Hotkey | actions.ButtonDown | actions.ButtonUp | actions.KeyDown | actions.KeyUp
)  # fmt: skip
"""What a hand does; text is typed where the focus is."""


class Hand(ABC):
    """A mouse and a keyboard; each method returns when the screen has what was sent."""

    def __init__(self) -> None:
        self._keys: list[str] = []
        self._buttons: list[Button] = []

    @property
    def down(self) -> tuple[str, ...]:
        """What is down, in the order in which it went: "shift", "the left button"."""
        return (*self._keys, *(f"the {button} button" for button in self._buttons))

    def perform(self, action: HandAction) -> None:
        """Perform an action.

        Raises:
            UnsupportedActionError: there is no such key or button, or what is to go up is not down.
            DeviceError: the screen did not take it.
        """
        match action:
            case actions.Tap(at=at, button=button, held=held):
                self._click(at, button, 1, held)
            case actions.DoubleTap(at=at, button=button, held=held):
                self._click(at, button, 2, held)
            case actions.TripleTap(at=at, button=button, held=held):
                self._click(at, button, 3, held)
            case actions.LongPress(at=at, duration_s=duration_s, button=button, held=held):
                with self._holding(held):
                    self.hold(at, button, duration_s)
            case actions.Hover(at=at, held=held):
                with self._holding(held):
                    self.move(at)
                if self._buttons:
                    self.spend(_FRAME_S)
            case actions.Drag(start=start, end=end, path=path, duration_s=duration_s, held=held):
                with self._holding(held):
                    self.drag((start, *path, end), action.button, duration_s)
            case actions.Swipe(start=start, end=end):
                # A finger's swipe, which a mouse has not, scrolls as the wheel does.
                self.scroll(start, start.x - end.x, start.y - end.y)
            case actions.Scroll(at=at, dx=dx, dy=dy, held=held):
                with self._holding(held):
                    self.scroll(at, dx, dy)
            case actions.TypeText(text=text):
                self.type(text)
            case actions.PressKey(key=key):
                self.chord((key,))
            case actions.Hotkey(keys=keys, duration_s=duration_s):
                self._press_together(keys, duration_s)
            case actions.ButtonDown(at=at, button=button):
                self._go(at)
                self.set_button(button, down=True)
            case actions.ButtonUp(at=at, button=button):
                if button not in self._buttons:
                    raise self._not_down(f"the {button} button")
                self._go(at)
                self.set_button(button, down=False)
            case actions.KeyDown(key=key):
                self.set_key(key, down=True)
            case actions.KeyUp(key=key):
                if key not in self._keys:
                    raise self._not_down(key)
                self.set_key(key, down=False)
            case _:
                assert_never(action)

    def let_go(self) -> tuple[str, ...]:
        """Let everything go that is down; returns what was."""
        down = self.down
        for button in reversed([*self._buttons]):
            self.set_button(button, down=False)
        for key in reversed([*self._keys]):
            self.set_key(key, down=False)
        return down

    def forget(self) -> None:
        """Know of nothing that is down: the screen that had it is gone."""
        self._keys.clear()
        self._buttons.clear()

    def spend(self, duration_s: float) -> None:
        """Let time pass on the screen."""
        time.sleep(duration_s)

    @abstractmethod
    def move(self, at: Point) -> None:
        """Move the pointer."""

    @abstractmethod
    def click(self, at: Point, button: Button, times: int) -> None:
        """Move there and click; several count as one gesture."""

    @abstractmethod
    def hold(self, at: Point, button: Button, duration_s: float) -> None:
        """Move there, press, and release after a while."""

    @abstractmethod
    def drag(self, places: Sequence[Point], button: Button, duration_s: float) -> None:
        """Press at the first place, move through the others, release at the last."""

    @abstractmethod
    def scroll(self, at: Point, dx: float, dy: float) -> None:
        """Turn the wheel there by screens of content; to the right and down is positive."""

    @abstractmethod
    def button(self, button: Button, *, down: bool) -> None:
        """A button goes down, or up, where the pointer is."""

    @abstractmethod
    def key(self, name: str, *, down: bool) -> None:
        """A key goes down, or up."""

    @abstractmethod
    def chord(self, names: Sequence[str]) -> None:
        """Keys go down in order, and up in reverse."""

    @abstractmethod
    def type(self, text: str) -> None:
        """Type a text where the focus is."""

    def _go(self, at: Point | None) -> None:
        if at is not None:
            self.move(at)

    def _click(self, at: Point, button: Button, times: int, held: Sequence[str]) -> None:
        with self._holding(held):
            self.click(at, button, times)

    def _press_together(self, keys: Sequence[str], duration_s: float) -> None:
        if not duration_s:
            self.chord(keys)
            return
        with self._holding(keys):
            self.spend(duration_s)

    @contextmanager
    def _holding(self, keys: Sequence[str]) -> Iterator[None]:
        """Keys are down while the block lasts; one that is down already stays so."""
        pressed: list[str] = []
        try:
            for key in keys:
                if (find_key(key) or key) not in self._keys:
                    self.set_key(key, down=True)
                    pressed.append(key)
            yield
        finally:
            for key in reversed(pressed):
                self.set_key(key, down=False)

    def set_button(self, button: Button, *, down: bool) -> None:
        """A button goes down where the pointer is, or up, whatever it was before."""
        self.button(button, down=down)
        _note(self._buttons, button, down=down)

    def set_key(self, key: str, *, down: bool) -> None:
        """A key goes down, or up, whatever it was before."""
        self.key(key, down=down)
        _note(self._keys, find_key(key) or key, down=down)

    def succeed(self, lost: "Hand") -> None:
        """Know what another left down on the same screen, to which it has no way any more."""
        self._keys = [*lost._keys]
        self._buttons = [*lost._buttons]

    def _not_down(self, what: str) -> UnsupportedActionError:
        return UnsupportedActionError(
            f"{what} is not down, so it cannot go up",
            hint=f"down: {', '.join(self.down)}" if self.down else "nothing is down",
        )


def _note(listed: list[T], one: T, *, down: bool) -> None:
    if down and one not in listed:
        listed.append(one)
    elif not down and one in listed:
        listed.remove(one)


def way_through(places: Sequence[tuple[float, float]], moves: int) -> Iterator[tuple[float, float]]:
    """Some `moves` places on the way from the first place, through the others, to the last.

    Each leg has one at its end, and as many as its length is a share of the whole.
    """
    lengths = [hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(places)]
    whole = sum(lengths)
    for (one, other), length in zip(pairwise(places), lengths, strict=True):
        steps = max(1, round(moves * length / whole)) if whole else moves
        for step in range(1, steps + 1):
            share = step / steps
            yield one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share
