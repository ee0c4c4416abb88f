"""Expands many tasks: one per task file or row of a table, to a directory of definitions.

An item that fails is reported and left out, and the rest continues. However many there are, memory
holds a few of them at a time.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from glob import glob
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from typing import Self

from tapwright.errors import TapwrightError
from tapwright.jobs.processes import start_pool
from tapwright.tasks.definitions.textproto import format_task
from tapwright.tasks.task_pb2 import Task
from tapwright.tasks.templates.expand import Expander
from tapwright.tasks.templates.tables import TableRow, read_rows

__all__ = [
    "ExpansionFailure", "ExpansionItem", "ExpansionResult", "drop_duplicates", "expand_all",
    "list_row_items", "list_task_file_items", "make_ids_unique", "sample_items", "write_all",
]  # fmt: skip

_ITEMS_PER_CALL = 100
_CALLS_AHEAD = 4
"""The number of calls per process that wait to be started or written."""

_WORTH_A_PROCESS = 1500
"""The number of items from which on starting processes saves time."""


@dataclass(frozen=True, slots=True)
class ExpansionItem:
    """One task to expand: its task file, its row if any, and its file name without suffix.

    `failure` is why it cannot be expanded.
    """

    path: Path
    name: str
    row: TableRow | None = None
    failure: "ExpansionFailure | None" = None


@dataclass(frozen=True, slots=True)
class ExpansionFailure:
    """The error of one item, as it is printed."""

    message: str
    code: str

    @classmethod
    def from_error(cls, error: TapwrightError) -> Self:
        """Makes the failure of an error."""
        return cls(str(error), error.code)


@dataclass(frozen=True, slots=True)
class ExpansionResult:
    """The result of an item: the text of a definition, or why there is none.

    `instruction_hash` is that of the commands for the agent.
    """

    name: str
    id: str = ""
    instruction_hash: bytes = b""
    text: str = ""
    failure: ExpansionFailure | None = None
    warnings: tuple[str, ...] = ()


def list_task_file_items(directory: Path) -> Iterator[ExpansionItem]:
    """Yields the task files below a directory, sorted by name."""
    for name in sorted(glob("**/*.task", root_dir=directory, recursive=True)):
        yield ExpansionItem(directory / name, name.removesuffix(".task"))


def list_row_items(table: Path, recipe: Path) -> Iterator[ExpansionItem]:
    """Yields an item for each row of a table, all with the steps of one task file.

    Raises:
        BadTableError: the table as a whole cannot be read.
    """
    for number, row in enumerate(read_rows(table), start=1):
        name = f"{recipe.stem}-{number:05}"
        if isinstance(row, TableRow):
            yield ExpansionItem(recipe, name, row)
        else:
            yield ExpansionItem(recipe, name, failure=ExpansionFailure.from_error(row))


def sample_items(
    items: Iterable[ExpansionItem], count: int, limit: int, seed: int | None
) -> Iterator[ExpansionItem]:
    """Yields the first `limit` of `count` items, or with a seed as many random ones, in order."""
    if seed is None or limit >= count:
        yield from islice(items, limit)
        return
    chosen = set(Random(seed).sample(range(count), limit))
    yield from (item for number, item in enumerate(items) if number in chosen)


def expand_all(
    items: Iterable[ExpansionItem], count: int, make: Callable[[], Expander]
) -> Iterator[ExpansionResult]:
    """Expands items; yields the results in order, from all cores if there are many.

    `make` makes an expander in each process, so it must be picklable.
    """
    cores = os.cpu_count() or 1
    if count < _WORTH_A_PROCESS or cores < 2:
        worker = _Worker(make())
        yield from map(worker.expand, items)
        return
    with start_pool(cores, partial(_start, make)) as pool:
        waiting: deque[Future[list[ExpansionResult]]] = deque()
        rest = iter(items)
        while True:
            while len(waiting) < _CALLS_AHEAD * cores and (
                some := list(islice(rest, _ITEMS_PER_CALL))
            ):
                waiting.append(pool.submit(_expand, some))
            if not waiting:
                return
            yield from waiting.popleft().result()


def make_ids_unique(found: Iterable[ExpansionResult]) -> Iterator[ExpansionResult]:
    """Yields the results with unique ids: a second task of one id gets "-2", a third "-3"."""
    seen: dict[str, int] = {}
    for one in found:
        if one.failure is None:
            id_ = one.id
            while id_ in seen:
                seen[one.id] += 1
                id_ = f"{one.id}-{seen[one.id]}"
            seen[id_] = 1
            if id_ != one.id:
                text = _id_line(id_) + one.text.removeprefix(_id_line(one.id))
                one = replace(one, id=id_, text=text)
        yield one


def drop_duplicates(found: Iterable[ExpansionResult]) -> Iterator[ExpansionResult]:
    """Yields the failures, and the results whose instruction no earlier one had."""
    seen: set[bytes] = set()
    for one in found:
        if one.failure is None:
            if one.instruction_hash in seen:
                continue
            seen.add(one.instruction_hash)
        yield one


def write_all(found: Iterable[ExpansionResult], directory: Path) -> Iterator[ExpansionResult]:
    """Writes each definition to `<name>.textproto` below a directory; yields it."""
    for one in found:
        if one.failure is None:
            path = directory / f"{one.name}.textproto"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(one.text, encoding="utf-8", newline="\n")
        yield one


def _id_line(id_: str) -> str:
    return format_task(Task(id=id_))


class _Worker:
    """Expands items in one process."""

    def __init__(self, expander: Expander) -> None:
        self._expander = expander

    def expand(self, item: ExpansionItem) -> ExpansionResult:
        """Expand one item."""
        if item.failure is not None:
            return ExpansionResult(item.name, failure=item.failure)
        try:
            task = self._expander.expand(item.path, item.row)
            text = self._expander.format(task)
        except TapwrightError as error:
            warnings = self._expander.take_warnings()
            return ExpansionResult(
                item.name, failure=ExpansionFailure.from_error(error), warnings=warnings
            )
        instruction_hash = sha256("\n".join(task.command).encode()).digest()
        return ExpansionResult(
            item.name, task.id, instruction_hash, text, warnings=self._expander.take_warnings()
        )


_worker: _Worker | None = None
"""The worker of this process, if it is one of a pool."""


def _start(make: Callable[[], Expander]) -> None:
    global _worker
    _worker = _Worker(make())


def _expand(items: Sequence[ExpansionItem]) -> list[ExpansionResult]:
    assert _worker is not None  # `_start` ran first
    return [_worker.expand(item) for item in items]
