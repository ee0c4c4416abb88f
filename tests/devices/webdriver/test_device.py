from collections.abc import Iterator
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.geometry import Point, from_pixel
from tapwright.core.observation import UiNode
from tapwright.devices.webdriver.device import WebDriverDevice, open_webdriver
from tapwright.errors import DeviceError, UnknownAppError, UnsupportedActionError
from tapwright.testing import FakeWebDriver, check_device
from tapwright.testing.webdriver.notes_app import COLORS, Widget
from tapwright.testing.webdriver.page_sources import AppPlatform

PLATFORMS: tuple[AppPlatform, ...] = get_args(AppPlatform)
WITH_MOUSE: tuple[AppPlatform, ...] = ("macos", "windows")
TOUCHED: tuple[AppPlatform, ...] = ("ios", "android")


@pytest.fixture(params=PLATFORMS)
def platform(request: pytest.FixtureRequest) -> AppPlatform:
    platform: AppPlatform = request.param
    return platform


@pytest.fixture
def server(platform: AppPlatform) -> Iterator[FakeWebDriver]:
    with FakeWebDriver(platform) as server:
        yield server


@pytest.fixture
def device(server: FakeWebDriver) -> Iterator[WebDriverDevice]:
    with open_webdriver(server.url) as device:
        yield device


def node(device: WebDriverDevice, words: str) -> UiNode:
    tree = device.observe().ui_tree
    assert tree is not None
    said = [one for one in tree.nodes if words in (one.text, one.description, one.hint)]
    return said[-1]


def has(device: WebDriverDevice, words: str, flag: str) -> bool:
    return node(device, words).attributes[flag] == "true"


def place(device: WebDriverDevice, words: str) -> Point:
    box = node(device, words).box
    assert box is not None
    return box.center


def test_each_platform_keeps_the_laws_of_devices(device: WebDriverDevice) -> None:
    check_device(device)


