"""One unit of work over many items: bounded concurrency, progress, and a ledger to resume by.

The ledger is a file of JSON lines. Its first line names the job it belongs to; each further one
is the result of an item. A job that is restarted on its ledger repeats nothing that succeeded, and
retries what failed; of an item's lines the last one counts.
"""

import asyncio
import hashlib
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Self, TypeAlias, TypeVar

from pydantic import JsonValue

from tapwright.errors import TapwrightError
from tapwright.files.jsonl import JsonlWriter, line_error, now_text, split_lines
from tapwright.files.lock import try_lock
from tapwright.files.regular import read_regular
from tapwright.jobs.errors import LedgerError

__all__ = [
    "ItemDone", "ItemFailed", "ItemResult", "Job", "Ledger", "LedgerContents", "name_run",
    "read_ledger",
]  # fmt: skip

T = TypeVar("T")

_BRIEF = 80
"""Longer values are cut where a message names them."""


@dataclass(frozen=True, slots=True)
class ItemDone:
    """An item that succeeded. `repeated` is True when the ledger already had its result."""

    key: str
    value: JsonValue
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class ItemFailed:
    """An item that failed with one of our errors: its code and message.

    `about` is what the job's `about` returns of the item, for readers of the ledger without it.
    """

    key: str
    code: str
    message: str
    about: JsonValue = None


ItemResult: TypeAlias = ItemDone | ItemFailed


@dataclass(frozen=True, slots=True)
class Job(Generic[T]):
    """Work to be done once for each item.

    `key` returns a name for each item that is the same in every run; two items may not share one.
    `config` is whatever makes the result differ (model, prompt hash, …): a ledger of another
    config is refused rather than mixed in. `about` returns what a failed item's line holds in
    place of a result. `kept` returns whether the product of a result still exists; otherwise the
    item is done again. `run_name` is what `name_run` said of the ledger, if the work needs to know.
    """

    name: str
    key: Callable[[T], str]
    work: Callable[[T], Awaitable[JsonValue]]
    config: Mapping[str, JsonValue]
    concurrency: int = 1
    about: Callable[[T], JsonValue] = lambda _: None
    kept: Callable[[JsonValue], bool] = lambda _: True
    run_name: str = ""

    async def run(self, items: Iterable[T], ledger: Path) -> AsyncIterator[ItemResult]:
        """Do what the ledger does not have yet; yields each result as it comes, old ones first.

        Only a `TapwrightError` that is not `fatal` counts as an item's failure. Anything else ends
        the job, with all that was done before in the ledger.

        Raises:
            LedgerError: the ledger belongs to another job, or is corrupt before its last line.
        """
        with Ledger(ledger, self.name, self.config, self.run_name) as book:
            running: set[asyncio.Task[ItemResult]] = set()
            try:
                for entry in self._fresh(items, book):
                    if isinstance(entry, ItemDone):
                        yield entry
                        continue
                    running.add(asyncio.create_task(self._one(*entry, book)))
                    if len(running) >= self.concurrency:
                        finished, running = await _wait_for_first(running)
                        for ended in finished:
                            yield ended
                while running:
                    finished, running = await _wait_for_first(running)
                    for ended in finished:
                        yield ended
            finally:
                for task in running:
                    task.cancel()
                await asyncio.gather(*running, return_exceptions=True)

    def _fresh(self, items: Iterable[T], book: "Ledger") -> Iterator[ItemDone | tuple[str, T]]:
        seen: set[str] = set()
        for item in items:
            key = self.key(item)
            if key in seen:
                raise LedgerError(
                    f"job {self.name}: two items share the key {key!r}",
                    hint="give each an id of its own",
                )
            seen.add(key)
            if key in book.done and self.kept(book.done[key]):
                yield ItemDone(key, book.done[key], repeated=True)
            else:
                yield key, item

    async def _one(self, key: str, item: T, book: "Ledger") -> ItemResult:
        """Do one item, and write its result to the ledger before it is returned."""
        ended: ItemResult
        try:
            ended = ItemDone(key, await self.work(item))
        except TapwrightError as error:
            if error.fatal:
                raise
            ended = ItemFailed(key, error.code, str(error), self.about(item))
        book.add(ended)
        return ended


async def _wait_for_first(
    running: set[asyncio.Task[ItemResult]],
) -> tuple[list[ItemResult], set[asyncio.Task[ItemResult]]]:
    finished, rest = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    return [task.result() for task in finished], rest


