"""How fast the built-in phone is looked at, acted on and reset: `python bench/bench_phone.py`.

Figures are wall-clock milliseconds per call (median and 95th percentile), or steps per second of
several phones in one browser, where a step is a tap, a small picture and the tree. The machine's
load is printed with them: a busy machine measures itself.
"""

import argparse
import itertools
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median
from threading import Barrier, Thread
from typing import Literal

from tapwright.core.actions import PressKey, Swipe, Tap
from tapwright.core.geometry import Point, Size
from tapwright.devices.chromium import Browser
from tapwright.devices.page_capture import take_snapshot
from tapwright.devices.phone.device import Phone
from tapwright.devices.tab import Tab
from tapwright.devices.uiautomator import to_xml

SIZE = Size(1080, 2400)
DENSITY = 2.625
ROWS = 100


@dataclass(frozen=True)
class Row:
    """One measured thing; `budget` is the most (ms) or the least (steps/s) that it should be."""

    name: str
    unit: str
    p50: float
    p95: float
    budget: float | None

    @property
    def met(self) -> bool | None:
        if self.budget is None:
            return None
        return self.p50 <= self.budget if self.unit == "ms" else self.p50 >= self.budget


def timed(
    call: Callable[[], object], rounds: int, before: Callable[[], object] | None = None
) -> tuple[float, float]:
    spent = []
    for round_ in range(rounds + 3):
        if before is not None:
            before()
        start = time.perf_counter()
        call()
        if round_ >= 3:  # the first ones warm caches up
            spent.append((time.perf_counter() - start) * 1000)
    spent.sort()
    return median(spent), spent[min(len(spent) - 1, int(len(spent) * 0.95))]


def row(
    name: str,
    budget: float | None,
    call: Callable[[], object],
    rounds: int,
    before: Callable[[], object] | None = None,
) -> Row:
    return Row(name, "ms", *timed(call, rounds, before), budget)


def one_phone(browser: Browser, rounds: int) -> list[Row]:
    rows = []
    kinds: tuple[tuple[Literal["png", "jpeg"], str, float], ...] = (
        ("png", "observe, PNG 1080x2400 and tree", 90.0),
        ("jpeg", "observe, JPEG 411x914 and tree", 45.0),
    )
    for picture, name, budget in kinds:
        with Phone(SIZE, density=DENSITY, browser=browser, picture=picture) as phone:
            phone.reset(app="contacts")
            rows.append(row(name, budget, phone.observe, rounds))
            if picture == "png":
                continue
            rows.append(row("tap", 20.0, lambda: phone.perform(TAP), rounds))
            phone.reset(app="contacts")
            rows.append(row("swipe", None, lambda: phone.perform(next(SWIPES)), rounds))
            rows.append(row("press home", None, lambda: phone.perform(HOME), rounds))
            rows.append(row("reset, with its first frame", 50.0, phone.reset, rounds))
            rows.append(
                row(
                    "reset to an app with state",
                    50.0,
                    lambda: phone.reset(app="notes", state={"settings.wifi": False}),
                    rounds,
                )
            )
    return rows


def tree_alone(browser: Browser, rounds: int) -> list[Row]:
    with browser.open_tab(Size(412, 915), DENSITY) as tab:
        tab.serve(
            {"index.html": (busy_page().encode(), "text/html; charset=utf-8")}, "http://b.test"
        )
        tab.goto("http://b.test/")
        count = tab.evaluate("document.querySelectorAll('*').length")
        snapshot = take_snapshot(tab)

        def convert() -> str:
            return to_xml(snapshot, package="bench", size=SIZE, scale=DENSITY)

        def whole(of: Tab = tab) -> str:
            return to_xml(take_snapshot(of), package="bench", size=SIZE, scale=DENSITY)

        seen = convert().count("<node")
        name = f"{count} elements, {seen} seen"
        return [
            row(f"tree: snapshot and XML ({name})", 15.0, whole, rounds),
            row(f"tree: XML alone ({name})", None, convert, rounds),
        ]


def many_phones(browser: Browser, count: int, seconds: float) -> Row:
    """`count` phones at once, each in a thread; the rate of each second makes p50 and p95."""
    start, done = Barrier(count + 1), [0] * count
    stop = time.monotonic() + 3600

    def work(number: int) -> None:
        with Phone(SIZE, density=DENSITY, browser=browser, picture="jpeg") as phone:
            phone.reset(seed=number, app="contacts")
            start.wait()
            while time.monotonic() < stop:
                phone.perform(TAP)
                phone.observe()
                done[number] += 1

    threads = [Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    start.wait()
    stop = time.monotonic() + seconds
    rates, last, last_time = [], 0, time.monotonic()
    while time.monotonic() < stop:
        time.sleep(min(1.0, max(0.0, stop - time.monotonic())))
        now, total = time.monotonic(), sum(done)
        rates.append((total - last) / (now - last_time))
        last, last_time = total, now
    for thread in threads:
        thread.join()
    rates.sort()
    budget = 60.0 if count == 8 else None
    return Row(f"{count} phones: tap, JPEG and tree", "steps/s", median(rates), rates[0], budget)


TAP = Tap(at=Point(0.3, 0.5))
HOME = PressKey(key="home")
SWIPES = itertools.cycle(
    (
        Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.3)),
        Swipe(start=Point(0.5, 0.3), end=Point(0.5, 0.8)),
    )
)


def busy_page() -> str:
    """A list as apps have them: about 500 elements, a bar above and one below."""
    rows = "".join(
        f'<div role="button" id="row" class="row"><span class="disc"></span><div>'
        f"<div>Title {number} 标题</div><div>Subtitle {number}</div></div></div>"
        for number in range(ROWS)
    )
    return (
        "<!doctype html><meta name=viewport content='width=device-width'><style>"
        "body{margin:0;font:16px sans-serif}.row{display:flex;height:24px}.disc{width:20px}"
        ".row div{font-size:9px}header,footer{position:fixed;left:0;right:0;height:48px;"
        "background:#eee}header{top:0}footer{bottom:0}</style>"
        f"<header><button>Back</button></header>{rows}<footer><button>Home</button></footer>"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=40, help="calls per figure")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each run of many phones")
    parser.add_argument("--json", action="store_true", help="print JSON and no table")
    given = parser.parse_args()
    before = os.getloadavg()
    with Browser() as browser:
        rows = one_phone(browser, given.rounds) + tree_alone(browser, given.rounds)
        rows += [many_phones(browser, count, given.seconds) for count in (1, 2, 4, 8)]
        version = browser.version
    found = {
        "browser": version,
        "cpus": os.cpu_count(),
        "load_before": before,
        "load_after": os.getloadavg(),
        "rows": [{**asdict(row), "met": row.met} for row in rows],
    }
    if given.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{version}, {found['cpus']} CPUs, load {before[0]:.1f} -> {os.getloadavg()[0]:.1f}")
    print(f"{'':52} {'p50':>8} {'p95':>8}  {'':8} {'budget':>7}")
    for one in rows:
        verdict = {None: "", True: "met", False: "MISSED"}[one.met]
        budget = "" if one.budget is None else f"{one.budget:g}"
        print(f"{one.name:52} {one.p50:8.1f} {one.p95:8.1f}  {one.unit:8} {budget:>7} {verdict}")


if __name__ == "__main__":
    main()
