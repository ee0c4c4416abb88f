"""Pages that attack the driver of their browser: it goes on, and they are given nothing."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic

import pytest

from tapwright.core.actions import Finish, Goto, Hotkey, Tap, TypeText, Wait
from tapwright.core.geometry import Point
from tapwright.devices.chromium import Browser
from tapwright.devices.web.device import WebDevice
from tapwright.devices.web.network import Network
from tapwright.errors import DeviceError, DeviceLostError
from tests.devices.web.conftest import Site

pytestmark = pytest.mark.slow

MOST_S = 120.0
"""A guard against hanging, on a machine that is busy with other tests, too."""
LOCALHOST = Network.parse("127.0.0.1")
SECRET = "only-on-this-machine-7431"
_NAME = "\\u202Egpj.exe/../../../../tmp/x\\n\\x1b[2J"
PAGES: Mapping[str, str] = {
    "downloads": "<script>for (let n = 0; n < 60; n++) { const a = document.createElement('a');"
    f"a.download = `{_NAME}${{n}}`; a.href = URL.createObjectURL(new Blob(['x']));"
    "document.body.append(a); a.click() }</script>",
    "files": "<a id=a href='file:///etc/passwd'>x</a><iframe src='file:///etc/passwd'></iframe>"
    "<object data='file:///etc/passwd'></object><script>a.click();"
    "fetch('file:///etc/passwd').then(r => r.text()).then(t => document.title = t);"
    "location = 'file:///etc/passwd'</script>",
    "chooser": "<input type=file id=f><script>setInterval(() => f.click(), 1)</script>",
    "popups": "<script>for (let n = 0; n < 200; n++) open('about:blank', n)</script>",
    "popups that open popups": "<script>const again = () => { const w = open('about:blank');"
    "w && w.setTimeout(again, 1) }; for (let n = 0; n < 9; n++) again()</script>",
    "devtools": "<script>for (let port = 9000; port < 9400; port++)"
    "fetch(`http://127.0.0.1:${port}/json/version`).then(() => document.title = 'found')</script>",
    "service worker": "<script>navigator.serviceWorker?.register('/worker.js')</script>",
    "dialogs": "<script>for (;;) alert('again')</script>",
    "leaving": "<script>onbeforeunload = () => 'stay'; setInterval(() => location.reload(), 5)"
    "</script>",
    "other schemes": "<script>for (const to of ['chrome://settings', 'view-source:/', 'data:,x',"
    "'javascript:alert(1)', 'devtools://devtools', 'intent://x', 'mailto:a@example.org'])"
    "try { location = to } catch {}</script>",
    "closing": "<script>close(); open('about:blank')?.close(); window.stop()</script>",
    "title": "<title>\x1b]0;owned\x07\u202e</title><script>setInterval(() => document.title ="
    "'x'.repeat(1e6) + Math.random(), 1)</script>",
    "history": "<script>for (let n = 0; n < 500; n++) history.pushState(0, '', `#${n}`)</script>",
    "memory": "<script>const kept = []; setInterval(() => kept.push(new Uint8Array(1e6)), 1)"
    "</script>",
    "print": "<script>setInterval(() => print(), 1)</script>",
    "clipboard": "<script>navigator.clipboard?.readText().then(t => document.title = t)</script>",
    "fullscreen": "<body onclick='document.documentElement.requestFullscreen();"
    "document.body.requestPointerLock()'>x",
    "prototypes": "<script>for (const of_ of [Object, Array, Map, String, Function, Promise])"
    "for (const name of Object.getOwnPropertyNames(of_.prototype)) try {"
    "of_.prototype[name] = () => { throw 'owned' } } catch {};"
    "JSON.stringify = JSON.parse = () => 'owned'</script><button>x</button>",
    "deep": "<script>document.body.innerHTML = '<div>'.repeat(50_000)</script>",
    "wide": "<script>document.body.innerHTML = '<b>x</b>'.repeat(100_000)</script>",
}
ACTIONS = (
    Tap(at=Point(0.5, 0.5)), TypeText(text="secret.txt"), Hotkey(keys=("control", "v")),
    Wait(duration_s=0.2), Goto(url="file:///etc/passwd"), Finish(),
)  # fmt: skip


@pytest.fixture
def site() -> Iterator[Site]:
    with Site().serving() as server:
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser(resolver_rules=LOCALHOST.rules, timeout_s=10.0) as browser:
        yield browser


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_attacks_its_driver_gets_nothing(
    name: str, browser: Browser, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.txt").write_text(SECRET)
    monkeypatch.chdir(tmp_path)
    before = {*tmp_path.rglob("*")}
    site.pages["/worker.js"] = "onfetch = event => event.respondWith(new Response('owned'))"
    site.pages["/"] = f"<!doctype html><meta charset=utf-8><body>{PAGES[name]}"
    begun = monotonic()
    address = f"{site.url}/"
    with WebDevice(address, network=LOCALHOST, browser=browser, timeout_s=10.0) as device:
        for action in ACTIONS:
            with suppress(DeviceError):  # refused, or the page hangs, which is told
                device.perform(action)
        with suppress(DeviceLostError):
            seen = device.observe()
            shown = " ".join(node.text for node in seen.ui_tree.nodes) if seen.ui_tree else ""
            assert SECRET not in shown
            assert "root:" not in shown
            assert not any(tab.url.startswith("file:") or tab.title == "found" for tab in seen.tabs)
        assert monotonic() - begun < MOST_S
        assert {*tmp_path.rglob("*")} == before
        _goes_on(device, site)


def _goes_on(device: WebDevice, site: Site) -> None:
    """After its reset the device shows another page."""
    site.pages["/"] = "<p>calm</p>"
    device.reset()
    seen = device.observe()
    assert seen.ui_tree is not None
    assert "calm" in [node.text for node in seen.ui_tree.nodes]
