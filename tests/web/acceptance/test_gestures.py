"""What a finger does on the live screen is what is stored, at every size of the page."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, CDPSession, expect

from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.geometry import Point, Size
from tapwright.devices.fake import EndlessScenes, FakeDevice
from tests.tries import ALL
from tests.web.acceptance.recording import Recorder, recording

pytestmark = pytest.mark.slow

PIXELS = (270, 600)
CLICKS = 20 if ALL else 5


class Turning(FakeDevice):
    """A device that can be laid on its side."""

    def perform(self, action: Action) -> None:
        if isinstance(action, actions.PressKey) and action.key == "rotate":
            self.size = Size(self.size.height, self.size.width)
            self.scenes = EndlessScenes(self.size)
        super().perform(action)


@dataclass
class Finger:
    """A mouse whose events carry the times that a test gives, in milliseconds."""

    recorder: Recorder
    session: CDPSession
    now_ms: float = field(default_factory=lambda: 1000 * time.time())

    def do(self, kind: str, x: float, y: float, after_ms: float = 0.0) -> None:
        """An event at a fraction of the screen, or beside it."""
        self.now_ms += after_ms
        left, top = self.recorder.at(x, y)
        self.session.send(
            "Input.dispatchMouseEvent",
            {
                "type": f"mouse{kind}",
                "x": left,
                "y": top,
                "button": "left",
                "buttons": 0 if kind == "Released" else 1,
                "clickCount": 1,
                "timestamp": self.now_ms / 1000,
            },
        )

    def stroke(self, *path: tuple[float, float], lasting_ms: float, held_ms: float = 0.0) -> None:
        """Down at the first place, up at the last."""
        self.do("Pressed", *path[0], after_ms=2000)
        for number, at in enumerate(path[1:]):
            rest = lasting_ms / (len(path) - 1)
            self.do("Moved", *at, after_ms=rest + (0 if number else held_ms))
        self.do("Released", *path[-1], after_ms=0 if path[1:] else lasting_ms)

    def double_tap(self, x: float, y: float) -> None:
        """Two taps by the browser's own clock, as a page's timers go by that one."""
        left, top = self.recorder.at(x, y)
        gesture = {"x": left, "y": top, "duration": 40, "tapCount": 2}
        self.session.send("Input.synthesizeTapGesture", gesture | {"gestureSourceType": "mouse"})


@pytest.fixture
def finger(browser_process: Browser, tmp_path: Path) -> Iterator[Finger]:
    with recording(browser_process, tmp_path, lambda: FakeDevice(EndlessScenes())) as recorder:
        recorder.start()
        yield Finger(recorder, recorder.page.context.new_cdp_session(recorder.page))


def near(point: Point, x: float, y: float) -> bool:
    """Whether it lies within one pixel of the device."""
    return abs(point.x - x) * PIXELS[0] <= 1 and abs(point.y - y) * PIXELS[1] <= 1


def test_a_stroke_is_what_it_looks_like(finger: Finger) -> None:
    """Check 8."""
    recorder = finger.recorder
    five_px = 5 / recorder.place()[3]
    finger.stroke((0.5, 0.8), (0.5, 0.6), (0.5, 0.3), lasting_ms=80)
    finger.stroke((0.25, 0.5), lasting_ms=600)
    finger.stroke((0.4, 0.4), (0.4, 0.4 + five_px), (0.4, 0.4), lasting_ms=90)
    finger.stroke((0.3, 0.3), (0.7, 0.6), lasting_ms=200, held_ms=700)
    finger.stroke((0.5, 0.5), (0.5, 0.9), (0.5, 1.3), lasting_ms=300)
    for after_ms in (2000, 120):
        finger.do("Pressed", 0.6, 0.2, after_ms)
        finger.do("Released", 0.6, 0.2, 40)
    recorder.saved(7)
    flick, held, tap, drag, outside, *double = [
        step.decision.action for step in recorder.episode.steps
    ]
    assert isinstance(flick, actions.Swipe)
    assert near(flick.start, 0.5, 0.8)
    assert near(flick.end, 0.5, 0.3)
    assert flick.duration_s == pytest.approx(0.08, abs=0.002)
    assert isinstance(held, actions.LongPress)
    assert near(held.at, 0.25, 0.5)
    assert held.duration_s == pytest.approx(0.6, abs=0.002)
    assert isinstance(tap, actions.Tap)
    assert near(tap.at, 0.4, 0.4)
    assert isinstance(drag, actions.Drag)
    assert near(drag.start, 0.3, 0.3)
    assert near(drag.end, 0.7, 0.6)
    assert isinstance(outside, actions.Swipe)
    assert near(outside.end, 0.5, 1.0)
    assert [isinstance(one, actions.Tap) for one in double] == [True, True]


def test_two_quick_taps_are_one_double_tap_when_that_is_wanted(finger: Finger) -> None:
    recorder = finger.recorder
    recorder.page.keyboard.press("d")
    expect(recorder.press("Double taps")).to_have_attribute("aria-pressed", "true")
    finger.double_tap(0.6, 0.2)
    recorder.saved(1)
    finger.stroke((0.2, 0.2), lasting_ms=40)
    recorder.saved(2)
    kinds = [step.decision.action for step in recorder.episode.steps]
    assert [one.type for one in kinds] == ["double_tap", "tap"]


def test_all_moves_of_a_long_drag_arrive_in_order(finger: Finger) -> None:
    """Check 6, of which `bench/bench_web.py` measures the times."""
    path = [(0.5, 0.9 - number / 80) for number in range(61)]
    finger.stroke(*path, lasting_ms=1000)
    finger.recorder.saved(1)
    (step,) = finger.recorder.episode.steps
    assert isinstance(step.decision.action, actions.Swipe)
    ways = [
        event.at
        for event in step.raw
        if isinstance(event, actions.Touch | actions.Lift) and event.at
    ]
    assert len(ways) == 62
    assert all(one.y >= other.y for one, other in pairwise(ways))
    assert all(near(at, *wanted) for at, wanted in zip(ways, path, strict=False))


def test_the_right_button_goes_back_and_the_wheel_scrolls(finger: Finger) -> None:
    recorder = finger.recorder
    recorder.page.mouse.click(*recorder.at(0.5, 0.5), button="right")
    recorder.saved(1)
    recorder.page.mouse.wheel(0, 200)
    recorder.saved(2)
    back, swipe = [step.decision.action for step in recorder.episode.steps]
    assert back == actions.PressKey(key="back")
    assert isinstance(swipe, actions.Swipe)
    assert swipe.end.y < swipe.start.y


# A browser's zoom makes the page's pixels larger, and the page as much smaller.
METRICS = [
    (1280, 800, 1.0),
    (900, 700, 2.0),
    (1920, 1080, 3.0),
    (2560, 1600, 0.5),
    (640, 400, 2.0),
    (390, 844, 3.0),
]


@pytest.mark.long
def test_the_pixel_that_is_stored_is_the_one_under_the_finger(
    browser_process: Browser, tmp_path: Path
) -> None:
    """Check 9: sizes of the window, ratios, zoom of 50 to 200 %, a screen that is turned."""
    random = Random(9)
    with recording(browser_process, tmp_path, lambda: Turning(EndlessScenes())) as recorder:
        page = recorder.page
        recorder.start()
        session = page.context.new_cdp_session(page)
        intended: list[tuple[int, float, float]] = []
        count = 0
        for turned in (False, True):
            if turned:
                recorder.press("Rotate").click()
                count += 1
                recorder.saved(count)
                expect(recorder.screen).to_have_js_property("width", PIXELS[1])
            for width, height, ratio in METRICS:
                session.send(
                    "Emulation.setDeviceMetricsOverride",
                    {"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": False},
                )
                recorder.screen.scroll_into_view_if_needed()
                pixels = PIXELS[::-1] if turned else PIXELS
                for _ in range(CLICKS):
                    left, top, wide, high = recorder.place_at_rest()
                    x = random.randrange(int(left) + 1, int(left + wide) - 1)
                    y = random.randrange(max(0, int(top)) + 1, min(height, int(top + high)) - 1)
                    page.mouse.click(x, y)
                    intended.append(
                        (count, (x - left) / wide * pixels[0], (y - top) / high * pixels[1])
                    )
                    count += 1
                    recorder.saved(count)
        steps = recorder.episode.steps
    assert len(steps) == count == 12 * CLICKS + 1
    for number, across, down in intended:
        action, size = steps[number].decision.action, steps[number].observation.size
        assert isinstance(action, actions.Tap)
        assert action.at.x * size.width == pytest.approx(across, abs=1)
        assert action.at.y * size.height == pytest.approx(down, abs=1)
