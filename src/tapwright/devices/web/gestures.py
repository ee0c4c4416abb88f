"""What a finger does on a page that is touched; others have a hand."""

from typing import TypeAlias

from tapwright.core.actions import DoubleTap, Drag, LongPress, Swipe, Tap, TripleTap
from tapwright.core.geometry import Point
from tapwright.devices.touch import CssPoint
from tapwright.devices.web.page import WebPage

__all__ = ["Touched", "touch"]

Touched: TypeAlias = Tap | DoubleTap | TripleTap | LongPress | Drag | Swipe

_GRAB_S = 0.6  # a finger that is held still for less scrolls


def touch(page: WebPage, action: Touched) -> None:
    """Perform a gesture with a finger; a click of another button than the left takes a mouse.

    Raises:
        PageInterrupted: the page opened a dialog meanwhile.
        DeviceLostError: see `WebPage.wait`.
    """

    def css(point: Point) -> CssPoint:
        return point.x * page.size.width, point.y * page.size.height

    match action:
        case Tap(at=at, button="left"):
            page.finger.tap(css(at))
        case Tap():
            page.hand.perform(action)
        case DoubleTap(at=at):
            page.finger.multi_tap(css(at), 2)
        case TripleTap(at=at):
            page.finger.multi_tap(css(at), 3)
        case LongPress(at=at, duration_s=duration_s):
            page.finger.long_press(css(at), duration_s)
        case Drag(start=start, end=end, duration_s=duration_s):
            page.finger.swipe(css(start), css(end), duration_s, grab_s=_GRAB_S)
        case Swipe(start=start, end=end, duration_s=duration_s):
            page.finger.swipe(css(start), css(end), duration_s)
