from tapwright.core.actions import Wait
from tapwright.devices.fake import FakeDevice, Scene, painted_scene
from tapwright_adb_simulator import AdbPhone
from tapwright_adb_simulator.frames import AdbFrame
from tests.adb_simulator.wire import Wire

LINES = [f"03-14 09:41:0{n}.000  1042  1042 {'IWE'[n]} Tag{n}    : line {n}" for n in range(3)]
HEADING = "--------- beginning of main\n"


def logging_device() -> FakeDevice:
    picture = painted_scene(0).picture
    return FakeDevice([Scene(picture, log=(line,)) for line in LINES])


def text(*numbers: int) -> str:
    return HEADING + "".join(f"{LINES[n]}\n" for n in numbers)


def test_the_log_follows_what_is_done_until_nobody_listens() -> None:
    with AdbPhone(logging_device()) as phone, Wire.greeted(phone) as wire:
        with Wire.greeted(phone) as hand:
            here, there = wire.open("shell:logcat -v threadtime")
            said = wire.said(here, there)
            assert next(said).decode() == HEADING
            assert next(said).decode() == f"{LINES[0]}\n"
            hand.shell("input tap 1 1")
            assert next(said).decode() == f"{LINES[1]}\n"
            wire.send(AdbFrame(b"OKAY", here, there))
            wire.send(AdbFrame(b"CLSE", here, there))
            assert wire.receive().word == b"CLSE"
            hand.shell("input tap 1 1")
        assert wire.shell("echo quiet")[1] == "quiet\n"


def test_what_happens_to_the_device_directly_is_followed_too() -> None:
    with AdbPhone(logging_device()) as phone, Wire.greeted(phone) as wire:
        said = wire.said(*wire.open("shell:logcat -T 1"))
        assert next(said) + next(said) == text(0).encode()
        with phone.held() as device:
            device.perform(Wait())
        assert next(said).decode() == f"{LINES[1]}\n"
        phone.reset()
        assert next(said).decode() == f"{LINES[0]}\n"


def test_the_log_can_be_cut_and_chosen_from() -> None:
    with AdbPhone(logging_device()) as phone, Wire.greeted(phone) as wire:
        wire.shell("input tap 1 1; input tap 2 2")
        assert wire.shell("logcat -d")[1] == text(0, 1, 2)
        assert wire.shell("logcat -t 1")[1] == text(2)
        assert wire.shell("logcat -d -T '03-14 09:41:01.000'")[1] == text(1, 2)
        assert wire.shell("logcat -d *:W")[1] == text(1, 2)
        assert wire.shell("logcat -d -s Tag1 Tag2:F")[1] == text(1)
        assert wire.shell("logcat -d | grep -c line")[1] == "3\n"
        assert wire.shell("date '+%m-%d %H:%M:%S'")[1] == "03-14 09:41:02\n"
        wire.shell("logcat -c")
        assert wire.shell("logcat -d")[1] == HEADING
        assert wire.shell("logcat -d --what")[0] == 1
        assert wire.shell("logcat -T yesterday")[0] == 1
