import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PIL import ImageChops

from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiNode
from tapwright.core.task_setup import SetupCall
from tapwright.devices.chromium import Browser
from tapwright.devices.device import Device
from tapwright.devices.phone import device
from tapwright.devices.phone.device import Phone
from tapwright.errors import (
    DeviceError,
    DeviceLostError,
    UnknownAppError,
    UnsupportedActionError,
    UsageError,
)

PICTURES: tuple[Literal["png", "jpeg"], ...] = ("png", "jpeg")
HANG = "void setTimeout(() => { while (true); })"


@pytest.fixture(scope="module")
def shared(browser: Browser) -> Iterator[Phone]:
    with Phone(browser=browser, picture="jpeg") as phone:
        yield phone


@pytest.fixture
def phone(shared: Phone) -> Phone:
    shared.reset()
    return shared


def find(phone: Phone, *, short_id: str = "", label: str = "") -> UiNode:
    tree = phone.observe().ui_tree
    assert tree is not None
    found = tree.find(short_id=short_id, label=label)
    assert found is not None, [(node.short_id, node.label) for node in tree.nodes]
    return found


def middle(phone: Phone, *, short_id: str = "", label: str = "") -> Point:
    box = find(phone, short_id=short_id, label=label).box
    assert box is not None
    return box.center


def tap(phone: Phone, *, short_id: str = "", label: str = "") -> None:
    phone.perform(actions.Tap(at=middle(phone, short_id=short_id, label=label)))


def test_the_phone_is_a_device(phone: Phone) -> None:
    assert isinstance(phone, Device)
    assert phone.name == "phone 1080x2400"


@pytest.mark.parametrize(
    ("size", "density"), [(Size(1080, 2400), 2.625), (Size(1080, 2400), 3.0), (Size(720, 1280), 2)]
)
@pytest.mark.slow_but_one
def test_a_picture_has_exactly_the_phones_pixels(
    browser: Browser, size: Size, density: float
) -> None:
    with Phone(size, density=density, browser=browser) as phone:
        seen = phone.observe()
        assert (seen.size, seen.screenshot.size, seen.screenshot.extension) == (size, size, "png")
        assert seen.ui_tree is not None
        assert seen.ui_tree.nodes[0].attributes["bounds"] == f"[0,0][{size.width},{size.height}]"


@pytest.mark.parametrize(
    ("size", "density", "small"),
    [
        (Size(1080, 2400), 2.625, Size(411, 914)),
        (Size(1080, 2400), 3.0, Size(360, 800)),
        (Size(1440, 3120), 3.5, Size(411, 891)),
    ],
)
def test_a_small_picture_has_a_tree_of_its_own_size(
    browser: Browser, size: Size, density: float, small: Size
) -> None:
    with Phone(size, density=density, browser=browser, picture="jpeg") as phone:
        seen = phone.observe()
        assert (seen.size, seen.screenshot.size, seen.screenshot.extension) == (small, small, "jpg")
        assert seen.ui_tree is not None
        assert seen.ui_tree.size == small


@pytest.mark.slow
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(width=st.integers(320, 1600), height=st.integers(320, 2600))
@example(width=1081, height=2401)
@example(width=999, height=1777)
@example(width=1080, height=1359)  # a height of 517.7
def test_a_picture_has_the_size_that_is_told(browser: Browser, width: int, height: int) -> None:
    for picture in PICTURES:
        density = width * 2.625 / 1080
        with Phone(Size(width, height), density=density, browser=browser, picture=picture) as phone:
            seen = phone.observe()
            assert seen.screenshot.size == seen.size


@pytest.mark.parametrize("size", [Size(720, 1001), Size(721, 1280)])
def test_half_a_pixel_is_rounded_as_the_browser_does(browser: Browser, size: Size) -> None:
    with Phone(size, density=2.0, browser=browser, picture="jpeg") as phone:
        seen = phone.observe()
        assert seen.screenshot.size == seen.size


def test_a_place_is_the_same_in_both_kinds_of_picture(phone: Phone, browser: Browser) -> None:
    with Phone(browser=browser) as large:
        one, other = middle(phone, label="Settings"), middle(large, label="Settings")
    assert one.distance(other) < 0.002


