"""One finger on a page: reproducible gestures that take no real time to hold.

Every event carries the gesture's time, not the time of sending: a page sees a press of 0.8 s or a
slow swipe at once. A swipe rests before the finger lifts, so nothing is flung, and gestures are a
second apart, so two taps never count as a double tap by accident.

A long touch is no long press to Chromium, whose timer runs in real time: after it a page gets
`click`, and never `contextmenu`, which headless Chromium does not send for a real hold either. So a
page must go by the events' times, as the phone's does.
"""

from time import time
from typing import TypeAlias

from tapwright.devices.devtools import PendingReply
from tapwright.devices.page import Page

CssPoint: TypeAlias = tuple[float, float]
"""x and y in CSS pixels."""

GRAB_S = 0.8
"""How long a drag holds still before it moves."""

_APART_S = 1.0
_TAP_S = 0.05
_BETWEEN_TAPS_S = 0.1
_REST_S = 0.2
_MOVES = 8


class Finger:
    """Gestures on one tab; each returns when the page has handled all of it."""

    def __init__(self, tab: Page) -> None:
        self._tab = tab
        self._now_s = 0.0

    def tap(self, at: CssPoint) -> None:
        """Down and up; the page's click handlers have run when this returns."""
        self._begin()
        self._wait(self._press(at, _TAP_S))

    def multi_tap(self, at: CssPoint, times: int) -> None:
        """Taps quick enough to count as one double or triple click."""
        self._begin()
        replies = self._press(at, _TAP_S)
        for _ in range(times - 1):
            self._now_s += _BETWEEN_TAPS_S
            replies += self._press(at, _TAP_S)
        self._wait(replies)

    def long_press(self, at: CssPoint, duration_s: float) -> None:
        """Down, and up after `duration_s` of the page's time."""
        self._begin()
        self._wait(self._press(at, duration_s))

    def swipe(
        self, start: CssPoint, end: CssPoint, duration_s: float, *, grab_s: float = 0.0
    ) -> None:
        """From `start` to `end` without a fling, after holding still for `grab_s`.

        Scrolling is done and drawn when this returns. Chromium uses the first
        15 CSS pixels or so to distinguish a swipe from a tap.
        """
        self._begin()
        (x, y), (to_x, to_y) = start, end
        replies = [self._tab.touch("touchStart", [start], self._now_s)]
        self._now_s += grab_s
        for move in range(1, _MOVES + 1):
            self._now_s += max(duration_s, 0.01) / _MOVES
            share = move / _MOVES
            spot = (x + (to_x - x) * share, y + (to_y - y) * share)
            replies.append(self._tab.touch("touchMove", [spot], self._now_s))
        self._now_s += _REST_S
        replies.append(self._tab.touch("touchMove", [end], self._now_s))
        self._now_s += 0.01
        replies.append(self._tab.touch("touchEnd", [], self._now_s))
        self._wait(replies)
        self._tab.wait_for_frame()

    def _begin(self) -> None:
        self._now_s = max(self._now_s + _APART_S, time())

    def _press(self, at: CssPoint, duration_s: float) -> list[PendingReply]:
        down = self._tab.touch("touchStart", [at], self._now_s)
        self._now_s += duration_s
        # Sent together: each reply comes with a frame, and one frame can serve both.
        return [down, self._tab.touch("touchEnd", [], self._now_s)]

    def _wait(self, replies: list[PendingReply]) -> None:
        for reply in replies:
            self._tab.wait(reply)
