"""How steps of an environment are timed, ours and others' alike: without the resets between them.

Processor time is that of this process and of all that it has started, browsers included.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Timed:
    """Wall-clock and processor seconds of `steps` steps, and the mean of a reset."""

    steps: int
    wall_s: float
    used_s: float
    reset_s: float


def timed_steps(reset: Callable[[], None], step: Callable[[], bool], seconds: float) -> Timed:
    """Take steps for so long; `step` says whether the episode is over, which costs a reset."""
    steps, resets, wall_s, used_s, reset_s, over = 0, 0, 0.0, 0.0, 0.0, True
    while wall_s < seconds:
        if over:
            begun = time.perf_counter()
            reset()
            reset_s += time.perf_counter() - begun
            resets += 1
        used, begun = processor_s(), time.perf_counter()
        over = step()
        wall_s += time.perf_counter() - begun
        used_s += processor_s() - used
        steps += 1
    return Timed(steps, wall_s, used_s, reset_s / resets)


def processor_s() -> float:
    """Seconds of processor time, of this process and of its descendants that are alive (Linux)."""
    return sum(processors_s().values())


def processors_s() -> dict[int, float]:
    """The same by process: what a call uses that ends some and starts others is told by both."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        parents[int(place.name)] = int(fields[1])
        ticks[int(place.name)] = int(fields[11]) + int(fields[12])
    own, found = os.getpid(), {}
    for process in parents:
        above = process
        while above not in (own, 0, 1):
            above = parents.get(above, 0)
        if above == own:
            found[process] = ticks[process] / _TICKS
    return found
