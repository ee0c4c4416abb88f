"""Edits Mobile-Env's pickles of many trajectories in place, as its `edit_pickle.py` does.

Follows https://github.com/X-LANCE/Mobile-Env/blob/976145e/tools/annotation-tool/pkl_tools/edit_pickle.py:
a modifier's index counts trajectories, steps are records, and record 0 is the head. What no
modifier names is written as it was, types included. Other than there, a modifier that does not fit
changes nothing, the head cannot be deleted, an instruction is always a list, taking away one that
is not there does nothing, and no backup replaces another.
"""

import os
import tempfile
from collections.abc import Callable, Sequence
from functools import cache, partial
from hashlib import file_digest
from itertools import count, takewhile
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tapwright.curate.edit import grammar
from tapwright.curate.edit.difference import DiffLine, compare
from tapwright.curate.edit.errors import BadModifierError
from tapwright.curate.edit.instructions import find_instructions
from tapwright.curate.edit.modifiers import find_episode_index, resolve_instructions
from tapwright.curate.edit.usage import format_usage
from tapwright.errors import TapwrightError, UnknownNameError, UsageError
from tapwright.files.atomic import atomic_file, wrap_disk_errors
from tapwright.files.regular import open_regular
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.pickles.read import read_pickles
from tapwright.formats.pickles.values import Array
from tapwright.formats.pickles.write import write_pickle

__all__ = ["edit_pickle", "find_same_edit", "modify_records", "preview_pickle"]

Record: TypeAlias = dict[str, Any]
Candidates: TypeAlias = Callable[[str], Sequence[Sequence[str]]]
"""The instructions of a task, by its id."""

_NAMES = ("auto_instructionize", "delete", "instructionize", "remove", "rewardize")


def edit_pickle(path: Path, modifiers: str, *, tasks: Path | None = None) -> Path:
    """Edit a recorder's file or a resaved one; its trajectories count from 0 as they stand there.

    `tasks` is the directory of task definitions that `instructionize` reads. The old file
    stays beside it, as `NAME.pkl.old`, `NAME.pkl.old.2` and so on.

    Returns:
        The path of the backup.

    Raises:
        BadModifierError: a modifier is none, or does not fit; then nothing was changed.
        ForeignDataError: the file is not Mobile-Env's, or not safe to read.
        DiskError: the disk is full or not writable; then the file is as it was.
    """
    with tempfile.TemporaryFile() as storage:
        edited = _edit_values(path, modifiers, tasks, storage.fileno())
        with atomic_file(path) as file:
            for value in edited:
                write_pickle(value, file)
            backup = _back_up(path)
    return backup


def find_same_edit(path: Path, modifiers: str, *, tasks: Path | None = None) -> Path | None:
    """The last backup of a file, when this very edit of it gives the file; None otherwise.

    Who was killed before the answer cannot know whether the edit was made.
    """
    backup = _last_backup(path)
    if backup is None or backup.samefile(path):
        return None
    with tempfile.TemporaryFile() as storage, tempfile.TemporaryFile() as made:
        try:
            for value in _edit_values(backup, modifiers, tasks, storage.fileno()):
                write_pickle(value, made)
        except (BadModifierError, ForeignDataError):  # another edit was made
            return None
        made.seek(0)
        with wrap_disk_errors(path), open_regular(path) as file:
            same = file_digest(made, "sha256").digest() == file_digest(file, "sha256").digest()
    return backup if same else None


def preview_pickle(
    path: Path, modifiers: str, *, tasks: Path | None = None
) -> dict[int, list[DiffLine]]:
    """What `edit_pickle` would change, by the numbers of the trajectories; nothing is written.

    Raises:
        BadModifierError: a modifier is none, or does not fit.
        ForeignDataError: the file is not Mobile-Env's, or not safe to read.
    """
    with tempfile.TemporaryFile() as storage:
        values = read_pickles(path, _ArrayStorage(storage.fileno()))
        whole = [records for value in values for records in _trajectories(value, path)]
        before = [[_describe_record(record) for record in records] for records in whole]
        left = modify_records(whole, modifiers, candidates=_candidates(tasks))
        after = {id(records): [_describe_record(record) for record in records] for records in left}
    lines = (
        list(compare(old, after.get(id(records), []), lambda line: line))
        for old, records in zip(before, whole, strict=True)
    )
    return {number: found for number, found in enumerate(lines) if found}


