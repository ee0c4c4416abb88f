"""Mobile-Env's recordings in the form of its pickles: a head, then one record per event.

Follows `wrappers/recorder_wrapper.py` and `pkl_tools/resave_pickles.py` of
https://github.com/X-LANCE/Mobile-Env/tree/976145e, and the schema of its documentation, which has
other number types. A record holds the event and the screen *after* it; of one that is bad in part
the rest is kept (`importers.keeping`). A recorder's file holds any
number of lists of records; a file of `resave` one dictionary of `meta` and `trajectories`.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, get_args

import numpy as np

from tapwright.core.actions import Lift, RawEvent, Repeat, Token, Touch
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, Orientation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.errors import OffScreenError, TapwrightError
from tapwright.formats import temporary_storage
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.account import note_left_out
from tapwright.formats.importers.keeping import PHONE, see_screens
from tapwright.formats.mobile_env.gestures import fold_events
from tapwright.formats.pickles.read import read_pickles
from tapwright.formats.pickles.values import Array
from tapwright.formats.pickles.write import Picklable

__all__ = [
    "EventRecord", "TaskVocabularies", "TaskVocabulary", "Trajectory", "build_head",
    "build_records", "read_trajectories", "view_records",
]  # fmt: skip

T = TypeVar("T")

_ORIENTATIONS: tuple[Orientation, ...] = get_args(Orientation)
"""In the order of Android's numbers: quarter turns from 0."""
_TOUCH, _LIFT, _REPEAT, _TEXT = range(4)


@dataclass(frozen=True, slots=True)
class TaskVocabulary:
    """A task's file name without suffix, and its vocabulary."""

    name: str
    tokens: Sequence[str]


TaskVocabularies: TypeAlias = Mapping[str, TaskVocabulary]
"""Vocabularies by the id that the task declares."""


@dataclass(frozen=True, slots=True)
class EventRecord:
    """An event with its reward and instructions, and the screen after it.

    `fault` is why the event cannot be read; a pause that has its reward and instructions is then in
    its place.
    """

    event: RawEvent
    observation: Observation
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One recorded attempt: the first screen, and its records in order.

    `task_id` and `task_name` are declared by the task, `definition` is the name of its file, which
    recorders do not know. `commands` is None where the head has none.
    """

    task_id: str
    task_name: str
    commands: tuple[str, ...] | None
    first: Observation
    records: tuple[EventRecord, ...]
    definition: str = ""
    annotator: str = ""


def read_trajectories(
    path: Path, vocabularies: TaskVocabularies | None, storage: temporary_storage.TemporaryStorage
) -> Iterator[Trajectory | UnreadableEpisode]:
    """Yields the trajectories of a recorder's file or of a resaved one, as each pickle is complete.

    With `vocabularies`, tokens recorded by number are looked up, and a trajectory of a task that is
    not among them is unreadable. Pictures and hierarchies lie in `storage`.

    Raises:
        ForeignDataError: nothing in the file can be read.
    """
    numbers = count()
    meta: Mapping[str, object] = {}
    with temporary_storage.open_encoder_pool() as pool:
        values = read_pickles(path, temporary_storage.TemporaryValues(path, pool, storage))
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
                yield UnreadableEpisode.of(where, error)
                return
            for records in several:
                where = f"{path}, trajectory {next(numbers)}"
                try:
                    yield _parse_trajectory(records, meta, vocabularies, where)
                except TapwrightError as error:
                    if error.fatal:
                        raise
                    yield UnreadableEpisode.of(where, error)


def _split_pickle(
    value: Any, meta: Mapping[str, object], path: Path
) -> tuple[Mapping[str, object], list[object]]:
    """Returns the `meta` that applies from a pickle on, and the trajectories in it."""
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
    """Builds the head record, with the recorder's keys and types; `annotator` is our own."""
    head: dict[str, Picklable] = {"task_id": trajectory.task_id, "task": trajectory.task_name}
    if trajectory.commands is not None:
        head["command"] = list(trajectory.commands)
    if trajectory.annotator:
        head["annotator"] = trajectory.annotator
    return head | _observation_fields(trajectory.first)


