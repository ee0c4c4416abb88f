"""How fast a desktop is looked at and acted on: `python bench/bench_desktop.py [--json]`.

The real applications of a screen of 1920x1080: mousepad, Writer (some 200 elements asked for) and
Calc (some 1,300); and mousepad again through OSWorld's protocol, by which each action is a program
that imports PyAutoGUI, whose pause after each call, 50 ms, is part of the figure. A reset is timed
bare, and with start files and an application open.
Milliseconds per call while nothing is done on the screen: by the clock, median and 95th percentile,
and of the processor, the desktop's own programs included. The machine's load is printed with them:
by the clock, a busy machine measures itself.
Nothing is written, and where LibreOffice is not installed, what it would take is left out.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from statistics import median

from pydantic import JsonValue

from steps import processor_s
from tapwright.core.actions import Action, Hover, OpenApp, PressKey, Scroll, Tap, TypeText
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.osworld.device import open_osworld
from tapwright.devices.osworld.server import OsWorldServer

SIZE = Size(1920, 1080)
MIDDLE = Point(0.5, 0.5)
OFFICE = {"writer": "libreoffice-writer", "calc": "libreoffice-calc"}
FILES: Mapping[str, JsonValue] = {
    f"files.Documents/list {number}.txt": "milk\nbread\n" for number in range(10)
}
BUDGET_MS = {"writer": 80, "calc": 350, "act": 10, "reset": 500, "office": 4000, "served": 150}


def timed(call: Callable[[], object], rounds: int) -> dict[str, float]:
    """The median, the 95th percentile and the processor's time; the first two calls warm up."""
    for _ in range(2):
        call()
    spent, used = [], processor_s()
    for _ in range(rounds):
        begun = time.perf_counter()
        call()
        spent.append((time.perf_counter() - begun) * 1000)
    cpu_ms = (processor_s() - used) * 1000 / rounds
    spent.sort()
    last = spent[min(len(spent) - 1, int(len(spent) * 0.95))]
    return {"p50_ms": round(median(spent), 1), "p95_ms": round(last, 1), "cpu_ms": round(cpu_ms, 1)}


def look(desktop: Desktop, rounds: int) -> dict[str, float]:
    """What an observation takes, and how many elements it has."""
    seen: list[Observation] = []
    found = timed(lambda: seen.append(desktop.observe()), rounds)
    tree = seen[-1].ui_tree
    assert tree is not None
    return {"elements": float(len(tree.nodes)), **found}


def acts(desktop: Desktop, rounds: int) -> dict[str, dict[str, float]]:
    """What gestures and keys take in an editor, none of which waits by its nature."""
    places = [Point(0.3 + 0.01 * (number % 30), 0.4) for number in range(rounds + 2)]
    taps = iter(places)
    return {
        "click": timed(lambda: desktop.perform(Tap(at=next(taps))), rounds),
        "hover": timed(lambda: desktop.perform(Hover(at=MIDDLE)), rounds),
        "wheel": timed(lambda: desktop.perform(Scroll(at=MIDDLE, dy=0.1)), rounds),
        "key": timed(lambda: desktop.perform(PressKey(key="right")), rounds),
        "ten letters": timed(lambda: desktop.perform(TypeText(text="ten lettrs")), rounds),
    }


def served(desktop: Desktop, rounds: int) -> dict[str, dict[str, float]]:
    """What the same takes of who drives the desktop by OSWorld's protocol."""
    acts: dict[str, Action] = {
        "hover": Hover(at=MIDDLE), "key": PressKey(key="right"),
        "ten letters": TypeText(text="ten lettrs"),
    }  # fmt: skip
    with OsWorldServer(desktop) as server, open_osworld(server.url) as machine:
        timings = {
            name: timed(lambda act=act: machine.perform(act), rounds)  # type: ignore[misc]
            for name, act in acts.items()
        }
        return {**timings, "observe": timed(machine.observe, rounds)}


def measure(rounds: int) -> tuple[dict[str, object], list[str]]:
    """All figures, and those that are over their budget."""
    begun = time.perf_counter()
    with Desktop(SIZE) as desktop:
        found: dict[str, object] = {"start_s": round(time.perf_counter() - begun, 2)}
        resets = {"reset": timed(desktop.reset, max(5, rounds // 4))}
        for app in ("mousepad", "galculator", "pcmanfm"):
            begin = partial(desktop.reset, state=FILES, app=app)
            resets[f"reset into {app}"] = timed(begin, max(5, rounds // 4))
        desktop.reset()
        desktop.perform(OpenApp(app="mousepad"))
        act = acts(desktop, rounds)
        found |= {**resets, "act": act, "observe mousepad": look(desktop, rounds)}
        through = served(desktop, rounds)
        found["served"] = through
        slow = [name for name, one in act.items() if one["p50_ms"] > BUDGET_MS["act"]]
        slow += [
            f"served {name}" for name, one in through.items() if one["p50_ms"] > BUDGET_MS["served"]
        ]
        slow += [name for name, one in resets.items() if one["p50_ms"] > BUDGET_MS["reset"]]
        installed = set(desktop.apps())
        for name, app in OFFICE.items():
            if f"LibreOffice {name.capitalize()}" not in installed:
                continue
            desktop.reset()
            begun = time.perf_counter()
            desktop.perform(OpenApp(app=app))
            open_ms = round((time.perf_counter() - begun) * 1000)
            seen = look(desktop, rounds)
            found |= {f"open {name}": {"ms": open_ms}, f"observe {name}": seen}
            slow += [f"open {name}"] if open_ms > BUDGET_MS["office"] else []
            slow += [f"observe {name}"] if seen["p50_ms"] > BUDGET_MS[name] else []
    return found, slow


def main() -> None:
    """Measure and print; ends with 1 when a figure is over its budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=30, help="calls per figure")
    parser.add_argument("--json", action="store_true", help="the figures alone, as JSON")
    given = parser.parse_args()
    before = os.getloadavg()[0]
    found, slow = measure(given.rounds)
    found["load_average"] = round(max(before, os.getloadavg()[0]), 1)
    if given.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:20} {json.dumps(value)}")
        print(f"over budget: {', '.join(slow) or 'nothing'}")
    sys.exit(1 if slow else 0)


if __name__ == "__main__":
    main()
