"""Mobile-Env's recordings as they are in its pickles: a head, then one record per event.

Follows `wrappers/recorder_wrapper.py` and `pkl_tools/resave_pickles.py` of
https://github.com/X-LANCE/Mobile-Env/tree/976145e, and the schema of its documentation, which has
other number types. A record holds the event and the screen *after* it. A recorder's file holds any
number of lists of records; a file of `resave` one dictionary of `meta` and `trajectories`.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias, get_args

import numpy as np

from tapwright.actions import Lift, RawEvent, Repeat, Token, Touch
from tapwright.errors import OffScreenError, TapwrightError
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.pickles.read import Array, read_pickles
from tapwright.formats.pickles.write import Picklable
from tapwright.formats.temporary_storage import (
    StoredPicture,
    StoredText,
    TemporaryStorage,
    TemporaryValues,
    encode_png,
    open_encoder_pool,
)
from tapwright.geometry import Point
from tapwright.observation import Observation, Orientation, UiTree
from tapwright.screenshot import Screenshot

__all__ = [
    "EventRecord",
    "TaskVocabularies",
    "TaskVocabulary",
    "Trajectory",
    "build_head",
    "build_records",
    "read_trajectories",
]

_ORIENTATIONS: tuple[Orientation, ...] = get_args(Orientation)
"""In the order of Android's numbers: quarter turns from 0."""
_TOUCH, _LIFT, _REPEAT, _TEXT = range(4)


@dataclass(frozen=True, slots=True)
class TaskVocabulary:
    """What is needed of a task's definition: its file's name without suffix, and its words."""

    name: str
    vocabulary: Sequence[str]


TaskVocabularies: TypeAlias = Mapping[str, TaskVocabulary]
"""Definitions by the id that the task declares."""


