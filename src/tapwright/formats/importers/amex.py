"""AMEX: people's demonstrations on Android, a JSON file for each, beside the pictures.

    instruction_anno/<name>.json    episode_id, instruction, steps
    screenshot/<picture>.png
    element_anno/<picture>.json     clickable_elements and scrollable_elements: bbox, xml_desc

https://huggingface.co/datasets/Yuxiang007/AMEX; fields, places (pixels of the picture) and actions
as ZJULiHongxin/UIPro at 8ea2b233 reads them, utils/data_utils/make_amex_data. LearnGUI has the same
files, one folder deeper (instruction_anno/instruction_anno). The package in front is the app of a
step.
"""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.core.actions import Action, Finish, PressKey, Swipe, Tap, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.formats.claimed_outcomes import claimed_outcome
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers import foreign_record, keeping
from tapwright.formats.importers.file_importer import FileImporter, marked_json, read_file

__all__ = ["AMEX"]

_PLAIN: Mapping[str, Action] = {
    "PRESS_BACK": PressKey(key="back"),
    "PRESS_HOME": PressKey(key="home"),
    "PRESS_ENTER": PressKey(key="enter"),
    "TASK_COMPLETE": Finish(),
    "TASK_IMPOSSIBLE": Finish(outcome="infeasible"),
}


class _Step(foreign_record.ForeignRecord):
    UNUSED = frozenset({"step_id", "device_dim", "need_human_check", "interest_region"})

    image_path: str = ""
    action: str = ""
    touch_coord: list[float] | None = None
    lift_coord: list[float] | None = None
    type_text: str | None = None
    package_name: str | None = None


class _Episode(foreign_record.ForeignRecord):
    episode_id: str = ""
    instruction: str = ""
    steps: Annotated[list[JsonValue], Field(min_length=1)]


class _Element(foreign_record.ForeignRecord):
    UNUSED = frozenset({"functionality"})

    bbox: Annotated[list[float], Field(min_length=4, max_length=4)]
    xml_desc: list[str] | None = None


class _Elements(foreign_record.ForeignRecord):
    UNUSED = frozenset({"image_path", "device_dim"})

    clickable_elements: list[_Element] = Field(default_factory=list)
    scrollable_elements: list[_Element] = Field(default_factory=list)


_STEP, _EPISODE, _ELEMENTS = TypeAdapter(_Step), TypeAdapter(_Episode), TypeAdapter(_Elements)


def _build_episode(file: Path) -> Episode:
    read = foreign_record.parse_json(_EPISODE, foreign_record.read_bytes(file), str(file))
    roots = [file.parent.parent, file.parent.parent.parent]
    folders = [root / name for root in roots for name in ("screenshot", "screenshots")]
    folders.append(file.parent)
    places = [f"{file}, step {number}" for number in range(len(read.steps))]
    recorded = keeping.parse_steps(_STEP, zip(places, read.steps, strict=True))
    steps = keeping.build_steps(
        zip(places, recorded, strict=True),
        lambda step: foreign_record.find_screen(folders, step.image_path),
        partial(_build_steps, roots),
        keeping.PHONE,
    )
    id_ = read.episode_id or file.stem
    return Episode(
        id=f"amex-{id_}",
        task_id=id_,
        instruction=read.instruction or keeping.note_no_instruction(str(file)),
        steps=tuple(steps),
        outcome=claimed_outcome(steps),
        agent="human",
    )


def _build_steps(roots: Sequence[Path], seen: keeping.Seen, read: _Step, where: str) -> list[Step]:
    def make(observation: Observation) -> list[Step]:
        return [Step(observation, Decision(_read_action(read, observation.size, where)))]

    name = f"{Path(read.image_path).stem}.json"
    listed = (
        root / folder / name
        for root in roots
        for folder in ("element_anno", "element_anno/element_anno")
    )
    if (elements := next((one for one in listed if os.path.isfile(one)), None)) is not None:
        seen = seen.with_tree(partial(_build_tree, elements), where)
    seen = seen.with_app(read.package_name or "")
    recorded: JsonValue = {
        "action": read.action,
        "touch_coord": list[JsonValue](read.touch_coord or []),
        "lift_coord": list[JsonValue](read.lift_coord or []),
    }
    return keeping.keep_steps(seen, make, recorded=recorded)


def _build_tree(file: Path, size: Size) -> UiTree | None:
    read = foreign_record.parse_json(_ELEMENTS, foreign_record.read_bytes(file), str(file))
    kinds = (("clickable", read.clickable_elements), ("scrollable", read.scrollable_elements))
    nodes = [
        {
            "text": " ".join(element.xml_desc or ()),
            kind: "true",
            "bounds": foreign_record.bounds(*element.bbox),
        }
        for kind, elements in kinds
        for element in elements
    ]
    return foreign_record.build_flat_tree(nodes, size, str(file)) if nodes else None


def _read_action(read: _Step, size: Size, where: str) -> Action:
    if read.action in _PLAIN:
        return _PLAIN[read.action]
    match read.action:
        case "TAP":
            return Tap(at=_point(read.touch_coord, size, where))
        case "SWIPE":
            start, end = (_point(xy, size, where) for xy in (read.touch_coord, read.lift_coord))
            return Swipe(start=start, end=end)
        case "TYPE":
            return TypeText(text=read.type_text or "")
    raise ForeignDataError(f"{where}: unknown action {read.action[:60]!r}")


def _point(xy: Sequence[float] | None, size: Size, where: str) -> Point:
    if xy is None or len(xy) != 2:
        raise ForeignDataError(f"{where}: the place {xy} is not x, y")
    return foreign_record.pixel_center(xy[0], xy[1], size)


AMEX = FileImporter(
    "amex",
    marked_json(read_file(_build_episode), b'"episode_id"', b'"touch_coord"', b'"image_path"'),
)
