"""GUIAct, of GUICourse: people's steps on web pages and phones, as lists beside their pictures.

https://huggingface.co/datasets/yiye2023/GUIAct; its fields and actions are those of RUCBM/GUICourse
at a6dd4c3, data_preprocess; what is in it was counted by justanotheruser82174/cua-lite at 26025097,
lite/data/preproc/guiact/AGENTS.md and use.py.

    web-single_train_data.json      a list of steps: uid, image_id, image_size, question, thoughts,
    web-multi_train_data.json       actions_label, a list of actions, of phones only one
    smartphone_train_data.json
    …_images.parquet                a picture in each row: its id and its base64
    images/**/<image_id>.png|jpg    the same pictures, where they were written out, or
    images/**/record_…/step_….png   as GUICourse's own converter writes them

A step's number is that of its history, or ends its `uid`; the steps of web-single are one each.
Some names of episodes come twice, for another question or with a better answer: each is an episode.
So do some of pictures, of the training and the test part. Places are the `related` ones, fractions
in a text: "<point>0.1, 0.2</point>", "<box>…</box>", whose centre is touched. An option that is
selected, and a turn by nothing, has no action of ours: the step is refused.
"""

import os
import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TypeAlias

from pydantic import JsonValue, TypeAdapter

from tapwright.core import actions as act
from tapwright.core.episode import Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.formats.claimed_outcomes import claimed_outcome
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import foreign_record, keeping
from tapwright.formats.importers.account import note_file, note_left_out
from tapwright.formats.importers.file_importer import FileImporter, marked_json
from tapwright.formats.importers.parquet_rows import look_at, read_rows
from tapwright.formats.json_items import read_items
from tapwright.formats.temporary_storage import TemporaryStorage

__all__ = ["GUIACT"]

_UID = re.compile(r"uid_(?:record|episode)_(.+)_step_(\d{1,4})", re.ASCII)
_NUMBER = r"\s*(-?[\d.]{1,20})\s*"
_POINT = re.compile(rf"<point>{_NUMBER},{_NUMBER}</point>", re.ASCII)
_BOX = re.compile(rf"<box>{_NUMBER},{_NUMBER},{_NUMBER},{_NUMBER}</box>", re.ASCII)
_STEP = re.compile(r"^step\s+(\d{1,4}):", re.ASCII | re.IGNORECASE | re.MULTILINE)
_CENTER = Point(0.5, 0.5)
_PICTURES = ("*.png", "*.jpg", "*.jpeg")
_ENDS_OF = ("from", "to")
_PLAIN: Mapping[str, act.Action] = {
    "enter": act.PressKey(key="enter"),
    "copy": act.Hotkey(keys=("control", "c")),
    "copy_text": act.Hotkey(keys=("control", "c")),
    "go_back": act.PressKey(key="back"),
    "go_home": act.PressKey(key="home"),
    "task_complete": act.Finish(),
    "task_impossible": act.Finish(outcome="infeasible"),
}
_ENDS: Mapping[str, act.Action] = {
    "task complete": act.Finish(),
    "task impossible": act.Finish(outcome="infeasible"),
}


class _Place(foreign_record.ForeignRecord):
    UNUSED = frozenset({"absolute", "id"})

    related: str = ""


class _Pair(foreign_record.ForeignRecord):
    UNUSED = frozenset({"absolute"})

    related: dict[str, str]


class _Turn(foreign_record.ForeignRecord):
    related: dict[str, str | float]
    absolute: dict[str, str | float] | None = None


class _Action(foreign_record.ForeignRecord):
    name: str
    point: _Place | None = None
    element: _Place | None = None
    dual_point: _Pair | None = None
    scroll: _Turn | None = None
    text: str = ""


class _Record(foreign_record.ForeignRecord):
    UNUSED = frozenset({"image_size", "logs"})

    uid: str
    image_id: str
    question: str
    actions_label: JsonValue
    actions_history: JsonValue = None
    thoughts: str = ""

    @property
    def place(self) -> tuple[str, int]:
        """The name of its episode, and the number of the step there."""
        uid = _UID.fullmatch(self.uid)
        if not isinstance(self.actions_history, str):
            return (uid[1], int(uid[2])) if uid else (self.uid, 0)
        before = [int(number) for number in _STEP.findall(self.actions_history)]
        return uid[1] if uid else self.uid, max(before) + 1 if before else 0


