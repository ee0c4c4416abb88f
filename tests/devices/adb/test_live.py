"""The live picture of a phone on the wire, whose scrcpy server encodes what its screen shows."""

import io
from collections.abc import Callable
from pathlib import Path
from threading import Condition

import av
import pytest
from PIL import Image, ImageChops, ImageStat

from tapwright.core.actions import Tap
from tapwright.core.geometry import Point
from tapwright.devices.adb.client import AdbClient
from tapwright.devices.adb.device import AndroidPhone
from tapwright.devices.adb.live import LivePhone, open_phone
from tapwright.devices.device import LiveDevice, LiveFrame, StreamingDevice
from tapwright.devices.errors import LiveStreamError
from tapwright.devices.fake import FakeDevice, Scene
from tapwright.errors import DeviceLostError, UsageError
from tapwright_adb_simulator import AdbPhone, AdbServer, Hang, write_jar

EMPTY_XML = '<hierarchy rotation="0"></hierarchy>'


class Seen:
    """Live pictures as they come, decoded from the first on that can be shown by itself."""

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

    def last(self) -> Image.Image:
        """What a viewer sees who came with the last key picture."""
        start = max(at for at, frame in enumerate(self.frames) if frame.key)
        return decoded(self.frames[start:])


def coloured(*colours: str) -> FakeDevice:
    """A phone whose screen is of one colour, and of the next after each action."""
    return FakeDevice([Scene(picture_of(colour), EMPTY_XML) for colour in colours])


def picture_of(colour: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (270, 600), colour).save(buffer, "PNG")
    return buffer.getvalue()


def decoded(frames: list[LiveFrame]) -> Image.Image:
    decoder = av.CodecContext.create("h264", "r")
    pictures = [one for frame in frames for one in decoder.decode(av.Packet(frame.data))]
    pictures += decoder.decode(None)
    assert len(pictures) == len(frames)
    image: Image.Image = pictures[-1].to_image()  # type: ignore[no-untyped-call]
    return image


def renew_for_ever(phone: LivePhone) -> None:
    while True:
        phone.renew()


def unlike(one: Image.Image, other: Image.Image) -> float:
    """How far they are apart: the mean difference of a channel, from 0 to 255."""
    between = ImageChops.difference(one, other.convert("RGB").resize(one.size))
    return sum(ImageStat.Stat(between).mean) / 3


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    return write_jar(tmp_path / "scrcpy-server-v4.1")


def opened(adb: AdbServer, phone: AdbPhone, jar: Path) -> AndroidPhone:
    client = AdbClient(port=adb.port, program=Path(adb.program), timeout_s=60)
    return open_phone(f"{phone.address},scrcpy={jar}", client=client)


def test_the_live_picture_is_what_the_screen_shows(adb: AdbServer, jar: Path) -> None:
    seen = Seen()
    with AdbPhone(coloured("red", "blue")) as phone, opened(adb, phone, jar) as ours:
        assert isinstance(ours, LivePhone)
        assert isinstance(ours, StreamingDevice)
        before = ours.observe().screenshot.image()
        with ours.live(seen):
            assert seen.wait(lambda: len(seen.frames) == 1)
            first = seen.frames[0]
            assert (first.kind, first.key) == ("h264", True)
            assert unlike(seen.last(), before) < 4
            ours.perform(Tap(at=Point(0.5, 0.4)))
            after = ours.observe().screenshot.image()
            assert unlike(decoded([first]), after) > 100
            assert seen.wait(lambda: unlike(seen.last(), after) < 4)
            assert not seen.frames[-1].key
            assert (first.size.width, first.size.height) == seen.last().size
            assert max(seen.last().size) <= 1280
            times = [frame.time_s for frame in seen.frames]
            assert times == sorted(times)


def test_a_picture_that_can_be_shown_by_itself_comes_when_it_is_asked_for(
    adb: AdbServer, jar: Path
) -> None:
    seen = Seen()
    with AdbPhone(FakeDevice()) as phone, opened(adb, phone, jar) as ours:
        assert isinstance(ours, LivePhone)
        with ours.live(seen):
            assert seen.wait(lambda: len(seen.frames) == 1)
            ours.renew()
            assert seen.wait(lambda: len(seen.frames) == 2)
            assert seen.frames[1].key
            assert unlike(decoded(seen.frames[1:]), decoded(seen.frames[:1])) < 2
        with ours.live(seen):  # and again from the start
            assert seen.wait(lambda: len(seen.frames) == 3)


def test_a_phone_that_is_lost_ends_the_live_picture(adb: AdbServer, jar: Path) -> None:
    seen = Seen()
    with AdbPhone(FakeDevice()) as phone, opened(adb, phone, jar) as ours:
        assert isinstance(ours, LivePhone)
        live = ours.live(seen)
        live.__enter__()
        assert seen.wait(lambda: len(seen.frames) == 1)
        phone.unplug()
        with pytest.raises(DeviceLostError):
            renew_for_ever(ours)
        with pytest.raises(DeviceLostError):
            ours.log()
        with pytest.raises(DeviceLostError):
            live.__exit__(None, None, None)


def test_without_a_server_of_scrcpy_there_is_no_live_picture(
    adb: AdbServer, tmp_path: Path
) -> None:
    with AdbPhone(FakeDevice()) as phone:
        client = AdbClient(port=adb.port, program=Path(adb.program), timeout_s=60)
        with open_phone(phone.address, client=client) as ours:
            assert not isinstance(ours, LiveDevice)
        for name, error in (("scrcpy-server-v4.2", LiveStreamError), ("none", LiveStreamError)):
            wrong = write_jar(tmp_path / name)
            with pytest.raises(error):
                open_phone(f"{phone.address},scrcpy={wrong}", client=client)
        with pytest.raises(UsageError):
            open_phone(f"{phone.address},scrcpy=", client=client)


def test_a_server_that_does_not_start_is_told(
    adb: AdbServer, jar: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tapwright.devices.adb.scrcpy._UP_S", 0.3)
    with AdbPhone(FakeDevice()) as phone, opened(adb, phone, jar) as ours:
        assert isinstance(ours, LivePhone)
        phone.faults["env"] = Hang()
        with pytest.raises(LiveStreamError, match="does not start"), ours.live(Seen()):
            pass
