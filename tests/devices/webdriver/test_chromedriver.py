import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.geometry import Point, from_pixel
from tapwright.core.observation import UiNode
from tapwright.devices.errors import CommandRefusedError
from tapwright.devices.webdriver.device import WebDriverDevice, open_webdriver
from tapwright.errors import DeviceError, UnknownAppError, UnsupportedActionError
from tapwright.testing import check_device
from tests.devices.webdriver.programs import chrome_options, chromedriver

PAGE = """<!doctype html><meta charset=utf-8><title>Shop</title>
<style>body { margin: 0; font: 16px sans-serif; height: 3000px } * { position: absolute }</style>
<p id=said style="left:20px; top:20px">-</p>
<button id=buy style="left:100px; top:100px; width:120px; height:40px">Buy</button>
<input id=name placeholder=Name style="left:100px; top:160px">
<button id=ask style="left:100px; top:220px" onclick="alert('sure?')">Ask</button>
<button id=open style="left:100px; top:280px">Open</button>
<script>
  const say = (...words) => { said.textContent = words.join(' ') }
  for (const kind of ['click', 'dblclick', 'contextmenu', 'mousemove', 'touchstart'])
    addEventListener(kind, event => {
      const at = event.touches ? event.touches[0] : event
      event.preventDefault()
      say(kind, at.clientX, at.clientY, event.detail)
    })
  document.getElementById('name').addEventListener('keydown', event => {
    if (event.key === 'Enter') say('hello', event.target.value)
  })
  document.getElementById('open').onclick = () => {
    const other = window.open('')
    other.document.write('<button onclick=window.close()>Close</button>')
    other.document.close()
  }
</script>"""

OpenPage = Callable[..., WebDriverDevice]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with chromedriver() as url:
        yield url


@pytest.fixture
def open_page(server: str, tmp_path: Path) -> Iterator[OpenPage]:
    """Opens the page in a session with the given arguments of Chromium."""
    opened: list[WebDriverDevice] = []
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")

    def open_page(*arguments: str, **more: object) -> WebDriverDevice:
        options = chrome_options(*arguments)
        for name, value in more.items():
            options["goog:chromeOptions"] |= {name: value}  # type: ignore[operator]
        file = tmp_path / f"caps-{len(opened)}.json"
        file.write_text(json.dumps(options))
        opened.append(open_webdriver(f"{server},{file},start={page.as_uri()}"))
        return opened[-1]

    yield open_page
    for device in opened:
        device.close()


def node(device: WebDriverDevice, words: str) -> UiNode:
    tree = device.observe().ui_tree
    assert tree is not None
    said = [(one.text, one.description, one.short_id) for one in tree.nodes]
    found = [one for one, names in zip(tree.nodes, said, strict=True) if words in names]
    assert found, f"{words!r} is not among {said}"
    return found[-1]


def place(device: WebDriverDevice, words: str) -> Point:
    box = node(device, words).box
    assert box is not None
    return box.center


def said(device: WebDriverDevice) -> str:
    return node(device, "said").text


@pytest.mark.slow
def test_a_browser_keeps_the_laws_of_devices(open_page: OpenPage) -> None:
    check_device(open_page())


@pytest.mark.slow
@pytest.mark.parametrize("density", [1.0, 1.5, 2.0])
def test_a_tap_on_a_pixel_reaches_the_page_there(open_page: OpenPage, density: float) -> None:
    device = open_page(f"--force-device-scale-factor={density}")
    size = device.observe().size
    for x, y in ((160, 120), (401, 333), (size.width - 40, size.height - 1)):
        device.perform(actions.Tap(at=from_pixel(x, y, size)))
        kind, at_x, at_y, _ = said(device).split()
        assert kind == "click"
        assert abs(float(at_x) * density - x) <= density
        assert abs(float(at_y) * density - y) <= density


@pytest.mark.slow
@pytest.mark.parametrize("density", [1.0, 2.0])
def test_an_element_has_its_edges_in_pixels(open_page: OpenPage, density: float) -> None:
    device = open_page(f"--force-device-scale-factor={density}")
    edges = [round(edge * density) for edge in (100, 100, 220, 140)]
    assert node(device, "Buy").attributes["bounds"] == "[{},{}][{},{}]".format(*edges)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("action", "words"),
    [
        (actions.DoubleTap(at=Point(0.6, 0.5)), "dblclick"),
        (actions.TripleTap(at=Point(0.6, 0.5)), "3"),
        (actions.Tap(at=Point(0.6, 0.5), button="right"), "contextmenu"),
        (actions.Hover(at=Point(0.6, 0.5)), "mousemove"),
        (actions.LongPress(at=Point(0.6, 0.5)), "click"),
    ],
)
def test_gestures_of_a_mouse_reach_the_page(
    open_page: OpenPage, action: Action, words: str
) -> None:
    device = open_page()
    device.perform(action)
    assert words in said(device).split()