_RECORD, _ACTION = TypeAdapter(_Record), TypeAdapter(_Action)


_Steps: TypeAlias = dict[int, tuple[str, _Record]]
"""The steps of one episode by their numbers, each after its place in the list."""


def _read_file(file: Path) -> Iterator[Episode | UnreadableEpisode]:
    tasks, broken = _read_tasks(file)
    pictures = _Pictures(file, TemporaryStorage())
    for id_, steps in tasks:
        where = f"{file}, {id_}"
        yield foreign_record.read_or_report(
            where, partial(_build_episode, id_, steps, pictures, where)
        )
    yield from broken


def _read_tasks(file: Path) -> tuple[list[tuple[str, _Steps]], list[UnreadableEpisode]]:
    """The episodes of a list, each after its name, and what of it cannot be read."""
    tasks: dict[tuple[str, str], list[_Steps]] = {}
    broken: list[UnreadableEpisode] = []
    note_file(file)
    try:
        for number, item in enumerate(read_items(file)):
            where = f"{file}, item {number}"
            try:
                record = keeping.parse_value(_RECORD, item, where)
            except ForeignDataError as error:
                broken.append(UnreadableEpisode.of(where, error))
                continue
            id_, at = record.place
            attempts = tasks.setdefault((id_, record.question), [])
            if not attempts or at in attempts[-1]:
                attempts.append({})
            attempts[-1][at] = (where, record)
    except (OSError, ValueError, RecursionError) as error:
        reason = f"{file}: not a JSON list: {error}"
        broken.append(UnreadableEpisode(str(file), ForeignDataError.code, reason))
    return [(id_, steps) for (id_, _), attempts in tasks.items() for steps in attempts], broken


class _Pictures:
    """The pictures of a list by their ids: written out beside it, or in its table."""

    def __init__(self, file: Path, storage: TemporaryStorage) -> None:
        self._file, self._storage = file, storage

    def read(self, id_: str) -> Observation:
        """The screen of this id.

        Raises:
            ForeignDataError: there is none.
            BadImageError: it is none.
        """
        uid = _UID.fullmatch(id_)
        name = f"record_{uid[1]}/step_{uid[2]}" if uid else ""
        if (file := self._written.get(id_) or self._written.get(name)) is not None:
            return foreign_record.read_screen(file)
        if id_ not in self._looks:
            raise ForeignDataError(f"{id_[:200]} is not in {self._table} or in images/")
        return self._looks[id_]()

    @cached_property
    def _written(self) -> Mapping[str, Path]:
        """The pictures that were written out; those in folders of this list's own name count."""
        folder, own = self._file.parent, self._file.stem.split("_")
        roots = (folder / "images", folder.parent / "images")
        found = [one for root in roots for one in foreign_record.find_files(root, *_PICTURES)]
        found += [one for pattern in _PICTURES for one in folder.glob(pattern)]
        found.sort(key=lambda one: sum(word in one.parts for word in own))
        return {name: one for one in found for name in (one.stem, f"{one.parent.name}/{one.stem}")}

    @property
    def _table(self) -> Path:
        return self._file.with_name(self._file.name.replace("_data.json", "_images.parquet"))

    @cached_property
    def _looks(self) -> Mapping[str, Callable[[], Observation]]:
        if self._table == self._file or not os.path.isfile(self._table):
            return {}
        looks = {}
        for where, row in read_rows(self._table, ["base64"], ["image_id", "__index_level_0__"]):
            id_ = row.get("image_id") or row.get("__index_level_0__")
            try:
                data = b64decode(str(row["base64"]), validate=True)
            except (Base64Error, ValueError):
                data = b""
            looks[str(id_)] = look_at(data, self._table, self._storage, where)
        return looks


def _build_episode(id_: str, task: _Steps, pictures: _Pictures, where: str) -> Episode:
    numbers = sorted(task)
    first = numbers[0]
    if first:
        note_left_out("steps", where, f"{where}: begins with step {first}", first)
    whole = next((at for at, one in enumerate(numbers) if one != first + at), len(numbers))
    kept = [task[number] for number in numbers[:whole]]
    phone = isinstance(kept[0][1].actions_label, dict)
    steps = keeping.build_steps(
        kept,
        lambda read: pictures.read(read.image_id),
        _build_steps,
        keeping.PHONE if phone else keeping.DESKTOP,
    )
    episode = Episode(
        id=f"guiact-{id_}",
        task_id=kept[0][1].question,
        instruction=kept[0][1].question,
        steps=tuple(steps),
        outcome=claimed_outcome(steps),
        agent="human",
        device="phone" if phone else "web",
    )
    lost = len(numbers) - whole
    gap = f"{where}: step {numbers[whole - 1] + 1} is missing"
    return keeping.cut_short(episode, where, gap, lost) if lost else episode


