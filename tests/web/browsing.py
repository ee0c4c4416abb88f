"""A real server and a real browser, for tests of the app's pages."""

import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tapwright.devices.chromium import find_chromium
from tapwright.drawing.text import bundled_font_folders
from tapwright.web.app import WebConfig, create_app

_STOPPED: set[str] = set()
"""The addresses of servers that a test has stopped: a page that outlives one may still ask it."""

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"


@contextmanager
def serving(config: WebConfig) -> Iterator[str]:
    """The address of a server on a free port."""
    settings = uvicorn.Config(
        create_app(config),
        port=0,
        log_level="error",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        address = f"http://127.0.0.1:{port}"
        yield address
        _STOPPED.add(address)
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright, TemporaryDirectory() as fonts:
        expect.set_options(timeout=60_000)  # the machine may be busy
        browser = playwright.chromium.launch(
            executable_path=find_chromium(),
            env={**os.environ, "FONTCONFIG_FILE": _with_chinese(Path(fonts))},
        )
        yield browser
        browser.close()


def _with_chinese(directory: Path) -> str:
    """A configuration that adds a Chinese font, which a machine for tests may lack."""
    (folder,) = bundled_font_folders()
    path = directory / "fonts.conf"
    path.write_text(
        f"""<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
        <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
        <dir>{folder}</dir><cachedir>{directory}</cachedir></fontconfig>"""
    )
    return str(path)


@dataclass
class Watched:
    """A page, all that it asked for, and what went wrong on it."""

    page: Page
    allow: str = ""
    asked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def note(self, message: ConsoleMessage) -> None:
        # A refusal that a test provokes is told by the browser, too.
        provoked = "409" in message.text or (self.allow and re.search(self.allow, message.text))
        stopped = any(message.location["url"].startswith(f"{one}/") for one in _STOPPED)
        if message.type in ("error", "warning") and not provoked and not stopped:
            self.wrong.append(message.text)


@contextmanager
def watched(
    browser: Browser,
    *,
    allow: str = "",
    ratio: float = 1,
    locale: str = "en-US",
    dark: bool = False,
    offline: bool = False,
    size: tuple[int, int] = (1280, 800),
    touch: bool = False,
) -> Iterator[Watched]:
    """A page, with `touch` a phone's; what goes wrong on it fails the test unless `allow` fits."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        has_touch=touch,
        is_mobile=touch,
        device_scale_factor=ratio,
        locale=locale,
        color_scheme="dark" if dark else "light",
        offline=offline,
    )
    found = Watched(context.new_page(), allow)
    page = found.page
    page.set_default_timeout(60_000)
    page.on("console", found.note)
    page.on("pageerror", lambda error: found.wrong.append(str(error)))
    page.on("dialog", lambda dialog: found.wrong.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: found.asked.append(request.url))
    try:
        yield found
    finally:
        context.close()
    assert not found.wrong, found.wrong


def axe_findings(page: Page, within: str = "html") -> list[str]:
    """What axe finds in the elements of this selector."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("within => axe.run(within)", within)
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found["violations"]]
