import socket
from contextlib import suppress
from time import monotonic

import pytest

from tapwright.core.geometry import Size
from tapwright.core.screenshot import Screenshot
from tapwright.devices.chromium import Browser
from tapwright.devices.page_capture import CaptureOptions, PageCapture, take_screenshot
from tapwright.devices.tab import Dialog
from tapwright.errors import DeviceError, DeviceLostError
from tests.devices.conftest import ORIGIN, OpenPage

FIELD = "<input id=field autofocus><script>field.focus()</script>"


def test_an_expressions_value_comes_as_json(open_page: OpenPage) -> None:
    tab = open_page("")
    assert tab.evaluate("({ n: [1, null, '茶'] })") == {"n": [1, None, "茶"]}
    assert tab.evaluate("undefined") is None
    assert tab.evaluate("Promise.resolve(3)") == 3


def test_a_script_that_throws_is_an_error_with_its_message(open_page: OpenPage) -> None:
    with pytest.raises(DeviceError, match="TypeError: no such tea"):
        open_page("").evaluate("(() => { throw new TypeError('no such tea') })()")


def test_a_page_gets_its_files_and_folders_from_what_is_served(browser: Browser) -> None:
    with browser.open_tab(Size(100, 100)) as tab:
        tab.serve(
            {
                "app/index.html": (b"<script type=module src=main.js?v=2></script>", "text/html"),
                "app/main.js": (b"document.title = 'served'", "text/javascript"),
            },
            ORIGIN,
        )
        tab.goto(f"{ORIGIN}/app/")
        assert tab.evaluate("document.title") == "served"


def test_an_address_that_is_not_served_is_not_loaded(browser: Browser) -> None:
    with browser.open_tab(Size(100, 100)) as tab:
        for address in ("http://nowhere.test/", "https://example.com/", "file:///etc/passwd"):
            with pytest.raises(DeviceError, match=f"{address} could not be loaded"):
                tab.goto(address)


def test_a_page_reaches_no_network_by_any_door(open_page: OpenPage) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        place = f"127.0.0.1:{server.getsockname()[1]}"
        tab = open_page("")
        tried = tab.evaluate(
            f"""Promise.all([
              fetch("http://{place}/").then(() => "fetched", () => "refused"),
              new Promise(done => {{
                const socket = new WebSocket("ws://{place}/")
                socket.onopen = () => done("opened")
                socket.onerror = () => done("refused")
              }}),
              new Promise(done => {{
                const image = new Image()
                image.onload = () => done("loaded")
                image.onerror = () => done("refused")
                image.src = "http://{place}/a.png"
              }}),
              new Promise(done => {{
                const code = `fetch("http://{place}/").then(() => postMessage("fetched"),
                                                          () => postMessage("refused"))`
                new Worker(URL.createObjectURL(new Blob([code]))).onmessage = e => done(e.data)
              }}),
            ])"""
        )
        assert tried == ["refused"] * 4
        with pytest.raises(BlockingIOError):  # nobody has knocked
            server.accept()


def test_dialogs_never_stop_a_page_and_are_remembered(open_page: OpenPage) -> None:
    tab = open_page("")
    answers = tab.evaluate("[alert('one'), confirm('two'), prompt('three', 'x')]")
    assert answers == [None, False, None]
    assert list(tab.dialogs) == [
        Dialog("alert", "one"),
        Dialog("confirm", "two"),
        Dialog("prompt", "three"),
    ]
    tab.evaluate("addEventListener('beforeunload', event => event.preventDefault())")
    tab.goto(f"{ORIGIN}/")


def test_a_screenshot_works_while_a_dialog_is_being_opened(open_page: OpenPage) -> None:
    tab = open_page("")
    tab.evaluate("void setTimeout(() => alert('now'))")
    assert take_screenshot(tab, CaptureOptions("png", 400, 800))
    assert [dialog.message for dialog in tab.dialogs] == ["now"]


@pytest.mark.slow
def test_a_hung_page_is_a_lost_device_in_time_and_can_be_closed(open_page: OpenPage) -> None:
    tab = open_page("", timeout_s=10.0)
    tab.evaluate("void setTimeout(() => { while (true); })")
    with pytest.raises(DeviceLostError, match="within 10 s"):
        take_screenshot(tab, CaptureOptions("png", 400, 800))
    tab.close()
    assert open_page("").evaluate("1 + 1") == 2


def test_a_crashed_page_is_a_lost_device_at_once(open_page: OpenPage) -> None:
    tab = open_page("", timeout_s=60)
    with pytest.raises(DeviceLostError, match="the page crashed"):
        tab.call("Page.crash")
    with pytest.raises(DeviceLostError, match="the page crashed"):
        tab.evaluate("1")


