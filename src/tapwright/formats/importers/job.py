"""Imports other tools' episodes into a store: many sources, resumable, each accounted for.

The job's ledger lies in the store. A file that was read completely, and whose episodes are in the
store, is not read again until it changes or another reader is used; a directory is read again, and
its stored episodes are left alone. A line of the ledger has what was seen of a source and, with the
reason, what of it was left out (`account`). Episodes that could not be read are listed in
`unreadable.jsonl` in the store, too, one line each; other episodes of their source are unaffected.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import cast

from pydantic import JsonValue, TypeAdapter

from tapwright.core.episode import Decision, Episode, dump_actions
from tapwright.core.observation import Observation
from tapwright.errors import TapwrightError
from tapwright.files.atomic import write_atomically
from tapwright.files.links import LINK_HINT, describe_link_out
from tapwright.files.temporary import owned_directory
from tapwright.formats.claimed_outcomes import with_claim
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.account import (
    KINDS,
    Account,
    Kind,
    LeftOut,
    OpenedFiles,
    Totals,
    keep_account,
)
from tapwright.formats.importers.archives import is_archive, unpack_archive
from tapwright.formats.importers.foreign_record import describe_lfs_pointer
from tapwright.formats.importers.keeping import mend_pictures
from tapwright.formats.importers.known_sources import describe_known
from tapwright.formats.importers.sources import ImportSource, find_sources
from tapwright.formats.importers.unknown_files import LeftFiles, OwnData, UnknownFiles, is_companion
from tapwright.formats.limits import MAX_EPISODE_STEPS, MAX_UNREADABLE
from tapwright.formats.told_paths import retell, tell_from
from tapwright.jobs.job import ItemDone, ItemFailed, Job, read_ledger
from tapwright.store.errors import EpisodeExistsError
from tapwright.store.store import EpisodeStore

__all__ = [
    "LEDGER", "UNREADABLE", "ImportResult", "import_order", "import_sources", "read_imported",
]  # fmt: skip

_PACKED = "an archive in an archive is not unpacked: unpack it yourself, and import the directory"
_TRIED = 10
"""Unknown files of a kind in an archive of which the way forward is looked for."""
LEDGER = "import.jsonl"
UNREADABLE = "unreadable.jsonl"


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The result for one source: numbers of new and existing episodes, and the unreadable ones.

    `totals` is how much of each kind was seen and left out, `left_out` what that is.
    """

    source: str
    new: int
    existing: int
    unreadable: tuple[UnreadableEpisode, ...]
    totals: Mapping[Kind, Totals] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether nothing was lost: no episode, step or picture, and no file that may hold some."""
        lost = any(one.is_fault and one.kind != "fields" for one in self.left_out)
        return not self.unreadable and not lost

    @property
    def is_told(self) -> bool:
        """Whether it had recordings, or something that may be some."""
        return bool(self.new or self.existing or self.unreadable)


@dataclass(frozen=True, slots=True)
class _LedgerLine:
    """A line of the ledger; those of before it had an account have none."""

    source: str
    file: bool
    episodes: list[str]
    new: int
    unreadable: list[UnreadableEpisode]
    seen: dict[Kind, int] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)


_LEDGER_LINE = TypeAdapter(_LedgerLine)


async def import_sources(
    sources: Iterable[ImportSource],
    store: EpisodeStore,
    *,
    strict: bool = False,
    trust_pictures: bool = False,
    on_episode: Callable[[], object] = lambda: None,
) -> AsyncIterator[ImportResult]:
    """Imports sources into a store; yields the result of each as it ends.

    `on_episode` is called after every episode read, as one source may hold thousands. With `strict`
    the first episode that cannot be read ends the import; those before it are stored. Every picture
    is decoded once, so that a broken one is found here; with `trust_pictures` none is.

    Raises:
        DiskError: the disk is full or not writable; the episodes before it are stored.
        LedgerError: the ledger in the store is another job's, or corrupt.
    """
    failed = False
    opened = OpenedFiles()
    imported = read_imported(store)

    def until_bad() -> Iterator[ImportSource]:
        # The job takes a source only when the one before has ended.
        for source in sources:
            if strict and failed:
                return
            yield source

    async def work(source: ImportSource) -> JsonValue:
        reading = _Reading(source, store, imported, opened, strict, trust_pictures)
        return reading.run(on_episode)

    def is_done(value: JsonValue) -> bool:
        result = _LEDGER_LINE.validate_python(value)
        whole = bool(result.episodes) and _to_result(ItemDone("", value)).is_complete
        done = result.file and whole and all(id_ in store for id_ in result.episodes)
        opened.is_partial |= done
        return done

    job = Job(
        "import",
        key=_key,
        work=work,
        config={},
        about=lambda source: str(source.path),
        kept=is_done,
    )
    try:
        async for ended in job.run(until_bad(), store.root / LEDGER):
            result = _to_result(ended)
            failed |= bool(result.unreadable)
            yield result
    finally:
        if (store.root / LEDGER).exists():
            _write_unreadable(store.root)


def import_order(store: EpisodeStore, ids: Sequence[str]) -> list[str]:
    """Returns ids of a store's episodes: imported ones first, in the order of their sources."""
    place = {id_: number for number, id_ in enumerate(read_imported(store))}
    return sorted(ids, key=lambda id_: place.get(id_, len(place)))


