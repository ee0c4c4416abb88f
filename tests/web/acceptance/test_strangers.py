"""What is not meant for the app: keys that somebody writes with, and other sites' pages."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.web.app import WebConfig
from tests.conftest import painted
from tests.web.acceptance.recording import Recorder
from tests.web.browsing import serving, watched
from tests.web.library.test_bundle import plain_server
from tests.web.library.world import World, annotate, make_world

pytestmark = pytest.mark.slow

FIELDS = "input:not([type=radio]):not([type=checkbox]):not([type=range]), textarea"

PROBE = """async address => {
    const tried = {};
    tried.socket = await new Promise(done => {
        const socket = new WebSocket(address.replace("http", "ws") + "/ws/session?session=x");
        socket.onopen = () => done("open");
        socket.onerror = () => done("refused");
    });
    const ask = options => fetch(address + "/api/login", options).then(
        answer => "sent", () => "refused");
    tried.simple = await ask({ method: "POST", mode: "no-cors", body: "{}" });
    tried.ours = await ask({ method: "POST", body: "{}", headers: {
        "X-Tapwright": "1", "Content-Type": "application/json" } });
    tried.read = await fetch(address + "/api/me").then(() => "read", () => "refused");
    return tried;
}"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    made = make_world(tmp_path_factory.mktemp("strangers"), painted())
    annotate(made.store)
    return made


def config(world: World) -> WebConfig:
    devices = {"fake": lambda: FakeDevice(EndlessScenes())}
    return WebConfig(episodes=world.store.root, runs=(world.runs,), devices=devices)


def shortcuts(page: Page) -> str:
    """Every key that does something here and writes a character."""
    bound = page.locator("[aria-keyshortcuts]").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-keyshortcuts'))"
    )
    keys = [one.removeprefix("Shift+") for one in bound]
    return "".join(sorted({key.lower() for key in keys if len(key) == 1}))


def write_into(page: Page, field: Locator, keys: str) -> None:
    """Press every bound key in a field, and with an input method; only its text changes."""
    dialogs = page.get_by_role("dialog").count()
    where = page.url.partition("?")[0]
    field.fill("")
    field.focus()
    page.keyboard.type(keys + keys.upper())
    field.evaluate(
        """(field, keys) => {
            const composed = { isComposing: true, keyCode: 229, bubbles: true };
            for (const key of [...keys, "Enter", "Escape"])
                field.dispatchEvent(new KeyboardEvent("keydown", { key, ...composed }));
        }""",
        keys,
    )
    expect(field).to_have_value(keys + keys.upper())
    expect(field).to_be_focused()
    assert page.get_by_role("dialog").count() == dialogs
    assert page.url.partition("?")[0] == where
    field.fill("")


def test_keys_that_write_do_nothing_else_in_any_field(
    browser_process: Browser, world: World
) -> None:
    """Check 21."""
    with serving(config(world)) as address, watched(browser_process) as found:
        page = found.page
        recorder = Recorder(page, address, world.store)
        recorder.start("Write here")
        recorder.tap()
        recorder.saved(1)
        page.get_by_text("Answer to the user").first.click()
        keys = shortcuts(page)
        assert set("bdfghmopruwt") <= set(keys)
        fields = page.locator(FIELDS).filter(visible=True)
        expect(fields).to_have_count(4)
        for field in fields.all():
            write_into(page, field, keys)
        page.get_by_role("button", name="Write a note on step 1").click()
        note = page.get_by_role("dialog").get_by_role("textbox")
        expect(note).to_be_visible()
        write_into(page, note, keys)
        page.keyboard.press("Escape")
        recorder.saved(1)
        for path, has_fields in (
            ("episodes", True),
            ("runs/random", True),
            ("episodes/long", False),
        ):
            page.goto(f"{address}/{path}")
            page.wait_for_load_state("networkidle")
            keys = shortcuts(page) or "jk1234"
            fields = page.locator(FIELDS).filter(visible=True)
            if has_fields:
                expect(fields.first).to_be_visible()
            for number in range(fields.count()):
                write_into(page, fields.nth(number), keys)


def test_another_sites_page_can_neither_ask_nor_frame_the_app(
    browser_process: Browser, world: World, tmp_path: Path
) -> None:
    """Check 24, with a browser that runs the other site's script."""
    with serving(config(world)) as address, plain_server(tmp_path) as elsewhere:
        (tmp_path / "evil.html").write_text(f'<iframe src="{address}/"></iframe>')
        page = browser_process.new_context().new_page()
        page.goto(f"{elsewhere}/evil.html")
        inside = page.frames[1]
        assert inside.url != f"{address}/"
        assert inside.get_by_role("link", name="tapwright").count() == 0
        tried = page.evaluate(PROBE, address)
        assert set(tried.values()) == {"refused"}, tried
        page.context.close()
