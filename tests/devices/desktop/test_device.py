"""The desktop as a device, with real applications."""

import pytest

from tapwright.core import actions
from tapwright.core.geometry import Box, Point
from tapwright.core.observation import UiNode
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.device import ClipboardDevice, KeyedDevice, LiveDevice
from tapwright.errors import (
    DeviceError,
    DeviceLostError,
    UnknownAppError,
    UnsupportedActionError,
    UsageError,
)
from tapwright.testing import check_device
from tests.devices.desktop.looking import (
    click,
    editor,
    find,
    tree,
    wait_for,
    wait_for_text,
    words,
)

HAN = "".join(chr(code) for code in range(0x4E00, 0x4E00 + 300))
NOTE = "files.Documents/note.txt"


def box(node: UiNode) -> Box:
    assert node.box is not None
    return node.box


def copied(desktop: Desktop) -> str:
    """What is selected; mousepad copies only once it has told its menu of a selection."""
    desktop.perform(actions.Hotkey(keys=("ctrl", "c")))
    return desktop.clipboard()


@pytest.mark.slow
def test_it_keeps_the_laws_of_devices(programs: None) -> None:
    check_device(Desktop.named("640x480"))


def test_it_has_what_recorders_ask_for(desktop: Desktop) -> None:
    assert isinstance(desktop, ClipboardDevice)
    assert isinstance(desktop, KeyedDevice)
    assert isinstance(desktop, LiveDevice)


@pytest.mark.parametrize("size", ["1920", "100x100", "9000x800", "1280x800x24", "a", "-1x5"])
def test_a_size_that_is_none_is_refused(size: str) -> None:
    with pytest.raises(UsageError, match="expected a size"):
        Desktop.named(size)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "Hello, World!\n\tand <more> of it: {}[]|\\~^`\"'",
        "Grüße, naïve Ænéid, ¿qué?",
        "你好，世界。ありがとう 한국어",
        "Привет שלום مرحبا ไทย",
        "🙂🚀 ∑∞≠ €",
        HAN,
    ],
    ids=["ascii", "latin", "cjk", "scripts", "symbols", "300 characters"],
)
def test_any_text_is_typed(desktop: Desktop, text: str) -> None:
    desktop.perform(actions.OpenApp(app="Mousepad"))
    editor(desktop)
    desktop.perform(actions.TypeText(text=text))
    wait_for_text(desktop, text)


@pytest.mark.slow
def test_typing_clears_a_field_before(desktop: Desktop) -> None:
    desktop.reset(state={NOTE: "old"})
    desktop.perform(actions.OpenApp(app="mousepad"))
    at = box(editor(desktop)).center
    desktop.perform(actions.TypeText(text="one", at=at))
    desktop.perform(actions.TypeText(text="two", at=at, clear=True))
    wait_for_text(desktop, "two")


@pytest.mark.slow
def test_each_episode_has_a_new_home_and_no_window(desktop: Desktop) -> None:
    bare = desktop.observe()
    desktop.reset(state={NOTE: "a"}, app="Mousepad")
    assert desktop.state(NOTE) == "a"
    assert desktop.observe().app == "org.xfce.mousepad"
    desktop.set_clipboard("left over")
    desktop.reset()
    assert desktop.state(NOTE) is None
    assert desktop.clipboard() == ""
    assert desktop.observe().screenshot == bare.screenshot
    assert desktop.observe().ui_tree == bare.ui_tree


def test_the_prompt_of_a_terminal_is_the_same_on_every_machine(desktop: Desktop) -> None:
    desktop.reset(app="LXTerminal")
    wait_for(
        desktop,
        lambda seen: any(
            node.text.strip() == "$"
            for node in tree(seen).nodes
            if node.class_name == "atspi.Terminal"
        ),
        "no bare prompt",
    )


@pytest.mark.parametrize(
    "path", ["files", "files.", "files.Documents", "files.../../x", "notes.items", "files.a\0b"]
)
@pytest.mark.slow_but_one
def test_state_that_is_no_file_is_refused(desktop: Desktop, path: str) -> None:
    with pytest.raises(DeviceError):
        desktop.reset(state={path: "text"})
    with pytest.raises(DeviceError, match="no state"):
        desktop.reset(state={NOTE: 5})


@pytest.mark.slow
def test_what_a_window_covers_is_not_in_the_tree(desktop: Desktop) -> None:
    desktop.perform(actions.OpenApp(app="galculator"))
    key = find(desktop, "7")
    desktop.perform(actions.OpenApp(app="Mousepad"))
    click(desktop, "Maximize")
    seen = wait_for(desktop, lambda seen: "7" not in words(seen), "the covered keys are there")
    assert "Mousepad" in " ".join(words(seen))
    click(desktop, "Minimize")
    wait_for(desktop, lambda seen: "7" in words(seen), "the keys are not seen again")
    assert box(find(desktop, "7")) == box(key)


@pytest.mark.slow
def test_the_title_bar_closes_a_window(desktop: Desktop) -> None:
    desktop.perform(actions.OpenApp(app="galculator"))
    click(desktop, "Close")
    wait_for(desktop, lambda seen: seen.app == "desktop", "the window is still there")


@pytest.mark.slow
def test_buttons_are_where_the_tree_says(desktop: Desktop) -> None:
    desktop.perform(actions.OpenApp(app="galculator"))
    for key in "12*3=":
        click(desktop, key)
    wait_for(
        desktop,
        lambda seen: any(node.text == "36" for node in tree(seen).nodes),
        "the calculator has another result",
    )


