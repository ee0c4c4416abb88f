"""Episodes on disk: one directory each, written so that a crash at any moment loses nothing.

    <store>/<episode>/
        episode.json              the header, never changed
        steps.jsonl               one line per step, flushed and synced; the last line may end it
        frames/<sha256>.<ext>     the device's own bytes
        ui/<sha256>.xml.zst       the view hierarchy

Files are written beside and renamed; the step's line comes last, so a line that can be read has
all that it names. A half-written last line is what a killed writer leaves: it is skipped, with an
`EpisodeWarning`. A bad line anywhere else is an error that names file and line.
"""

import errno
import hashlib
import json
import os
import re
import secrets
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Annotated, Literal, Self

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tapwright.actions import Action, RawEvent
from tapwright.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.errors import (
    BadIdError,
    CorruptEpisodeError,
    DiskError,
    EpisodeExistsError,
    EpisodeMissingError,
    SchemaVersionError,
    StoreError,
)
from tapwright.geometry import Size
from tapwright.observation import Observation, Orientation, UiTree
from tapwright.screenshot import Screenshot

__all__ = ["SCHEMA", "EpisodeStore", "EpisodeWarning", "EpisodeWriter", "directory_name", "new_id"]

SCHEMA = 1
_MAX_ID = 1000
_MAX_TREE_BYTES = 256_000_000
_PLAIN_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}", re.ASCII)
_SHA256 = r"^[0-9a-f]{64}$"


