"""Many tasks out of templates: one per task file or row of a table, to a directory of definitions.

An item that fails is told and left out, and the rest goes on. However many there are, memory holds
a few of them at a time.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from glob import glob
from hashlib import sha256
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Self

from tapwright.errors import TapwrightError
from tapwright.tasks.definitions.textproto import format_task
from tapwright.tasks.task_pb2 import Task
from tapwright.tasks.templates.expand import Expander
from tapwright.tasks.templates.tables import Row, read_rows

__all__ = [
    "Expanded",
    "Failure",
    "Item",
    "choose",
    "expand_all",
    "only_distinct",
    "row_items",
    "task_file_items",
    "unique_ids",
    "write_all",
]

_ITEMS_PER_CALL = 100
_CALLS_AHEAD = 4
"""So many calls per process wait to be taken up or to be written."""

_WORTH_A_PROCESS = 1500
"""From so many items on, starting processes takes less time than they save."""


@dataclass(frozen=True, slots=True)
class Item:
    """One task to be: its task file, a row if it has one, and its file's name without ending.

    `failure` says why it can be none.
    """

    path: Path
    name: str
    row: Row | None = None
    failure: "Failure | None" = None


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that ended an item alone, as it is printed."""

    message: str
    code: str

    @classmethod
    def of(cls, error: TapwrightError) -> Self:
        """What an error says."""
        return cls(str(error), error.code)


@dataclass(frozen=True, slots=True)
class Expanded:
    """What an item became: the text of a definition, or why there is none.

    `told` is a hash of what an agent is told.
    """

    name: str
    id: str = ""
    told: bytes = b""
    text: str = ""
    failure: Failure | None = None
    warnings: tuple[str, ...] = ()


def task_file_items(directory: Path) -> Iterator[Item]:
    """The task files below a directory, in the order of their names."""
    for name in sorted(glob("**/*.task", root_dir=directory, recursive=True)):
        yield Item(directory / name, name.removesuffix(".task"))


def row_items(table: Path, recipe: Path) -> Iterator[Item]:
    """An item for each row of a table, all with the steps of one task file.

    Raises:
        BadTableError: the table as a whole cannot be read.
    """
    for number, row in enumerate(read_rows(table), start=1):
        name = f"{recipe.stem}-{number:05}"
        if isinstance(row, Row):
            yield Item(recipe, name, row)
        else:
            yield Item(recipe, name, failure=Failure.of(row))


def choose(items: Iterable[Item], count: int, limit: int, seed: int | None) -> Iterator[Item]:
    """The first `limit` of `count` items, or as many by chance; in their order."""
    if seed is None or limit >= count:
        yield from islice(items, limit)
        return
    chosen = set(Random(seed).sample(range(count), limit))
    yield from (item for number, item in enumerate(items) if number in chosen)


def expand_all(
    items: Iterable[Item], count: int, make: Callable[[], Expander]
) -> Iterator[Expanded]:
    """What each item became, in their order; on all cores if there are many.

    `make` makes an expander in each process, so it is something that can be pickled.
    """
    cores = os.cpu_count() or 1
    if count < _WORTH_A_PROCESS or cores < 2:
        worker = _Worker(make())
        yield from map(worker.expand, items)
        return
    context = get_context("spawn")
    with ProcessPoolExecutor(cores, context, _start, (make,)) as pool:
        waiting: deque[Future[list[Expanded]]] = deque()
        rest = iter(items)
        while True:
            while len(waiting) < _CALLS_AHEAD * cores and (
                some := list(islice(rest, _ITEMS_PER_CALL))
            ):
                waiting.append(pool.submit(_expand, some))
            if not waiting:
                return
            yield from waiting.popleft().result()


def unique_ids(found: Iterable[Expanded]) -> Iterator[Expanded]:
    """The same, where a second task of one id has "-2" after it, a third "-3"."""
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


def only_distinct(found: Iterable[Expanded]) -> Iterator[Expanded]:
    """Those whose agents are told what no agent of one before was told, and the failures."""
    seen: set[bytes] = set()
    for one in found:
        if one.failure is None:
            if one.told in seen:
                continue
            seen.add(one.told)
        yield one


def write_all(found: Iterable[Expanded], directory: Path) -> Iterator[Expanded]:
    """Write each definition to `<name>.textproto` below a directory, and hand it on."""
    for one in found:
        if one.failure is None:
            path = directory / f"{one.name}.textproto"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(one.text, encoding="utf-8")
        yield one


def _id_line(id_: str) -> str:
    return format_task(Task(id=id_))


class _Worker:
    """Expands items in one process."""

    def __init__(self, expander: Expander) -> None:
        self._expander = expander

    def expand(self, item: Item) -> Expanded:
        """What an item becomes."""
        if item.failure is not None:
            return Expanded(item.name, failure=item.failure)
        try:
            task = self._expander.expand(item.path, item.row)
            text = self._expander.format(task)
        except TapwrightError as error:
            warnings = self._expander.take_warnings()
            return Expanded(item.name, failure=Failure.of(error), warnings=warnings)
        told = sha256("\n".join(task.command).encode()).digest()
        return Expanded(item.name, task.id, told, text, warnings=self._expander.take_warnings())


_worker: _Worker | None = None
"""That of this process, if it is one of a pool."""


def _start(make: Callable[[], Expander]) -> None:
    global _worker
    _worker = _Worker(make())


def _expand(items: Sequence[Item]) -> list[Expanded]:
    assert _worker is not None  # `_start` ran first
    return [_worker.expand(item) for item in items]