def read_imported(store: EpisodeStore) -> dict[str, str]:
    """Returns the source of each imported episode by its id, in the order of the imports.

    Raises:
        LedgerError: the ledger in the store is corrupt.
    """
    sources: dict[str, str] = {}
    if (store.root / LEDGER).exists():
        for ended in read_ledger(store.root / LEDGER).ended:
            if isinstance(ended, ItemDone):
                line = _LEDGER_LINE.validate_python(ended.value)
                for id_ in line.episodes:
                    sources.setdefault(id_, line.source)
    return sources


def _key(source: ImportSource) -> str:
    """The path and its readers; for a file also its size and time, which change with it."""
    readers = source.reader
    resolve = os.path.abspath if isinstance(readers, LeftFiles) else os.path.realpath
    path = Path(resolve(source.path))
    names = ",".join(one.name for one in (readers if isinstance(readers, tuple) else (readers,)))
    if not path.is_file():
        return f"{path}:{names}"
    stat = path.stat()
    return f"{path}:{stat.st_size}:{stat.st_mtime_ns}:{names}"


class _Reading:
    """Reads one source into the store, and keeps its account.

    `imported` is the source of each episode of earlier imports.
    """

    def __init__(
        self,
        source: ImportSource,
        store: EpisodeStore,
        imported: Mapping[str, str],
        opened: OpenedFiles,
        strict: bool,
        trust_pictures: bool,
    ) -> None:
        self._source, self._store, self._imported = source, store, imported
        self._opened, self._strict, self._trust_pictures = opened, strict, trust_pictures
        self._ids: list[str] = []
        self._new = 0
        self._bad: list[UnreadableEpisode] = []

    def run(self, on_episode: Callable[[], object]) -> JsonValue:
        """Reads it; the line of the ledger."""
        path = self._source.path
        with keep_account(self._opened) as account:
            try:
                self._read(account, on_episode)
                _count_files(self._source, account)
                if (
                    not self._ids
                    and not self._bad
                    and not isinstance(self._source.reader, LeftFiles | UnknownFiles)
                ):
                    raise ForeignDataError(f"{path}: holds no episode")
            except TapwrightError as error:
                if error.fatal:
                    raise
                self._leave_out(account, _refuse(self._source, error, account))
            left_out = account.left_out()
        line = _LedgerLine(
            str(path),
            path.is_file(),
            self._ids,
            self._new,
            self._bad,
            dict(account.seen),
            _bounded(left_out),
        )
        return cast(JsonValue, _LEDGER_LINE.dump_python(line, mode="json"))

    def _read(self, account: Account, on_episode: Callable[[], object]) -> None:
        missing = 0
        for found in _read_in_turn(self._source, account):
            if self._strict and self._bad:
                return
            if len(self._bad) >= MAX_UNREADABLE:
                path = str(self._source.path)
                reason = f"{path}: {MAX_UNREADABLE:,} are unreadable; what follows was not read"
                self._leave_out(account, UnreadableEpisode(path, ForeignDataError.code, reason))
                return
            on_episode()
            if isinstance(found, UnreadableEpisode):
                self._leave_out(account, found)
                continue
            if self._strict and account.broken:
                code = ForeignDataError.code
                self._leave_out(account, UnreadableEpisode(found.id, code, account.broken))
                continue
            try:
                self._ids.append(self._keep(found))
            except TapwrightError as error:
                if error.fatal:
                    raise
                self._leave_out(account, UnreadableEpisode.of(found.id, error))
                continue
            account.add("episodes")
            before, missing = missing, account.left["pictures"]
            _count_steps(found, account, missing - before)

    def _leave_out(self, account: Account, one: UnreadableEpisode) -> None:
        self._bad.append(UnreadableEpisode(one.where, one.code, one.reason, one.hint))
        if not isinstance(one, _UnreadableSource):
            account.leave_out(LeftOut("episodes", one.where, one.reason, is_fault=True))

    def _keep(self, found: Episode) -> str:
        """Stores an episode that is new; returns its id.

        Another attempt that has the id of one, from other places, gets one of its own, by what it
        is made of.
        """
        found = with_claim(found)
        if not self._is_there(found):
            before = self._imported.get(found.id)
            if before == str(self._source.path) and found.id not in self._ids:
                raise EpisodeExistsError(
                    f"{self._source.path}: {found.id}: the store has another episode of this id, "
                    "of the same source",
                    hint="import it into a store of its own",
                )
            found = replace(found, id=f"{found.id}-{_digest(found)}")
        if found.id not in self._store:
            _check_length(found)
            kept = found if self._trust_pictures else mend_pictures(found)
            self._store.write(tell_from(kept, self._source.root))
            self._new += 1
        return found.id

    def _is_there(self, found: Episode) -> bool:
        """Whether no other recording has the id of this one."""
        if found.id not in self._store:
            return True
        stored = self._store.read(found.id)
        # What is stored may have a stand-in for a picture that is broken.
        return not (_differ(stored, found) and _differ(stored, mend_pictures(found)))