def build_records(records: Iterable[EventRecord]) -> Iterator[dict[str, Picklable]]:
    """Yields the step records, with the recorder's keys and types."""
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
        yield values | _observation_fields(record.observation)


def _touch_position(at: Point) -> Array:
    # A browser's JSON has no "1.0", so the recorder receives whole numbers at the corners.
    whole = at.x.is_integer() and at.y.is_integer()
    return np.array([at.x, at.y], np.int64 if whole else np.float64)


def _observation_fields(observation: Observation) -> dict[str, Picklable]:
    return {
        "observation": np.asarray(observation.screenshot.image()),
        "view_hierarchy": None if observation.ui_tree is None else observation.ui_tree.unread().xml,
        "orientation": np.int64(_ORIENTATIONS.index(observation.orientation)),
    }


def _parse_trajectory(
    records: object, meta: Mapping[str, object], vocabularies: TaskVocabularies | None, where: str
) -> Trajectory:
    if not isinstance(records, list) or not records:
        raise ForeignDataError(f"{where}: {_describe_value(records)}; expected a list of records")
    head = _Fields(_as_record(records[0], where), f"{where}, record 0")
    task_id = head.text("task_id")
    vocabulary = None
    if vocabularies is not None:
        vocabulary = vocabularies.get(task_id)
        if vocabulary is None:
            raise ForeignDataError(
                f"{where}: is of the task {task_id!r}, which no definition declares",
                hint="give the directory that holds the task's .textproto",
            )
    named = meta.get("task_definition_id", "")
    fields = [head] + [
        _Fields(record if isinstance(record, dict) else {}, f"{where}, record {number}")
        for number, record in enumerate(records[1:], start=1)
    ]
    first, *screens = see_screens(((one.where, one.observation) for one in fields), PHONE)
    read = tuple(
        _parse_record(one, number, seen.observation, vocabulary)
        for number, (one, seen) in enumerate(zip(fields[1:], screens, strict=True), start=1)
    )
    if read and all(record.fault for record in read):
        raise ForeignDataError(f"{where}, {read[0].fault}")
    return Trajectory(
        task_id=task_id,
        task_name=head.text("task"),
        commands=head.texts("command") if "command" in head.values else None,
        first=first.observation,
        records=read,
        definition=vocabulary.name if vocabulary else named if isinstance(named, str) else "",
        annotator=head.text("annotator") if "annotator" in head.values else "",
    )