def _build_steps(seen: keeping.Seen, read: _Record, where: str) -> list[Step]:
    return keeping.keep_steps(
        seen.with_tree(partial(_build_tree, read, where), where),
        partial(_make_steps, read, where),
        recorded=read.actions_label,
        reasoning=read.thoughts,
    )


def _actions(read: _Record, where: str) -> Sequence[_Action]:
    listed = read.actions_label if isinstance(read.actions_label, list) else [read.actions_label]
    return [keeping.parse_value(_ACTION, one, where) for one in listed]


def _build_tree(read: _Record, where: str, size: Size) -> UiTree | None:
    """The elements that are touched, one level deep."""
    boxes = [
        [float(edge) for edge in found.groups()]
        for action in _actions(read, where)
        if action.element is not None and (found := _BOX.search(action.element.related))
    ]
    scale = (size.width, size.height) * 2
    nodes = [
        {
            "clickable": "true",
            "bounds": foreign_record.bounds(
                *(edge * side for edge, side in zip(box, scale, strict=True))
            ),
        }
        for box in boxes
    ]
    return foreign_record.build_flat_tree(nodes, size, where) if nodes else None


def _make_steps(read: _Record, where: str, seen: Observation) -> list[Step]:
    phone = isinstance(read.actions_label, dict)
    actions = [_read_action(one, phone, where) for one in _actions(read, where)]
    if not actions:
        raise ForeignDataError(f"{where}: has no actions")
    return foreign_record.make_steps(seen, actions, read.thoughts)


def _read_action(read: _Action, phone: bool, where: str) -> act.Action:
    name = read.name.lower()
    if name in _PLAIN:
        return _PLAIN[name]
    match name:
        case "click" | "tap":
            return act.Tap(at=_place(read, where))
        case "hover":
            return act.Hover(at=_place(read, where))
        case "input":
            touched = read.point is not None or read.element is not None
            return act.TypeText(text=read.text, at=_place(read, where) if touched else None)
        case "swipe" | "select_text" as kind if read.dual_point is not None:
            start, end = (_point(read.dual_point.related.get(one, ""), where) for one in _ENDS_OF)
            return (
                act.Swipe(start=start, end=end)
                if kind == "swipe"
                else act.Drag(start=start, end=end)
            )
        case "scroll" if read.scroll is not None:
            down, right = (_turn(read.scroll, way, where) for way in ("down", "right"))
            if down or right:
                return act.Scroll(at=_CENTER, dx=right, dy=down)
        case "answer":
            ended = _ENDS.get(read.text.strip().lower()) if phone else None
            return ended or act.Answer(text=read.text)
    raise ForeignDataError(f"{where}: no action of ours stands for {read.name[:60]!r}")


def _turn(scroll: _Turn, way: str, where: str) -> float:
    """Screens to scroll; a hundredth where they were rounded to none, in the way that is known."""
    try:
        turned = float(scroll.related.get(way, 0))
        exact = float((scroll.absolute or {}).get(way, 0))
    except ValueError as error:
        raise ForeignDataError(f"{where}: scrolls {way} by no number") from error
    return turned or (0.01 if exact > 0 else -0.01 if exact < 0 else 0.0)


def _place(read: _Action, where: str) -> Point:
    if read.point is not None and read.point.related:
        return _point(read.point.related, where)
    found = _BOX.search(read.element.related) if read.element is not None else None
    if found is None:
        raise ForeignDataError(f"{where}: {read.name} has no place")
    left, top, right, bottom = (float(edge) for edge in found.groups())
    return Point((left + right) / 2, (top + bottom) / 2)


def _point(text: str, where: str) -> Point:
    found = _POINT.search(text)
    if found is None:
        raise ForeignDataError(f"{where}: {text[:60]!r} is no point")
    return Point(float(found[1]), float(found[2]))


GUIACT = FileImporter(
    "guiact", marked_json(_read_file, b'"actions_label"', b'"image_id"', b'"question"')
)