@pytest.mark.slow
def test_text_of_any_script_is_typed_replaced_and_entered(open_page: OpenPage) -> None:
    device = open_page()
    device.perform(actions.TypeText(text="old", at=place(device, "name")))
    device.perform(actions.TypeText(text="héllo 世界 😀\n", at=place(device, "name"), clear=True))
    assert said(device) == "hello héllo 世界 😀"
    device.perform(actions.Hotkey(keys=("control", "a")))
    device.perform(actions.PressKey(key="delete"))
    assert node(device, "name").text == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "action",
    [
        actions.Scroll(at=Point(0.5, 0.5), dy=0.2),
        actions.Swipe(start=Point(0.5, 0.6), end=Point(0.5, 0.4)),
    ],
)
def test_a_page_scrolls_by_a_part_of_the_screen(open_page: OpenPage, action: Action) -> None:
    device = open_page()
    observation = device.observe()
    before = top(device, "Ask")
    device.perform(action)
    moved = before - top(device, "Ask")
    assert abs(moved - 0.2 * observation.size.height) <= 2


def top(device: WebDriverDevice, words: str) -> int:
    return int(node(device, words).attributes["bounds"].split("]")[0].split(",")[1])


@pytest.mark.slow
def test_a_dialog_is_dismissed_and_hangs_nothing(open_page: OpenPage) -> None:
    device = open_page()
    device.perform(actions.Tap(at=place(device, "Ask")))
    assert node(device, "Buy").role == "button"


@pytest.mark.slow
def test_a_window_that_opens_is_followed_and_one_that_closes_is_left(open_page: OpenPage) -> None:
    device = open_page()
    device.perform(actions.Tap(at=place(device, "Open")))
    device.perform(actions.Tap(at=place(device, "Close")))
    assert node(device, "Buy").role == "button"


@pytest.mark.slow
def test_tabs_are_opened_told_switched_and_closed(open_page: OpenPage) -> None:
    device = open_page()
    first = device.observe()
    assert [(tab.title, tab.active) for tab in first.tabs] == [("Shop", True)]
    device.perform(actions.NewTab(url="data:text/html,<title>Other</title>Hello"))
    second = device.observe()
    assert [(tab.title, tab.active) for tab in second.tabs] == [("Shop", False), ("Other", True)]
    assert second.url.startswith("data:text/html")
    device.perform(actions.SwitchTab(tab=0))
    assert device.observe().url == first.url
    device.perform(actions.Goto(url="data:text/html,<title>Third</title>"))
    assert [tab.title for tab in device.observe().tabs] == ["Third", "Other"]
    device.perform(actions.CloseTab())
    assert [tab.title for tab in device.observe().tabs] == ["Other"]
    for action in (actions.CloseTab(), actions.SwitchTab(tab=1)):
        with pytest.raises(UnsupportedActionError, match="tab"):
            device.perform(action)


@pytest.mark.slow
def test_a_page_that_never_ends_to_load_is_named_in_time(server: str, tmp_path: Path) -> None:
    page = tmp_path / "endless.html"
    loading = "window.open('').document.write('still loading')"
    page.write_text(f'<button onclick="{loading}">Go</button>')
    file = tmp_path / "caps.json"
    file.write_text(json.dumps({**chrome_options(), "timeouts": {"pageLoad": 1000}}))
    with open_webdriver(f"{server},{file},start={page.as_uri()}") as device:
        device.perform(actions.Tap(at=place(device, "Go")))
        with pytest.raises(CommandRefusedError, match="timeout"):
            device.observe()


@pytest.mark.slow
def test_a_page_of_a_phone_is_touched(open_page: OpenPage) -> None:
    metrics = {"width": 360, "height": 640, "pixelRatio": 2.0}
    device = open_page(mobileEmulation={"deviceMetrics": metrics})
    size = device.observe().size
    assert (size.width, size.height) == (720, 1280)
    device.perform(actions.Tap(at=from_pixel(200, 700, size)))
    kind, x, y, _ = said(device).split()
    # The page is laid out for 980 pixels, and shown smaller.
    assert kind == "click"
    assert abs(float(x) - 200 * 980 / 720) <= 2
    assert abs(float(y) - 700 * 980 / 720) <= 2
    assert node(device, "Buy").attributes["bounds"] == "[73,73][162,103]"


@pytest.mark.slow
def test_a_browser_opens_no_app_and_has_no_home(open_page: OpenPage) -> None:
    device = open_page()
    with pytest.raises((UnknownAppError, UnsupportedActionError)):
        device.perform(actions.PressKey(key="home"))


@pytest.mark.slow
def test_a_reset_shows_the_first_page_anew(open_page: OpenPage) -> None:
    device = open_page()
    first = device.observe()
    device.perform(actions.Tap(at=place(device, "Buy")))
    assert said(device).startswith("click")
    device.reset()
    assert device.observe().screenshot == first.screenshot


@pytest.mark.slow
def test_a_driver_that_dies_is_named(tmp_path: Path) -> None:
    file = tmp_path / "caps.json"
    file.write_text(json.dumps(chrome_options()))
    with chromedriver() as url:
        device = open_webdriver(f"{url},{file}")
    with pytest.raises(DeviceError):
        device.observe()
    device.close()
