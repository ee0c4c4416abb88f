"""AgentNetBench, OpenCUA's offline benchmark, as episodes: one JSON file for each trajectory.

https://github.com/xlang-ai/OpenCUA/tree/1d70f20/evaluation/agentnetbench

    <root>/<task_id>.json    a trajectory: `high_level_task_description`, and `steps`
    <root>/images/           the pictures that its steps name

A step's actions are its `ground_truth_actions`, by which the benchmark scores; its `action`, the
code of a person's demonstration, is read where there are none. Places are fractions. The boxes of
the elements that may be touched become a hierarchy one level deep. Steps that upstream left out
leave holes in `step_num`. Other options of a step are not read.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.pyautogui import CallPointer
from tapwright.core.actions import Action
from tapwright.core.episode import Episode, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.formats.claimed_outcomes import claimed_outcome
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers import foreign_record, keeping
from tapwright.formats.importers.agentnet import join_moves
from tapwright.formats.importers.file_importer import FileImporter, marked_json, read_file
from tapwright.formats.importers.pyautogui import parse_code, to_actions

_COMPUTER = frozenset({"tripleClick", "wait", "terminate"})
_ARGUMENTS: Mapping[str, str] = {"text": "message", "content": "message", "amount": "clicks"}
_Box: TypeAlias = Annotated[list[float], Field(min_length=4, max_length=4)]


class _Element(foreign_record.ForeignRecord):
    rel_bbox: _Box | None = None


class _Metadata(foreign_record.ForeignRecord):
    bboxes: tuple[_Element, ...] = ()


class _Truth(foreign_record.ForeignRecord):
    type: str = ""
    params: dict[str, JsonValue] = Field(default_factory=dict)
    metadata: _Metadata = _Metadata()


class _Monologue(foreign_record.ForeignRecord):
    thought: str | None = None


class _Step(foreign_record.ForeignRecord):
    image: str = ""
    ground_truth_actions: tuple[_Truth, ...] = ()
    action: str = ""
    inner_monologue: _Monologue = _Monologue()


class _Trajectory(foreign_record.ForeignRecord):
    task_id: str = ""
    high_level_task_description: str = ""
    user_task_description: str | None = None
    steps: Annotated[list[_Step], Field(min_length=1)]


_TRAJECTORY = TypeAdapter(_Trajectory)


def _build_episode(file: Path) -> Episode:
    read = foreign_record.parse_json(_TRAJECTORY, foreign_record.read_bytes(file), str(file))
    folders = [file.parent / "images", file.parent]
    pointer = CallPointer(Size(1, 1), "fraction")
    steps = keeping.build_steps(
        ((f"{file}, step {number}", step) for number, step in enumerate(read.steps)),
        lambda step: foreign_record.find_screen(folders, step.image),
        lambda seen, step, where: keeping.keep_steps(
            seen.with_tree(partial(_build_tree, step, where), where),
            partial(_make_steps, step, pointer, where),
            recorded=step.action or [one.type for one in step.ground_truth_actions],
            reasoning=step.inner_monologue.thought or "",
        ),
        keeping.DESKTOP,
    )
    extra = {}
    if read.user_task_description is not None:
        extra["user_task_description"] = read.user_task_description
    id_ = read.task_id or file.stem
    return Episode(
        id=f"agentnetbench-{id_}",
        task_id=id_,
        instruction=read.high_level_task_description or keeping.note_no_instruction(str(file)),
        steps=tuple(steps),
        outcome=claimed_outcome(steps),
        agent="human",
        extra=extra,
    )


def _make_steps(step: _Step, pointer: CallPointer, where: str, seen: Observation) -> list[Step]:
    actions, log = _parse_step(step, pointer, where)
    if not actions:
        raise ForeignDataError(f"{where}: has no actions")
    return foreign_record.make_steps(
        seen, join_moves(actions), step.inner_monologue.thought or "", log
    )


def _parse_step(step: _Step, pointer: CallPointer, where: str) -> tuple[list[Action], list[str]]:
    if not step.ground_truth_actions:
        return parse_code(step.action, pointer, where)
    actions: list[Action] = []
    log: list[str] = []
    for number, truth in enumerate(step.ground_truth_actions):
        call = _to_call(truth)
        actions += to_actions(call, pointer, f"{where}, action {number}")
        if truth.type.endswith("scroll"):
            log.append(f"{call.name}({call.named.get('clicks')})")
    return actions, log


def _to_call(truth: _Truth) -> ParsedCall:
    """The call that an action stands for; its place is nested there."""
    family = "computer" if truth.type in _COMPUTER else "pyautogui"
    arguments: dict[str, JsonValue] = {}
    for name, value in truth.params.items():
        if name == "position" and isinstance(value, dict):
            arguments |= {axis: value.get(axis) for axis in ("x", "y")}
        else:
            arguments[_ARGUMENTS.get(name, name)] = value
    return ParsedCall(f"{family}.{truth.type}", (), arguments)


def _build_tree(step: _Step, where: str, size: Size) -> UiTree | None:
    """The boxes that may be touched: left, top, width and height in fractions."""
    nodes = [
        {"clickable": "true", "bounds": _edges(box, size)}
        for truth in step.ground_truth_actions
        for box in (element.rel_bbox for element in truth.metadata.bboxes)
        if box is not None
    ]
    return foreign_record.build_flat_tree(nodes, size, where) if nodes else None


def _edges(box: Sequence[float], size: Size) -> str:
    left, top, width, height = box
    ends = ((left + width) * size.width, (top + height) * size.height)
    return foreign_record.bounds(left * size.width, top * size.height, *ends)


AGENTNETBENCH = FileImporter(
    "agentnetbench",
    marked_json(read_file(_build_episode), b'"high_level_task_description"', b'"steps"'),
)