@pytest.mark.slow
def test_clicks_select_what_they_do_on_desktops(desktop: Desktop) -> None:
    desktop.perform(actions.OpenApp(app="Mousepad"))
    at = box(editor(desktop))
    text = "first word here\nsecond line"
    desktop.perform(actions.TypeText(text=text))
    wait_for_text(desktop, text)
    place = Point(at.left + 0.02, at.top + 0.012)
    for select, selected in (
        (actions.DoubleTap(at=place), "first"),
        (actions.TripleTap(at=place), "first word here"),
        (
            actions.Drag(
                start=Point(at.left + 0.0005, place.y), end=Point(at.right - 0.02, place.y)
            ),
            None,
        ),
        (actions.Hotkey(keys=("ctrl", "a")), text),
    ):
        desktop.set_clipboard("nothing")
        desktop.perform(select)
        wait_for(desktop, lambda _: copied(desktop) != "nothing", f"{select} selects nothing")
        assert desktop.clipboard() == (selected or "first word here"), select
        desktop.perform(actions.PressKey(key="right"))


@pytest.mark.slow
def test_two_taps_are_no_double_tap(desktop: Desktop) -> None:
    desktop.perform(actions.OpenApp(app="Mousepad"))
    at = box(editor(desktop))
    desktop.perform(actions.TypeText(text="word"))
    place = Point(at.left + 0.012, at.top + 0.012)
    for _ in range(2):
        desktop.perform(actions.Tap(at=place))
    desktop.perform(actions.TypeText(text="+"))
    wait_for(
        desktop,
        lambda seen: any(
            len(node.text) == 5 and "+" in node.text
            for node in tree(seen).nodes
            if node.role == "text field"
        ),
        "the word was replaced, as it was selected",
    )


@pytest.mark.slow
def test_a_right_click_opens_a_menu_that_escape_closes(desktop: Desktop) -> None:
    desktop.perform(actions.OpenApp(app="Mousepad"))
    desktop.perform(actions.Tap(at=box(editor(desktop)).center, button="right"))
    find(desktop, "Paste", "MenuItem")
    desktop.perform(actions.PressKey(key="escape"))
    wait_for(desktop, lambda seen: "Paste" not in words(seen), "the menu is still there")


@pytest.mark.slow
def test_the_wheel_scrolls_the_view_under_the_pointer(desktop: Desktop) -> None:
    lines = "\n".join(f"line {number}" for number in range(300))
    desktop.perform(actions.OpenApp(app="Mousepad"))
    at = box(editor(desktop)).center
    desktop.set_clipboard(lines)
    desktop.perform(actions.Hotkey(keys=("ctrl", "v")))
    wait_for_text(desktop, lines)
    desktop.perform(actions.Hotkey(keys=("ctrl", "Home")))
    before = desktop.observe().screenshot
    desktop.perform(actions.Scroll(at=at, dy=1.0))
    wait_for(desktop, lambda seen: seen.screenshot != before, "nothing was scrolled")


@pytest.mark.slow
def test_an_application_that_is_open_is_brought_to_the_front(desktop: Desktop) -> None:
    desktop.perform(actions.OpenApp(app="galculator"))
    desktop.perform(actions.OpenApp(app="org.xfce.mousepad"))
    desktop.perform(actions.OpenApp(app="galculator"))
    seen = wait_for(desktop, lambda seen: seen.app == "galculator", "it is not in front")
    assert sum(node.class_name == "atspi.Frame" for node in tree(seen).nodes) == 2


def test_the_bare_desktop_offers_the_applications(desktop: Desktop) -> None:
    bare = desktop.observe().screenshot
    desktop.perform(actions.Tap(at=Point(0.3, 0.3)))
    wait_for(desktop, lambda seen: seen.screenshot != bare, "no menu opens")
    desktop.perform(actions.PressKey(key="home"))


def test_the_key_home_shows_the_bare_desktop(desktop: Desktop) -> None:
    desktop.perform(actions.OpenApp(app="galculator"))
    desktop.perform(actions.PressKey(key="home"))
    wait_for(desktop, lambda seen: "7" not in words(seen), "the window is still there")


def test_an_unknown_application_is_named_with_the_nearest(desktop: Desktop) -> None:
    with pytest.raises(UnknownAppError) as caught:
        desktop.perform(actions.OpenApp(app="Mousepd"))
    assert "Mousepad" in caught.value.hint
    with pytest.raises(UnknownAppError):
        desktop.reset(app="Paint")


def test_a_key_of_a_phone_is_refused(desktop: Desktop) -> None:
    with pytest.raises(UnsupportedActionError, match="back"):
        desktop.perform(actions.PressKey(key="back"))
    with pytest.raises(UnsupportedActionError, match="nokey"):
        desktop.perform(actions.Hotkey(keys=("control", "nokey")))


def test_the_clipboard_holds_any_text(desktop: Desktop) -> None:
    for text in ("one", "zwei 二\nлиния 🙂", "x" * 100_000):
        desktop.set_clipboard(text)
        assert desktop.clipboard() == text


def test_a_closed_desktop_says_so(programs: None) -> None:
    desktop = Desktop.named("320x240")
    desktop.close()
    for call in (desktop.observe, desktop.reset, desktop.clipboard):
        with pytest.raises(DeviceLostError, match="closed"):
            call()