def test_a_tab_that_does_not_open_in_time_leaves_nothing_behind(browser: Browser) -> None:
    def contexts() -> object:
        return browser._wire.send("Target.getBrowserContexts").result(60)["browserContextIds"]

    before = contexts()
    for timeout_s in (1e-6, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05):
        with suppress(DeviceLostError):
            browser.open_tab(Size(100, 100), timeout_s=timeout_s).close()
    end = monotonic() + 60
    while contexts() != before and monotonic() < end:
        pass  # each look is a call that the browser must answer
    assert contexts() == before


def test_a_closed_tab_says_so(open_page: OpenPage) -> None:
    tab = open_page("")
    tab.close()
    tab.close()
    with pytest.raises(DeviceLostError, match="the tab was closed"):
        tab.evaluate("1")


@pytest.mark.parametrize("text", ["Milk", "牛奶 🥛 café", 'a "b" \\ <c>'])
def test_text_of_any_language_lands_in_the_focused_field(open_page: OpenPage, text: str) -> None:
    tab = open_page(FIELD)
    tab.insert_text(text)
    assert tab.evaluate("field.value") == text


def test_editing_keys_edit(open_page: OpenPage) -> None:
    tab = open_page(FIELD)
    tab.insert_text("abcd")
    for names in (("backspace",), ("left",), ("delete",), ("move_home",), ("x",), ("space",)):
        tab.press(names)
    assert tab.evaluate("field.value") == "x ab"


def test_control_a_selects_and_control_c_and_v_copy(open_page: OpenPage) -> None:
    tab = open_page(FIELD)
    tab.insert_text("tea ")
    tab.press(("control", "a"))
    assert tab.evaluate("[field.selectionStart, field.selectionEnd]") == [0, 4]
    tab.press(("control", "c"))
    tab.press(("move_end",))
    tab.press(("control", "v"))
    assert tab.evaluate("field.value") == "tea tea "


def test_the_mouse_hovers_clicks_and_opens_a_context_menu(open_page: OpenPage) -> None:
    tab = open_page(
        "<div id=box style='width: 100px; height: 100px'></div><script>seen = [];"
        "for (const name of ['mousemove', 'click', 'contextmenu'])"
        "box.addEventListener(name, () => seen.push(name))</script>"
    )
    tab.hover(50, 50)
    tab.click(50, 50)
    tab.click(50, 50, "right")
    seen = tab.evaluate("[...new Set(seen)]")
    assert seen == ["mousemove", "click", "contextmenu"]


def test_the_wheel_scrolls_by_what_it_says(open_page: OpenPage) -> None:
    tab = open_page("<div style='width: 2000px; height: 5000px'></div>")
    tab.wheel(200, 400, 30, 700)
    tab.wheel(200, 400, 0, -100)
    assert tab.evaluate("[scrollX, scrollY]") == [30, 600]


@pytest.mark.parametrize(
    ("picture", "size", "kind"),
    [
        (CaptureOptions("png", 400, 800), Size(800, 1600), "png"),
        (CaptureOptions("png", 399.5, 800), Size(799, 1600), "png"),
        (CaptureOptions("jpeg", 400, 800, scale=0.5), Size(400, 800), "jpg"),
    ],
)
def test_a_picture_has_the_size_that_was_asked_for(
    open_page: OpenPage, picture: CaptureOptions, size: Size, kind: str
) -> None:
    shot = Screenshot(take_screenshot(open_page("<p>Tea", density=2.0), picture))
    assert (shot.size, shot.extension) == (size, kind)


def test_a_screenshot_that_was_not_requested_is_refused(open_page: OpenPage) -> None:
    with pytest.raises(DeviceError, match="without a screenshot"):
        PageCapture(open_page(""), None).screenshot()


def test_typing_on_a_keyboard_is_heard_key_by_key(open_page: OpenPage) -> None:
    tab = open_page(
        "<textarea id=t></textarea><script>heard = [];"
        "t.onkeydown = e => heard.push(e.key); t.focus()</script>"
    )
    tab.type_keys("aB 1\n你")
    assert tab.evaluate("heard") == ["a", "B", " ", "1", "Enter"]
    assert tab.evaluate("t.value") == "aB 1\n你"


def test_a_desktops_page_has_a_mouse_and_no_finger(browser: Browser) -> None:
    with browser.open_tab(Size(300, 200), mobile=False) as tab:
        page = b"<script>globalThis.seen = globalThis.early</script><p>desk"
        tab.serve({"index.html": (page, "text/html")}, ORIGIN)
        tab.run_in_every_page("globalThis.early = 'before the page'")
        tab.goto(f"{ORIGIN}/")
        found = tab.evaluate("[innerWidth, navigator.maxTouchPoints, seen]")
        assert found == [300, 0, "before the page"]
