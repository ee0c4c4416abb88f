"""A tab reaches a server of this machine by name, and rests when what it asked for is there."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

from tapwright.core.geometry import Size
from tapwright.devices.chromium import Browser
from tapwright.devices.mouse import Mouse
from tapwright.devices.sites.loading import PageLoad
from tapwright.devices.tab import Tab
from tapwright.errors import DeviceError, DeviceLostError

PAGES = {
    "/": '<a href="/slow" style="display:block;height:40px">next</a>'
    '<a href="/file" download="bills.csv" style="display:block;height:40px">save</a>'
    '<a href="#below" style="display:block;height:40px">below</a>'
    "<button style='display:block;height:40px' onclick=\"fetch('/slow').then(r=>r.text())"
    '.then(t=>{document.title=t.length})">fetch</button>',
    "/slow": "<title>arrived</title>",
    "/file": "what,amount\nSoap,7.5\n",
}
LINK, SAVE, BELOW, BUTTON = ((20.0, 8.0 + 20 + 40 * number) for number in range(4))


class Server:
    """Serves the pages on a free port; the slow one waits until it may."""

    def __init__(self) -> None:
        self.may_answer, self.asked = Event(), Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path == "/slow":
                    server.asked.set()
                    server.may_answer.wait(60)
                body = PAGES.get(self.path, "").encode()
                self.send_response(200 if self.path in PAGES else 404)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *parts: object) -> None:
                """Nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True

    def answer_once_asked(self) -> None:
        """Let the slow page be answered, but not before it was asked for."""
        self.asked.wait(60)
        self.may_answer.set()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = Thread(target=server.http.serve_forever)
    thread.start()
    yield server
    server.may_answer.set()
    server.http.shutdown()
    thread.join()
    server.http.server_close()


@contextmanager
def opened(server: Server, *, timeout_s: float = 60.0) -> Iterator[tuple[Tab, PageLoad]]:
    with (
        Browser(hosts={"shop.test": server.http.server_port}, timeout_s=timeout_s) as browser,
        browser.open_tab(Size(400, 300), mobile=False) as tab,
    ):
        load = PageLoad(tab)
        script = Path(__file__).parents[3] / "src/tapwright/devices/sites/page.js"
        tab.run_in_every_page(script.read_text("utf-8"))
        tab.allow(["http://shop.test"])
        tab.goto("http://shop.test/")
        yield tab, load


@pytest.mark.slow
def test_a_click_on_a_link_rests_on_the_next_page(server: Server) -> None:
    with opened(server) as (tab, load):
        Mouse(tab).click(LINK)
        Thread(target=server.answer_once_asked).start()
        load.settle()
        assert tab.evaluate("document.title") == "arrived"


@pytest.mark.slow
def test_a_request_of_a_script_is_waited_for(server: Server) -> None:
    with opened(server) as (tab, load):
        Mouse(tab).click(BUTTON)
        Thread(target=server.answer_once_asked).start()
        load.settle()
        assert tab.evaluate("document.title") == str(len(PAGES["/slow"]))


@pytest.mark.slow
def test_a_download_is_complete_under_its_own_name(server: Server, tmp_path: Path) -> None:
    with opened(server) as (tab, load):
        tab.save_downloads(tmp_path)
        Mouse(tab).click(SAVE)
        load.settle()
        assert (tmp_path / "bills.csv").read_text() == PAGES["/file"]
        assert tab.evaluate("location.pathname") == "/"


@pytest.mark.slow
def test_a_link_within_the_page_is_no_load(server: Server) -> None:
    with opened(server) as (tab, load):
        Mouse(tab).click(BELOW)
        load.settle()
        assert tab.evaluate("location.hash") == "#below"


@pytest.mark.slow
def test_a_page_that_never_comes_is_lost_within_the_limit(server: Server) -> None:
    with opened(server, timeout_s=5.0) as (tab, load):
        Mouse(tab).click(LINK)
        with pytest.raises(DeviceLostError, match=r"within 5 s|did not"):
            load.settle()


@pytest.mark.slow
def test_only_hosts_that_are_known_and_allowed_are_reached(server: Server) -> None:
    with opened(server) as (tab, _):
        for address in (
            f"http://127.0.0.1:{server.http.server_port}/",
            f"http://shop.test:{server.http.server_port}/",
            "http://example.com/",
        ):
            with pytest.raises(DeviceError, match="could not be loaded"):
                tab.goto(address)
        tab.goto("http://shop.test/")
        tab.allow([])
        with pytest.raises(DeviceError, match="could not be loaded"):
            tab.goto("http://shop.test/")
