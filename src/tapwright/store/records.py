"""What stands in an episode's files: its words as lines of JSON, and back without a loss.

Pictures and trees are no part of a line, which names the files that hold them by their hash.
Half an emoji, which a model that is cut short does write, is kept as the escape that it was.
"""

import hashlib
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from tapwright.actions import Action, RawEvent
from tapwright.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.errors import CorruptEpisodeError, StoreError, first_problem
from tapwright.files.atomic import write_beside
from tapwright.files.jsonl import from_json, json_problem, line_error, split_lines, to_json
from tapwright.geometry import Size
from tapwright.observation import Observation, Orientation, UiTree
from tapwright.screenshot import Screenshot
from tapwright.store.errors import SchemaVersionError
from tapwright.store.states import StoredState, compress, decompress, pack_state

SCHEMA = 2
"""What is written: 2 keeps the large values of a state in files, which 1 had in every line."""

_OLDEST_SCHEMA = 1
_SHA256 = r"^[0-9a-f]{64}$"

T = TypeVar("T")

Files: TypeAlias = Mapping[str, Callable[[], bytes]]
"""The files that a line names: path below the episode's directory -> what makes the bytes."""

Finite = Annotated[float, Field(allow_inf_nan=False)]
Pixels = Annotated[int, Field(ge=1)]
StateFiles = Annotated[
    dict[str, Annotated[str, Field(pattern=_SHA256)]],
    Field(default_factory=dict, exclude_if=lambda files: not files),
]
"""The values of a state that are in files: path in the apps' state -> SHA-256 of the JSON."""


class EpisodeWarning(UserWarning):
    """Something in a store was skipped, and the rest could be read."""