def _as_record(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ForeignDataError(f"{where}, record 0: {_describe_value(value)}; expected a record")
    return value


def _parse_record(
    fields: "_Fields", number: int, screen: Observation, vocabulary: TaskVocabulary | None
) -> EventRecord:
    silence: tuple[str, ...] = ()
    feedback: dict[str, Any] = {
        "reward": fields.keep("reward", fields.number, 0.0),
        "instructions": fields.keep("instruction", fields.texts, silence),
    }
    try:
        return EventRecord(
            _Fields(fields.values, f"record {number}").event(vocabulary, feedback), screen
        )
    except ForeignDataError as error:
        return EventRecord(Repeat(**feedback), screen, str(error))


@dataclass(frozen=True, slots=True)
class _Fields:
    """A record's values by Mobile-Env's names; `where` is its place in errors."""

    values: Mapping[str, Any]
    where: str

    def event(self, vocabulary: TaskVocabulary | None, feedback: Mapping[str, Any]) -> RawEvent:
        match self.integer("action_type"):
            case 0:
                return Touch(at=self.point("touch_position"), **feedback)
            case 1:
                return Lift(**feedback)
            case 2:
                return Repeat(**feedback)
            case 3:
                return self.token(vocabulary, feedback)
            case 4:
                raise self.wrong(
                    "action_type", "an adb command, whose text the recorder did not keep"
                )
            case other:
                raise self.wrong("action_type", f"{other}, expected Mobile-Env's 0 to 3")

    def keep(self, name: str, read: Callable[[str], T], otherwise: T) -> T:
        """What `read` makes of a value; `otherwise` where there is none, or, noted, a bad one."""
        if name not in self.values:
            return otherwise
        try:
            return read(name)
        except ForeignDataError as error:
            note_left_out("fields", f"{self.where}: {name}", str(error))
            return otherwise

    def wrong(self, name: str, found: str) -> ForeignDataError:
        return ForeignDataError(f"{self.where}: {name} is {found}")

    def get(self, name: str) -> object:
        if name not in self.values:
            raise ForeignDataError(f"{self.where}: has no {name!r}")
        return self.values[name]

    def text(self, name: str) -> str:
        value = self.get(name)
        if isinstance(value, temporary_storage.StoredText):
            return value.load()
        if not isinstance(value, str):
            raise self.wrong(name, f"{_describe_value(value)}; expected a text")
        return str(value)

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.get(name)
        if isinstance(
            value, str | temporary_storage.StoredText
        ):  # as edit_pickle.py leaves an instruction
            return (self.text(name),)
        if not isinstance(value, list):
            raise self.wrong(name, f"{_describe_value(value)}; expected a list of texts")
        return tuple(_Fields({name: one}, self.where).text(name) for one in value)

    def integer(self, name: str) -> int:
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

    def token(self, vocabulary: TaskVocabulary | None, feedback: Mapping[str, Any]) -> Token:
        if isinstance(self.get("input_token"), str | temporary_storage.StoredText):
            return Token(text=self.text("input_token"), **feedback)
        index = self.integer("input_token")
        if vocabulary is None:
            return Token(index=index, **feedback)
        if not 0 <= index < len(vocabulary.tokens):
            raise self.wrong(
                "input_token",
                f"{index}; the vocabulary of {vocabulary.name!r} has the numbers "
                f"0 to {len(vocabulary.tokens) - 1}",
            )
        return Token(text=vocabulary.tokens[index], index=index, **feedback)

    def observation(self) -> Observation:
        value = self.get("observation")
        if isinstance(value, temporary_storage.StoredPicture):
            screenshot, size = value.screenshot()
        elif isinstance(value, np.ndarray):
            data, size = temporary_storage.encode_png(value, self.where)
            screenshot = Screenshot(data)
        else:
            raise self.wrong("observation", f"{_describe_value(value)}; expected an array")
        tree = self.keep("view_hierarchy", partial(self._tree, size), None)
        orientation = self.keep("orientation", self._orientation, _ORIENTATIONS[0])
        return Observation(screenshot, size, tree, orientation=orientation)

    def _tree(self, size: Size, name: str) -> UiTree | None:
        match self.values[name]:
            case temporary_storage.StoredText(load=load):
                return UiTree.lazy(load, size, origin=self.where)
            case str(xml):
                return UiTree(xml, size, origin=self.where)
            case None:
                return None
            case other:
                raise self.wrong(name, f"{_describe_value(other)}; expected XML or None")

    def _orientation(self, name: str) -> Orientation:
        turns = self.integer(name)
        if not 0 <= turns < len(_ORIENTATIONS):
            raise self.wrong(name, f"{turns}; expected 0 to 3")
        return _ORIENTATIONS[turns]


def _describe_value(value: object) -> str:
    """Describes a value in a few words, for errors."""
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


def view_records(path: Path) -> list[Episode | UnreadableEpisode]:
    """The trajectories of a pickle, in their order; step n of each is record n + 1.

    An id is what the original names a folder of frames: "task:trajectory%trajectories#records".

    Raises:
        ForeignDataError: nothing in the file can be read.
    """
    found = list(read_trajectories(path, None, temporary_storage.TemporaryStorage()))
    return [
        one if isinstance(one, UnreadableEpisode) else _view(one, number, len(found))
        for number, one in enumerate(found)
    ]


def _view(trajectory: Trajectory, number: int, of: int) -> Episode:
    records = trajectory.records
    steps = tuple(
        Step(
            record.observation,
            Decision(fold_events([record.event])),
            reward=record.event.reward,
            instructions=record.event.instructions,
            refused=record.fault,
            raw=(record.event,),
        )
        for record in records
    )
    task = (trajectory.definition or trajectory.task_id).replace("/", "_")
    return Episode(
        id=f"{task}:{number}%{of}#{len(records) + 1}",
        task_id=trajectory.task_id,
        instruction="\n".join(_commands(trajectory)),
        steps=steps,
        agent=trajectory.annotator,
    )


def _commands(trajectory: Trajectory) -> Sequence[str]:
    return trajectory.commands or (trajectory.task_name,)
