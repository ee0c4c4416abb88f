"""A mouse on a page: reproducible gestures that are sent in one go.

Unlike a finger's, a mouse's events are not aligned to frames, so a click takes about a millisecond.
"""

from tapwright.core.actions import Button
from tapwright.devices.devtools import PendingReply
from tapwright.devices.page import Page
from tapwright.devices.touch import CssPoint

_MOVES = 10
_BITS = {"none": 0, "left": 1, "right": 2, "middle": 4, "back": 8, "forward": 16}
"""The protocol's bit of each button that is held."""


class Mouse:
    """Gestures on one tab; each returns when the page has handled all of it."""

    def __init__(self, tab: Page) -> None:
        self._tab = tab

    def click(self, at: CssPoint, button: Button = "left", *, times: int = 1) -> None:
        """Move there, then press and release; `times` clicks count as one gesture."""
        replies = [self._send("mouseMoved", at)]
        for count in range(1, times + 1):
            replies.append(self._send("mousePressed", at, button, count))
            replies.append(self._send("mouseReleased", at, button, count))
        self._wait(replies)

    def press(self, at: CssPoint) -> None:
        """Move there and press."""
        self._wait([self._send("mouseMoved", at), self._send("mousePressed", at, "left", 1)])

    def release(self, at: CssPoint) -> None:
        """Release at a place, wherever it was pressed."""
        self._wait([self._send("mouseReleased", at, "left", 1)])

    def drag(self, start: CssPoint, end: CssPoint) -> None:
        """Press at `start`, move to `end` in a straight line, release there."""
        (x, y), (to_x, to_y) = start, end
        replies = [self._send("mouseMoved", start), self._send("mousePressed", start, "left", 1)]
        for move in range(1, _MOVES + 1):
            share = move / _MOVES
            spot = (x + (to_x - x) * share, y + (to_y - y) * share)
            replies.append(self._send("mouseMoved", spot, "left"))
        replies.append(self._send("mouseReleased", end, "left", 1))
        self._wait(replies)

    def _send(self, kind: str, at: CssPoint, button: str = "none", count: int = 0) -> PendingReply:
        return self._tab.send(
            "Input.dispatchMouseEvent",
            {"type": kind, "x": at[0], "y": at[1], "button": button, "clickCount": count,
             "buttons": 0 if kind == "mouseReleased" else _BITS[button]},
        )  # fmt: skip

    def _wait(self, replies: list[PendingReply]) -> None:
        for reply in replies:
            self._tab.wait(reply)
