"""Our device, by way of the real adb, at a phone that is another device or misbehaves."""

import asyncio
import struct
import warnings
import zlib
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from tapwright.core import actions
from tapwright.core.actions import Action, Key
from tapwright.core.episode import Decision, Step
from tapwright.core.fit import BLANK, why_unseen
from tapwright.core.geometry import Point, Size, from_pixel, to_pixel
from tapwright.core.observation import Observation
from tapwright.devices.adb import shell as shell_module
from tapwright.devices.adb.client import AdbClient
from tapwright.devices.adb.device import AndroidPhone, BlackScreenWarning
from tapwright.devices.adb.hierarchy import HierarchyWarning
from tapwright.devices.adb.live import open_phone
from tapwright.devices.errors import BadDeviceOutputError
from tapwright.devices.fake import DEFAULT_SIZE, FakeDevice, Scene, painted_scene
from tapwright.devices.phone.device import Phone
from tapwright.environment.environment import Environment
from tapwright.environment.rollout import rollout
from tapwright.errors import (
    DeviceError,
    DeviceLostError,
    UnknownAppError,
    UnsupportedActionError,
    UsageError,
)
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import LogHas, When
from tapwright.tasks.task import Task
from tapwright.testing import check_device
from tapwright_adb_simulator import (
    PLAIN_KEYBOARD,
    AdbServer,
    Android,
    Endless,
    Fault,
    Hang,
    Instead,
    Truncated,
    Unplug,
    WrongLength,
)
from tests.devices.adb.conftest import wired
from tests.strategies import POINTS

MIDDLE = Point(0.5, 0.5)
MANY = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.slow
def test_it_keeps_the_laws_of_devices(adb: AdbServer) -> None:
    with Phone.named("540x1200") as inner, wired(adb, inner) as (_, ours):
        check_device(ours, exact=False)


def on_pixels(point: Point) -> Point:
    return from_pixel(*to_pixel(point, DEFAULT_SIZE), DEFAULT_SIZE)


LENGTHS = st.integers(1, 3000).map(lambda milliseconds: milliseconds / 1000)
PRESSES = st.integers(500, 3000).map(lambda milliseconds: milliseconds / 1000)
GESTURES: st.SearchStrategy[Action] = st.one_of(
    st.builds(actions.Tap, at=POINTS.map(on_pixels)),
    st.builds(actions.DoubleTap, at=POINTS.map(on_pixels)),
    st.builds(actions.LongPress, at=POINTS.map(on_pixels), duration_s=PRESSES),
    st.builds(
        actions.Drag, start=POINTS.map(on_pixels), end=POINTS.map(on_pixels), duration_s=LENGTHS
    ),
    st.builds(
        actions.Swipe,
        start=st.just(on_pixels(MIDDLE)),
        end=POINTS.map(on_pixels).filter(lambda end: end != on_pixels(MIDDLE)),
        duration_s=LENGTHS,
    ),
    st.builds(
        actions.TypeText,
        text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
            lambda text: not text.endswith("\n")
        ),
    ),
)


def test_another_program_reaches_the_phone_at_its_address(adb: AdbServer) -> None:
    with wired(adb) as (phone, ours):
        address = ours.address()
        assert (address["kind"], address["serial"]) == ("adb", phone.address)
        assert (address["host"], address["port"]) == ("127.0.0.1", adb.port)


def test_what_is_done_is_what_the_phone_does(adb: AdbServer) -> None:
    inner = FakeDevice()
    with wired(adb, inner) as (phone, ours):

        @given(GESTURES)
        @MANY
        def arrives(action: Action) -> None:
            with phone.held():
                inner.performed.clear()
            ours.perform(action)
            assert inner.performed == [action]

        arrives()
        assert phone.android.keyboard == PLAIN_KEYBOARD


@pytest.mark.parametrize("key", sorted(set(get_args(Key)) - {"power", "menu", "rotate"}))
def test_every_key_is_pressed(key: Key, adb: AdbServer) -> None:
    inner = FakeDevice()
    with wired(adb, inner) as (_, ours):
        ours.perform(actions.PressKey(key=key))
        ours.perform(actions.Hotkey(keys=("control", "a")))
    assert inner.performed == [actions.PressKey(key=key), actions.Hotkey(keys=("control", "a"))]


def test_a_long_text_comes_in_one_piece(adb: AdbServer) -> None:
    inner, text = FakeDevice(), "中文 '\"\n$(reboot)" * 200
    with wired(adb, inner) as (_, ours):
        ours.perform(actions.TypeText(text=text))
    assert "".join(
        action.text for action in inner.performed if isinstance(action, actions.TypeText)
    ) == (text)


