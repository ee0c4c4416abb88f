"""How often a task's script earns success in its first play: `python bench/bench_first_plays.py`.

Plays each task of a suite once a round, with no second try, and prints what was lost and why: a
play that is lost and won again hides a device that answers before what it did has arrived. So do
waits, which are counted. `--burners 4` keeps that many processes busy beside it. `--tasks` names
some tasks alone, by parts of their ids.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tapwright.core.actions import Wait
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.device import Device
from tapwright.devices.sites.device import SitesDevice
from tapwright.environment.environment import Environment
from tapwright.errors import TapwrightError
from tapwright.sites import sites
from tapwright.sites.home import SiteHome
from tapwright.tasks import suites
from tapwright.tasks.solution import SolutionScript
from tapwright.tasks.task import Task
from tapwright.workflows.host import HostConfig

SUITES = ("desktop-l3", "desktop-l4", "web-l3", "web-l4")
HOME = SiteHome(HostConfig(dict(os.environ)).kept("sites"))
BURNER_S = 4 * 3600.0


@dataclass(frozen=True, slots=True)
class Play:
    """One play: why it was lost, "" if it was won, and how often the script waited."""

    task_id: str
    lost: str
    waits: int
    seconds: float


def play(task: Task, device: Device) -> Play:
    """Play a task by its script, once."""
    begun, script, lost, waits = time.monotonic(), SolutionScript(task.solution), "", 0
    try:
        environment = Environment(device, task)
        seen, info = environment.reset()
        while "outcome" not in info:
            action = script.decide(seen).action
            waits += isinstance(action, Wait)
            seen, _, _, _, info = environment.step(action)
        lost = "" if info["outcome"] == "success" else f"it ended with {info['outcome']}"
    except TapwrightError as error:
        lost = str(error)
    return Play(task.id, lost, waits, time.monotonic() - begun)


def open_device(suite: str) -> Device:
    """The device that a suite is for."""
    return Desktop() if suite.startswith("desktop") else SitesDevice(home=HOME)


def playable(task: Task, suite: str) -> bool:
    """Whether the sites of a task are installed; a desktop's programs are taken to be."""
    return suite.startswith("desktop") or all(HOME.has(sites.get(name)) for name in task.apps)


@contextmanager
def burning(count: int) -> Iterator[None]:
    """Keep `count` processes busy in the block; they end by themselves, however it ends."""
    burners = [multiprocessing.Process(target=_burn, daemon=True) for _ in range(count)]
    for burner in burners:
        burner.start()
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.join()


def _burn() -> None:
    owner, until = os.getppid(), time.monotonic() + BURNER_S
    while time.monotonic() < until and os.getppid() == owner:
        sum(range(100_000))


def measure(suite: str, rounds: int, parts: Sequence[str]) -> dict[str, object]:
    """A suite's figures, after a line on each play that was lost."""
    tasks = [
        task
        for task in suites.get(suite)()
        if (not parts or any(part in task.id for part in parts)) and playable(task, suite)
    ]
    begun, load, plays = time.monotonic(), os.getloadavg()[0], list[Play]()
    with open_device(suite) as device:
        for _ in range(rounds):
            for task in tasks:
                one = play(task, device)
                plays.append(one)
                if one.lost:
                    print(f"{suite} {one.task_id}: {one.lost}", file=sys.stderr)
    won = sum(not one.lost for one in plays)
    return {
        "plays": len(plays), "won_first": won, "won_share": round(won / max(1, len(plays)), 4),
        "waits": sum(one.waits for one in plays),
        "lost": sorted({one.task_id for one in plays if one.lost}),
        "seconds": round(time.monotonic() - begun),
        "load": [round(load, 1), round(os.getloadavg()[0], 1)],
    }  # fmt: skip


def main() -> None:
    """Measure and print; ends with 1 when a first play was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--suites", default=",".join(SUITES), help="some of %(default)s")
    parser.add_argument("--rounds", type=int, default=1, help="plays per task")
    parser.add_argument("--tasks", default="", help="parts of tasks' ids, by commas; all if empty")
    parser.add_argument("--burners", type=int, default=0, help="busy processes beside it")
    parser.add_argument("--json", action="store_true", help="the figures alone, as JSON")
    given = parser.parse_args()
    parts = [part for part in given.tasks.split(",") if part]
    with burning(given.burners):
        found = {suite: measure(suite, given.rounds, parts) for suite in given.suites.split(",")}
    if given.json:
        print(json.dumps(found))
    else:
        for suite, figures in found.items():
            print(f"{suite:12} {json.dumps(figures)}")
    sys.exit(1 if any(figures["lost"] for figures in found.values()) else 0)


if __name__ == "__main__":
    main()
