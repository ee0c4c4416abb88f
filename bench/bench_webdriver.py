"""What a WebDriver session costs of our own, and mapping a page source: `bench/bench_webdriver.py`.

A command is sent to a server in a process of its own that answers at once; ours is the processor
time of this process. The sources have 1,000 elements, as XCUITest, Mac2 and WinAppDriver write.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

from tapwright.core.geometry import Size
from tapwright.core.observation import UiTree
from tapwright.devices.webdriver.capabilities import Capabilities
from tapwright.devices.webdriver.connection import WebDriverConnection
from tapwright.devices.webdriver.sources import read_source

_SERVER = """
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        data = b'{"value": null}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
    def log_message(self, *words): pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
print(server.server_port, flush=True)
server.serve_forever()
"""
_APPLE = (
    '<XCUIElementTypeCell label="Row {0}" name="Row {0}" enabled="true" visible="true" x="0" '
    'y="{1}" width="320" height="44"><XCUIElementTypeStaticText value="Row {0}" label="Row {0}" '
    'enabled="true" visible="true" x="16" y="{1}" width="200" height="20"/></XCUIElementTypeCell>'
)
_WINDOWS = (
    '<ListItem Name="Row {0}" AutomationId="row{0}" IsEnabled="True" IsOffscreen="False" '
    'HasKeyboardFocus="False" x="0" y="{1}" width="320" height="44"><Text Name="Row {0}" '
    'IsEnabled="True" IsOffscreen="False" x="16" y="{1}" width="200" height="20"/></ListItem>'
)


def source(row: str, root: str) -> str:
    """A page source of about 1,000 elements."""
    rows = "".join(row.format(number, number % 13 * 44) for number in range(500))
    return f'<{root} x="0" y="0" width="320" height="568" Name="App" label="App">{rows}</{root}>'


def spent_ms(call: Callable[[], object], rounds: int) -> float:
    """The median processor time of a call in milliseconds."""
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        call()
        times.append((time.process_time() - begun) * 1000)
    return median(times)


def command(rounds: int) -> dict[str, float]:
    """The processor time of a command, and the time until its answer is there."""
    server = subprocess.Popen([sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{int(server.stdout.readline())}"
        connection = WebDriverConnection(url, Capabilities({}), timeout_s=30.0)
        body = {
            "actions": [{"type": "pointer", "id": "finger", "actions": [{"type": "pause"}] * 6}]
        }

        def send() -> None:
            connection.send("POST", "/session/x/actions", body)  # type: ignore[arg-type]

        send()
        ours = spent_ms(send, rounds)
        begun = time.perf_counter()
        for _ in range(rounds):
            send()
        whole = (time.perf_counter() - begun) * 1000 / rounds
        connection.close()
        return {"a command, ours": ours, "a command, with a server that does nothing": whole}
    finally:
        server.kill()
        server.wait()


def mapping(rounds: int) -> dict[str, float]:
    """The processor time from a page source of 1,000 elements to the hierarchy of a picture."""
    found = {}
    for name, row, root in (
        ("iOS, macOS", _APPLE, "XCUIElementTypeApplication"),
        ("Windows", _WINDOWS, "Window"),
    ):
        xml, size = source(row, root), Size(640, 1136)

        def convert(xml: str = xml, size: Size = size) -> str:
            return read_source(xml, size, screen_width=None, origin="bench").xml

        count = len(UiTree(convert(), size).nodes)
        found[f"{name}, mapped, per 1,000 elements"] = spent_ms(convert, rounds) * 1000 / count
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    rows = {
        "load": os.getloadavg()[0],
        **command(options.rounds),
        **mapping(max(20, options.rounds // 5)),
    }
    print(json.dumps({name: round(value, 2) for name, value in rows.items()}, indent=2))


if __name__ == "__main__":
    main()
