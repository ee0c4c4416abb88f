import base64
import io
import struct

import pytest
from PIL import Image

from tapwright.core.actions import (
    Action,
    DoubleTap,
    Drag,
    Hotkey,
    LongPress,
    OpenApp,
    PressKey,
    Swipe,
    Tap,
    TypeText,
)
from tapwright.core.geometry import Point, from_pixel, to_pixel
from tapwright.core.observation import UiTree
from tapwright.devices.fake import FakeDevice
from tapwright_adb_simulator import ADB_KEYBOARD, PLAIN_KEYBOARD, AdbPhone
from tapwright_adb_simulator.frames import AdbFrame
from tests.adb_simulator.wire import Wire


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("echo 'a  b' \"c\" d\\ e", (0, "a  b c d e\n", "")),
        ("exit 7", (7, "", "")),
        ("false || echo $?", (0, "1\n", "")),
        ("echo a; exit 3; echo b", (3, "a\n", "")),
        ("no-such", (127, "", "/system/bin/sh: no-such: inaccessible or not found\n")),
        ("/system/bin/true", (0, "", "")),
        ("cat /none", (1, "", "cat: /none: No such file or directory\n")),
        ("cat < /none", (1, "", "/system/bin/sh: can't open /none: No such file or directory\n")),
        ("mkdir /x; echo 1 > /x/a; echo 2 >> /x/a; cat /x/*", (0, "1\n2\n", "")),
        ("echo x > /sdcard", (1, "", "/system/bin/sh: can't open /sdcard: Is a directory\n")),
        ("ls /none 2>/dev/null | wc -l", (0, "0\n", "")),
        ("mkdir /sdcard/b; mkdir /sdcard/b", (1, "", "mkdir: '/sdcard/b': File exists\n")),
        ("rm -f /none", (0, "", "")),
        ("echo -n 'a\nB\nab' | grep -i b", (0, "B\nab\n", "")),
        ("echo a | grep -q b", (1, "", "")),
        ("getprop ro.build.version.sdk; getprop none", (0, "33\n\n", "")),
        ("settings get global none", (0, "null\n", "")),
        ("settings put global a 'b c'; settings get global a", (0, "b c\n", "")),
        ("wm size; wm density", (0, "Physical size: 270x600\nPhysical density: 420\n", "")),
        ("pm list packages", (0, "package:com.example.fake\n", "")),
        ("pm path none", (1, "", "")),
        ("cmd package resolve-activity --brief none", (0, "No activity found\n", "")),
        ("ime set n/.N", (255, "", "Unknown input method n/.N cannot be selected for user #0\n")),
        ("dumpsys none", (0, "", "Can't find service: none\n")),
        ("monkey -p none -c x 1", (252, "** No activities found to run, monkey aborted.\n", "")),
    ],
)  # fmt: skip
def test_a_line_says_what_a_phone_says(wire: Wire, line: str, told: tuple[int, str, str]) -> None:
    assert wire.shell(line) == told


def test_text_that_reaches_the_shell_unquoted_is_told(wire: Wire, device: FakeDevice) -> None:
    code, _, error = wire.shell("input text $(reboot)")
    assert code == 1
    assert "a program inside a word is not run by this phone; quote the text" in error
    assert device.performed == []


def test_the_first_version_of_the_shell_has_one_stream_and_no_code(wire: Wire) -> None:
    assert wire.ask("shell:echo out; echo err >&2; false") == b"out\nerr\n"


def test_lines_that_are_typed_run_one_after_the_other(wire: Wire) -> None:
    here, there = wire.open("shell:")
    wire.send(AdbFrame(b"WRTE", here, there, b"echo one\nfalse\necho $?\nexit\n"))
    assert wire.receive().word == b"OKAY"
    assert b"".join(wire.said(here, there)) == b"one\n1\n"


BACK, HOME = PressKey(key="back"), PressKey(key="home")
OPEN = OpenApp(app="com.example.fake")
AT = from_pixel(100, 200, FakeDevice().size)
TO = from_pixel(50, 60, FakeDevice().size)


