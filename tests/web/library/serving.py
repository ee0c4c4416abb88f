"""A real server and a real browser, for tests of the library's pages."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tapwright.devices.chromium import find_chromium
from tapwright.web.app import WebConfig, create_app

AXE = Path(__file__).parents[3] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"


@contextmanager
def serving(config: WebConfig) -> Iterator[str]:
    """The address of a server on a free port."""
    settings = uvicorn.Config(create_app(config), port=0, log_level="error", ws="none")
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        yield browser
        browser.close()


@dataclass
class Watched:
    """A page, all that it asked for, and what went wrong on it."""

    page: Page
    asked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def note(self, message: ConsoleMessage) -> None:
        # A refusal that a test provokes is told by the browser, too.
        if message.type in ("error", "warning") and "409" not in message.text:
            self.wrong.append(message.text)


@contextmanager
def watched(browser: Browser, **options: object) -> Iterator[Watched]:
    """A page of 1280 x 800; what goes wrong on it fails the test."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 800},
        locale=str(options.get("locale", "en-US")),
        color_scheme="dark" if options.get("dark") else "light",
        offline=bool(options.get("offline")),
    )
    found = Watched(context.new_page())
    page = found.page
    page.set_default_timeout(10_000)
    page.on("console", found.note)
    page.on("pageerror", lambda error: found.wrong.append(str(error)))
    page.on("dialog", lambda dialog: found.wrong.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: found.asked.append(request.url))
    yield found
    context.close()
    assert found.wrong == []


def grave_findings(page: Page) -> list[str]:
    """What axe finds that is serious or critical."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run()")
    return [
        f"{one['id']}: {one['nodes'][0]['html']}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]