def test_equal_resets_show_equal_trees_logs_and_pictures(phone: Phone) -> None:
    def run() -> list[Observation]:
        phone.reset(seed=7, language="zh", app="mail")
        seen = [phone.observe()]
        for action in (actions.Tap(at=Point(0.5, 0.4)), actions.PressKey(key="back")):
            phone.perform(action)
            seen.append(phone.observe())
        logs.append(phone.log())
        return seen

    logs: list[Sequence[str]] = []
    for one, other in zip(run(), run(), strict=True):
        assert (one.ui_tree, one.time_s, one.app) == (other.ui_tree, other.time_s, other.app)
        # Chromium smooths the edges of icons and letters in more than one way.
        difference = ImageChops.difference(one.screenshot.image(), other.screenshot.image())
        histogram = difference.convert("L").histogram()
        assert sum(histogram[1:]) < 1000
        assert sum(histogram[64:]) == 0
    assert logs[0] == logs[1]


def test_reset_takes_state_language_and_app(phone: Phone) -> None:
    phone.reset(language="zh", state={"settings.wifi": False, "notes.items": []}, app="设置")
    assert phone.state("settings.wifi") is False
    assert phone.state("notes.items") == []
    assert phone.observe().app == "org.tapwright.settings"
    assert "设置" in phone.apps()
    phone.reset()
    assert phone.state("settings.wifi") is True


@pytest.mark.parametrize(
    "path", ["settings.wify", "setings.wifi", "settings", "settings.", "a.b.c", ""]
)
def test_reset_refuses_state_that_is_not_there(phone: Phone, path: str) -> None:
    with pytest.raises(DeviceError, match="has no state") as caught:
        phone.reset(state={path: True})
    assert caught.value.hint


def test_reset_names_the_state_that_was_meant(phone: Phone) -> None:
    with pytest.raises(DeviceError) as caught:
        phone.reset(state={"settings.wify": True})
    assert caught.value.hint == "did you mean 'wifi'?"


def test_reset_refuses_an_unknown_app_and_language(phone: Phone) -> None:
    with pytest.raises(UnknownAppError, match="no app 'Gmail'"):
        phone.reset(app="Gmail")
    with pytest.raises(DeviceError, match="has no language 'fr'"):
        phone.reset(language="fr")


@pytest.mark.parametrize(
    ("call", "app"),
    [
        (SetupCall("start_activity", {"full_activity": "org.tapwright.notes/.Main"}), "notes"),
        (SetupCall("start_intent", {"package_name": "org.tapwright.mail"}), "mail"),
        (SetupCall("force_stop", {"package_name": "org.tapwright.clock"}), "home"),
        (SetupCall("force_stop", {"package_name": "org.tapwright.mail"}), "clock"),
        (SetupCall("press_button", {"button": "HOME"}), "home"),
        (SetupCall("rotate", {"orientation": "PORTRAIT_0"}), "clock"),
        (SetupCall("clear_cache", {"package_name": "org.tapwright.clock"}), "clock"),
    ],
    ids=lambda one: str(one),
)
@pytest.mark.slow_but_one
def test_a_set_up_call_is_done(phone: Phone, call: SetupCall, app: str) -> None:
    phone.reset(app="clock")
    phone.set_up(call)
    assert phone.observe().app == f"org.tapwright.{app}"


@pytest.mark.parametrize(
    "call",
    [
        SetupCall("shell_command", {"command": ["rm", "-rf", "/"]}),
        SetupCall("adb_command", {"command": ["reboot"]}),
        SetupCall("install_apk", {"filesystem": {"path": "a.apk"}}),
        SetupCall("rotate", {"orientation": "SIDEWAYS"}),
    ],
    ids=lambda one: str(one),
)
def test_a_set_up_call_that_the_phone_does_for_nobody_is_refused(
    phone: Phone, call: SetupCall
) -> None:
    with pytest.raises(UnsupportedActionError, match=call.name):
        phone.set_up(call)


def test_text_that_looks_like_script_stays_text(phone: Phone) -> None:
    nasty = '"); throw 1; ("\u2028</script>'
    with pytest.raises(UnknownAppError):
        phone.perform(actions.OpenApp(app=nasty))
    assert phone.state(nasty) is None
    phone.reset(state={"settings.device_name": nasty})
    assert phone.state("settings.device_name") == nasty


