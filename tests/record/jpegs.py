"""The live picture that a fake device shows of a screen."""

from functools import cache

from tapwright.core.observation import Observation
from tapwright.devices.fake import FakeDevice, Scene


def jpeg_of(observation: Observation) -> bytes:
    return _jpeg(observation.screenshot.data)


@cache
def _jpeg(picture: bytes) -> bytes:
    shown: list[bytes] = []
    device = FakeDevice([Scene(picture)])
    with device.live(lambda frame: shown.append(frame.data)):
        pass
    return shown[0]