def modify_records(
    trajectories: Sequence[list[Record]], modifiers: str, *, candidates: Candidates
) -> list[list[Record]]:
    """The trajectories after `modifiers`; those that are left are changed in place.

    Raises:
        BadModifierError: a modifier is none, or does not fit; names which, where, why.
    """
    left = list(trajectories)
    for modifier in grammar.parse_modifiers(modifiers):
        try:
            _apply(left, modifier, candidates)
        except TapwrightError as error:
            raise modifier.refused(error) from error
    return left


def _apply(left: list[list[Record]], modifier: grammar.Modifier, candidates: Candidates) -> None:
    if modifier.name not in _NAMES:
        raise UnknownNameError("modifier of a pickle", modifier.name, _NAMES)
    params, place = (
        grammar.Parameters(modifier, format_usage(modifier.name)),
        find_episode_index(modifier, len(left)),
    )
    records = left[place]
    known = partial(candidates, str(records[0].get("task_id", "")))
    match modifier.name:
        case "delete":
            start, stop = (
                params.take(grammar.INTEGER, "a step"),
                params.take(grammar.INTEGER, "a step"),
            )
            params.end()
            if not 1 <= start < stop <= len(records):
                raise UsageError(f"there are no steps {start} to before {stop}; {_count(records)}")
            del records[start:stop]
        case "rewardize":
            record = _record(records, params.take(grammar.INTEGER, "a step"))
            delta = params.take(grammar.NUMBER, "a number")
            params.end()
            _rewardize(record, delta)
        case "instructionize":
            record = _record(records, params.take(grammar.INTEGER, "a step"))
            instructions = resolve_instructions(params.take(grammar.WHICH, "an instruction"), known)
            params.end()
            _instructionize(record, instructions)
        case "auto_instructionize":
            params.end()
            _auto_instructionize(records, known())
        case "remove":
            params.end()
            del left[place]


def _rewardize(record: Record, delta: float) -> None:
    if not np.isfinite(delta):
        raise UsageError(f"a reward changes by a number, not by {delta}")
    reward = _reward(record) + delta
    if reward == 0 and "reward" in record:
        del record["reward"]
    else:
        record["reward"] = reward


def _instructionize(record: Record, instructions: Sequence[str]) -> None:
    if instructions:
        record["instruction"] = list(instructions)
    else:
        record.pop("instruction", None)


def _auto_instructionize(records: list[Record], known: Sequence[Sequence[str]]) -> None:
    if not known:
        raise UsageError("the task has no instructions to hand out")
    rewarded = [record for record in records[1:-1] if _reward(record) > 0]
    for turn, record in enumerate(rewarded):
        _instructionize(record, known[min(turn, len(known) - 1)])


def _reward(record: Record) -> float:
    match record.get("reward", 0.0):
        case int() | float() | np.number() as reward:
            return float(reward)
        case other:
            raise UsageError(f"the step's reward is {other!r}, which is no number")


def _record(records: list[Record], number: int) -> Record:
    if not 1 <= number < len(records):
        raise UsageError(f"there is no step {number}; {_count(records)}")
    return records[number]


def _count(records: Sequence[Record]) -> str:
    if len(records) == 1:
        return "the trajectory has only its head, record 0"
    return f"after the head, record 0, the trajectory has the steps 1 to {len(records) - 1}"