def test_an_app_is_opened_by_name_in_either_language_or_package(phone: Phone) -> None:
    for name in ("Notes", "笔记", "org.tapwright.notes", "NOTES"):
        phone.perform(actions.PressKey(key="home"))
        phone.perform(actions.OpenApp(app=name))
        assert phone.observe().app == "org.tapwright.notes"


def test_an_app_that_is_not_there_is_answered_with_near_names(phone: Phone) -> None:
    with pytest.raises(UnknownAppError, match="has no app 'Setings'") as caught:
        phone.perform(actions.OpenApp(app="Setings"))
    assert "Settings" in caught.value.hint


def test_system_keys_work(phone: Phone) -> None:
    phone.perform(actions.OpenApp(app="Clock"))
    for key, app in (("recents", "org.tapwright.home"), ("home", "org.tapwright.home")):
        phone.perform(actions.PressKey.model_validate({"key": key}))
        assert phone.observe().app == app
    phone.perform(actions.OpenApp(app="Clock"))
    phone.perform(actions.PressKey(key="back"))
    assert phone.observe().app == "org.tapwright.home"


def test_the_phone_knows_its_keys_and_whether_a_field_takes_text(phone: Phone) -> None:
    keys = set(phone.keys())
    assert keys >= {"back", "home", "recents", "rotate", "enter"}
    assert "camera" not in keys
    phone.perform(actions.OpenApp(app="Notes"))
    assert not phone.takes_text()
    tap(phone, label="Search notes")
    assert phone.takes_text()


@pytest.mark.parametrize(
    "key", ["forward", "menu", "power", "volume_up", "volume_down", "camera", "clear"]
)
def test_keys_that_the_phone_does_not_have_are_refused(phone: Phone, key: str) -> None:
    with pytest.raises(UnsupportedActionError, match=key):
        phone.perform(actions.PressKey.model_validate({"key": key}))
    with pytest.raises(UnsupportedActionError, match="hyper"):
        phone.perform(actions.Hotkey(keys=("hyper",)))


@pytest.mark.parametrize(
    "action",
    [
        actions.Goto(url="http://example.test/"),
        actions.NewTab(),
        actions.CloseTab(),
        actions.SwitchTab(tab=0),
    ],
)
def test_a_phone_has_no_tabs(phone: Phone, action: Action) -> None:
    assert phone.observe().tabs == ()
    with pytest.raises(UnsupportedActionError, match=action.type):
        phone.perform(action)


@pytest.mark.slow
def test_every_action_lets_the_clock_run_for_what_it_took(phone: Phone) -> None:
    spent = 0.0
    assert phone.observe().time_s == 0.0
    spot, other = Point(0.5, 0.3), Point(0.5, 0.2)
    for action, seconds in (
        (actions.Tap(at=spot), 1.0),
        (actions.Tap(at=spot, button="right"), 1.0),
        (actions.DoubleTap(at=spot), 1.0),
        (actions.LongPress(at=spot, duration_s=2.5), 2.5),
        (actions.Swipe(start=spot, end=other, duration_s=0.4), 0.4),
        (actions.Drag(start=spot, end=other, duration_s=0.6), 0.6),
        (actions.TypeText(text="tea"), 1.0),
        (actions.PressKey(key="tab"), 1.0),
        (actions.OpenApp(app="Notes"), 1.0),
        (actions.Hover(at=spot), 1.0),
        (actions.Scroll(at=spot, dy=0.5), 1.0),
        (actions.Hotkey(keys=("control", "a")), 1.0),
        (actions.Wait(duration_s=3600), 3600.0),
        (actions.Answer(text="four"), 0.0),
        (actions.Finish(), 0.0),
    ):
        phone.perform(action)
        spent += seconds
        assert phone.observe().time_s == pytest.approx(spent)


def test_text_of_any_language_goes_into_the_focused_field(phone: Phone) -> None:
    phone.reset(app="notes")
    tap(phone, label="Search notes")
    phone.perform(actions.TypeText(text="牛奶 🥛"))
    tree = phone.observe().ui_tree
    assert tree is not None
    (field,) = [node for node in tree.nodes if node.is_("focused")]
    assert field.text == "牛奶 🥛"
    phone.perform(actions.Hotkey(keys=("control", "a")))
    phone.perform(actions.PressKey(key="backspace"))
    assert find(phone, short_id=field.short_id).text == ""


