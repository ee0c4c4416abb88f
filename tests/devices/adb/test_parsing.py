"""What Android writes, in the words of several of its releases."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.core.actions import DoubleTap, Drag, Key, LongPress, Scroll, Swipe, Tap, TripleTap
from tapwright.core.geometry import Point, Size
from tapwright.devices.adb.apps import App, find_app, parse_apps
from tapwright.devices.adb.gestures import Gesture, input_commands, total_duration_s
from tapwright.devices.adb.keyboard import key_code, key_codes
from tapwright.devices.adb.screen import parse_front_window
from tapwright.devices.adb.shell import parse_sdk
from tapwright.devices.adb.wakefulness import parse_wakefulness
from tapwright.errors import UnknownAppError, UnsupportedActionError
from tests.strategies import POINTS

ANDROID_13 = """\
WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)
  Display: mDisplayId=0 (organized)
    init=1080x2400 420dpi mMinSizeOfResizeableTaskDp=220 cur=2400x1080 app=2274x1080 rng=1080x1017
    deferred=false mLayoutNeeded=false
  mCurrentFocus=Window{3b3ef9a u0 com.android.settings/com.android.settings.Settings}
  mFocusedApp=ActivityRecord{8c1b5d u0 com.android.settings/.Settings t12}
  DisplayRotation
    mCurrentAppOrientation=SCREEN_ORIENTATION_UNSPECIFIED
    mRotation=ROTATION_90 mDeferredRotationPauseCount=0
"""
ANDROID_8 = """\
WINDOW MANAGER WINDOWS (dumpsys window windows)
  mCurrentFocus=Window{85a52f2 u0 StatusBar}
  mFocusedApp=AppWindowToken{cdf19dd token=Token{3efb9b4 ActivityRecord{4982687 u0 com.android.mms/.ui.ConversationList t10945}}}
  mRotation=3
"""  # noqa: E501 - as Android writes it


def test_the_window_in_front_is_read_as_android_13_writes_it() -> None:
    front = parse_front_window(ANDROID_13)
    assert (front.app, front.size, front.rotation) == ("com.android.settings", Size(2400, 1080), 1)
    assert front.window.startswith("3b3ef9a ")
    assert front.orientation(Size(2400, 1080)) == "landscape"


def test_under_a_window_of_no_app_the_app_is_found() -> None:
    front = parse_front_window(ANDROID_8)
    assert (front.app, front.rotation, front.size) == ("com.android.mms", 3, None)
    assert front.orientation(Size(2400, 1080)) == "landscape_reversed"


@given(st.text())
def test_whatever_a_phone_says_is_read(said: str) -> None:
    for text in (said, f"mCurrentFocus={said}", f"cur={said}x0", f"mRotation={said}"):
        assert parse_front_window(text).rotation in range(4)
    parse_wakefulness(said)
    parse_apps(f"Activity #0:\n{said}")


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("mWakefulness=Awake\n", (True, False, False)),
        ("mWakefulness=Asleep\n  showing=true\n  secure=true\n", (False, True, True)),
        ("mWakefulness=Dozing\n", (False, False, False)),
        ("mWakefulness=Awake\n isKeyguardShowing=true\n  secure=false\n", (True, True, False)),
        ("mWakefulness=Awake\n mDreamingLockscreen=true\n", (True, True, False)),
        ("mWakefulness=Awake\n mAwake=true\n  showing=false\n  secure=true\n", (True, False, True)),
    ],
)
def test_a_phone_that_sleeps_or_is_locked_says_so(
    said: str, found: tuple[bool, bool, bool]
) -> None:
    seen = parse_wakefulness(said)
    assert (seen.awake, seen.locked, seen.secure) == found


APPS = """\
3 activities found:
  Activity #0:
    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true
    ActivityInfo:
      name=com.android.settings.Settings
      packageName=com.android.settings
      labelRes=0x7f1311d5 nonLocalizedLabel=null icon=0x7f080 banner=0x0
      ApplicationInfo:
        name=com.android.settings.SettingsApplication
        packageName=com.android.settings
        labelRes=0x7f1311d5 nonLocalizedLabel=null icon=0x7f080 banner=0x0
  Activity #1:
    ActivityInfo:
      name=org.example.notes.Main
      packageName=org.example.notes
      labelRes=0x0 nonLocalizedLabel=My Notes icon=0x0 banner=0x0
  Activity #2:
    ActivityInfo:
      name=com.example.zebra.Start
      packageName=com.example.zebra
      labelRes=0x7f1 nonLocalizedLabel=null icon=0x0