def _edit_values(path: Path, modifiers: str, tasks: Path | None, storage: int) -> list[Any]:
    """The values of the edited file's pickles, whose arrays lie in `storage`."""
    values: list[Any] = list(read_pickles(path, _ArrayStorage(storage)))
    parts = [_trajectories(value, path) for value in values]
    whole = [(part, one) for part, several in enumerate(parts) for one in several]
    left = modify_records(
        [records for _, records in whole], modifiers, candidates=_candidates(tasks)
    )
    # An edited trajectory is the same list, so its pickle is found by its identity.
    pickle_of = {id(records): part for part, records in whole}
    edited: list[Any] = []
    for part, value in enumerate(values):
        kept = [records for records in left if pickle_of[id(records)] == part]
        match value:
            case {"trajectories": _}:
                edited.append({**value, "trajectories": kept})
            case dict():
                edited.append(value)
            case _:
                edited += kept
    return edited


def _trajectories(value: object, path: Path) -> list[list[Record]]:
    match value:
        case {"meta": dict(), "trajectories": list(found)}:
            pass
        case list():
            found = [value]
        case {"otask_id": _}:  # a resave that was killed leaves this before each list
            found = []
        case _:
            raise ForeignDataError(
                f"{path}: a pickle of a {type(value).__name__}; expected Mobile-Env's list of "
                "records, or a dictionary of meta and trajectories"
            )
    for number, records in enumerate(found):
        if not (
            isinstance(records, list) and records and all(isinstance(r, dict) for r in records)
        ):
            raise ForeignDataError(f"{path}, trajectory {number}: expected a list of records")
    return found


def _describe_record(record: Record) -> str:
    """A record in one line, without what was seen."""
    match record.get("action_type"):
        case None:
            parts = ["head"]
        case 0:
            parts = [f"touch {np.asarray(record.get('touch_position')).tolist()}"]
        case 1:
            parts = ["lift"]
        case 2:
            parts = ["repeat"]
        case 3:
            parts = [f"text {record.get('input_token')!r}"]
        case other:
            parts = [f"action {other!r}"]
    if "reward" in record:
        parts.append(f"reward {record['reward']}")
    if "instruction" in record:
        parts.append(f"instruction: {record['instruction']}")
    return " · ".join(parts)


def _candidates(tasks: Path | None) -> Candidates:
    find = cache(find_instructions)

    def find_candidates(task_id: str) -> Sequence[Sequence[str]]:
        if tasks is None:
            raise UsageError(
                f"the instructions of the task {task_id!r} are not known",
                hint="give the directory of task definitions, or the words in double quotes",
            )
        return find(tasks, task_id)

    return find_candidates


def _back_up(path: Path) -> Path:
    """Give what is at `path` a second name, which it keeps when another file takes the first."""
    with wrap_disk_errors(path):
        last = _last_backup(path)
        if last is not None and last.samefile(path):  # of an edit that was killed
            return last
        for number in count(1):
            try:
                os.link(path, _backup_path(path, number))
            except FileExistsError:
                continue
            return _backup_path(path, number)
    raise AssertionError  # count() has no end


def _last_backup(path: Path) -> Path | None:
    numbered = (_backup_path(path, number) for number in count(1))
    there = list(takewhile(Path.exists, numbered))
    return there[-1] if there else None


def _backup_path(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.old" + (f".{number}" if number > 1 else ""))


class _ArrayStorage:
    """Keeps arrays in a file, so that a pickle of any length takes little memory."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._end = 0

    def store_text(self, text: str) -> object:
        return text

    def store_array(self, array: Array) -> object:
        start, self._end = self._end, self._end + array.nbytes
        data = memoryview(array.tobytes())
        with wrap_disk_errors(tempfile.gettempdir()):
            while data:
                os.lseek(self._handle, self._end - len(data), os.SEEK_SET)  # a map moves it
                data = data[os.write(self._handle, data) :]
        with os.fdopen(os.dup(self._handle), "rb") as file:
            return np.memmap(file, array.dtype, "r", start, array.shape)