def test_text_at_a_place_may_replace_what_the_field_there_has(phone: Phone) -> None:
    phone.reset(app="notes")
    search = find(phone, label="Search notes")
    assert search.box is not None
    field = search.box.center
    for action, text in (
        (actions.TypeText(text="milk", at=field), "milk"),
        (actions.TypeText(text=" tea"), "milk tea"),
        (actions.TypeText(text="bread", at=field, clear=True), "bread"),
    ):
        phone.perform(action)
        assert find(phone, short_id=search.short_id).text == text


def test_a_line_break_at_the_end_of_a_text_presses_enter(phone: Phone) -> None:
    spent = phone.observe().time_s
    phone.perform(actions.TypeText(text="tea\n"))
    typed_and_pressed = phone.observe().time_s - spent
    assert typed_and_pressed == pytest.approx(2.0)


def test_what_the_keyboard_covers_is_not_in_the_tree(phone: Phone) -> None:
    phone.perform(actions.OpenApp(app="notes"))
    tap(phone, label="Search notes")
    keyboard = find(phone, short_id="key_q").box
    assert keyboard is not None
    tree = phone.observe().ui_tree
    assert tree is not None
    for node in tree.nodes[1:]:
        if node.short_id.startswith(("key_", "nav_")) or node.box is None or not node.text:
            continue
        if not node.parent or not node.parent.short_id.startswith(("key_", "nav_")):
            assert node.box.bottom <= keyboard.top + 0.01, node


@pytest.mark.slow
def test_a_swipe_scrolls_the_same_way_five_times_of_five(phone: Phone) -> None:
    tops = set()
    for _ in range(5):
        phone.reset(app="contacts")
        phone.perform(actions.Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.4)))
        tops.add(phone.tab.evaluate("document.querySelector('[data-scroll]').scrollTop"))
    assert len(tops) == 1
    assert tops.pop() == pytest.approx(0.4 * 2400 / 2.625, abs=17)


def test_the_wheel_scrolls_by_screens(phone: Phone) -> None:
    phone.reset(app="contacts")
    phone.perform(actions.Scroll(at=Point(0.5, 0.5), dy=0.25))
    top = phone.tab.evaluate("document.querySelector('[data-scroll]').scrollTop")
    assert top == pytest.approx(0.25 * 2400 / 2.625, abs=1)


def test_a_long_press_is_told_from_a_tap(phone: Phone) -> None:
    phone.reset(app="notes")
    tree = phone.observe().ui_tree
    assert tree is not None
    row = next(node for node in tree.nodes if node.is_("long-clickable"))
    assert row.box is not None
    before = phone.tab.evaluate("phone.screen().activity")
    phone.perform(actions.LongPress(at=row.box.center))
    assert phone.tab.evaluate("phone.screen().activity") == before
    assert phone.observe().ui_tree != tree


@pytest.mark.slow
def test_every_clickable_thing_on_every_first_screen_is_reached_at_its_middle(
    phone: Phone,
) -> None:
    for app in ("", *phone.apps()):
        phone.reset(app=app)
        tree = phone.observe().ui_tree
        assert tree is not None
        clickable = [node for node in tree.nodes if node.is_("clickable") and node.short_id]
        assert len(clickable) > 3
        for node in clickable:
            assert node.box is not None
            x, y = node.box.center.x * 1080 / 2.625, node.box.center.y * 2400 / 2.625
            hit = phone.tab.evaluate(
                f"(() => {{ let place = document.elementFromPoint({x}, {y}); const ids = [];"
                "for (; place; place = place.parentElement) ids.push(place.dataset.id ?? '');"
                "return ids })()"
            )
            assert isinstance(hit, list)
            assert node.short_id in hit, (app, node)


def test_the_log_is_logcats(phone: Phone) -> None:
    phone.perform(actions.OpenApp(app="notes"))
    assert any("START u0 {cmp=org.tapwright.notes/" in line for line in phone.log())
    phone.reset()
    assert phone.log() == []


