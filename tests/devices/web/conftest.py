from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Protocol, Self

import pytest

from tapwright.devices.chromium import Browser
from tapwright.devices.web.device import WebDevice
from tapwright.devices.web.network import Network

LOCALHOST = Network(("127.0.0.1",))
HEAD = "<!doctype html><meta charset=utf-8><style>body{margin:0}button{font-size:20px}</style>"


class Show(Protocol):
    """Opens a device on a page of this HTML."""

    def __call__(self, html: str, network: Network = LOCALHOST) -> WebDevice: ...


class Site(ThreadingHTTPServer):
    """Pages by path on a free port; below /file/ are downloads, and /file/endless has no end.

    /never is not answered.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages: dict[str, str] = {}
        self.over = Event()
        self.url = f"http://127.0.0.1:{self.server_port}"

    @contextmanager
    def serving(self) -> Iterator[Self]:
        """Answer until the block ends."""
        with self:
            thread = Thread(target=self.serve_forever, daemon=True)
            thread.start()
            yield self
            self.over.set()
            self.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Site)
        if self.path == "/never":
            self.server.over.wait()
            return
        text = self.server.pages.get(self.path)
        if text is not None and text.startswith("http"):
            self.send_response(302)
            self.send_header("Location", text)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        kind = "application/octet-stream" if "/file/" in self.path else "text/html; charset=utf-8"
        if self.path.endswith(".js"):
            kind = "text/javascript"
        if self.path == "/file/endless":
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            with suppress(ConnectionError):
                while True:
                    self.wfile.write(bytes(1_000_000))
            return
        data = (text or "").encode()
        self.send_response(404 if text is None else 200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[Site]:
    with Site().serving() as server:
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser(resolver_rules=Network.parse("local").rules, timeout_s=60.0) as browser:
        yield browser


@pytest.fixture
def show(browser: Browser, site: Site) -> Iterator[Show]:
    """A device that shows a page of this HTML."""
    opened: list[WebDevice] = []

    def show(html: str, network: Network = LOCALHOST) -> WebDevice:
        site.pages["/"] = HEAD + html
        device = WebDevice(f"{site.url}/", network=network, browser=browser, timeout_s=60.0)
        opened.append(device)
        return device

    yield show
    for device in opened:
        device.close()
