"""What mouse, finger and keyboard do on a page."""

import time
from typing import TypeAlias, assert_never

from tapwright.core.actions import (
    DoubleTap,
    Drag,
    Hotkey,
    Hover,
    LongPress,
    PressKey,
    Scroll,
    Swipe,
    Tap,
    TripleTap,
    TypeText,
)
from tapwright.core.geometry import Point
from tapwright.devices.touch import CssPoint
from tapwright.devices.web.page import WebPage

__all__ = ["PageAction", "make_gesture"]

PageAction: TypeAlias = (
    Tap | DoubleTap | TripleTap | LongPress | Drag | Swipe | Scroll | Hover | TypeText | PressKey
    | Hotkey
)  # fmt: skip

_GRAB_S = 0.6  # a finger that is held still for less scrolls


def make_gesture(page: WebPage, action: PageAction) -> None:
    """Perform an action in the page; a mobile one is touched, others have a mouse.

    With a mouse a swipe turns the wheel by its length.

    Raises:
        PageInterrupted: the page opened a dialog meanwhile.
        UnsupportedActionError: a keyboard has no such key.
        DeviceLostError: see `WebPage.wait`.
    """

    def css(point: Point) -> CssPoint:
        return point.x * page.size.width, point.y * page.size.height

    match action:
        case Tap(at=at, button="left") if page.mobile:
            page.finger.tap(css(at))
        case Tap(at=at, button=button):
            page.mouse.click(css(at), button)
        case DoubleTap(at=at) if page.mobile:
            page.finger.multi_tap(css(at), 2)
        case DoubleTap(at=at):
            page.mouse.click(css(at), times=2)
        case TripleTap(at=at) if page.mobile:
            page.finger.multi_tap(css(at), 3)
        case TripleTap(at=at):
            page.mouse.click(css(at), times=3)
        case LongPress(at=at, duration_s=duration_s) if page.mobile:
            page.finger.long_press(css(at), duration_s)
        case LongPress(at=at, duration_s=duration_s):
            page.mouse.press(css(at))
            time.sleep(duration_s)
            page.mouse.release(css(at))
        case Drag(start=start, end=end, duration_s=duration_s) if page.mobile:
            page.finger.swipe(css(start), css(end), duration_s, grab_s=_GRAB_S)
        case Drag(start=start, end=end):
            page.drag(css(start), css(end))
        case Swipe(start=start, end=end, duration_s=duration_s) if page.mobile:
            page.finger.swipe(css(start), css(end), duration_s)
        case Swipe(start=start, end=end):
            _turn_wheel(page, start, start.x - end.x, start.y - end.y)
        case Scroll(at=at, dx=dx, dy=dy):
            _turn_wheel(page, at, dx, dy)
        case Hover(at=at):
            page.hover(*css(at))
        case TypeText(text=text):
            page.type_keys(text)
        case PressKey(key=key):
            page.press((key,))
        case Hotkey(keys=keys):
            page.press(keys)
        case _:
            assert_never(action)


def _turn_wheel(page: WebPage, at: Point, dx: float, dy: float) -> None:
    width, height = page.size.width, page.size.height
    page.wheel(at.x * width, at.y * height, dx * width, dy * height)
