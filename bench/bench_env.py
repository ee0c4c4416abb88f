"""Environment steps per second, by kind of device: `python bench/bench_env.py`.

A step is a tap at a random place, the screenshot, the view hierarchy and the check, through
`Environment.step`. One environment's steps are timed without resets; of several, a thread each,
resets are part of the time; phones and pages of MiniWoB++ share a browser, and Trac, where it is
installed, has a server and a browser for each. With `--browsergym PYTHON` the same pages are played
by BrowserGym in the same run: PYTHON is that of a virtual environment with `browsergym-miniwob`,
such as `.make/suites/browsergym/bin/python` after `make .make/suites/browsergym/tried`. It
extracts more at a step (DOM snapshot, accessibility tree, properties of elements). Processor time
counts both sides' browsers and helpers.
"""

import argparse
import json
import os
import random
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Barrier, Thread
from typing import TypeAlias

from steps import Timed, processor_s, timed_steps
from tapwright.core.actions import Tap
from tapwright.core.geometry import Point
from tapwright.devices.chromium import Browser
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.device import Device
from tapwright.devices.miniwob.device import MiniWob
from tapwright.devices.phone.device import Phone
from tapwright.devices.sites.device import SitesDevice
from tapwright.environment.environment import Environment
from tapwright.sites import sites
from tapwright.sites.home import SiteHome
from tapwright.tasks import suites
from tapwright.tasks.miniwob import tasks as pages_of
from tapwright.tasks.phone import tasks as tasks_of_the_phone
from tapwright.tasks.task import Task
from tapwright.workflows.host import HostConfig

PAGES = ("click-test", "click-button", "enter-text", "login-user", "click-tab-2")
COUNTS = (1, 8, 16)
Chance: TypeAlias = random.Random


@dataclass(frozen=True)
class Row:
    """`per_core` is in steps per second of processor time, `reset_s` the mean of a reset."""

    name: str
    per_s: float
    per_core: float
    reset_s: float


def many(
    name: str,
    count: int,
    seconds: float,
    open_device: Callable[[Browser], Device],
    tasks: list[Task],
) -> Row:
    """`count` environments at once."""
    steps, resets, reset_s = [0] * count, [0] * count, [0.0] * count
    start = Barrier(count + 1)
    until = time.monotonic() + 3600

    def work(number: int) -> None:
        chance = random.Random(number)
        with open_device(browser) as device:
            start.wait()
            while time.monotonic() < until:
                environment = Environment(device, chance.choice(tasks))
                begun, over = time.perf_counter(), False
                environment.reset()
                reset_s[number] += time.perf_counter() - begun
                resets[number] += 1
                while not over and time.monotonic() < until:
                    at = Point(chance.uniform(0, 1), chance.uniform(0.24, 1))
                    over = any(environment.step(Tap(at=at))[2:4])
                    steps[number] += 1

    with Browser() as browser:
        threads = [Thread(target=work, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        start.wait()
        used, begun = processor_s(), time.monotonic()
        until = begun + seconds
        time.sleep(seconds)
        done, spent = sum(steps), time.monotonic() - begun
        used = processor_s() - used
        for thread in threads:
            thread.join()
    return Row(name, done / spent, done / used, sum(reset_s) / sum(resets))


def one(tasks: Sequence[Task], seconds: float) -> list[Timed]:
    """A page after the other, as the peer plays them."""
    found = []
    with MiniWob() as device:
        for page in PAGES:
            chance = random.Random(page)
            (task,) = (task for task in tasks if task.id == f"{page}.0")
            environment = Environment(device, task)

            def reset(environment: Environment = environment, chance: Chance = chance) -> None:
                environment.reset(seed=chance.randrange(1000))

            def step(environment: Environment = environment, chance: Chance = chance) -> bool:
                at = Point(chance.uniform(0, 1), chance.uniform(0.24, 1))
                return any(environment.step(Tap(at=at))[2:4])

            found.append(timed_steps(reset, step, seconds / len(PAGES)))
    return found


def browsergym(python: Path, seconds: float, delay_s: float) -> list[Timed]:
    peer = Path(__file__).with_name("peer_browsergym.py")
    command = [str(python), str(peer), str(seconds), str(delay_s), *PAGES]
    package = find_spec("miniwob")
    assert package is not None
    assert package.submodule_search_locations is not None
    html = Path(package.submodule_search_locations[0]) / "html" / "miniwob"
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environ["MINIWOB_URL"] = f"{html.as_uri()}/"
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=environ)
    return [Timed(**one) for one in json.loads(run.stdout.splitlines()[-1])]


def row(name: str, pages: Sequence[Timed]) -> Row:
    steps, wall_s, used_s = (sum(getattr(one, name) for one in pages)
                             for name in ("steps", "wall_s", "used_s"))  # fmt: skip
    return Row(name, steps / wall_s, steps / used_s, sum(o.reset_s for o in pages) / len(pages))


def measured(seconds: float, peer: Path | None) -> Sequence[Row]:
    pages = [task for task in pages_of() if task.apps[0] in PAGES]
    rows = [row("MiniWoB++, steps alone", one(pages, seconds))]
    if peer is not None:
        for delay_s in (0.0, 0.5):
            name = f"BrowserGym on MiniWoB++, steps alone, delay {delay_s:g} s"
            rows.append(row(name, browsergym(peer, seconds, delay_s)))
        rows.append(row("MiniWoB++, steps alone, again", one(pages, seconds)))
    for kind, open_device, tasks in kinds(pages):
        rows += [many(f"{kind}, {count} at once", count, seconds, open_device, tasks)
                 for count in COUNTS]  # fmt: skip
    return rows


def kinds(pages: list[Task]) -> list[tuple[str, Callable[[Browser], Device], list[Task]]]:
    """What there is here to be played on, and what is played there."""
    home = SiteHome(HostConfig(dict(os.environ)).kept("sites"))
    on_trac = [task for task in suites.get("web-l3")() if task.apps == ("trac",)]
    on_the_desktop = [task for task in suites.get("desktop-l3")() if task.id.startswith("pad_")]
    found: list[tuple[str, Callable[[Browser], Device], list[Task]]] = [
        ("MiniWoB++", lambda browser: MiniWob(browser=browser), pages),
        ("built-in phone", small_phone, list(tasks_of_the_phone())),
        ("desktop, mousepad", lambda _: Desktop(), on_the_desktop),
    ]
    if home.has(sites.get("trac")):
        found.append(("Trac", lambda _: SitesDevice.named("trac", home=home), on_trac))
    return found


def small_phone(browser: Browser) -> Phone:
    return Phone(browser=browser, picture="jpeg")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=6.0, help="of each row")
    parser.add_argument("--browsergym", type=Path, metavar="PYTHON", help="the peer's interpreter")
    parser.add_argument("--json", action="store_true", help="print JSON and no table")
    given = parser.parse_args()
    before = os.getloadavg()[0]
    rows = measured(given.seconds, given.browsergym)
    if given.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
    print(f"{os.cpu_count()} CPUs, load {before:.1f} -> {os.getloadavg()[0]:.1f}")
    print(f"{'':52} {'steps/s':>8} {'per core':>9} {'reset':>8}")
    for row in rows:
        print(f"{row.name:52} {row.per_s:8.1f} {row.per_core:9.1f} {1000 * row.reset_s:5.0f} ms")


if __name__ == "__main__":
    main()
