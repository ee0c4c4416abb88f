"""How fast web pages are looked at and acted on: `python bench/bench_web_device.py`.

Times are wall-clock milliseconds per call (median and 95th percentile) with the page idle. A step
of many windows in one browser is a click, a screenshot and the tree, each window in a thread. The
machine's load is printed with them: a busy machine measures itself.
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median
from threading import Barrier, Thread

from tapwright.core.actions import CloseTab, Goto, NewTab, SwitchTab, Tap
from tapwright.core.geometry import Point
from tapwright.devices.chromium import Browser
from tapwright.devices.web.device import WebDevice
from tapwright.devices.web.network import Network

_ROWS = 60
_PAGE = (
    "<!doctype html><meta charset=utf-8><style>body{margin:0;font:14px sans-serif}"
    "li{height:24px}button{position:fixed;left:540px;top:350px;width:200px;height:100px}</style>"
    '<button onclick="document.title = Math.random(); if (location.hash) window.open(`/`)">'
    "Press</button>"
    "<ul>" + "".join(f"<li><a href='/{n}'>Row {n} 第{n}行</a>" for n in range(_ROWS)) + "</ul>"
).encode()
_PRESS = Tap(at=Point(0.5, 0.5))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(_PAGE)))
        self.end_headers()
        self.wfile.write(_PAGE)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def site() -> Iterator[str]:
    """The address of a server of one page."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def timed(
    call: Callable[[], object], rounds: int, after: Callable[[], object] | None = None
) -> tuple[float, float]:
    """The median and the 95th percentile in milliseconds; the first two calls warm up."""
    spent = []
    for round_ in range(rounds + 2):
        begun = time.perf_counter()
        call()
        if round_ >= 2:
            spent.append((time.perf_counter() - begun) * 1000)
        if after is not None:
            after()
    spent.sort()
    return median(spent), spent[min(len(spent) - 1, int(len(spent) * 0.95))]


def one_window(browser: Browser, url: str, rounds: int) -> dict[str, tuple[float, float]]:
    """What one window takes for each thing."""
    found = {}
    with WebDevice(url, network=Network.parse("local"), browser=browser) as device:

        def pop() -> None:
            device.perform(_PRESS)
            if len(device.observe().tabs) < 2:
                raise SystemExit("the popup did not come")

        found["observe, PNG 1280x800 and tree"] = timed(device.observe, rounds)
        found["click"] = timed(lambda: device.perform(_PRESS), rounds)
        found["go to an address"] = timed(lambda: device.perform(Goto(url=url)), rounds)
        close = lambda: device.perform(CloseTab())  # noqa: E731 - one expression
        found["new tab at an address"] = timed(
            lambda: device.perform(NewTab(url=url)), rounds // 2, close
        )
        device.perform(Goto(url=f"{url}#pop"))
        found["popup, from the click to its first picture"] = timed(pop, rounds // 2, close)
        device.perform(NewTab(url=url))
        found["switch to another tab"] = timed(lambda: device.perform(SwitchTab(tab=0)), rounds)
        found["reset, with its first page"] = timed(device.reset, rounds // 2)
    return found


def many_windows(browser: Browser, url: str, count: int, seconds: float) -> tuple[float, float]:
    """Steps per second, wall clock, and this process' own milliseconds of processor per step."""
    start, done = Barrier(count + 1), [0] * count
    stop = time.monotonic() + 3600

    def work(number: int) -> None:
        with WebDevice(url, network=Network.parse("local"), browser=browser) as device:
            start.wait()
            while time.monotonic() < stop:
                device.perform(_PRESS)
                device.observe()
                done[number] += 1

    threads = [Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    start.wait()
    begun, own = time.monotonic(), time.process_time()
    stop = begun + seconds
    for thread in threads:
        thread.join()
    steps = sum(done)
    return steps / (time.monotonic() - begun), (time.process_time() - own) * 1000 / max(1, steps)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=40, help="calls per figure")
    parser.add_argument("--seconds", type=float, default=8.0, help="of each run of many windows")
    given = parser.parse_args()
    before = os.getloadavg()[0]
    rules = Network.parse("local").rules
    with site() as url, Browser(resolver_rules=rules, timeout_s=60.0) as browser:
        rows = {
            name: {"p50_ms": round(p50, 1), "p95_ms": round(p95, 1)}
            for name, (p50, p95) in one_window(browser, url, given.rounds).items()
        }
        for count in (1, 8):
            rate, own = many_windows(browser, url, count, given.seconds)
            rows[f"{count} windows in one browser: click, PNG and tree"] = {
                "steps_per_s": round(rate, 1), "own_cpu_ms_per_step": round(own, 1),
            }  # fmt: skip
        version = browser.version
    found = {
        "browser": version,
        "cpus": os.cpu_count(),
        "load_before": round(before, 1),
        "load_after": round(os.getloadavg()[0], 1),
        "rows": rows,
    }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