def test_without_the_keyboard_plain_ascii_is_typed_and_the_rest_refused(adb: AdbServer) -> None:
    inner = FakeDevice()
    with wired(adb, inner, android=Android(keyboards=[PLAIN_KEYBOARD])) as (_, ours):
        plain = 'it\'s "50 % off" & $HOME `x` \\ ; <b>'
        ours.perform(actions.TypeText(text=plain))
        assert inner.performed == [actions.TypeText(text=plain)]
        for text in ("中", "two\nlines", "100%sure"):
            with pytest.raises(DeviceError) as raised:
                ours.perform(actions.TypeText(text=text))
            assert "adb install ADBKeyboard.apk" in raised.value.hint
    assert inner.performed == [actions.TypeText(text=plain)]


@pytest.mark.slow
def test_typing_at_a_place_is_a_tap_and_what_it_says_in_order(adb: AdbServer) -> None:
    inner = FakeDevice()
    with wired(adb, inner, android=Android(keyboards=[PLAIN_KEYBOARD])) as (_, ours):
        at = on_pixels(MIDDLE)
        ours.perform(actions.TypeText(text="tea\n", at=at, clear=True))
    assert inner.performed == [
        actions.Tap(at=at),
        actions.Hotkey(keys=("control", "a")),
        actions.PressKey(key="backspace"),
        actions.TypeText(text="tea"),
        actions.PressKey(key="enter"),
    ]


def test_half_a_character_is_refused(adb: AdbServer) -> None:
    with wired(adb) as (_, ours), pytest.raises(UnsupportedActionError, match="half a character"):
        ours.perform(actions.TypeText(text="ok \ud83d"))


def test_a_mouse_is_refused(adb: AdbServer) -> None:
    with wired(adb) as (_, ours):
        for action in (actions.Hover(at=MIDDLE), actions.Tap(at=MIDDLE, button="right")):
            with pytest.raises(UnsupportedActionError, match="mouse"):
                ours.perform(action)
        ours.perform(actions.Scroll(at=MIDDLE))


def test_addresses_and_tabs_are_refused(adb: AdbServer) -> None:
    with wired(adb) as (_, ours):
        for action in (
            actions.Goto(url="http://example.test/"),
            actions.NewTab(),
            actions.CloseTab(),
            actions.SwitchTab(tab=0),
        ):
            with pytest.raises(UnsupportedActionError, match=action.type):
                ours.perform(action)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"state": {"settings.wifi": True}}, "settings.wifi"),
        ({"seed": 3}, "no seed"),
        ({"language": "zh"}, "speaks 'en'"),
    ],
)
def test_what_a_real_phone_cannot_do_is_refused(
    given_: dict[str, object], said: str, adb: AdbServer
) -> None:
    with wired(adb) as (_, ours):
        with pytest.raises(DeviceError, match=said) as raised:
            ours.reset(**given_)  # type: ignore[arg-type]
        assert raised.value.hint
        ours.reset(language="en")


def test_a_phone_that_sleeps_is_woken(adb: AdbServer) -> None:
    with wired(adb, android=Android(awake=False, locked=True)) as (phone, ours):
        ours.reset()
        assert (phone.android.awake, phone.android.locked) == (True, False)


def test_a_phone_that_wants_a_secret_is_left_to_its_owner(adb: AdbServer) -> None:
    with wired(adb, android=Android(locked=True, secure=True)) as (_, ours):
        with pytest.raises(DeviceError) as raised:
            ours.reset()
        assert "Screen lock > None" in raised.value.hint


def test_an_old_android_is_told_before_anything_is_done(adb: AdbServer) -> None:
    android = Android(sdk=23)
    with pytest.raises(DeviceError), wired(adb, android=android):
        pass


def test_a_turned_phone_is_touched_where_it_is_seen(adb: AdbServer) -> None:
    inner = FakeDevice()
    with wired(adb, inner, android=Android(rotation=1)) as (_, ours):
        seen = ours.observe()
        assert (seen.size.width, seen.size.height) == (DEFAULT_SIZE.height, DEFAULT_SIZE.width)
        assert seen.orientation == "landscape"
        assert not seen.stale
        ours.perform(actions.Tap(at=Point(0.9, 0.2)))
    (tap,) = inner.performed
    assert isinstance(tap, actions.Tap)
    assert tap.at.distance(Point(0.8, 0.9)) < 0.01