"""


def test_apps_have_the_name_that_android_tells_or_that_is_known() -> None:
    assert parse_apps(APPS) == [
        App("com.example.zebra", "com.example.zebra.Start"),
        App("org.example.notes", "org.example.notes.Main", "My Notes"),
        App("com.android.settings", "com.android.settings.Settings"),
    ]
    assert [app.name for app in parse_apps(APPS)] == ["com.example.zebra", "My Notes", "Settings"]


def test_empty_lines_without_end_are_no_work() -> None:
    nothing = "\n" * 300_000  # each of them once: the square of it would be hours
    assert parse_front_window(nothing + ANDROID_13).app == "com.android.settings"
    assert len(parse_apps(APPS + nothing)) == 3
    assert not parse_wakefulness(nothing).locked


@pytest.mark.parametrize(
    ("said", "sdk"), [("33", 33), ("", 0), ("-1", 0), ("٣٣", 0), ("3" * 5000, 0), ("1 2", 0)]
)
def test_a_version_of_android_is_a_short_number(said: str, sdk: int) -> None:
    assert parse_sdk(said) == sdk


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("com.android.settings", "com.android.settings"),
        ("settings", "com.android.settings"),
        ("设置", "com.android.settings"),
        ("mynotes", "org.example.notes"),
        ("Notes", "org.example.notes"),
        ("zebra", "com.example.zebra"),
    ],
)
def test_an_app_is_found_by_whatever_people_call_it(name: str, package: str) -> None:
    assert find_app(parse_apps(APPS), name, device="X1").package == package


def test_an_app_that_is_not_there_suggests_the_nearest() -> None:
    with pytest.raises(UnknownAppError, match="X1 has no app 'Setings'") as raised:
        find_app(parse_apps(APPS), "Setings", device="X1")
    assert "Settings" in raised.value.hint


def test_every_key_has_a_code() -> None:
    assert {key_code(key) for key in get_args(Key) if key != "rotate"} >= {
        "KEYCODE_BACK",
        "KEYCODE_DEL",
    }
    assert key_codes(["Ctrl", "a"]) == ["KEYCODE_CTRL_LEFT", "KEYCODE_A"]
    with pytest.raises(UnsupportedActionError, match="no key 'hyper'"):
        key_codes(["hyper"])


AMOUNTS = st.floats(-3, 3, allow_nan=False)
GESTURES: st.SearchStrategy[Gesture] = st.one_of(
    st.builds(Tap, at=POINTS),
    st.builds(DoubleTap, at=POINTS),
    st.builds(TripleTap, at=POINTS),
    st.builds(LongPress, at=POINTS),
    st.builds(Swipe, start=POINTS, end=POINTS),
    st.builds(Drag, start=POINTS, end=POINTS),
    st.builds(Scroll, at=POINTS, dx=AMOUNTS, dy=AMOUNTS),
)


@given(GESTURES, st.sampled_from([Size(1080, 2400), Size(2400, 1080), Size(1, 1)]))
def test_a_gesture_stays_on_the_screen(gesture: Gesture, size: Size) -> None:
    for words in input_commands(gesture, size):
        places = list(map(int, words[2:6]))
        assert all(0 <= x < size.width for x in places[::2])
        assert all(0 <= y < size.height for y in places[1::2])


@given(POINTS, AMOUNTS)
def test_a_scroll_moves_content_as_far_as_it_says(at: Point, dy: float) -> None:
    size = Size(1080, 2400)
    moved = sum(
        int(words[3]) - int(words[5]) for words in input_commands(Scroll(at=at, dy=dy), size)
    )
    assert moved == pytest.approx(dy * size.height, abs=7)


def test_a_double_tap_is_one_line_and_a_long_press_is_held() -> None:
    size = Size(100, 200)
    assert (
        input_commands(DoubleTap(at=Point(0.5, 0.5)), size) == [("input", "tap", "50", "100")] * 2
    )
    held = input_commands(LongPress(at=Point(0, 1), duration_s=1.5), size)
    assert held == [("input", "swipe", "0", "199", "0", "199", "1500")]
    assert total_duration_s(held) == 1.5
