"""What two directories of episodes have in common: the same recording, or the same content."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from tapwright.errors import CorruptEpisodeError
from tapwright.files.jsonl import split_lines
from tapwright.store.catalog import Catalog
from tapwright.store.catalog_entry import CatalogEntry
from tapwright.store.filters import EVERY, Condition
from tapwright.store.lines import apply_revisions, read_file, read_header
from tapwright.store.selection import Selection
from tapwright.store.versions import VersionHistory

__all__ = ["current_place", "hash_content", "hash_recording", "iterate_entries", "likely_same"]

_PAGE = 20_000
_OWN_FIELDS = ("id", "created", "version", "schema")


def hash_recording(directory: Path) -> str:
    """A hash of an episode's recording and of all its versions, its id included.

    Raises:
        CorruptEpisodeError: a file cannot be read.
    """
    digest = hashlib.sha256()
    names = ["episode.json", "steps.jsonl"]
    versions = directory / "versions"
    if versions.is_dir():
        names += sorted(
            Path(folder, name).relative_to(directory).as_posix()
            for folder, _, files in os.walk(versions)
            for name in files
            if not name.startswith(".")
        )
    for name in names:
        data = hashlib.sha256(read_file(directory / name)).hexdigest()
        digest.update(f"{name}\0{data}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def hash_content(directory: Path) -> str:
    """A hash of what an episode shows in its current version, whatever its id.

    Raises:
        CorruptEpisodeError: a file cannot be read.
        SchemaVersionError: another version of tapwright wrote it.
    """
    place = current_place(directory)
    header: dict[str, JsonValue] = json.loads(read_file(place / "episode.json"))
    for field in _OWN_FIELDS:
        header.pop(field, None)
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    path = place / "steps.jsonl"
    for _, line in apply_revisions(split_lines(read_file(path)).lines, path).kept:
        digest.update(b"\n" + line)
    return digest.hexdigest()


def current_place(directory: Path) -> Path:
    """Where the header and the lines of an episode's current version are.

    Raises:
        CorruptEpisodeError: its log or header cannot be read, or it was removed by an edit.
        SchemaVersionError: another version of tapwright wrote it.
    """
    history = VersionHistory.read(directory, read_header(directory / "episode.json").version)
    place = history.version_directory(history.current)
    if place is None:
        raise CorruptEpisodeError(f"{directory}: the episode was removed by an edit")
    return place


def likely_same(entry: CatalogEntry) -> int:
    """A number that is the same for episodes of the same content, and seldom for others."""
    fields = (entry.task_id, entry.instruction, entry.agent, entry.device, entry.outcome)
    return hash((*fields, entry.screens))


def iterate_entries(
    catalog: Catalog, selection: Selection, also: Condition = EVERY
) -> Iterator[CatalogEntry]:
    """The entries of a selection that meet another condition, too, a page in memory at a time."""
    start = 0
    while True:
        page = catalog.page(selection, also, start, _PAGE)
        yield from page
        if len(page) < _PAGE:
            return
        start += len(page)
