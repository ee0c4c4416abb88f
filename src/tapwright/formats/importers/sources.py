"""What there is to import: every file below what was given, walked once, each in one source.

A source is what one reader reads: a file, or a directory. Files that no reader recognizes are
sources, too, the last of what was given, each kind together: see `unknown_files`.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol

from tapwright.core.episode import Episode
from tapwright.files.links import stays_within
from tapwright.formats.format import EpisodeImporter, UnreadableEpisode
from tapwright.formats.importers import unknown_files
from tapwright.formats.importers.archives import is_archive
from tapwright.formats.importers.foreign_record import find_files
from tapwright.formats.importers.known_sources import describe_own

__all__ = ["EpisodeReader", "Filter", "ImportSource", "find_sources"]

_EXCLUDED = "left out by --only or --exclude"


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

    Links in it lead nowhere but into `root`, the path that was given. `files` are those that it
    consists of; those that its reader has no use for may be what one of the `others` reads.
    """

    path: Path
    reader: EpisodeReader | tuple[EpisodeImporter, ...]
    root: Path
    files: tuple[Path, ...] = ()
    others: tuple[EpisodeImporter, ...] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """Patterns of paths and of names, as a shell has them: which files and directories to read."""

    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def takes(self, path: Path, root: Path) -> bool:
        """Whether a path below `root` is to be read, by its name or that of a directory above."""
        return (not self.only or self._fits(path, root, self.only)) and not self._fits(
            path, root, self.exclude
        )

    def _fits(self, path: Path, root: Path, patterns: Sequence[str]) -> bool:
        if not patterns:
            return False
        below = path.relative_to(root) if path != root else Path(path.name)
        names = [below, *below.parents][:-1] or [below]
        return any(
            fnmatchcase(one.as_posix(), pattern) or fnmatchcase(one.name, pattern)
            for one in names
            for pattern in patterns
        )


def find_sources(
    paths: Iterable[Path], importers: Sequence[EpisodeImporter], chosen: Filter | None = None
) -> Iterator[ImportSource]:
    """Finds the sources in `paths`, each with the first importer that recognizes it.

    A directory that no importer recognizes is searched in the order of names; what is in it that
    none recognizes either comes after the other sources. A directory without sources, or an unknown
    file, goes to the importer if there is only one; with several it becomes a source that cannot be
    read.
    """
    given: set[str] = set()
    read: set[str] = set()
    for path in paths:
        search = _Search(path, importers, chosen or Filter())
        found = list(search.find(path))
        if path.is_dir() and (found or len(importers) > 1 or search.has_left_out):
            found += search.list_rest()
        sole = len(importers) == 1 and path.exists()
        fallback = importers[0] if sole else tuple(importers)
        found = found or [ImportSource(path, fallback, path, (path,))]
        found = [one for one in found if os.path.abspath(one.path) not in given]
        given |= {os.path.abspath(one.path) for one in found}
        there = {os.path.realpath(one.path) for one in found if _reads(one, through_links=False)}
        for source in found:
            real = os.path.realpath(source.path)
            if real in read or (source.path.is_symlink() and real in there):
                yield _leave_another(source) if _reads(source) else source
                continue
            if _reads(source):
                read.add(real)
            yield source


def _reads(source: ImportSource, *, through_links: bool = True) -> bool:
    """Whether it is something to read, and under its own name."""
    if isinstance(source.reader, unknown_files.LeftFiles | unknown_files.UnknownFiles):
        return False
    return through_links or not source.path.is_symlink()


def _leave_another(source: ImportSource) -> ImportSource:
    return replace(
        source,
        reader=unknown_files.leave_files(source.files, "another name of a file that is read"),
    )


def _why_closed(folder: Path) -> str:
    """Why a directory cannot be looked into; "" where it can."""
    try:
        os.stat(f"{folder}/.")  # which takes the right to go there, not to list it
        with os.scandir(folder):
            return ""
    except OSError as error:
        return error.strerror or str(error)


class _Search:
    """The search through what was given, `root`."""

    def __init__(self, root: Path, importers: Sequence[EpisodeImporter], chosen: Filter) -> None:
        self._root, self._importers, self._chosen = root, importers, chosen
        self._entered: set[str] = set()
        self._unknown: list[Path] = []
        self._excluded: list[Path] = []
        self._hidden: list[Path] = []
        self._special: list[Path] = []

    def find(self, path: Path) -> Iterator[ImportSource]:
        """The sources in a path; files that are none are kept for `list_rest`."""
        if path.is_symlink() and not stays_within(path, self._root):
            yield ImportSource(path, tuple(self._importers), self._root, (path,))
            return
        if path.is_dir() and (why := _why_closed(path)):
            yield ImportSource(path, unknown_files.UnlistedDirectory(why), self._root)
            return
        importer = next((one for one in self._importers if one.recognizes(path)), None)
        if importer is not None:
            files = tuple(find_files(path, "*"))
            taken = tuple(one for one in files if self._chosen.takes(one, self._root))
            if all(map(unknown_files.is_companion, taken)) and not all(
                map(unknown_files.is_companion, files)
            ):
                taken = ()  # of the recording itself nothing is
            self._excluded += [one for one in files if one not in taken]
            if taken or (not files and self._chosen.takes(path, self._root)):
                others = tuple(one for one in self._importers if one is not importer)
                yield ImportSource(path, importer, self._root, taken, others)
        elif is_archive(path):
            if self._chosen.takes(path, self._root):
                yield ImportSource(path, tuple(self._importers), self._root, (path,))
            else:
                self._excluded.append(path)
        elif path.is_dir():
            yield from self._search(path)
        elif path.is_file() or path.is_symlink():
            self._unknown.append(path)
        elif path.exists():
            self._special.append(path)

    def _search(self, folder: Path) -> Iterator[ImportSource]:
        """The sources in a directory; one that a link leads back to is entered once."""
        if os.path.realpath(folder) in self._entered:
            return
        self._entered.add(os.path.realpath(folder))
        if way := describe_own(folder):
            yield ImportSource(
                folder, unknown_files.OwnData(way), self._root, tuple(find_files(folder, "*"))
            )
            return
        for child in sorted(folder.iterdir()):
            if child.name.startswith("."):
                self._hidden.append(child)
            else:
                yield from self.find(child)

    @property
    def has_left_out(self) -> bool:
        """Whether something was not to be read."""
        return bool(self._excluded)

    def list_rest(self) -> Iterator[ImportSource]:
        """The files that no reader recognized, each kind together."""
        out = [one for one in self._unknown if not self._chosen.takes(one, self._root)]
        chosen = [one for one in self._unknown if self._chosen.takes(one, self._root)]
        companions = {one: None for one in chosen if unknown_files.is_companion(one)}
        for path, reader in unknown_files.group_companions(companions, self._root):
            yield ImportSource(path, reader, self._root, reader.files)
        groups = (
            ("excluded", [*self._excluded, *out], _EXCLUDED),
            (".*", self._hidden, "hidden: its name begins with a dot"),
            ("special", self._special, "a pipe, a socket or a device"),
        )
        for name, files, reason in groups:
            if files:
                left = unknown_files.leave_files(files, reason)
                yield ImportSource(self._root / "**" / name, left, self._root, left.files)
        unknown = [one for one in chosen if one not in companions]
        known = [one.name for one in self._importers]
        for path, group in unknown_files.group_unknown(unknown, self._root, known):
            yield ImportSource(path, group, self._root, group.files)