@dataclass(frozen=True, slots=True)
class EventRecord:
    """An event with what the task said then, and the screen after it."""

    event: RawEvent
    seen: Observation


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One recorded attempt: the screen at first, and its records in order.

    `task_id` and `task_name` are what the task declares, `definition` the name of its file, which
    recorders do not know. `commands` is None where the head says none.
    """

    task_id: str
    task_name: str
    commands: tuple[str, ...] | None
    first: Observation
    records: tuple[EventRecord, ...]
    definition: str = ""
    annotator: str = ""


def read_trajectories(
    path: Path, definitions: TaskVocabularies | None, spool: TemporaryStorage
) -> Iterator[Trajectory | UnreadableEpisode]:
    """The trajectories of a recorder's file or of a resaved one, as each pickle is complete.

    With `definitions`, words known by their number are looked up in the task's vocabulary, and a
    trajectory of a task that is not among them cannot be read. Pictures and hierarchies lie in
    `spool`.

    Raises:
        ForeignDataError: nothing in the file can be read.
    """
    numbers = count()
    meta: Mapping[str, object] = {}
    with open_encoder_pool() as pool:
        values = read_pickles(path, TemporaryValues(path, pool, spool))
        while True:
            try:
                value = next(values)
                meta, several = _split_pickle(value, meta, path)
            except StopIteration:
                return
            except ForeignDataError as error:
                number = next(numbers)
                if number == 0:
                    raise
                where = f"{path}, from trajectory {number} on"
                yield UnreadableEpisode(where, error.code, str(error))
                return
            for records in several:
                where = f"{path}, trajectory {next(numbers)}"
                try:
                    yield _parse_trajectory(records, meta, definitions, where)
                except TapwrightError as error:
                    if error.fatal:
                        raise
                    yield UnreadableEpisode(where, error.code, str(error))


def _split_pickle(
    value: Any, meta: Mapping[str, object], path: Path
) -> tuple[Mapping[str, object], list[object]]:
    """What one pickle of a file holds: the `meta` that holds from it on, and its trajectories."""
    match value:
        case {"meta": dict(), "trajectories": list()}:
            return value["meta"], value["trajectories"]
        case {"otask_id": _}:  # a resave that was killed leaves this, then each list
            return value, []
        case list():
            return meta, [value]
    raise ForeignDataError(
        f"{path}: a pickle of {_describe_value(value)}; expected Mobile-Env's list of records, "
        "or a dictionary of meta and trajectories"
    )


def build_head(trajectory: Trajectory) -> dict[str, Picklable]:
    """The head record, with the keys and types of the recorder; `annotator` is our own."""
    head: dict[str, Picklable] = {"task_id": trajectory.task_id, "task": trajectory.task_name}
    if trajectory.commands is not None:
        head["command"] = list(trajectory.commands)
    if trajectory.annotator:
        head["annotator"] = trajectory.annotator
    return head | _observation_fields(trajectory.first)


def build_records(records: Iterable[EventRecord]) -> Iterator[dict[str, Picklable]]:
    """The step records, with the keys and types of the recorder; one at a time."""
    for record in records:
        event = record.event
        values: dict[str, Picklable] = {}
        match event:
            case Touch(at=at):
                values = {"action_type": _TOUCH, "touch_position": _touch_position(at)}
            case Lift():
                values = {"action_type": _LIFT}
            case Repeat():
                values = {"action_type": _REPEAT}
            case Token(text=text, index=index):
                values = {"action_type": _TEXT, "input_token": index if text is None else text}
        values["reward"] = event.reward
        if event.instructions:
            values["instruction"] = list(event.instructions)
        yield values | _observation_fields(record.seen)


def _touch_position(at: Point) -> Array:
    # A browser's JSON has no "1.0", so that the recorder gets whole numbers at the corners.
    whole = at.x.is_integer() and at.y.is_integer()
    return np.array([at.x, at.y], np.int64 if whole else np.float64)


def _observation_fields(seen: Observation) -> dict[str, Picklable]:
    return {
        "observation": np.asarray(seen.screenshot.image()),
        "view_hierarchy": None if seen.ui_tree is None else seen.ui_tree.unread().xml,
        "orientation": np.int64(_ORIENTATIONS.index(seen.orientation)),
    }


def _parse_trajectory(
    records: object, meta: Mapping[str, object], definitions: TaskVocabularies | None, where: str
) -> Trajectory:
    if not isinstance(records, list) or not records:
        raise ForeignDataError(f"{where}: {_describe_value(records)}; expected a list of records")
    head = _Fields(records[0], f"{where}, record 0")
    task_id = head.text("task_id")
    definition = None
    if definitions is not None:
        definition = definitions.get(task_id)
        if definition is None:
            raise ForeignDataError(
                f"{where}: is of the task {task_id!r}, which no definition declares",
                hint="give the directory that holds the task's .textproto",
            )
    named = meta.get("task_definition_id", "")
    return Trajectory(
        task_id=task_id,
        task_name=head.text("task"),
        commands=head.texts("command") if "command" in head.values else None,
        first=head.seen(),
        records=tuple(
            _parse_record(_Fields(record, f"{where}, record {number}"), definition)
            for number, record in enumerate(records[1:], start=1)
        ),
        definition=definition.name if definition else named if isinstance(named, str) else "",
        annotator=head.text("annotator") if "annotator" in head.values else "",
    )


def _parse_record(fields: "_Fields", definition: TaskVocabulary | None) -> EventRecord:
    said: dict[str, Any] = {
        "reward": fields.number("reward") if "reward" in fields.values else 0.0,
        "instructions": fields.texts("instruction") if "instruction" in fields.values else (),
    }
    event: RawEvent
    match fields.whole("action_type"):
        case 0:
            event = Touch(at=fields.point("touch_position"), **said)
        case 1:
            event = Lift(**said)
        case 2:
            event = Repeat(**said)
        case 3:
            event = fields.token(definition, said)
        case 4:
            raise fields.wrong(
                "action_type", "an adb command, whose words the recorder did not keep"
            )
        case other:
            raise fields.wrong("action_type", f"{other}, which is none of Mobile-Env's (0 to 3)")
    return EventRecord(event, fields.seen())


@dataclass(frozen=True, slots=True)
class _Fields:
    """A record's values, by Mobile-Env's names; `where` it stands is told when one is wrong."""

    values: Mapping[str, Any]
    where: str

    def __post_init__(self) -> None:
        if not isinstance(self.values, dict):
            raise ForeignDataError(
                f"{self.where}: {_describe_value(self.values)}; expected a record"
            )

    def wrong(self, name: str, found: str) -> ForeignDataError:
        return ForeignDataError(f"{self.where}: {name} is {found}")

    def get(self, name: str) -> object:
        if name not in self.values:
            raise ForeignDataError(f"{self.where}: has no {name!r}")
        return self.values[name]

    def text(self, name: str) -> str:
        value = self.get(name)
        if isinstance(value, StoredText):
            return value.load()
        if not isinstance(value, str):
            raise self.wrong(name, f"{_describe_value(value)}; expected a text")
        return str(value)

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.get(name)
        if isinstance(value, str | StoredText):  # as edit_pickle.py leaves an instruction
            return (self.text(name),)
        if not isinstance(value, list):
            raise self.wrong(name, f"{_describe_value(value)}; expected a list of texts")
        return tuple(_Fields({name: one}, self.where).text(name) for one in value)

    def whole(self, name: str) -> int:
        value = self.get(name)
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
            raise self.wrong(name, f"{_describe_value(value)}; expected a whole number")
        return int(value)

    def number(self, name: str) -> float:
        value = self.get(name)
        if not isinstance(value, int | float | np.number) or not math.isfinite(value):
            raise self.wrong(name, f"{_describe_value(value)}; expected a finite number")
        return float(value)

    def point(self, name: str) -> Point:
        value = self.get(name)
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
            value = value.tolist()
        match value:
            case [int() | float() as x, int() | float() as y]:
                try:
                    return Point(float(x), float(y))
                except OffScreenError as error:
                    raise self.wrong(name, f"[{x}, {y}]; expected fractions from 0 to 1") from error
        raise self.wrong(name, f"{_describe_value(value)}; expected x and y")

    def token(self, definition: TaskVocabulary | None, said: Mapping[str, Any]) -> Token:
        if isinstance(self.get("input_token"), str | StoredText):
            return Token(text=self.text("input_token"), **said)
        index = self.whole("input_token")
        if definition is None:
            return Token(index=index, **said)
        if not 0 <= index < len(definition.vocabulary):
            raise self.wrong(
                "input_token",
                f"{index}; the vocabulary of {definition.name!r} has the numbers "
                f"0 to {len(definition.vocabulary) - 1}",
            )
        return Token(text=definition.vocabulary[index], index=index, **said)

    def seen(self) -> Observation:
        value = self.get("observation")
        if isinstance(value, StoredPicture):
            screenshot, size = value.screenshot()
        elif isinstance(value, np.ndarray):
            data, size = encode_png(value, self.where)
            screenshot = Screenshot(data)
        else:
            raise self.wrong("observation", f"{_describe_value(value)}; expected an array")
        xml = self.values.get("view_hierarchy")
        tree = None
        match xml:
            case StoredText(load=load):
                tree = UiTree.lazy(load, size, origin=self.where)
            case str():
                tree = UiTree(xml, size, origin=self.where)
            case None:
                pass
            case _:
                raise self.wrong("view_hierarchy", f"{_describe_value(xml)}; expected XML or None")
        turns = self.whole("orientation") if "orientation" in self.values else 0
        if not 0 <= turns < len(_ORIENTATIONS):
            raise self.wrong("orientation", f"{turns}; expected 0 to 3")
        return Observation(screenshot, size, tree, orientation=_ORIENTATIONS[turns])


def _describe_value(value: object) -> str:
    """What a value is, in a few words."""
    match value:
        case None | bool() | int() | float() | np.generic():
            return f"{value}"
        case str():
            return repr(value[:60])
        case list() | dict() | tuple():
            return f"a {type(value).__name__} of {len(value)}"
        case np.ndarray(shape=shape):
            return f"an array of {shape}"
    return f"a {type(value).__name__}"