class Ledger:
    """The append-only record of a job; `done` has the results of the items that succeeded.

    One process at a time may write it: two would do everything twice.
    """

    def __init__(
        self, path: Path, job: str, config: Mapping[str, JsonValue], run: str = ""
    ) -> None:
        self.path = path
        self.done: dict[str, JsonValue] = {}
        header: dict[str, JsonValue] = {
            "job": job,
            "config": json.loads(json.dumps(dict(config))),
            "created": now_text(),
            "run": run or secrets.token_hex(8),
        }
        self._run = run
        self._file = JsonlWriter(path, sync=False)
        try:
            self._begin(header)
        except BaseException:
            self._file.close()
            raise

    def _begin(self, header: dict[str, JsonValue]) -> None:
        if not try_lock(self._file):
            raise LedgerError(
                f"{self.path}: another process is running this job",
                hint="wait for it, or give this run another directory",
            )
        lines = self._file.recover()
        if not lines:
            self._append(header)
            return
        book = _parse_ledger(lines, self.path)
        _check_same_job(book, header, self.path)
        if self._run not in ("", book.run):
            raise LedgerError(
                f"{self.path}: another process has begun this job meanwhile",
                hint="repeat the command",
            )
        self.done = {one.key: one.value for one in book.ended if isinstance(one, ItemDone)}

    def add(self, ended: ItemResult) -> None:
        """Append an item's result; it survives the process from here on."""
        match ended:
            case ItemDone(key=key, value=value):
                self._append({"key": key, "status": "done", "value": value})
            case ItemFailed(key=key, code=code, message=message, about=about):
                self._append(
                    {
                        "key": key,
                        "status": "failed",
                        "code": code,
                        "message": message,
                        "about": about,
                    }
                )

    def _append(self, record: Mapping[str, JsonValue]) -> None:
        try:
            line = json.dumps(record, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # half an emoji, which models do write
            line = json.dumps(record).encode()
        self._file.append(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()


@dataclass(frozen=True, slots=True)
class LedgerContents:
    """What a ledger holds: its job and config, when it was created, and each item's result.

    `run` is the name of what it is the ledger of (`name_run`).
    """

    job: str
    config: Mapping[str, JsonValue]
    created: str
    ended: tuple[ItemResult, ...]
    run: str = ""


def name_run(path: Path) -> str:
    """The name of the run whose ledger is at a path, or that will begin one there.

    It tells a run from every other, also of the same job and configuration, on any machine.

    Raises:
        LedgerError: something else is at the path.
    """
    return (read_ledger(path).run if path.exists() else "") or secrets.token_hex(8)


def read_ledger(path: Path) -> LedgerContents:
    """A ledger for reading only, of a job that may still be running; items in their first order.

    One whose job was killed before it wrote a line is that of no job, without items.

    Raises:
        LedgerError: the file is missing or not a ledger.
    """
    try:
        data = read_regular(path)
    except OSError as error:
        raise LedgerError(f"{path}: cannot be read: {error.strerror}") from error
    lines = split_lines(data).lines
    return _parse_ledger(lines, path) if lines else LedgerContents("", {}, "", ())


def _parse_ledger(lines: Iterable[bytes], path: Path) -> LedgerContents:
    header: dict[str, JsonValue] = {}
    ended: dict[str, ItemResult] = {}
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            if number == 1:
                header = {part: record[part] for part in ("job", "config", "created")}
                # Earlier versions wrote none: then the line has to do, which tells the time.
                header["run"] = record.get("run") or hashlib.sha256(line).hexdigest()[:16]
            elif record["status"] == "done":
                ended[record["key"]] = ItemDone(record["key"], record["value"], repeated=True)
            else:
                key, code, message = record["key"], record["code"], record["message"]
                ended[key] = ItemFailed(key, code, message, record["about"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            hint = "move that line to another file; its item is then done again"
            raise line_error(LedgerError, path, number, "a ledger's record", error, hint) from error
    config = header.get("config")
    if not isinstance(config, dict):
        raise LedgerError(f"{path}: not a ledger: its first line has no job and config")
    job, created, run = (str(header[part]) for part in ("job", "created", "run"))
    return LedgerContents(job, config, created, tuple(ended.values()), run)


def _differences(
    before: Mapping[str, JsonValue], now: Mapping[str, JsonValue], above: str = ""
) -> Iterator[str]:
    """What differs between two configurations and nothing besides, also within their parts."""
    for name in sorted({*now, *before}):
        one, other = before.get(name), now.get(name)
        if one == other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            yield from _differences(one, other, f"{above}{name}.")
        else:
            yield f"{above}{name} was {_brief(one)} and is {_brief(other)}"


def _brief(value: JsonValue) -> str:
    text = "not set" if value is None else repr(value)
    return text if len(text) <= _BRIEF else f"{text[: _BRIEF - 1]}…"


def _check_same_job(book: LedgerContents, header: Mapping[str, JsonValue], path: Path) -> None:
    config = header["config"]
    assert isinstance(config, dict)  # it was made here
    differing = list(_differences(book.config, config))
    if book.job != header["job"]:
        differing = [f"it is the ledger of a job {book.job!r}, and this is {header['job']!r}"]
    if differing:
        raise LedgerError(
            f"{path}: belongs to other work: {'; '.join(differing)}",
            hint="give this run another directory (-o)",
        )
