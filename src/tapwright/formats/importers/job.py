"""Imports other tools' episodes into a store: many sources, resumable, bad ones reported.

The job's ledger lies in the store. A file that was read completely, and whose episodes are in the
store, is not read again until it changes or another reader is used; a directory is read again, and
its stored episodes are left alone. Episodes that could not be read are listed in
`unreadable.jsonl` in the store, one line each; other episodes of their source are unaffected.
"""

import json
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol, cast

from pydantic import JsonValue, TypeAdapter

from tapwright.core.episode import Decision, Episode
from tapwright.core.observation import Observation
from tapwright.errors import TapwrightError
from tapwright.files.atomic import write_atomically
from tapwright.files.links import LINK_HINT, describe_link_out, stays_within
from tapwright.files.temporary import owned_directory
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import EpisodeImporter, UnreadableEpisode
from tapwright.formats.importers.archives import is_archive, unpack_archive
from tapwright.formats.importers.foreign_record import describe_lfs_pointer
from tapwright.formats.importers.unknown_files import group_unknown, is_companion
from tapwright.formats.limits import MAX_EPISODE_STEPS, MAX_UNREADABLE
from tapwright.jobs.job import ItemDone, ItemFailed, Job, read_ledger
from tapwright.store.errors import EpisodeExistsError
from tapwright.store.store import EpisodeStore

__all__ = [
    "LEDGER",
    "UNREADABLE",
    "ImportResult",
    "ImportSource",
    "find_sources",
    "import_order",
    "import_sources",
    "read_imported",
]

LEDGER = "import.jsonl"
UNREADABLE = "unreadable.jsonl"


class EpisodeReader(Protocol):
    """Reads the episodes of a source, as an `EpisodeImporter` does."""

    @property
    def name(self) -> str:
        """The short name of the format."""

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the episodes in `path`."""


@dataclass(frozen=True, slots=True)
class ImportSource:
    """A file or directory with its reader, or with all importers for an archive's contents.

    Links in it lead nowhere but into `root`, the path that was given.
    """

    path: Path
    reader: EpisodeReader | tuple[EpisodeImporter, ...]
    root: Path


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The result for one source: numbers of new and existing episodes, and the unreadable ones."""

    source: str
    new: int
    existing: int
    unreadable: tuple[UnreadableEpisode, ...]


@dataclass(frozen=True, slots=True)
class _LedgerLine:
    """A line of the ledger."""

    source: str
    file: bool
    episodes: list[str]
    new: int
    unreadable: list[UnreadableEpisode]


_LEDGER_LINE = TypeAdapter(_LedgerLine)


def find_sources(
    paths: Iterable[Path],
    importers: Sequence[EpisodeImporter],
    *,
    on_companion: Callable[[Path], object] = lambda _: None,
) -> Iterator[ImportSource]:
    """Finds the sources in `paths`, each with the first importer that recognizes it.

    A directory that no importer recognizes is searched in the order of names. What is in it that
    none recognizes either is a source that cannot be read, after the others; `on_companion` is
    called for the files that hold no recordings (`unknown_files`). A directory without sources, or
    an unknown file, goes to the importer if there is only one; with several it becomes a source
    that cannot be read.
    """
    seen: set[str] = set()
    for path in paths:
        found = list(_find_sources(path, importers, path, set()))
        sources = [one for one in found if isinstance(one, ImportSource)]
        if path.is_dir() and (sources or len(importers) > 1):
            sources += _unknown_sources(found, importers, path, on_companion)
        fallback = importers[0] if len(importers) == 1 else tuple(importers)
        for source in sources or [ImportSource(path, fallback, path)]:
            real = os.path.realpath(source.path)
            if real not in seen:
                seen.add(real)
                yield source


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

    def until_bad() -> Iterator[ImportSource]:
        # The job takes a source only when the one before has ended.
        for source in sources:
            if strict and failed:
                return
            yield source

    async def work(source: ImportSource) -> JsonValue:
        return _import_source(
            source, store, on_episode, strict=strict, trust_pictures=trust_pictures
        )

    def is_done(value: JsonValue) -> bool:
        result = _LEDGER_LINE.validate_python(value)
        complete = result.file and not result.unreadable
        return complete and all(id_ in store for id_ in result.episodes)

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


def _find_sources(
    path: Path, importers: Sequence[EpisodeImporter], root: Path, entered: set[str]
) -> Iterator[ImportSource | Path]:
    """Finds the sources in a path, and the files that are none.

    A directory that a link leads back to is `entered` once.
    """
    if not stays_within(path, root):
        yield ImportSource(path, tuple(importers), root)
        return
    for importer in importers:
        if importer.recognizes(path):
            yield ImportSource(path, importer, root)
            return
    if is_archive(path):
        yield ImportSource(path, tuple(importers), root)
    elif path.is_dir() and os.path.realpath(path) not in entered:
        entered.add(os.path.realpath(path))
        for child in sorted(path.iterdir()):
            if not child.name.startswith("."):
                yield from _find_sources(child, importers, root, entered)
    elif path.is_file():
        yield path


def _unknown_sources(
    found: Iterable[ImportSource | Path],
    importers: Sequence[EpisodeImporter],
    root: Path,
    on_companion: Callable[[Path], object] = lambda _: None,
) -> Iterator[ImportSource]:
    """The files that are no sources, as sources that cannot be read; companions are none."""
    unknown: list[Path] = []
    for file in found:
        if isinstance(file, ImportSource):
            continue
        if is_companion(file):
            on_companion(file)
        else:
            unknown.append(file)
    for path, reader in group_unknown(unknown, root, [one.name for one in importers]):
        yield ImportSource(path, reader, root)


