"""Checks a store on disk, line by line and file by file, and reports every fault.

Unlike reading an episode, a check continues after a fault. It changes nothing.
"""

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tapwright.core.actions import Action, Finish
from tapwright.core.geometry import Point, Size
from tapwright.core.screenshot import Screenshot
from tapwright.curate.check.files import FileReference, check_files
from tapwright.curate.check.finding import EpisodeFinding, FindingKind, Severity
from tapwright.errors import BadImageError, CorruptEpisodeError, StoreError
from tapwright.files.jsonl import from_json, json_problem, split_lines
from tapwright.files.regular import read_regular
from tapwright.store.fitness import RecordedFit
from tapwright.store.lines import RevisedLines, apply_revisions, read_header
from tapwright.store.records import (
    LINE_ADAPTER,
    EndRecord,
    EpisodeHeader,
    ObservationRecord,
    StepRecord,
)
from tapwright.store.states import state_file
from tapwright.store.store import EpisodeStore

__all__ = ["changed_share", "check_episode", "is_same_action"]

_MAX_DISTANCE = 0.01
_MAX_DIFFERENCE = 0.1
_GRID = (64, 128)
_LEVELS = 8


def is_same_action(one: Action, other: Action) -> bool:
    """Whether two actions are nearly equal: places to 0.01 of the screen, numbers to 0.1."""
    if type(one) is not type(other):
        return False
    fields = type(one).model_fields
    return all(_is_near(getattr(one, name), getattr(other, name)) for name in fields)


def changed_share(one: Path, other: Path) -> float:
    """The share of the screen, 0 to 1, that differs between two pictures.

    They are compared in grey on a grid of 64 x 128, so that a clock's digit hardly counts.
    For pictures that cannot be decoded it is 1.
    """
    try:
        before, after = _grey(one), _grey(other)
    except (BadImageError, OSError):
        return 1.0
    return float((np.abs(before - after) > _LEVELS).mean())


def _is_near(one: object, other: object) -> bool:
    match one, other:
        case Point(), Point():
            return one.distance(other) <= _MAX_DISTANCE
        case float(), float():
            return abs(one - other) <= _MAX_DIFFERENCE
        case _:
            return one == other


@lru_cache(maxsize=4)  # a step is compared with the one before and the one after
def _grey(path: Path) -> NDArray[np.int16]:
    image = Screenshot(read_regular(path), origin=path.name).image().convert("L")
    return np.asarray(image.resize(_GRID, Image.Resampling.BOX), dtype=np.int16)


_REPEATED = 0.001
_ANOTHER_SCREEN = 0.5


def check_episode(
    store: EpisodeStore, id_: str, *, fast: bool = False, threads: int = 0
) -> list[EpisodeFinding]:
    """All faults of an episode: of every version's lines and files, and of its current steps.

    A `fast` check opens no picture, tree or state. `threads` is 0 for one of each core.

    Raises:
        EpisodeMissingError: the store never had one of this id.
        CorruptEpisodeError: its header or its log of versions cannot be read.
    """
    check = _EpisodeCheck(store, id_, fast=fast, threads=threads or os.cpu_count() or 1)
    check.versions()
    return check.found