def test_a_phone_is_turned_by_a_quarter_and_touched_where_it_is_seen_then(adb: AdbServer) -> None:
    inner = FakeDevice()
    with wired(adb, inner) as (phone, ours):
        assert ours.observe().orientation == "portrait"
        ours.perform(actions.PressKey(key="rotate"))
        seen = ours.observe()
        assert (seen.size.width, seen.size.height) == (DEFAULT_SIZE.height, DEFAULT_SIZE.width)
        ours.perform(actions.Tap(at=Point(0.9, 0.2)))
        for _ in range(3):
            ours.perform(actions.PressKey(key="rotate"))
        assert phone.android.rotation == 0
    (tap,) = inner.performed
    assert isinstance(tap, actions.Tap)
    assert tap.at.distance(Point(0.8, 0.9)) < 0.01


def test_apps_are_opened_by_name_and_package(adb: AdbServer) -> None:
    scenes = [painted_scene(0)]
    inner = FakeDevice(scenes)
    with wired(adb, inner) as (_, ours):
        assert ours.apps() == ["com.example.fake"]
        ours.perform(actions.OpenApp(app="com.example.fake"))
        with pytest.raises(UnknownAppError, match="exmple") as raised:
            ours.perform(actions.OpenApp(app="com.exmple.fake"))
        assert "com.example.fake" in raised.value.hint


LINE = "11-21 10:00:0{0}.000   612   612 I Test    : line {0}"


def test_the_log_begins_at_the_reset_and_goes_on_when_the_server_is_stopped(
    adb: AdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))  # where a server keeps its key
    scenes = [
        Scene(painted_scene(0).picture, painted_scene(0).xml, log=(LINE.format(number),))
        for number in range(9)
    ]
    with AdbServer(adb.program) as own, wired(own, FakeDevice(scenes)) as (_, ours):
        ours.perform(actions.Tap(at=MIDDLE))
        ours.reset()  # which stops the app and presses "home", two scenes further
        assert await_lines(ours, 0) == []
        ours.perform(actions.Tap(at=MIDDLE))
        assert await_lines(ours, 1) == [LINE.format(4)]
        own.kill()
        ours.perform(actions.Tap(at=MIDDLE))  # which starts the server again
        assert await_lines(ours, 2) == [LINE.format(4), LINE.format(5)]
        assert ours.log(1) == [LINE.format(5)]


def test_a_log_that_was_empty_when_the_server_was_stopped_brings_nothing_old(
    adb: AdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    scenes = [
        Scene(painted_scene(0).picture, painted_scene(0).xml, log=(LINE.format(number),))
        for number in range(9)
    ]
    with AdbServer(adb.program) as own, wired(own, FakeDevice(scenes)) as (_, ours):
        ours.perform(actions.Tap(at=MIDDLE))
        ours.reset()
        own.kill()
        ours.observe()  # which starts the server again
        assert await_lines(ours, 0) == []
        ours.perform(actions.Tap(at=MIDDLE))
        assert await_lines(ours, 1) == [LINE.format(4)]


def await_lines(ours: AndroidPhone, count: int) -> Sequence[str]:
    end = monotonic() + 60
    while len(ours.log()) < count and monotonic() < end:
        ours.shell.run("true")
    return ours.log()


def png(*chunks: tuple[bytes, bytes]) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in (*chunks, (b"IEND", b""))
    )


NO_PNG = png((b"xxxx", b"x" * 99))
BIG_TEXT = png(
    (b"IHDR", struct.pack(">IIBBBBB", 9, 9, 8, 2, 0, 0, 0)),
    (b"zTXt", b"k\0\0" + zlib.compress(bytes(4 << 20))),
)


@pytest.mark.parametrize(
    ("command", "fault", "error"),
    [
        ("screencap", Instead(b"no picture"), BadDeviceOutputError),
        ("screencap", Instead(b"", 1), BadDeviceOutputError),
        ("screencap", Truncated(), BadDeviceOutputError),
        ("screencap", Instead(NO_PNG), BadDeviceOutputError),
        ("screencap", Instead(BIG_TEXT), BadDeviceOutputError),
        ("rm", Instead(b"no tree"), BadDeviceOutputError),
        ("rm", Instead(b"<hierarchy><node></hierarchy>"), BadDeviceOutputError),
        pytest.param("dumpsys window", Hang(), DeviceLostError, marks=pytest.mark.slow),
        pytest.param("rm", Hang(), DeviceLostError, marks=pytest.mark.slow),
        ("screencap", Endless(), BadDeviceOutputError),
        ("screencap", WrongLength(), DeviceError),
        ("screencap", Unplug(5000), DeviceLostError),
        ("rm", Unplug(10), DeviceLostError),
    ],
    ids=str,
)  # fmt: skip
def test_a_phone_that_answers_wrongly_is_a_named_error_in_time(
    command: str,
    fault: Fault,
    error: type[DeviceError],
    adb: AdbServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shell_module, "MAX_OUTPUT", 4 << 20)
    with wired(adb, timeout_s=10.0 if isinstance(fault, Hang) else 60.0) as (phone, ours):
        phone.faults[command] = fault
        with pytest.raises(error) as raised:
            ours.observe()
        assert raised.value.hint