class _UnreadableSource(UnreadableEpisode):
    """What cannot be read at all: its files are counted, and no episode."""


def _refuse(source: ImportSource, error: TapwrightError, account: Account) -> _UnreadableSource:
    """Count the files of a source that cannot be read, and say why."""
    path = str(source.path)
    files = len(source.files) or 1
    if isinstance(source.reader, UnknownFiles):
        opened = sum(file in account.opened for file in source.files)
        account.add("files", opened)
        files -= opened
    account.leave_out(LeftOut("files", path, str(error), files, is_fault=True))
    return _UnreadableSource.of(path, error)


def _bounded(left_out: Sequence[LeftOut]) -> list[LeftOut]:
    """The first of what was left out, and the rest of each kind as a number."""
    kept, rest = list(left_out[:MAX_UNREADABLE]), left_out[MAX_UNREADABLE:]
    counts: Counter[tuple[Kind, bool]] = Counter()
    for one in rest:
        counts[one.kind, one.is_fault] += one.count
    for (kind, is_fault), count in counts.items():
        kept.append(LeftOut(kind, "and more", "as those before", count, is_fault))
    return kept


def _digest(episode: Episode) -> str:
    """Eight digits of what an attempt is made of: its task, its screens and what was done."""
    mark = [
        episode.instruction,
        *(
            (
                step.observation.screenshot.sha256,
                dump_actions(step.decision.actions),
                step.decision.reasoning,
            )
            for step in episode.steps
        ),
    ]
    return hashlib.sha256(repr(mark).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _count_steps(episode: Episode, account: Account, stand_ins: int) -> None:
    """Count the steps of an episode, and the pictures, of which its reader noted the missing ones.

    A step without an action of its own is there, but refused.
    """
    for number, step in enumerate(episode.steps):
        if step.refused:
            account.leave_out(LeftOut("steps", f"{episode.id}, step {number}", step.refused))
        else:
            account.add("steps")
    account.add("pictures", max(0, len(episode.steps) - stand_ins))


def _count_files(source: ImportSource, account: Account) -> None:
    """Count the files of a source that was read: opened, left out, or of an unknown kind.

    Raises:
        ForeignDataError: some may hold recordings, and no reader opened them.
    """
    reader, opened = source.reader, account.opened
    if source.path.is_file() and not isinstance(reader, LeftFiles | UnknownFiles):
        account.add("files")
        return
    for file in source.files:
        if file in opened:
            account.add("files")
        elif reason := opened.why_passed_over(file):
            account.leave_out(LeftOut("files", str(file), reason))
        elif isinstance(reader, LeftFiles):
            now = reader.reason_now if opened.is_partial else ""
            account.leave_out(LeftOut("files", str(file), now or reader.reason))
        elif is_companion(file):
            account.leave_out(LeftOut("files", str(file), "its reader does not use it"))
        elif not isinstance(reader, UnknownFiles):
            way = describe_known(file) or f"{_name(source)} does not read it"
            reason = f"{file}: is no part of the recording: {way}"
            account.leave_out(LeftOut("files", str(file), reason, is_fault=True))


def _name(source: ImportSource) -> str:
    return source.reader.name if not isinstance(source.reader, tuple) else "no importer"


def _check_length(episode: Episode) -> None:
    if len(episode.steps) > MAX_EPISODE_STEPS:
        raise ForeignDataError(
            f"{episode.id}: {len(episode.steps):,} steps; "
            f"at most {MAX_EPISODE_STEPS:,} are imported",
            hint="split the episode",
        )


def _differ(stored: Episode, found: Episode) -> bool:
    """Whether two recordings have the same id; an episode that was edited since does not differ."""

    def content(episode: Episode) -> tuple[str, list[tuple[Observation, Decision]]]:
        return episode.instruction, [(step.observation, step.decision) for step in episode.steps]

    return stored.version == found.version and content(stored) != content(found)


def _read_in_turn(source: ImportSource, account: Account) -> Iterator[Episode | UnreadableEpisode]:
    for found in _read(source, account):
        yield found
        account.held.clear()  # it is stored now


def _read(source: ImportSource, account: Account) -> Iterator[Episode | UnreadableEpisode]:
    if problem := describe_link_out(source.path, source.root):
        raise ForeignDataError(problem, hint=LINK_HINT)
    if source.path.is_file() and (problem := describe_lfs_pointer(source.path)):
        raise ForeignDataError(problem)
    reader = source.reader
    if isinstance(reader, UnknownFiles):
        left = reader.without(one for one in reader.files if one in account.opened)
        if left.files:
            yield from left.read(source.path)
        return
    if not isinstance(reader, tuple):
        yield from reader.read(source.path)
        if source.path.is_dir():
            yield from _read_rest(source, account)
        return
    if not source.path.exists():
        raise ForeignDataError(f"{source.path}: does not exist")
    if not is_archive(source.path):
        if source.path.is_file() and not source.path.stat().st_size:
            raise ForeignDataError(f"{source.path}: is empty", hint="get the file again")
        known = ", ".join(importer.name for importer in reader)
        way = source.path.is_file() and describe_known(source.path)
        raise ForeignDataError(
            f"{source.path}: no format recognizes it; {way or f'known are {known}'}",
            hint="name the format with --from",
        )
    with owned_directory("tapwright-import-") as directory:
        unpack_archive(source.path, directory)
        found = list(find_sources([directory], reader))
        if not any(_may_be_read(one) for one in found):
            unknown = (one.reader.files for one in found if isinstance(one.reader, UnknownFiles))
            files = [*chain(*(those[:_TRIED] for those in unknown)), source.path]
            packed = [_PACKED for one in found if is_archive(one.path)]
            way = next(filter(None, [*packed[:1], *map(describe_known, files)]), "")
            reason = f"{source.path}: no format recognizes anything in it"
            raise ForeignDataError(f"{reason}: {way}" if way else reason)
        for one in found:
            for read in _read_or_report(one, account):
                yield _replace_paths(read, str(directory), f"{source.path}!")
        account.rename(str(directory), f"{source.path}!")


def _read_rest(source: ImportSource, account: Account) -> Iterator[Episode | UnreadableEpisode]:
    """What lies in a directory beside the recordings of its reader, and is another's."""
    opened = account.opened
    for file in source.files:
        if file in opened or is_companion(file) or opened.why_passed_over(file):
            continue
        other = next((one for one in source.others if one.recognizes(file)), None)
        if other is not None:
            try:
                yield from other.read(file)
            except ForeignDataError as error:
                yield UnreadableEpisode.of(str(file), error)


def _may_be_read(source: ImportSource) -> bool:
    return not isinstance(source.reader, LeftFiles | UnknownFiles | tuple)


def _read_or_report(
    source: ImportSource, account: Account
) -> Iterator[Episode | UnreadableEpisode]:
    """Reads a source of an archive; what cannot be read at all is one unreadable episode."""
    try:
        if is_archive(source.path):  # some hold themselves
            raise ForeignDataError(f"{source.path}: {_PACKED}")
        yield from _read(source, account)
        _count_files(source, account)
    except ForeignDataError as error:
        if isinstance(source.reader, OwnData):  # whose command reads no archive
            error.hint = "unpack the archive first"
        yield _refuse(source, error, account)


def _replace_paths(
    found: Episode | UnreadableEpisode, old: str, new: str
) -> Episode | UnreadableEpisode:
    if isinstance(found, UnreadableEpisode):
        where, reason = (text.replace(old, new) for text in (found.where, found.reason))
        return replace(found, where=where, reason=reason)
    return retell(found, lambda text: text.replace(old, new))


def _to_result(ended: ItemDone | ItemFailed) -> ImportResult:
    match ended:
        case ItemFailed(code=code, message=message, about=about):
            return ImportResult(str(about), 0, 0, (UnreadableEpisode(str(about), code, message),))
        case ItemDone(value=value, repeated=repeated):
            result = _LEDGER_LINE.validate_python(value)
            new = 0 if repeated else result.new
            return ImportResult(
                result.source,
                new,
                len(result.episodes) - new,
                tuple(result.unreadable),
                _totals(result),
                tuple(result.left_out),
            )


def _totals(line: _LedgerLine) -> dict[Kind, Totals]:
    left: Counter[Kind] = Counter()
    for one in line.left_out:
        left[one.kind] += one.count
    return {kind: Totals(line.seen.get(kind, 0), left[kind]) for kind in KINDS}


def _write_unreadable(root: Path) -> None:
    """Write the list of what could not be read when each source was last imported."""
    latest: dict[str, ImportResult] = {}
    for one in map(_to_result, read_ledger(root / LEDGER).ended):
        # Files that were told together may since have been read, each alone.
        for group in [name for name in latest if "*" in name and fnmatchcase(one.source, name)]:
            del latest[group]
        latest[one.source] = one
    lines = [
        json.dumps({"source": one.source, **asdict(bad)}).encode() + b"\n"
        for one in latest.values()
        for bad in one.unreadable
    ]
    write_atomically(root / UNREADABLE, b"".join(lines))