class Record(BaseModel):
    """A line or a file of an episode: unknown fields are refused, and nothing changes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Header(Record):
    """`episode.json`: what is known of an episode before its first step."""

    schema_: int = Field(default=SCHEMA, alias="schema")
    id: str
    task_id: str
    instruction: str
    agent: str
    device: str
    created: str
    version: int = 1
    extra: dict[str, str] = {}
    log: tuple[str, ...] = ()
    state: dict[str, JsonValue] = {}
    state_files: StateFiles


class ObservationRecord(Record):
    """What was seen; `frame` and `ui` name the files that hold picture and tree."""

    frame: Annotated[str, Field(pattern=r"^[0-9a-f]{64}\.(png|jpg|webp)$")]
    width: Pixels
    height: Pixels
    ui: Annotated[str, Field(pattern=_SHA256)] | None = None
    app: str = ""
    orientation: Orientation = "portrait"
    time_s: Finite = 0.0
    stale: bool = False


Known: TypeAlias = Callable[[Observation], ObservationRecord | None]
"""Tells which observations are in the store already, and as what."""


class StepRecord(Record):
    """One line of `steps.jsonl`."""

    type: Literal["step"] = "step"
    observation: ObservationRecord
    action: Action
    reasoning: str = ""
    target: str = ""
    reward: Finite = 0.0
    instructions: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    state: dict[str, JsonValue] = {}
    state_files: StateFiles
    refused: str = ""
    raw: tuple[RawEvent, ...] = ()
    between: tuple[ObservationRecord, ...] = ()
    after: ObservationRecord | None = None
    note: str = ""

    @property
    def screens(self) -> tuple[ObservationRecord, ...]:
        """What `Step.screens` gives, as records."""
        return (self.observation, *self.between, *([] if self.after is None else [self.after]))


class EndRecord(Record):
    """The last line of an episode that ended."""

    type: Literal["end"] = "end"
    outcome: EpisodeOutcome
    final: ObservationRecord | None = None


class UndoRecord(Record):
    """The recorder took back the last step that is still there."""

    type: Literal["undo"] = "undo"


class RedoRecord(Record):
    """The recorder brought back the step that was taken back last."""

    type: Literal["redo"] = "redo"


class NoteRecord(Record):
    """The recorder said something of a step, counted from 0 among those still there."""

    type: Literal["note"] = "note"
    step: Annotated[int, Field(ge=0)]
    note: str


TurnRecord: TypeAlias = UndoRecord | RedoRecord | NoteRecord
"""A line about the lines before it, as only the file of a recording has."""

HEADER = TypeAdapter(Header)
_TURN: TypeAdapter[TurnRecord] = TypeAdapter(Annotated[TurnRecord, Field(discriminator="type")])
_TURNS = tuple(
    f'{{"type":{space}"{kind}"'.encode() for kind in ("undo", "redo", "note") for space in ("", " ")
)
LINE: TypeAdapter[StepRecord | EndRecord] = TypeAdapter(
    Annotated[StepRecord | EndRecord, Field(discriminator="type")]
)


def pack_header(episode: Episode, *, schema: int = SCHEMA) -> tuple[Header, Files]:
    """What stands in an episode's header, and the files that it names; `schema` as `pack_step`.

    Raises:
        ValidationError: it holds what a header cannot.
    """
    files: dict[str, Callable[[], bytes]] = {}
    state, hashes = _pack_state(episode.state, files, schema)
    header = Header(
        schema=schema,
        id=episode.id,
        task_id=episode.task_id,
        instruction=episode.instruction,
        agent=episode.agent,
        device=episode.device,
        created=episode.created,
        version=episode.version,
        extra=dict(episode.extra),
        log=episode.log,
        state=state,
        state_files=hashes,
    )
    return header, files


def pack_step(
    step: Step, known: Known = lambda _: None, *, schema: int = SCHEMA
) -> tuple[StepRecord, Files]:
    """A step as a line, and the files that it names.

    What `known` has a record of is in the store already, and its files are not looked at. A line
    of `schema` 1 holds the whole state.

    Raises:
        ValidationError: it holds what a line cannot, such as a reward that is no number.
        BadImageError: the screenshot is not an image.
    """
    files: dict[str, Callable[[], bytes]] = {}
    state, hashes = _pack_state(step.state, files, schema)
    record = StepRecord(
        observation=_pack(step.observation, files, known),
        action=step.decision.action,
        reasoning=step.decision.reasoning,
        target=step.decision.target,
        reward=step.reward,
        instructions=step.instructions,
        log=step.log,
        state=state,
        state_files=hashes,
        refused=step.refused,
        raw=step.raw,
        between=tuple(_pack(one, files, known) for one in step.between),
        after=None if step.after is None else _pack(step.after, files, known),
        note=step.note,
    )
    return record, files


def pack_end(
    outcome: EpisodeOutcome, final: Observation | None, known: Known = lambda _: None
) -> tuple[EndRecord, Files]:
    """How an episode ended as a line, and the files that it names; otherwise as `pack_step`."""
    files: dict[str, Callable[[], bytes]] = {}
    seen = None if final is None else _pack(final, files, known)
    return EndRecord(outcome=outcome, final=seen), files


def unpack_step(record: StepRecord, directory: Path, load: Callable[[Path], bytes]) -> Step:
    """The step that a line says; `load` reads a file below `directory` when it is looked at."""
    return Step(
        observation=unpack_observation(record.observation, directory, load),
        decision=Decision(record.action, record.reasoning, record.target),
        reward=record.reward,
        instructions=record.instructions,
        log=record.log,
        state=_state(record, directory, load),
        refused=record.refused,
        raw=record.raw,
        between=tuple(unpack_observation(one, directory, load) for one in record.between),
        after=None if record.after is None else unpack_observation(record.after, directory, load),
        note=record.note,
    )


def unpack_observation(
    record: ObservationRecord, directory: Path, load: Callable[[Path], bytes]
) -> Observation:
    """What was seen, as `unpack_step` has it."""
    # Joined as text: joining paths would take most of the time that reading an episode takes.
    frame = f"{directory}/frames/{record.frame}"
    size = Size(record.width, record.height)
    tree = None
    if record.ui is not None:
        ui = f"{directory}/ui/{record.ui}.xml.zst"
        tree = UiTree.lazy(lambda: unpack_tree(load(Path(ui)), ui), size, origin=ui)
    return Observation(
        screenshot=Screenshot.lazy(
            lambda: load(Path(frame)), sha256=record.frame.partition(".")[0], origin=frame
        ),
        size=size,
        ui_tree=tree,
        app=record.app,
        orientation=record.orientation,
        time_s=record.time_s,
        stale=record.stale,
    )


def unpack_episode(
    header: Header,
    lines: Iterable[Step | StepRecord | EndRecord],
    directory: Path,
    load: Callable[[Path], bytes],
) -> Episode:
    """The episode that a header and lines, or steps, say; `load` as `unpack_step` has it."""
    steps: list[Step] = []
    final: Observation | None = None
    outcome: EpisodeOutcome = "unknown"
    for record in lines:
        match record:
            case EndRecord():
                outcome = record.outcome
                if record.final is not None:
                    final = unpack_observation(record.final, directory, load)
            case StepRecord():
                steps.append(unpack_step(record, directory, load))
            case Step():
                steps.append(record)
    return Episode(
        id=header.id,
        task_id=header.task_id,
        instruction=header.instruction,
        steps=tuple(steps),
        final=final,
        outcome=outcome,
        agent=header.agent,
        device=header.device,
        created=header.created,
        version=header.version,
        extra=header.extra,
        log=header.log,
        state=_state(header, directory, load),
    )


def read_episode(directory: Path, place: Path) -> Episode:
    """The version at `place` of the episode in `directory`, whose frames and trees it shares.

    Raises:
        CorruptEpisodeError: a line other than the last is not a record; names file and line.
        SchemaVersionError: another version of tapwright wrote it.
    """
    header = read_header(place / "episode.json")
    return unpack_episode(header, read_lines(place / "steps.jsonl"), directory, read_file)


def read_header(path: Path) -> Header:
    """An episode's header; raises as `read_episode` does."""
    data = read_file(path)
    try:
        found = json.loads(data)
        schema = found.get("schema") if isinstance(found, dict) else None
        if isinstance(schema, int) and not _OLDEST_SCHEMA <= schema <= SCHEMA:
            raise SchemaVersionError(
                f"{path}: schema {schema}; this version of tapwright reads "
                f"schemas {_OLDEST_SCHEMA} to {SCHEMA}",
                hint="pip install --upgrade tapwright",
            )
        return from_json(HEADER, data)
    except (ValueError, RecursionError) as error:
        raise CorruptEpisodeError(
            f"{path}: not an episode's header: {json_problem(error)}"
        ) from error