def test_a_screen_that_changes_all_the_time_is_marked_stale(phone: Phone) -> None:
    phone.tab.evaluate(
        "void (screen_ = phone.screen, turn = 0,"
        "phone.screen = () => ({ ...screen_(), epoch: turn++ }))"
    )
    try:
        assert phone.observe().stale
    finally:
        phone.tab.evaluate("void (phone.screen = screen_)")
    assert not phone.observe().stale


@pytest.mark.slow
def test_a_hung_page_is_a_lost_device_in_time_and_reset_brings_a_new_one(browser: Browser) -> None:
    with Phone(browser=browser, picture="jpeg", timeout_s=10.0) as phone:
        phone.tab.evaluate(HANG)
        with pytest.raises(DeviceLostError, match="within 10 s"):
            phone.perform(actions.Tap(at=Point(0.5, 0.5)))
        phone.reset(app="notes")
        assert phone.observe().app == "org.tapwright.notes"


def test_a_crashed_page_is_replaced_by_reset(browser: Browser) -> None:
    with Phone(browser=browser, picture="jpeg") as phone:
        with pytest.raises(DeviceLostError, match="crashed"):
            phone.tab.call("Page.crash")
        with pytest.raises(DeviceLostError, match="crashed"):
            phone.observe()
        phone.reset()
        assert phone.observe().app == "org.tapwright.home"


@pytest.mark.slow
def test_a_phone_with_its_own_browser_outlives_it() -> None:
    with Phone(picture="jpeg") as phone:
        os.kill(phone.browser.pid, signal.SIGKILL)
        with pytest.raises(DeviceLostError):
            phone.observe()
        phone.reset()
        assert phone.observe().app == "org.tapwright.home"


def test_a_phone_whose_shared_browser_is_gone_is_lost() -> None:
    with Browser() as browser, Phone(browser=browser) as phone:
        browser.close()
        with pytest.raises(DeviceLostError):
            phone.reset()


@pytest.mark.slow
def test_phones_share_a_browser_and_nothing_else(browser: Browser) -> None:
    def run(seed: int) -> list[object]:
        with Phone(browser=browser, picture="jpeg") as phone:
            phone.reset(seed=seed, app="notes")
            for _ in range(5):
                phone.perform(actions.Tap(at=Point(0.5, 0.35)))
                phone.perform(actions.PressKey(key="back"))
            seen = phone.observe()
            return [seen.ui_tree, phone.state("notes"), phone.log()]

    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(run, range(4)))
    assert together == [run(seed) for seed in range(4)]


def contexts(browser: Browser) -> int:
    found = browser._wire.send("Target.getBrowserContexts").result(60)["browserContextIds"]
    assert isinstance(found, list)
    return len(found)


def test_a_page_that_does_not_start_is_closed(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contexts(browser)
    for pages in ({}, {"index.html": (b"<!doctype html>", "text/html")}):
        monkeypatch.setattr(device, "page_files", lambda pages=pages: pages)
        with pytest.raises(DeviceError):
            Phone(browser=browser)
        assert contexts(browser) == before


@pytest.mark.slow
def test_phones_that_were_closed_leave_nothing_behind(browser: Browser) -> None:
    def held() -> tuple[int, int, int]:
        return contexts(browser), len(os.listdir("/proc/self/fd")), threading.active_count()

    before = held()
    for _ in range(12):
        with Phone(browser=browser, picture="jpeg") as phone:
            phone.observe()
    assert held() == before


def test_closing_twice_is_allowed(browser: Browser) -> None:
    phone = Phone(browser=browser)
    phone.close()
    phone.close()
    assert browser.alive


@pytest.mark.parametrize(
    ("argument", "size", "kind"),
    [("", "1080x2400", "png"), ("720x1600", "720x1600", "png"), ("jpeg", "411x914", "jpg")],
)
@pytest.mark.slow_but_one
def test_a_phone_is_made_from_what_the_command_line_says(
    argument: str, size: str, kind: str
) -> None:
    with Phone.named(argument) as phone:
        seen = phone.observe()
        assert (str(seen.size), seen.screenshot.extension) == (size, kind)


def test_a_phone_that_cannot_be_made_is_refused() -> None:
    with pytest.raises(UsageError, match="neither a size nor a word"):
        Phone.named("big")
