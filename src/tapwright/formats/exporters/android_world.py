"""Writes AndroidWorld's checkpoints, which its `process_episodes` counts: the form of its results.

https://github.com/google-research/android_world/tree/d9c569f764b3a5629321858de03ff653d0f24056: a
directory with `<template>_<instance>.pkl.gz`, a gzipped pickle of a list of one attempt
(checkpointer.py, suite_utils.py `_run_task`; fields of constants.py, those of a step of
agents/m3a.py). Only plain data and NumPy's arrays are written, so that nothing of ours is needed to
read them: there are no elements, and no `finish_dtime`. `action_output` is in AndroidWorld's own
convention. An attempt that was not judged has the score NaN, one that was broken off an exception,
so neither counts as a failure of the agent.
"""

import gzip
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from tapwright.conventions.androidworld import ANDROIDWORLD
from tapwright.core.episode import Episode, Step
from tapwright.core.observation import Observation
from tapwright.errors import UnsupportedByConventionError
from tapwright.formats.format import write_each
from tapwright.formats.pickles.write import Picklable, write_pickle

__all__ = ["write_checkpoints"]

_SCORES = {"success": 1.0, "failure": 0.0, "truncated": 0.0, "infeasible": 0.0}


def write_checkpoints(episodes: Iterable[Episode], path: Path) -> int:
    """Write a new directory of checkpoints; returns how many.

    Raises:
        UsageError: `path` exists.
        UnsupportedByConventionError: AndroidWorld has no such action; names episode and step.
        DiskError: the disk is full or not writable; then nothing is left behind.
    """
    instances: Counter[str] = Counter()

    def write(episode: Episode, root: Path) -> None:
        template = re.sub(r"[^A-Za-z0-9]+", "_", episode.task_id)[:200].strip("_") or "task"
        # Windows takes two names that differ in case alone for one.
        number = instances[template.lower()]
        instances[template.lower()] += 1
        file = root / f"{template}_{number}.pkl.gz"
        with gzip.open(file, "wb", compresslevel=1) as packed:
            attempt = _attempt(episode, template, number)
            write_pickle([attempt], cast(BinaryIO, packed))

    return write_each(episodes, path, write)


def _attempt(episode: Episode, template: str, number: int) -> dict[str, Picklable]:
    outputs = [_output(episode.id, number, step) for number, step in enumerate(episode.steps)]
    screens = [step.observation for step in episode.steps]
    after = [*(_after(episode, number) for number in range(len(screens)))]
    last = episode.final or (screens[-1] if screens else None)
    size = last.size if last is not None else None
    broken = not episode.has_ended
    return {
        "goal": episode.instruction,
        "task_template": template,
        "instance_id": number,
        "agent_name": episode.agent,
        "is_successful": _SCORES.get(episode.outcome, math.nan),
        "run_time": float(last.time_s if last is not None else 0.0),
        "episode_length": len(screens),
        "screen_config": {} if size is None else {"width": size.width, "height": size.height},
        "exception_info": "the attempt was broken off" if broken else None,
        "seed": _seed(episode),
        "aux_data": None,
        "episode_data": {
            "step_number": [*range(len(screens))],
            "raw_screenshot": _pixels(screens),
            "after_screenshot": _pixels(after),
            "action_output": outputs,
            "action_reason": [step.decision.reasoning for step in episode.steps],
        },
    }


def _output(id_: str, number: int, step: Step) -> str:
    try:
        return ANDROIDWORLD.render(step.decision, step.observation.size)
    except UnsupportedByConventionError as error:
        raise UnsupportedByConventionError(f"{id_}, step {number}: {error}") from error


def _after(episode: Episode, number: int) -> Observation:
    """The screen that a step led to; its own where none is known."""
    step, rest = episode.steps[number], episode.steps[number + 1 :]
    found = step.after or (rest[0].observation if rest else episode.final)
    return found or step.observation


def _pixels(screens: Iterable[Observation]) -> Iterator[Picklable]:
    """The pictures one by one, so that a long attempt takes the memory of one."""
    for screen in screens:
        yield np.asarray(screen.screenshot.image().convert("RGB"))


def _seed(episode: Episode) -> int:
    text = episode.extra.get("seed", "")
    return int(text) if re.fullmatch(r"-?\d{1,18}", text, re.ASCII) else 0