def test_what_is_under_a_pixel_is_what_a_tap_on_it_touches(
    server: FakeWebDriver, device: WebDriverDevice
) -> None:
    observation = device.observe()
    image = observation.screenshot.image().convert("RGB")
    size = observation.size

    @settings(
        max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(
        x=st.integers(0, size.width - 1) | st.sampled_from([0, size.width - 1]),
        y=st.integers(0, size.height - 1) | st.sampled_from([0, size.height - 1]),
    )
    def tapped(x: int, y: int) -> None:
        device.perform(
            actions.Hover(at=from_pixel(x, y, size))
            if mouse
            else actions.Tap(at=from_pixel(x, y, size))
        )
        received = server.input.received[-1]
        under = server.app.at(received.x, received.y)
        color = image.getpixel((x, y))
        expected = (60, 60, 70) if under is None else COLORS[under.kind]
        # Letters are drawn over the colour of their widget.
        assert color == expected or (under is not None and under.kind not in ("window", "list"))

    mouse = device.platform in WITH_MOUSE
    tapped()


def test_a_pixel_is_hit_within_itself(server: FakeWebDriver, device: WebDriverDevice) -> None:
    observation = device.observe()
    size = observation.size
    left, top = server.app.window[:2] if device.platform == "windows" else (0, 0)
    scale = {"ios": 2.0, "macos": 2.0}.get(device.platform, 1.0)
    for x, y in ((0, 0), (1, 2), (size.width - 1, size.height - 1), (size.width // 2, 7)):
        device.perform(actions.Tap(at=from_pixel(x, y, size)))
        received = server.input.received[-1]
        assert (int((received.x - left) * scale), int((received.y - top) * scale)) == (x, y)


@pytest.mark.slow_but_one
def test_an_element_is_where_the_picture_shows_it(
    server: FakeWebDriver, device: WebDriverDevice
) -> None:
    observation = device.observe()
    image = observation.screenshot.image().convert("RGB")
    shown = {one.text or one.name: one for one in server.app.root().all() if not one.children}
    for words, widget in shown.items():
        box = node(device, words).box
        assert box is not None
        left, top, right, bottom = box.to_pixels(observation.size)
        for x, y in ((left, top), (right - 1, top), (left, bottom - 1), (right - 1, bottom - 1)):
            assert image.getpixel((x, y)) == COLORS[widget.kind], words
        assert is_outside(image.getpixel((left - 1, top)), widget)
        assert is_outside(image.getpixel((right, bottom - 1)), widget)


def is_outside(color: object, widget: Widget) -> bool:
    return color != COLORS[widget.kind]


@pytest.mark.slow_but_one
def test_kinds_states_and_words_of_elements_are_read(device: WebDriverDevice) -> None:
    assert node(device, "Add").role == "button"
    assert node(device, "New note").role == "text field"
    assert node(device, "New note").text == ""
    assert node(device, "Dark mode").role in ("switch", "checkbox")
    assert not has(device, "Dark mode", "checked")
    device.perform(actions.Tap(at=place(device, "Dark mode")))
    assert has(device, "Dark mode", "checked")
    device.perform(actions.TypeText(text="bread", at=place(device, "New note")))
    assert node(device, "bread").role == "text field"
    assert has(device, "bread", "focused")


def test_the_tree_has_no_menu_that_is_closed() -> None:
    with FakeWebDriver("macos") as server, open_webdriver(server.url) as device:
        tree = device.observe().ui_tree
        assert tree is not None
        words = [one.text for one in tree.nodes]
        assert "File" in words
        assert "New" not in words


@pytest.mark.parametrize("text", ["milk", "héllo 世界 😀", "two\nlines"])
@pytest.mark.slow_but_one
def test_a_text_is_typed_and_a_line_break_at_its_end_is_enter(
    server: FakeWebDriver, device: WebDriverDevice, text: str
) -> None:
    device.perform(actions.TypeText(text=f"{text}\n", at=place(device, "New note")))
    assert server.app.rows[: text.count("\n") + 1] == text.split("\n")[::-1]


@pytest.mark.slow_but_one
def test_a_field_is_emptied_before_it_is_typed_into(
    server: FakeWebDriver, device: WebDriverDevice
) -> None:
    device.perform(actions.TypeText(text="old", at=place(device, "New note")))
    device.perform(actions.TypeText(text="new", clear=True))
    assert server.app.draft == "new"


def test_gestures_do_what_they_are_for(server: FakeWebDriver, device: WebDriverDevice) -> None:
    device.perform(actions.DoubleTap(at=place(device, "Note 2")))
    assert server.app.rows[1] == "Note 2 *"
    device.perform(actions.LongPress(at=place(device, "Note 3")))
    assert "Note 3" not in server.app.rows
    device.perform(actions.TripleTap(at=place(device, "Note 1")))
    assert server.input.received[-1].times == 3
    before = server.app.first
    device.perform(actions.Swipe(start=Point(0.4, 0.7), end=Point(0.4, 0.4)))
    assert server.app.first > before
    device.perform(actions.Scroll(at=Point(0.4, 0.6), dy=-1.0))
    assert server.app.first == 0
    device.perform(actions.Drag(start=place(device, "Note 1"), end=place(device, "Note 5")))
    assert server.input.received[-1].kind == "drag"


@pytest.mark.parametrize("platform", WITH_MOUSE, indirect=True)
def test_a_mouse_has_a_right_button_and_hovers(
    server: FakeWebDriver, device: WebDriverDevice
) -> None:
    device.perform(actions.Hover(at=place(device, "Add")))
    assert server.input.received[-1].kind == "move"
    device.perform(actions.Tap(at=place(device, "Note 4"), button="right"))
    assert "Note 4" not in server.app.rows


@pytest.mark.parametrize("platform", TOUCHED, indirect=True)
@pytest.mark.parametrize(
    "action", [actions.Hover(at=Point(0.5, 0.5)), actions.Tap(at=Point(0.5, 0.5), button="right")]
)
def test_a_finger_is_no_mouse(device: WebDriverDevice, action: Action) -> None:
    with pytest.raises(UnsupportedActionError, match="finger"):
        device.perform(action)


@pytest.mark.slow_but_one
def test_keys_reach_the_field(server: FakeWebDriver, device: WebDriverDevice) -> None:
    device.perform(actions.TypeText(text="abc", at=place(device, "New note")))
    device.perform(actions.PressKey(key="backspace"))
    assert server.app.draft == "ab"
    device.perform(actions.PressKey(key="enter"))
    assert server.app.rows[0] == "ab"


@pytest.mark.parametrize("platform", WITH_MOUSE, indirect=True)
@pytest.mark.slow_but_one
def test_keys_are_pressed_together(server: FakeWebDriver, device: WebDriverDevice) -> None:
    device.perform(actions.TypeText(text="abc", at=place(device, "New note")))
    device.perform(actions.Hotkey(keys=("meta" if device.platform == "macos" else "control", "a")))
    assert server.app.draft == ""


@pytest.mark.parametrize("platform", TOUCHED, indirect=True)
def test_a_phone_goes_home_opens_an_app_and_turns(
    server: FakeWebDriver, device: WebDriverDevice
) -> None:
    device.perform(actions.PressKey(key="home"))
    assert not server.app.front
    device.perform(actions.OpenApp(app="com.example.notes"))
    assert server.app.front
    with pytest.raises(UnknownAppError, match=r"cannot open 'no\.such\.app'"):
        device.perform(actions.OpenApp(app="no.such.app"))
    upright = device.observe()
    device.perform(actions.PressKey(key="rotate"))
    device.perform(actions.Tap(at=place(device, "Dark mode")))
    assert server.app.dark
    turned = device.observe()
    assert (upright.orientation, turned.orientation) == ("portrait", "landscape")
    assert (turned.size.width, turned.size.height) == (upright.size.height, upright.size.width)


@pytest.mark.parametrize("platform", TOUCHED, indirect=True)
def test_text_without_a_focus_is_refused(device: WebDriverDevice) -> None:
    with pytest.raises(UnsupportedActionError, match="no field has the focus"):
        device.perform(actions.TypeText(text="lost"))


@pytest.mark.slow_but_one
def test_a_reset_starts_the_app_anew(server: FakeWebDriver, device: WebDriverDevice) -> None:
    first = device.observe()
    device.perform(actions.LongPress(at=place(device, "Note 1")))
    device.reset()
    assert "Note 1" in server.app.rows
    assert device.observe().screenshot == first.screenshot


def test_a_seed_and_a_state_are_refused(device: WebDriverDevice) -> None:
    with pytest.raises(DeviceError, match="takes no seed"):
        device.reset(seed=3)
    with pytest.raises(DeviceError, match=r"cannot be put into the state settings\.wifi"):
        device.reset(state={"settings.wifi": True})


def test_an_observation_names_the_app(device: WebDriverDevice) -> None:
    assert device.observe().app in ("com.example.notes", "Notes")
