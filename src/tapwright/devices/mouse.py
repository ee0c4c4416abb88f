"""A mouse on a page: reproducible gestures that are sent in one go.

Unlike a finger's, a mouse's events are not aligned to frames, so a click takes about a millisecond.
"""

from collections.abc import Sequence

from tapwright.core.actions import Button
from tapwright.devices.devtools import PendingReply
from tapwright.devices.hand import way_through
from tapwright.devices.page import Page
from tapwright.devices.touch import CssPoint

MOVES = 10
"""The least of moves in a drag."""
_BITS = {"none": 0, "left": 1, "right": 2, "middle": 4, "back": 8, "forward": 16}
"""The protocol's bit of each button that is held."""


class Mouse:
    """Gestures on one tab; each returns when the page has handled all of it.

    Buttons that `press` leaves down, and the keys that the page has down, are told with each event.
    """

    def __init__(self, tab: Page) -> None:
        self._tab = tab
        self._down = 0
        self._at: CssPoint = (0.0, 0.0)

    def move(self, at: CssPoint) -> None:
        """Move there."""
        self._wait([self._send("mouseMoved", at)])

    def click(self, at: CssPoint, button: Button = "left", *, times: int = 1) -> None:
        """Move there, then press and release; `times` clicks count as one gesture."""
        replies = [self._send("mouseMoved", at)]
        for count in range(1, times + 1):
            replies.append(self._send("mousePressed", at, button, count))
            replies.append(self._send("mouseReleased", at, button, count))
        self._wait(replies)

    def press(self, button: Button = "left") -> None:
        """Press where the pointer is."""
        self._wait([self._send("mousePressed", self._at, button, 1)])

    def release(self, button: Button = "left") -> None:
        """Release where the pointer is, wherever it was pressed."""
        self._wait([self._send("mouseReleased", self._at, button, 1)])

    def drag(self, places: Sequence[CssPoint], button: Button = "left") -> None:
        """Press at the first place, move through the others in straight lines, release.

        A page is told of moves within one frame as one, so each place is waited for.
        """
        replies = [self._send("mouseMoved", places[0])]
        replies.append(self._send("mousePressed", places[0], button, 1))
        for spot in way_through(places, MOVES):
            replies.append(self._send("mouseMoved", spot))
            if spot in places[1:-1]:
                self._wait(replies)
                replies.clear()
        replies.append(self._send("mouseReleased", places[-1], button, 1))
        self._wait(replies)

    def _send(self, kind: str, at: CssPoint, button: str = "", count: int = 0) -> PendingReply:
        self._at = at
        if kind == "mousePressed":
            self._down |= _BITS[button]
        elif kind == "mouseReleased":
            self._down &= ~_BITS[button]
        held = next((name for name, bit in _BITS.items() if bit & self._down), "none")
        return self._tab.send(
            "Input.dispatchMouseEvent",
            {"type": kind, "x": at[0], "y": at[1], "button": button or held, "clickCount": count,
             "buttons": self._down, "modifiers": self._tab.modifiers},
        )  # fmt: skip

    def _wait(self, replies: list[PendingReply]) -> None:
        for reply in replies:
            self._tab.wait(reply)
