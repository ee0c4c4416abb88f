"""The files of an episode as they are read: its header, and its lines after every undo and note."""

import json
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field, TypeAdapter

from tapwright.core.episode import Episode
from tapwright.errors import CorruptEpisodeError
from tapwright.files.jsonl import from_json, json_problem, line_error, split_lines, to_json
from tapwright.files.regular import read_regular
from tapwright.store import records
from tapwright.store.errors import SchemaVersionError
from tapwright.store.packing import unpack_episode

RECORDED = ("episode.json", "steps.jsonl")
"""The files of a recording, in the directory of its episode."""

_OLDEST_SCHEMA = 1

_REVISION: TypeAdapter[records.RevisionRecord] = TypeAdapter(
    Annotated[records.RevisionRecord, Field(discriminator="type")]
)

_REVISION_STARTS = tuple(
    f'{{"type":{space}"{kind}"'.encode() for kind in ("undo", "redo", "note") for space in ("", " ")
)


def read_episode(directory: Path, place: Path) -> Episode:
    """The version at `place` of the episode in `directory`, whose frames and trees it shares.

    Raises:
        CorruptEpisodeError: a line other than the last is not a record; names file and line.
        SchemaVersionError: another version of tapwright wrote it.
    """
    header = read_header(place / "episode.json")
    return unpack_episode(header, read_lines(place / "steps.jsonl"), directory, read_file)


def read_header(path: Path) -> records.EpisodeHeader:
    """An episode's header; CorruptEpisodeError, SchemaVersionError as `read_episode`."""
    data = read_file(path)
    try:
        found = json.loads(data)
        schema = found.get("schema") if isinstance(found, dict) else None
        if isinstance(schema, int) and not _OLDEST_SCHEMA <= schema <= records.SCHEMA:
            raise SchemaVersionError(
                f"{path}: schema {schema}; this version of tapwright reads "
                f"schemas {_OLDEST_SCHEMA} to {records.SCHEMA}",
                hint="install the newer tapwright that wrote it",
            )
        return from_json(records.HEADER_ADAPTER, data)
    except (ValueError, RecursionError) as error:
        raise CorruptEpisodeError(
            f"{path}: not an episode's header: {json_problem(error)}"
        ) from error


def read_lines(path: Path) -> Iterator[records.StepRecord | records.EndRecord]:
    """The records of a `steps.jsonl`; otherwise as `read_numbered_lines` and `read_line`."""
    for number, line in read_numbered_lines(path):
        yield read_line(line, path, number)


def read_line(line: bytes, path: Path | str, number: int) -> records.StepRecord | records.EndRecord:
    """The record of a line, which is the one of that number in `path`, counted from 1.

    Raises:
        CorruptEpisodeError: it is not a record; names file and line.
    """
    try:
        return from_json(records.LINE_ADAPTER, line)
    except (ValueError, RecursionError) as error:
        hint = (
            f"the {number - 1} lines before it are intact; "
            "mend the line or move it to another file, then read again"
        )
        raise line_error(CorruptEpisodeError, Path(path), number, "a step", error, hint) from error


def read_numbered_lines(path: Path) -> list[tuple[int, bytes]]:
    """The lines of a `steps.jsonl` with their numbers from 1, without the steps undone.

    A half-written last one is skipped with an `EpisodeWarning`.

    Raises:
        CorruptEpisodeError: the file cannot be read, or undoes a step that does not exist.
    """
    lines, torn = split_lines(read_file(path))
    if torn:
        warnings.warn(
            f"{path}, line {len(lines) + 1}: half-written ({len(torn)} bytes), skipped; "
            f"the {len(lines)} lines before it are intact",
            records.EpisodeWarning,
            stacklevel=2,
        )
    return apply_revisions(lines, path).kept


class RevisedLines(NamedTuple):
    """The lines of a `steps.jsonl` after every undo, redo and note; each with its number from 1.

    A redo restores the last of the `undone`; the `dropped` cannot be restored.
    """

    kept: list[tuple[int, bytes]]
    undone: list[tuple[int, bytes]]
    dropped: list[tuple[int, bytes]]


def apply_revisions(lines: Iterable[bytes], path: Path) -> RevisedLines:
    """The lines of `path` after every undo, redo and note.

    Raises:
        CorruptEpisodeError: a line undoes, redoes or notes a step that does not exist.
    """
    kept, undone, dropped = revised = RevisedLines([], [], [])
    for number, line in enumerate(lines, start=1):
        if not line.startswith(_REVISION_STARTS):
            kept.append((number, line))
            dropped += undone
            undone.clear()
            continue
        try:
            match from_json(_REVISION, line):
                case records.UndoRecord():
                    undone.append(kept.pop())
                case records.RedoRecord():
                    kept.append(undone.pop())
                case records.NoteRecord(step=step, note=note):
                    kept[step] = kept[step][0], _add_note(kept[step][1], note)
        except (ValueError, RecursionError, IndexError) as error:
            raise CorruptEpisodeError(
                f"{path}, line {number}: revises a step that does not exist, or is not a step",
                hint="move the line to another file; every step is intact",
            ) from error
    return revised


def _add_note(line: bytes, note: str) -> bytes:
    record = from_json(records.LINE_ADAPTER, line)
    if not isinstance(record, records.StepRecord):
        raise ValueError("the end of an episode has no note")
    return to_json(record.model_copy(update={"note": note}))


def read_file(path: Path | str) -> bytes:
    """The bytes of a file of an episode.

    Raises:
        CorruptEpisodeError: it cannot be read.
    """
    try:
        return read_regular(path)
    except OSError:
        with wrap_read_errors(path):
            raise


@contextmanager
def wrap_read_errors(path: Path | str) -> Iterator[None]:
    """Raise every `OSError` as a `CorruptEpisodeError` about `path`."""
    try:
        yield
    except OSError as error:
        raise CorruptEpisodeError(f"{path}: cannot be read: {error.strerror}") from error
