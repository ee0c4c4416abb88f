"""Paths of files in what a reader told of a step: why it was refused, or has no picture.

Readers name the file, and an import is run from somebody's folder. In a store such a path begins at
what was imported; what is handed on (a pack, another tool's files, a page) names the file alone, as
older stores have whole paths. What a device or a page said stands elsewhere and stays as it is.
"""

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tapwright.core.episode import Episode, Step
from tapwright.files.names import without_folders

__all__ = ["NO_HIERARCHY", "NO_PICTURE", "retell", "tell_from", "tell_names", "tell_step_names"]

NO_PICTURE, NO_HIERARCHY = "no picture: ", "no hierarchy: "
"""How the lines of a step's log begin that a reader wrote."""


def tell_from(episode: Episode, source: Path) -> Episode:
    """The episode with paths that begin at what was imported, or beside it where it is a file.

    What lies beside a folder, where some sets have their pictures, begins with "../".
    """
    folder = source if source.is_dir() else source.parent
    starts: dict[str, str] = {}
    for one in (str(folder), os.path.abspath(folder), os.path.realpath(folder)):
        starts |= {one: "", os.path.dirname(one): f"..{os.sep}"}
    every = "|".join(re.escape(one) for one in sorted(starts, key=len, reverse=True) if one[1:])
    path = re.compile(rf"(?<![\w./\\-])({every})(?:{re.escape(os.sep)}|(?![\w.-]))")

    def shorten(found: re.Match[str]) -> str:
        start = starts[found[1]]
        return start if found[0].endswith(os.sep) else start[:-1] or os.path.basename(found[1])

    return retell(episode, lambda text: path.sub(shorten, text))


def tell_names(episode: Episode) -> Episode:
    """The episode with the names of files alone."""
    return retell(episode, without_folders)


def tell_step_names(step: Step) -> Step:
    """A step with the names of files alone."""
    return _retell_step(step, without_folders)


def retell(episode: Episode, tell: Callable[[str], str]) -> Episode:
    """The episode with what readers told of its steps in other words."""
    steps = tuple(_retell_step(step, tell) for step in episode.steps)
    same = all(one is other for one, other in zip(steps, episode.steps, strict=True))
    return episode if same else replace(episode, steps=steps)


def _retell_step(step: Step, tell: Callable[[str], str]) -> Step:
    refused = tell(step.refused)
    log = tuple(
        tell(line) if line.startswith((NO_PICTURE, NO_HIERARCHY)) else line for line in step.log
    )
    if (refused, log) == (step.refused, step.log):
        return step
    return replace(step, refused=refused, log=log)