def read_lines(path: Path) -> Iterator[StepRecord | EndRecord]:
    """What the lines of a `steps.jsonl` say; otherwise as `read_numbered_lines` and `read_line`."""
    for number, line in read_numbered_lines(path):
        yield read_line(line, path, number)


def read_line(line: bytes, path: Path, number: int) -> StepRecord | EndRecord:
    """What a line says, which is the one of that number in `path`, counted from 1.

    Raises:
        CorruptEpisodeError: it is not a record; names file and line.
    """
    try:
        return from_json(LINE, line)
    except (ValueError, RecursionError) as error:
        hint = (
            f"the {number - 1} lines before it are intact; "
            "mend the line or move it to another file, then read again"
        )
        raise line_error(CorruptEpisodeError, path, number, "a step", error, hint) from error


def read_numbered_lines(path: Path) -> list[tuple[int, bytes]]:
    """The lines of a `steps.jsonl` with their numbers from 1, without the steps taken back.

    A half-written last one is skipped with an `EpisodeWarning`.

    Raises:
        CorruptEpisodeError: the file cannot be read, or takes back what is not there.
    """
    lines, torn = split_lines(read_file(path))
    if torn:
        warnings.warn(
            f"{path}, line {len(lines) + 1}: half-written ({len(torn)} bytes), skipped; "
            f"the {len(lines)} lines before it are intact",
            EpisodeWarning,
            stacklevel=2,
        )
    return turned_lines(lines, path).shown


class Lines(NamedTuple):
    """The lines of a `steps.jsonl` after every undo, redo and note; each with its number from 1.

    A redo brings back the last of the `undone`; nothing brings back those that are `gone`.
    """

    shown: list[tuple[int, bytes]]
    undone: list[tuple[int, bytes]]
    gone: list[tuple[int, bytes]]