def test_a_screen_that_does_not_stand_still_has_a_picture_and_no_tree(adb: AdbServer) -> None:
    with wired(adb) as (phone, ours):
        phone.faults["rm"] = Instead(b"ERROR: could not get idle state.\n")
        seen = ours.observe()
    assert seen.ui_tree is None
    assert seen.stale


def test_a_screen_that_shows_the_words_of_uiautomator_is_a_screen(adb: AdbServer) -> None:
    shown = b'<hierarchy rotation="0"><node text="null root node" bounds="[0,0][5,5]"/></hierarchy>'
    with wired(adb) as (phone, ours):
        phone.faults["rm"] = Instead(b"UI hierarchy dumped to: f\n<?xml version='1.0'?>" + shown)
        seen = ours.observe()
    assert seen.ui_tree is not None
    assert seen.ui_tree.nodes[0].text == "null root node"


def test_a_screen_that_changes_while_it_is_looked_at_is_stale(adb: AdbServer) -> None:
    with wired(adb) as (phone, ours):
        front = ours.shell.check("dumpsys", "window", "displays")
        phone.faults["dumpsys window"] = Instead(front.replace("7c3b0e1", "0000000").encode())
        del phone.faults["dumpsys window"]
        assert not ours.observe().stale
        phone.android.rotation = 0
        phone.faults["dumpsys window"] = Instead(front.replace("cur=", "cur=1").encode())
        assert ours.observe().stale


def test_a_phone_unplugged_in_the_middle_of_a_swipe_leaves_no_step(
    adb: AdbServer, tmp_path: Path
) -> None:
    swipe = actions.Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2))

    class Agent:
        name = "two moves"

        async def act(
            self, instruction: str, history: Sequence[Step], observation: Observation
        ) -> Decision:
            return Decision(swipe if history else actions.Tap(at=MIDDLE))

    task = Task(id="swipe", instruction="Swipe.", apps=(), check=When(LogHas("never")))
    store = EpisodeStore(tmp_path / "store")
    with wired(adb) as (phone, ours):
        phone.faults["input swipe"] = Unplug()
        with pytest.raises(DeviceLostError):
            asyncio.run(rollout(Agent(), Environment(ours, task), store=store))
    (id_,) = store.ids()
    assert [step.decision.action for step in store.read(id_).steps] == [actions.Tap(at=MIDDLE)]


def test_a_phone_that_has_not_been_asked_is_unauthorized(adb: AdbServer) -> None:
    with pytest.raises(DeviceError), wired(adb, keys=[]):
        pass


@pytest.mark.slow
def test_a_phone_that_does_not_answer_is_offline(adb: AdbServer) -> None:
    with wired(adb) as (phone, ours):
        phone.go_offline()
        await_state(ours.shell.client, phone.address, "offline")
        with pytest.raises(DeviceError) as raised:
            open_phone(phone.address, client=ours.shell.client)
        assert "Wireless debugging" in raised.value.hint


def test_a_phone_that_was_restarted_at_its_address_is_connected_anew(adb: AdbServer) -> None:
    inner = FakeDevice()
    with wired(adb, inner) as (phone, ours):
        phone.unplug()
        await_state(ours.shell.client, phone.address, "offline")
        phone.plug()
        with open_phone(phone.address, client=ours.shell.client) as again:
            again.perform(actions.Tap(at=on_pixels(MIDDLE)))
    assert inner.performed == [actions.Tap(at=on_pixels(MIDDLE))]