class EpisodeWarning(UserWarning):
    """Something in a store was skipped, and the rest could be read."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Header(_Record):
    schema_: Annotated[int, Field(alias="schema")] = SCHEMA
    id: str
    task_id: str
    instruction: str
    agent: str
    device: str
    created: str
    version: int = 1


class _ObservationRecord(_Record):
    frame: Annotated[str, Field(pattern=r"^[0-9a-f]{64}\.(png|jpg|webp)$")]
    width: int
    height: int
    ui: Annotated[str, Field(pattern=_SHA256)] | None = None
    app: str = ""
    orientation: Orientation = "portrait"
    time_s: float = 0.0
    stale: bool = False


class _StepRecord(_Record):
    type: Literal["step"] = "step"
    observation: _ObservationRecord
    action: Action
    reasoning: str = ""
    target: str = ""
    reward: float = 0.0
    instructions: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    refused: str = ""
    raw: tuple[RawEvent, ...] = ()


class _EndRecord(_Record):
    type: Literal["end"] = "end"
    outcome: EpisodeOutcome
    final: _ObservationRecord | None = None


_LINE: TypeAdapter[_StepRecord | _EndRecord] = TypeAdapter(
    Annotated[_StepRecord | _EndRecord, Field(discriminator="type")]
)


def new_id() -> str:
    """A fresh id: 12 characters of time in milliseconds, so ids sort by age, and 8 of chance."""
    return f"{int(time.time() * 1000):012x}{secrets.token_hex(4)}"


def directory_name(id_: str) -> str:
    """The file name under which an id is stored; different ids never share one.

    Plain ids (lower case, digits, "._-") are their own name. Any other id, in whatever script,
    becomes what is plain in it, then "~" and a hash, so that it can never be a path.

    Raises:
        BadIdError: the id is empty, longer than 1000 characters, or holds a control character.
    """
    if not id_ or len(id_) > _MAX_ID:
        raise BadIdError(f"an id of {len(id_)} characters; expected 1 to {_MAX_ID}")
    if any(ord(char) < 32 or ord(char) == 127 or 0xD800 <= ord(char) < 0xE000 for char in id_):
        raise BadIdError(f"the id {id_[:60]!r} holds a control character")
    if _PLAIN_NAME.fullmatch(id_):
        return id_
    slug = re.sub(r"[^a-z0-9]+", "-", id_.lower(), flags=re.ASCII).strip("-")[:40]
    return f"{slug or 'id'}~{hashlib.sha256(id_.encode()).hexdigest()[:24]}"


class EpisodeStore:
    """The episodes below one directory, which is made when the first is written."""

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)

    def create(
        self,
        *,
        task_id: str,
        instruction: str,
        agent: str,
        device: str,
        id: str | None = None,
    ) -> "EpisodeWriter":
        """Begin an episode; its header is on disk before this returns.

        Raises:
            EpisodeExistsError: the store has an episode of this id.
            DiskError: the disk is full or not writable.
        """
        header = _Header(
            id=id or new_id(),
            task_id=task_id,
            instruction=instruction,
            agent=agent,
            device=device,
            created=datetime.now(UTC).isoformat(timespec="milliseconds"),
        )
        target = self.root / directory_name(header.id)
        if target.exists():
            raise EpisodeExistsError(f"{target}: the store has an episode {header.id!r} already")
        beside = self.root / f".{target.name}.{secrets.token_hex(4)}.part"
        with _disk(target):
            for folder in ("frames", "ui"):
                (beside / folder).mkdir(parents=True)
            _write_synced(beside / "episode.json", header.model_dump_json(by_alias=True).encode())
            beside.rename(target)
            _sync_directory(self.root)
        return EpisodeWriter(target, header.id)

    def write(self, episode: Episode) -> None:
        """Store a whole episode, under its own id.

        Raises:
            EpisodeExistsError: the store has an episode of this id.
        """
        with self.create(
            task_id=episode.task_id,
            instruction=episode.instruction,
            agent=episode.agent,
            device=episode.device,
            id=episode.id,
        ) as writer:
            for step in episode.steps:
                writer.append(step)
            writer.finish(episode.outcome, episode.final)

    def ids(self) -> list[str]:
        """The ids of all episodes, in the order in which they were made."""
        headers = (_read_header(path) for path in self._directories())
        return [header.id for header in sorted(headers, key=lambda header: header.created)]

    def __contains__(self, id_: str) -> bool:
        return (self.root / directory_name(id_) / "episode.json").is_file()

    def read(self, id_: str) -> Episode:
        """An episode; its screenshots and trees are loaded when they are looked at.

        Raises:
            EpisodeMissingError: the store has none of this id.
            CorruptEpisodeError: a line other than the last is not a record; names file and line.
            SchemaVersionError: another version of tapwright wrote it.
        """
        directory = self.root / directory_name(id_)
        if not (directory / "episode.json").exists():
            raise EpisodeMissingError(
                f"{self.root}: no episode {id_!r}", hint=f"tapwright episodes ls {self.root}"
            )
        return _read_episode(directory)

    def __iter__(self) -> Iterator[Episode]:
        for id_ in self.ids():
            yield self.read(id_)

    def _directories(self) -> Iterator[Path]:
        if not self.root.is_dir():
            return
        for path in sorted(self.root.iterdir()):
            if not path.name.startswith(".") and (path / "episode.json").is_file():
                yield path


class EpisodeWriter:
    """Appends steps to one episode. A step is on disk when `append` returns.

    As a context manager it closes the file; it does not end the episode, `finish` does.
    """

    def __init__(self, directory: Path, id_: str) -> None:
        self.id = id_
        self.directory = directory
        self._file = (directory / "steps.jsonl").open("ab", buffering=0)
        self._ended = False

    def append(self, step: Step) -> None:
        """Write one step durably; when it fails, the steps before are as they were.

        Raises:
            DiskError: the disk is full or not writable.
            BadImageError: the screenshot is not an image.
        """
        self._write(
            _StepRecord(
                observation=self._observe(step.observation),
                action=step.decision.action,
                reasoning=step.decision.reasoning,
                target=step.decision.target,
                reward=step.reward,
                instructions=step.instructions,
                log=step.log,
                refused=step.refused,
                raw=step.raw,
            )
        )

    def finish(self, outcome: EpisodeOutcome, final: Observation | None = None) -> None:
        """End the episode: how it went, and the screen that the last action led to."""
        self._write(
            _EndRecord(outcome=outcome, final=self._observe(final) if final is not None else None)
        )
        self._ended = True

    def close(self) -> None:
        """Close the file; more than once is allowed."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _write(self, record: _StepRecord | _EndRecord) -> None:
        if self._ended:
            raise StoreError(f"{self.directory}: the episode has ended and takes no more steps")
        data = record.model_dump_json().encode() + b"\n"
        length = os.fstat(self._file.fileno()).st_size
        with _disk(self.directory / "steps.jsonl"):
            try:
                written = self._file.write(data)
                if written != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(self._file.fileno())
            except OSError:
                os.ftruncate(self._file.fileno(), length)
                raise

    def _observe(self, observation: Observation) -> _ObservationRecord:
        shot, tree = observation.screenshot, observation.ui_tree
        frame = f"{shot.sha256}.{shot.extension}"
        _write_beside(self.directory / "frames" / frame, lambda: shot.data)
        ui = None
        if tree is not None:
            xml = tree.xml.encode("utf-8", "surrogatepass")
            ui = hashlib.sha256(xml).hexdigest()
            _write_beside(
                self.directory / "ui" / f"{ui}.xml.zst",
                lambda: pa.Codec("zstd", compression_level=3).compress(xml, asbytes=True),
            )
        return _ObservationRecord(
            frame=frame,
            width=observation.size.width,
            height=observation.size.height,
            ui=ui,
            app=observation.app,
            orientation=observation.orientation,
            time_s=observation.time_s,
            stale=observation.stale,
        )