def turned_lines(lines: Iterable[bytes], path: Path) -> Lines:
    """What became of the lines of `path`.

    Raises:
        CorruptEpisodeError: a line takes back, brings back or notes what is not there.
    """
    shown, undone, gone = turned = Lines([], [], [])
    for number, line in enumerate(lines, start=1):
        if not line.startswith(_TURNS):
            shown.append((number, line))
            gone += undone
            undone.clear()
            continue
        try:
            match from_json(_TURN, line):
                case UndoRecord():
                    undone.append(shown.pop())
                case RedoRecord():
                    shown.append(undone.pop())
                case NoteRecord(step=step, note=note):
                    shown[step] = shown[step][0], _noted(shown[step][1], note)
        except (ValueError, RecursionError, IndexError) as error:
            raise CorruptEpisodeError(
                f"{path}, line {number}: is about a step that is not there, or that is none",
                hint="move the line to another file; every step is intact",
            ) from error
    return turned


def _noted(line: bytes, note: str) -> bytes:
    record = from_json(LINE, line)
    if not isinstance(record, StepRecord):
        raise ValueError("the end of an episode has no note")
    return to_json(record.model_copy(update={"note": note}))


def read_file(path: Path) -> bytes:
    """All that is in a file of an episode.

    Raises:
        CorruptEpisodeError: it cannot be read.
    """
    with reading(path):
        return path.read_bytes()


def write_files(directory: Path, files: Files) -> None:
    """Write the files that a line names, and that are not there yet.

    Raises:
        DiskError: the disk is full or not writable.
    """
    for name, data in files.items():
        if not (directory / name).exists():
            write_beside(directory / name, data())


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Tell every `OSError` as a `CorruptEpisodeError` about `path`."""
    try:
        yield
    except OSError as error:
        raise CorruptEpisodeError(f"{path}: cannot be read: {error.strerror}") from error


@contextmanager
def storable(where: str) -> Iterator[None]:
    """Tell what a line cannot hold as a `StoreError` about `where`."""
    try:
        yield
    except ValidationError as error:
        raise StoreError(f"{where}: cannot be stored: {first_problem(error)}") from error


def _pack(
    observation: Observation, files: dict[str, Callable[[], bytes]], known: Known
) -> ObservationRecord:
    """The record of what was seen; the files that it names are added to `files`."""
    if (found := known(observation)) is not None:
        return found
    shot, tree = observation.screenshot, observation.ui_tree
    frame, ui = f"{shot.sha256}.{shot.extension}", None
    files[f"frames/{frame}"] = lambda: shot.data
    if tree is not None:
        # Unread, so that an episode of any length does not end up in memory.
        xml = tree.unread().xml.encode("utf-8", "surrogatepass")
        ui = hashlib.sha256(xml).hexdigest()
        files[f"ui/{ui}.xml.zst"] = lambda: compress(xml)
    return ObservationRecord(
        frame=frame,
        width=observation.size.width,
        height=observation.size.height,
        ui=ui,
        app=observation.app,
        orientation=observation.orientation,
        time_s=observation.time_s,
        stale=observation.stale,
    )


def unpack_tree(data: bytes, path: str) -> str:
    """The XML of a view hierarchy that a store keeps at `path`.

    Raises:
        CorruptEpisodeError: it is not compressed with zstd, or not text.
    """
    try:
        return decompress(data, path).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise CorruptEpisodeError(f"{path}: not text: {error}") from error


def _pack_state(
    state: Mapping[str, JsonValue], files: dict[str, Callable[[], bytes]], schema: int
) -> tuple[dict[str, JsonValue], dict[str, str]]:
    if schema < 2:
        return dict(state), {}
    inline, hashes = pack_state(state, files)
    return dict(inline), dict(hashes)


def _state(
    record: Header | StepRecord, directory: Path, load: Callable[[Path], bytes]
) -> Mapping[str, JsonValue]:
    if not record.state_files:
        return record.state
    return StoredState(record.state, record.state_files, directory, load)
