"""AgentNet, OpenCUA's demonstrations on desktops: https://github.com/xlang-ai/OpenCUA/tree/1d70f20.

Lines of JSON with an episode in each: `task_id`, `instruction`, and `traj`, a list of an `image`,
the `code` of the actions (`pyautogui.py`) and the `thought` behind it, which becomes the reasoning.
A move of the pointer that only leads to the start of a drag or to the place of the wheel is part of
what comes next. Pictures are searched beside the file and in images/ there.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from tapwright.conventions.pyautogui import CallPointer
from tapwright.core.actions import Action, Drag, Hover, Scroll
from tapwright.core.episode import Episode, EpisodeOutcome, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.formats.claimed_outcomes import claimed_outcome
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers import foreign_record, keeping
from tapwright.formats.importers.dual_point import find_order
from tapwright.formats.importers.file_importer import FileImporter, marked_records
from tapwright.formats.importers.pyautogui import parse_code

_OUTCOMES: Mapping[bool, EpisodeOutcome] = {True: "success", False: "failure"}


class _Value(foreign_record.ForeignRecord):
    UNUSED = frozenset(
        {"observation", "action", "last_step_correct", "last_step_redundant", "reflection"}
    )

    code: str = ""
    thought: str | None = None


class _Step(foreign_record.ForeignRecord):
    index: int | None = None
    image: str = ""
    value: _Value = _Value()


class _Episode(foreign_record.ForeignRecord):
    UNUSED = frozenset(
        {"alignment_score", "efficiency_score", "task_difficulty", "natural_language_task"}
        | {"actual_task", "reason"}
    )

    task_id: str
    instruction: str = ""
    traj: Annotated[list[_Step], Field(min_length=1)]
    task_completed: bool | None = None


_EPISODE = TypeAdapter(_Episode)


def _build_episode(file: Path, line: bytes, where: str) -> Episode:
    read = foreign_record.parse_json(_EPISODE, line, where)
    folders = [file.parent / "images", file.parent]
    length = len(read.traj)
    numbers = [at if step.index is None else step.index for at, step in enumerate(read.traj)]
    order, gap = find_order(numbers, length, where)
    # Places are fractions, whatever the size of the screen.
    pointer = CallPointer(Size(1, 1), "fraction")
    steps = keeping.build_steps(
        ((f"{where}, step {number}", read.traj[number]) for number in order),
        lambda step: foreign_record.find_screen(folders, step.image),
        lambda seen, step, where: keeping.keep_steps(
            seen,
            partial(_make_steps, step.value, pointer, where),
            recorded=step.value.code,
            reasoning=step.value.thought or "",
        ),
        keeping.DESKTOP,
    )
    episode = Episode(
        id=f"agentnet-{read.task_id}",
        task_id=read.task_id,
        instruction=read.instruction or keeping.note_no_instruction(where),
        steps=tuple(steps),
        outcome=claimed_outcome(steps)
        if read.task_completed is None
        else _OUTCOMES[read.task_completed],
        agent="human",
    )
    return keeping.cut_short(episode, where, gap, length - len(order)) if gap else episode


def _make_steps(value: _Value, pointer: CallPointer, where: str, seen: Observation) -> list[Step]:
    actions, log = parse_code(value.code, pointer, where)
    if not actions:
        raise ForeignDataError(f"{where}: its code does nothing")
    return foreign_record.make_steps(seen, join_moves(actions), value.thought or "", log)


def join_moves(actions: Sequence[Action]) -> list[Action]:
    """Drops the pointer moves that only lead to a drag's start or to the wheel's place."""
    return [
        one
        for one, next_ in zip_longest(actions, actions[1:])
        if not (isinstance(one, Hover) and _starts_at(next_, one.at))
    ]


def _starts_at(action: Action | None, at: Point) -> bool:
    match action:
        case Drag(start=start):
            return start == at
        case Scroll(at=place):
            return place == at
        case _:
            return False


AGENTNET = FileImporter("agentnet", marked_records(_build_episode, "traj", "code"))