@pytest.mark.parametrize(
    ("line", "actions"),
    [
        ("input tap 100 200", [Tap(at=AT)]),
        ("input touchscreen -d 0 tap 100.7 200.2", [Tap(at=AT)]),
        ("cmd input tap 100 200", [Tap(at=AT)]),
        ("input tap 100 200 && input tap 100 200", [DoubleTap(at=AT)]),
        ("input swipe 100 200 50 60", [Swipe(start=AT, end=TO, duration_s=0.3)]),
        ("input swipe 100 200 50 60 1200", [Swipe(start=AT, end=TO, duration_s=1.2)]),
        ("input swipe 100 200 100 200 499", [Tap(at=AT)]),
        ("input swipe 100 200 100 200 500", [LongPress(at=AT, duration_s=0.5)]),
        ("input draganddrop 100 200 50 60 900", [Drag(start=AT, end=TO, duration_s=0.9)]),
        ("input motionevent DOWN 100 200; input motionevent UP 100 200", [Tap(at=AT)]),
        ("input motionevent DOWN 1 1; input motionevent CANCEL 1 1; input motionevent UP 1 1", []),
        ("input text 'a%sb;c'", [TypeText(text="a b;c")]),
        ("input keyevent 4 KEYCODE_HOME ENTER", [BACK, HOME, PressKey(key="enter")]),
        ("input keyevent --longpress 66 29", [PressKey(key="enter"), TypeText(text="a")]),
        ("input keyevent 99999 NO_SUCH_KEY", []),
        ("input keyevent PASTE", [Hotkey(keys=("control", "v"))]),
        ("input keycombination CTRL_LEFT A", [Hotkey(keys=("control", "a"))]),
        ("input tap 270 10", []),
        ("input tap -- -1 10", []),
        ("am start -n com.example.fake/.Any", []),
        ("am start -S -n com.example.fake/.Any", [HOME, OPEN]),
        ("monkey -p com.example.fake -c x 1", [OPEN]),
        ("am start -a android.intent.action.MAIN -c android.intent.category.HOME", [HOME]),
        ("am force-stop com.example.fake", [HOME]),
        ("am force-stop com.example.other", []),
    ],
)  # fmt: skip
def test_a_command_does_what_the_device_does_when_driven_directly(
    wire: Wire, device: FakeDevice, line: str, actions: list[Action]
) -> None:
    wire.shell(line)
    assert device.performed == actions


@pytest.mark.parametrize(
    "line", ["input", "input tap 5", "input tap a b", "input tap nan 1", "input fly", "input text"]
)
def test_input_that_makes_no_sense_fails(wire: Wire, device: FakeDevice, line: str) -> None:
    code, out, error = wire.shell(line)
    assert (code, out) == (255, "")
    assert "Error" in error or "Exception occurred" in error
    assert device.performed == []


def test_text_beyond_ascii_needs_the_adb_keyboard(
    phone: AdbPhone, wire: Wire, device: FakeDevice
) -> None:
    text = "中文 😀 \"'$(x)\n"
    assert wire.shell("input text 中文")[0] == 255
    order = f"am broadcast -a ADB_INPUT_B64 --es msg {base64.b64encode(text.encode()).decode()}"
    assert "result=0" in wire.shell(order)[1]
    assert device.performed == []
    wire.shell(f"ime enable {ADB_KEYBOARD} && ime set {ADB_KEYBOARD}")
    assert wire.shell("settings get secure default_input_method")[1] == f"{ADB_KEYBOARD}\n"
    wire.shell(order)
    assert device.performed == [TypeText(text=text)]
    phone.android.keyboards.remove(ADB_KEYBOARD)
    wire.shell("ime reset")
    assert wire.shell("ime list -s -a")[1] == f"{PLAIN_KEYBOARD}\n"
    assert wire.shell(f"ime enable {ADB_KEYBOARD}")[0] == 255


def test_the_picture_is_the_devices_own_bytes(wire: Wire, device: FakeDevice) -> None:
    assert wire.ask("exec:screencap -p") == device.scenes[0].picture
    wire.shell("screencap /sdcard/a.png")
    assert wire.ask("exec:cat /sdcard/a.png") == device.scenes[0].picture


def test_a_raw_picture_is_pixels_after_a_header(wire: Wire, device: FakeDevice) -> None:
    data = wire.ask("exec:screencap")
    assert struct.unpack_from("<4I", data) == (270, 600, 1, 1)
    image = Image.open(io.BytesIO(device.scenes[0].picture)).convert("RGBA")
    assert data[16:] == image.tobytes()


def test_the_tree_goes_to_a_file_or_to_the_terminal(wire: Wire, device: FakeDevice) -> None:
    said = wire.shell("uiautomator dump")
    assert said == (0, "UI hierchary dumped to: /sdcard/window_dump.xml\n", "")
    xml = wire.shell("cat /sdcard/window_dump.xml")[1]
    assert xml.endswith(device.scenes[0].xml)
    both = xml + "UI hierchary dumped to: /dev/tty\n"
    assert wire.ask("exec:uiautomator dump --compressed /dev/tty") == both.encode()


class Counting(FakeDevice):
    looks = 0

    def observe(self):  # type: ignore[no-untyped-def]
        self.looks += 1
        return super().observe()


def test_a_picture_and_a_tree_with_nothing_between_them_cost_one_look() -> None:
    device = Counting()
    with AdbPhone(device) as phone, Wire.greeted(phone) as wire:
        before = device.looks
        wire.ask("exec:uiautomator dump /dev/tty")
        wire.ask("exec:screencap -p")
        wire.shell("dumpsys window")
        assert device.looks == before + 1
        wire.ask("exec:screencap -p")
        assert device.looks == before + 2
        wire.shell("input tap 1 1")
        wire.ask("exec:uiautomator dump /dev/tty")
        assert device.looks == before + 3