class _EpisodeCheck:
    """The check of one episode; `found` are the faults so far."""

    def __init__(self, store: EpisodeStore, id_: str, *, fast: bool, threads: int) -> None:
        self.found: list[EpisodeFinding] = []
        self._id = id_
        self._history = store.history(id_)
        self._fast, self._threads = fast, threads
        self._unseen = RecordedFit(self._history.directory).why_unseen

    def versions(self) -> None:
        history = self._history
        edits = [one.version for one in history.changes if one.change == "edit"]
        named: dict[str, FileReference] = {}
        for number in (history.recorded, *edits):
            place = history.version_directory(number)
            assert place is not None  # it was recorded, or made by an edit
            path = place / "steps.jsonl"
            try:
                header = read_header(place / "episode.json")
                data = read_regular(path)
            except (StoreError, OSError) as error:
                self._report("error", "header", place, f"version {number}: {error}")
                continue
            written = self._lines(path, data)
            revised = self._revised(path, written)
            records = self._records(path, revised.kept)
            # Undone steps are still on disk, and so are their files.
            undone = self._records(path, [*revised.dropped, *revised.undone])
            for name, one in _list_files(header, [*records, *undone]):
                named.setdefault(name, one)
            if number == history.current:
                self._order(path, records)
                self._steps(path, [one for one in records if isinstance(one, StepRecord)])
        self.found += check_files(
            self._id, history.directory, named, fast=self._fast, threads=self._threads
        )

    def _lines(self, path: Path, data: bytes) -> list[bytes]:
        lines, torn = split_lines(data)
        if torn:
            message = f"line {len(lines) + 1}: half-written, as a killed recorder leaves it"
            self._report("warning", "line", path, message)
        return lines

    def _revised(self, path: Path, lines: list[bytes]) -> RevisedLines:
        try:
            return apply_revisions(lines, path)
        except CorruptEpisodeError as error:
            self._report("error", "line", path, str(error))
            return RevisedLines(list(enumerate(lines, start=1)), [], [])

    def _records(
        self, path: Path, lines: Sequence[tuple[int, bytes]]
    ) -> list[StepRecord | EndRecord]:
        records = []
        for number, line in lines:
            try:
                records.append(from_json(LINE_ADAPTER, line))
            except (ValueError, RecursionError) as error:
                message = f"line {number}: not a step: {json_problem(error)}"
                self._report("error", "line", path, message, number - 1)
        return records

    def _order(self, path: Path, records: Sequence[StepRecord | EndRecord]) -> None:
        ends = [number for number, one in enumerate(records) if isinstance(one, EndRecord)]
        if not ends:
            self._report("warning", "end", path, "the episode was never ended; it is interrupted")
        elif ends[0] != len(records) - 1:
            message = f"{len(records) - 1 - ends[0]} lines after the one that ends the episode"
            self._report("error", "order", path, message)
        if len(ends) == len(records):
            self._report("warning", "count", path, "the episode has no steps")

    def _steps(self, path: Path, steps: Sequence[StepRecord]) -> None:
        for number, step in enumerate(steps):
            self._actions(path, number, step, is_last=number == len(steps) - 1)
            if step.refused:
                self._report("warning", "refused", path, f"refused: {step.refused}", number)
            if step.observation.stale:
                message = "recorded as stale: what was seen may be of another moment"
                self._report("warning", "stale", path, message, number)
        for number, (before, step) in enumerate(pairwise(steps), start=1):
            if step.observation.time_s < before.observation.time_s:
                message = (
                    f"at {step.observation.time_s:g} s, "
                    f"and the step before at {before.observation.time_s:g} s"
                )
                self._report("error", "order", path, message, number)
            if not self._fast:
                self._pair(path, number, before, step)
        for number, step in enumerate(() if self._fast else steps):
            if why := self._unseen(step.observation):
                self._report("warning", "picture", path, why, number)

    def _actions(self, path: Path, number: int, step: StepRecord, *, is_last: bool) -> None:
        ends = [at for at, one in enumerate(step.decided) if isinstance(one, Finish)]
        if ends and not is_last:
            self._report("error", "finish", path, "finished, and acted on after it", number)
        left = len(step.decided) - ends[0] - 1 if ends else 0
        if left:
            message = f"{left} of its actions come after the end, and were not done"
            self._report("warning", "finish", path, message, number)
        if step.between and step.raw and len(step.between) != len(step.raw) - 1:
            message = f"{len(step.between)} screens between {len(step.raw)} touch events"
            self._report("error", "count", path, message, number)
        if step.between and not step.raw and len(step.between) >= len(step.decided):
            message = f"{len(step.between)} screens between {len(step.decided)} actions"
            self._report("error", "count", path, message, number)

    def _pair(self, path: Path, number: int, before: StepRecord, step: StepRecord) -> None:
        one, other = before.observation, step.observation
        same_tree = one.ui is not None and one.ui == other.ui and one.frame != other.frame
        same_action = len(before.decided) == len(step.decided) and all(
            map(is_same_action, before.decided, step.decided)
        )
        if not (same_tree or same_action) or self._unseen(one) or self._unseen(other):
            return  # the pictures need not be compared, or there are none
        frames = self._history.directory / "frames"
        share = changed_share(frames / one.frame, frames / other.frame)
        if same_action and share <= _REPEATED:
            message = "the action of the step before, on the same screen"
            self._report("warning", "repeat", path, message, number)
        if same_tree and share >= _ANOTHER_SCREEN:
            message = f"the tree of the step before, and {share:.0%} of the screen is another"
            self._report("warning", "stale", path, message, number)

    def _report(
        self,
        severity: Severity,
        kind: FindingKind,
        path: Path,
        message: str,
        step: int | None = None,
    ) -> None:
        self.found.append(EpisodeFinding(self._id, step, severity, kind, str(path), message))


def _list_files(
    header: EpisodeHeader, records: Sequence[StepRecord | EndRecord]
) -> Iterator[tuple[str, FileReference]]:
    for sha256 in header.state_files.values():
        yield state_file(sha256), FileReference(None, None)
    for number, record in enumerate(records):
        match record:
            case StepRecord():
                step: int | None = number
                seen: tuple[ObservationRecord | None, ...] = record.screens
                for sha256 in record.state_files.values():
                    yield state_file(sha256), FileReference(number, None)
            case EndRecord(final=final):
                step, seen = None, (final,)
        for one in seen:
            if one is not None:
                size = Size(one.width, one.height)
                yield f"frames/{one.frame}", FileReference(step, size)
                if one.ui is not None:
                    yield f"ui/{one.ui}.xml.zst", FileReference(step, size)
