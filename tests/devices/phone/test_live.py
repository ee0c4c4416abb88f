from collections.abc import Callable
from threading import Condition

import pytest

from tapwright.core.actions import OpenApp
from tapwright.core.screenshot import Screenshot
from tapwright.devices.device import LiveDevice, LiveFrame
from tapwright.devices.phone.device import Phone


class Shown:
    """Live pictures as they come."""

    def __init__(self) -> None:
        self.frames: list[LiveFrame] = []
        self._came = Condition()

    def __call__(self, frame: LiveFrame) -> None:
        with self._came:
            self.frames.append(frame)
            self._came.notify_all()

    def wait(self, holds: Callable[[], bool]) -> bool:
        with self._came:
            return self._came.wait_for(holds, 60.0)


@pytest.mark.slow
def test_a_phone_shows_its_first_picture_and_then_what_changes() -> None:
    shown = Shown()
    with Phone() as phone:
        phone.reset()
        assert isinstance(phone, LiveDevice)
        with phone.live(shown):
            assert shown.wait(lambda: len(shown.frames) == 1)
            for _ in range(2):
                phone.observe()
            phone.perform(OpenApp(app="Settings"))
            assert shown.wait(lambda: len(shown.frames) > 1)
            phone.observe()
        # To be observed does not show, though it is done by laying the page out anew.
        pictures = [frame.data for frame in shown.frames]
        assert len(pictures) == len(set(pictures))
        for frame in shown.frames:
            assert Screenshot(frame.data).size == frame.size
            assert (frame.kind, frame.key) == ("jpeg", True)
        times = [frame.time_s for frame in shown.frames]
        assert times == sorted(times)