def test_a_phone_that_sleeps_shows_nothing_and_feels_nothing(
    phone: AdbPhone, wire: Wire, device: FakeDevice
) -> None:
    wire.shell("input keyevent SLEEP")
    assert not phone.android.awake
    assert "mWakefulness=Asleep" in wire.shell("dumpsys power")[1]
    picture = Image.open(io.BytesIO(wire.ask("exec:screencap -p")))
    assert picture.size == (270, 600)
    assert picture.getextrema() == ((0, 0), (0, 0), (0, 0))
    assert wire.shell("uiautomator dump") == (
        0, "", "ERROR: null root node returned by UiTestAutomationBridge.\n",
    )  # fmt: skip
    wire.shell("input tap 5 5")
    wire.shell("input keyevent WAKEUP")
    assert device.performed == []
    assert wire.ask("exec:screencap -p") == device.scenes[0].picture


@pytest.mark.parametrize(
    "line", ["wm dismiss-keyguard", "input swipe 100 500 100 100", "input keyevent 82"]
)
def test_a_locked_phone_is_unlocked_unless_it_wants_a_pin(
    phone: AdbPhone, wire: Wire, device: FakeDevice, line: str
) -> None:
    phone.android.locked = phone.android.secure = True
    wire.shell("input tap 5 5")
    assert "com.android.systemui" in wire.ask("exec:uiautomator dump /dev/tty").decode()
    assert "NotificationShade" in wire.shell("dumpsys window")[1]
    wire.shell(line)
    assert phone.android.locked
    phone.android.secure = False
    wire.shell(line)
    assert not phone.android.locked
    assert device.performed == []


@pytest.mark.parametrize("turn", [0, 1, 2, 3])
def test_a_phone_held_sideways_is_tapped_where_its_picture_shows_the_button(
    wire: Wire, device: FakeDevice, turn: int
) -> None:
    wire.shell(f"wm user-rotation lock {turn}")
    picture = Image.open(io.BytesIO(wire.ask("exec:screencap -p"))).convert("RGB")
    xml = wire.ask("exec:uiautomator dump /dev/tty").decode().rpartition("UI hierchary")[0]
    assert f'<hierarchy rotation="{turn}">' in xml
    assert picture.size == ((600, 270) if turn % 2 else (270, 600))
    size = device.size if turn % 2 == 0 else type(device.size)(600, 270)
    button = UiTree(xml, size).find(text="Button 0")
    assert button is not None
    assert button.box is not None
    x, y = to_pixel(button.box.center, size)
    assert picture.getpixel((x, y)) == (66, 133, 244)
    assert f"cur={size}" in wire.shell("dumpsys window displays")[1]
    wire.shell(f"input tap {x} {y}")
    (tap,) = device.performed
    assert isinstance(tap, Tap)
    assert tap.at.distance(Point(0.5, 5 / 12)) < 0.01


def test_what_is_in_front_is_told_in_every_place(wire: Wire) -> None:
    name = "com.example.fake/com.example.fake.MainActivity"
    assert f"mCurrentFocus=Window{{7c3b0e1 u0 {name}}}" in wire.shell("dumpsys window")[1]
    assert "u0 com.example.fake/.MainActivity t12}" in wire.shell("dumpsys activity activities")[1]
    assert "ACTIVITY com.example.fake/.MainActivity" in wire.shell("dumpsys activity top")[1]


def test_an_app_is_started_as_am_says(wire: Wire) -> None:
    assert wire.shell("am start -n com.no/.Main") == (
        1,
        "Starting: Intent { cmp=com.no/.Main }\nError type 3\n"
        "Error: Activity class {com.no/com.no.Main} does not exist.\n",
        "",
    )
    told = wire.shell("am start -W -S com.example.fake/.Main")[1]
    assert told.splitlines()[1:] == [
        "Status: ok", "LaunchState: COLD", "Activity: com.example.fake/.Main", "TotalTime: 1",
        "WaitTime: 1", "Complete",
    ]  # fmt: skip


def test_an_app_is_gone_until_something_is_installed(phone: AdbPhone, wire: Wire) -> None:
    assert wire.shell("pm uninstall none")[:2] == (1, "Failure [DELETE_FAILED_INTERNAL_ERROR]\n")
    assert wire.shell("pm uninstall com.example.fake")[:2] == (0, "Success\n")
    assert wire.shell("pm list packages")[1] == ""
    assert wire.shell("am start -n com.example.fake/.Main")[0] == 1
    assert wire.shell("pm install /none.apk")[0] == 255
    wire.shell("echo no > /data/local/tmp/a.apk")
    code, told, _ = wire.shell("pm install -r -t -g /data/local/tmp/a.apk")
    assert (code, told.startswith("Failure [INSTALL_PARSE_FAILED_NOT_APK")) == (1, True)
    assert phone.android.uninstalled == {"com.example.fake"}


def test_the_names_of_apps_are_told_with_their_activities(wire: Wire) -> None:
    query = "cmd package query-activities -a android.intent.action.MAIN -c android.intent.category.LAUNCHER"  # noqa: E501
    told = wire.shell(query)[1]
    assert "1 activities found:" in told
    assert "nonLocalizedLabel=com.example.fake " in told
    assert wire.shell(f"{query} --components")[1] == "com.example.fake/.MainActivity\n"