def await_state(client: AdbClient, serial: str, state: str) -> None:
    end = monotonic() + 60
    while not any((one.serial, one.state) == (serial, state) for one in client.attached()):
        assert monotonic() < end


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("X1@nowhere", "no address of an adb server"),
        ("X1@host:0", "no address of an adb server"),
        ("X1@host:" + "1" * 5000, "no address of an adb server"),
        ("X1@a b:5037", "no address of an adb server"),
        ("X1,fast", "'fast' is no option"),
        ("X1,snapshot=", "is no option"),
    ],
)
def test_a_name_that_means_nothing_is_refused(argument: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        open_phone(argument, client=AdbClient(port=1))
    assert "--device adb:" in raised.value.hint


def plain_png(width: int, height: int, colour: tuple[int, int, int] = (10, 120, 10)) -> bytes:
    made = BytesIO()
    Image.new("RGB", (width, height), colour).save(made, "PNG")
    return made.getvalue()


def test_with_an_override_of_the_size_touches_and_elements_are_where_they_are_seen(
    adb: AdbServer,
) -> None:
    inner = FakeDevice()
    with wired(adb, inner) as (phone, ours):
        own = ours.observe()
        size = Size(own.size.width * 3 // 2, own.size.height * 3 // 2)
        phone.faults["screencap"] = Instead(plain_png(size.width, size.height))
        seen = ours.observe()
        assert (seen.size, seen.stale) == (size, False)
        assert own.ui_tree is not None
        assert seen.ui_tree is not None
        for one, other in zip(own.ui_tree.nodes, seen.ui_tree.nodes, strict=True):
            if one.box is not None and other.box is not None:
                assert one.box.center.distance(other.box.center) < 0.01
        ours.perform(actions.Tap(at=Point(0.5, 0.5)))
    (tap,) = inner.performed
    assert isinstance(tap, actions.Tap)
    assert tap.at.distance(Point(0.5, 0.5)) < 0.01


def test_no_touch_goes_out_on_a_screen_that_was_turned_since(adb: AdbServer) -> None:
    inner = FakeDevice()
    with wired(adb, inner) as (phone, ours):
        ours.observe()
        phone.android.rotation = 1
        with pytest.raises(UnsupportedActionError, match="was turned or resized since"):
            ours.perform(actions.Tap(at=Point(0.9, 0.1)))
        assert not inner.performed
        ours.observe()
        ours.perform(actions.Tap(at=Point(0.9, 0.1)))
    assert len(inner.performed) == 1


@pytest.mark.parametrize(
    ("text", "shown", "dropped"),
    [
        ("&#55357;&#56832; hi", "\U0001f600 hi", 0),
        ("&#128512; hi", "\U0001f600 hi", 0),
        ("&#0; hi", " hi", 1),
        ("\x0b\x01 hi", " hi", 2),
        ("&#55357; hi", " hi", 1),
        ("&#xFFFF;&#xA; hi", "\n hi", 1),
    ],
)
def test_characters_that_xml_forbids_are_left_out_with_a_count(
    adb: AdbServer, text: str, shown: str, dropped: int
) -> None:
    dump = f"<hierarchy><node text=\"{text}\" bounds='[0,0][5,5]'/></hierarchy>"
    with wired(adb) as (phone, ours), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        phone.faults["rm"] = Instead(dump.encode())
        seen = ours.observe()
    assert seen.ui_tree is not None
    assert seen.ui_tree.nodes[0].text == shown
    told = [str(one.message) for one in caught if one.category is HierarchyWarning]
    assert all(f"{dropped} characters" in one for one in told)
    assert bool(told) == bool(dropped)


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "WARNING: linker: libdvm.so has text relocations\n{}\n",
        "<?xml version='1.0'?><hierarchy><node text=\"old\"/></hierarchy>UI hierchary dumped\n{}",
        "{}UI hierchary dumped to: /dev/tty\n<html>",
        "E/AndroidRuntime: <anonymous> <hierarchy broken\n{}",
    ],
)
def test_a_hierarchy_is_read_out_of_what_is_printed_around_it(adb: AdbServer, around: str) -> None:
    dump = '<hierarchy rotation="0"><node text="here" bounds="[0,0][5,5]"/></hierarchy>'
    with wired(adb) as (phone, ours):
        phone.faults["rm"] = Instead(around.format(dump).encode())
        seen = ours.observe()
    assert seen.ui_tree is not None
    assert [node.text for node in seen.ui_tree.nodes] == ["here"]


def test_a_black_screen_is_told(adb: AdbServer) -> None:
    with wired(adb) as (phone, ours):
        phone.faults["screencap"] = Instead(plain_png(270, 600, (0, 0, 0)))
        with pytest.warns(BlackScreenWarning, match="forbids pictures"):
            seen = ours.observe()
    assert why_unseen(seen.screenshot, seen.size) == BLANK