def _key(source: ImportSource) -> str:
    """The path and its readers; for a file also its size and time, which change with it."""
    path, readers = Path(os.path.realpath(source.path)), source.reader
    names = ",".join(one.name for one in (readers if isinstance(readers, tuple) else (readers,)))
    if not path.is_file():
        return f"{path}:{names}"
    stat = path.stat()
    return f"{path}:{stat.st_size}:{stat.st_mtime_ns}:{names}"


def _import_source(
    source: ImportSource,
    store: EpisodeStore,
    on_episode: Callable[[], object],
    *,
    strict: bool,
    trust_pictures: bool,
) -> JsonValue:
    ids: list[str] = []
    new = 0
    bad: list[UnreadableEpisode] = []
    for found in _read(source):
        if strict and bad:
            break
        if len(bad) >= MAX_UNREADABLE:
            reason = f"{source.path}: {MAX_UNREADABLE:,} are unreadable; what follows was not read"
            bad.append(UnreadableEpisode(str(source.path), ForeignDataError.code, reason))
            break
        on_episode()
        if isinstance(found, UnreadableEpisode):
            bad.append(found)
            continue
        try:
            if found.id not in store:
                _check_new(found, trust_pictures=trust_pictures)
                store.write(found)
                new += 1
            elif _differ(store.read(found.id), found):
                raise EpisodeExistsError(
                    f"{source.path}: {found.id}: the store has another episode of this id",
                    hint="import it into a store of its own",
                )
            ids.append(found.id)
        except TapwrightError as error:
            if error.fatal:
                raise
            bad.append(UnreadableEpisode(found.id, error.code, str(error)))
    if not ids and not bad:
        raise ForeignDataError(f"{source.path}: holds no episode")
    result = _LedgerLine(str(source.path), source.path.is_file(), ids, new, bad)
    return cast(JsonValue, _LEDGER_LINE.dump_python(result, mode="json"))


def _check_new(episode: Episode, *, trust_pictures: bool) -> None:
    """Refuses what is too long, or has a picture that is not whole."""
    if len(episode.steps) > MAX_EPISODE_STEPS:
        raise ForeignDataError(
            f"{episode.id}: {len(episode.steps):,} steps; "
            f"at most {MAX_EPISODE_STEPS:,} are imported",
            hint="split the episode",
        )
    if trust_pictures:
        return
    screens = [screen for step in episode.steps for screen in step.screens]
    shots = [one.screenshot for one in (*screens, episode.final) if one is not None]
    for shot in {one.sha256: one for one in shots}.values():
        shot.image()


def _differ(stored: Episode, found: Episode) -> bool:
    """Whether two recordings have the same id; an episode that was edited since does not differ."""

    def content(episode: Episode) -> tuple[str, list[tuple[Observation, Decision]]]:
        return episode.instruction, [(step.observation, step.decision) for step in episode.steps]

    return stored.version == found.version and content(stored) != content(found)


def _read(source: ImportSource) -> Iterator[Episode | UnreadableEpisode]:
    if problem := describe_link_out(source.path, source.root):
        raise ForeignDataError(problem, hint=LINK_HINT)
    if source.path.is_file() and (problem := describe_lfs_pointer(source.path)):
        raise ForeignDataError(problem)
    if not isinstance(source.reader, tuple):
        yield from source.reader.read(source.path)
        return
    if not source.path.exists():
        raise ForeignDataError(f"{source.path}: does not exist")
    if not is_archive(source.path):
        if source.path.is_file() and not source.path.stat().st_size:
            raise ForeignDataError(f"{source.path}: is empty", hint="get the file again")
        known = ", ".join(importer.name for importer in source.reader)
        raise ForeignDataError(
            f"{source.path}: no format recognizes it; known are {known}",
            hint="name the format with --from",
        )
    with owned_directory("tapwright-import-") as directory:
        unpack_archive(source.path, directory)
        found = list(_find_sources(directory, source.reader, directory, set()))
        # Archives within it are skipped: some hold themselves.
        inner = [
            one for one in found if isinstance(one, ImportSource) and not _is_archive_source(one)
        ]
        if not inner:
            raise ForeignDataError(f"{source.path}: no format recognizes anything in it")
        for one in [*inner, *_unknown_sources(found, source.reader, directory)]:
            for read in _read_or_report(one):
                yield _replace_paths(read, str(directory), f"{source.path}!")


def _is_archive_source(source: ImportSource) -> bool:
    return isinstance(source.reader, tuple)


def _read_or_report(source: ImportSource) -> Iterator[Episode | UnreadableEpisode]:
    """Reads a source; one that cannot be read at all is reported as one unreadable episode."""
    try:
        yield from _read(source)
    except ForeignDataError as error:
        yield UnreadableEpisode(str(source.path), error.code, str(error))


def _replace_paths(
    found: Episode | UnreadableEpisode, old: str, new: str
) -> Episode | UnreadableEpisode:
    if isinstance(found, UnreadableEpisode):
        where, reason = (text.replace(old, new) for text in (found.where, found.reason))
        return UnreadableEpisode(where, found.code, reason)
    return found


def _to_result(ended: ItemDone | ItemFailed) -> ImportResult:
    match ended:
        case ItemFailed(code=code, message=message, about=about):
            return ImportResult(str(about), 0, 0, (UnreadableEpisode(str(about), code, message),))
        case ItemDone(value=value, repeated=repeated):
            result = _LEDGER_LINE.validate_python(value)
            new = 0 if repeated else result.new
            return ImportResult(
                result.source, new, len(result.episodes) - new, tuple(result.unreadable)
            )


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