def _read_episode(directory: Path) -> Episode:
    header = _read_header(directory)
    steps: list[Step] = []
    end: _EndRecord | None = None
    for record in _read_lines(directory / "steps.jsonl"):
        match record:
            case _EndRecord():
                end = record
            case _StepRecord():
                steps.append(_step(record, directory))
    return Episode(
        id=header.id,
        task_id=header.task_id,
        instruction=header.instruction,
        steps=tuple(steps),
        final=_observation(end.final, directory) if end and end.final else None,
        outcome=end.outcome if end else "unknown",
        agent=header.agent,
        device=header.device,
        created=header.created,
        version=header.version,
    )


def _read_header(directory: Path) -> _Header:
    path = directory / "episode.json"
    try:
        found = json.loads(path.read_bytes())
        schema = found.get("schema") if isinstance(found, dict) else None
        if isinstance(schema, int) and schema != SCHEMA:
            raise SchemaVersionError(
                f"{path}: schema {schema}; this version of tapwright reads schema {SCHEMA}",
                hint="pip install --upgrade tapwright",
            )
        return _Header.model_validate(found)
    except (ValueError, ValidationError) as error:
        raise CorruptEpisodeError(f"{path}: not an episode's header: {_first(error)}") from error


def _read_lines(path: Path) -> Iterator[_StepRecord | _EndRecord]:
    if not path.exists():
        return
    data = path.read_bytes()
    lines = data.split(b"\n")
    torn = lines.pop()
    for number, line in enumerate(lines, start=1):
        try:
            yield _LINE.validate_json(line)
        except ValidationError as error:
            raise CorruptEpisodeError(
                f"{path}, line {number}: not a step: {_first(error)}",
                hint=f"the {number - 1} lines before it are intact; "
                "mend the line or move it to another file, then read again",
            ) from error
    if torn:
        warnings.warn(
            f"{path}, line {len(lines) + 1}: half-written ({len(torn)} bytes), skipped; "
            f"the {len(lines)} lines before it are intact",
            EpisodeWarning,
            stacklevel=2,
        )


def _step(record: _StepRecord, directory: Path) -> Step:
    return Step(
        observation=_observation(record.observation, directory),
        decision=Decision(record.action, record.reasoning, record.target),
        reward=record.reward,
        instructions=record.instructions,
        log=record.log,
        refused=record.refused,
        raw=record.raw,
    )


def _observation(record: _ObservationRecord, directory: Path) -> Observation:
    frame = directory / "frames" / record.frame
    size = Size(record.width, record.height)
    tree = None
    if record.ui is not None:
        path = directory / "ui" / f"{record.ui}.xml.zst"
        tree = UiTree.lazy(lambda: _read_tree(path), size, origin=str(path))
    return Observation(
        screenshot=Screenshot.lazy(
            lambda: _read_blob(frame), sha256=record.frame.partition(".")[0], origin=str(frame)
        ),
        size=size,
        ui_tree=tree,
        app=record.app,
        orientation=record.orientation,
        time_s=record.time_s,
        stale=record.stale,
    )


def _read_blob(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CorruptEpisodeError(f"{path}: cannot be read: {error.strerror}") from error


def _read_tree(path: Path) -> str:
    data = _read_blob(path)
    try:
        stream = pa.CompressedInputStream(pa.BufferReader(data), "zstd")
        xml = bytes(stream.read(_MAX_TREE_BYTES))
        return xml.decode("utf-8", "surrogatepass")
    except (OSError, UnicodeDecodeError) as error:
        raise CorruptEpisodeError(f"{path}: not zstd-packed XML: {error}") from error


def _first(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        detail = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in detail["loc"])
        return f"{place}: {detail['msg']}" if place else detail["msg"]
    return str(error)


@contextmanager
def _disk(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise DiskError(
            f"{path}: cannot be written: {reason}",
            hint="what was written before is intact; free some space or choose another directory",
        ) from error


def _write_beside(path: Path, data: Callable[[], bytes]) -> None:
    if path.exists():
        return
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    with _disk(path):
        try:
            _write_synced(beside, data())
            beside.rename(path)
        except OSError:
            beside.unlink(missing_ok=True)
            raise
        _sync_directory(path.parent)


def _write_synced(path: Path, data: bytes) -> None:
    with path.open("wb", buffering=0) as file:
        if file.write(data) != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(file.fileno())


def _sync_directory(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
