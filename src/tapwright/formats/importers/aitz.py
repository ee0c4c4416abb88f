"""AITZ, Android in the Zoo: https://github.com/IMNearth/CoAT/tree/9ab1a9f.

One JSON list per episode, beside its pictures. A step has the fields of Android in the Wild
(`dual_point.py`), some of them JSON in a string, and four texts that a model wrote about it, of
which the thought becomes the reasoning, and the action's description the step's instruction. Lists
without these texts are read too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

from pydantic import JsonValue, TypeAdapter, ValidationError

from tapwright.core.episode import Decision, Episode, Step
from tapwright.errors import first_problem
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.dual_point import (
    StepRecord,
    build_detector_tree,
    check_step_order,
    group_by_episode,
    parse_action,
)
from tapwright.formats.importers.foreign_record import (
    ForeignRecord,
    find_files,
    head_contains,
    parse_json,
    read_or_report,
    read_screen,
    resolve_file,
)
from tapwright.formats.json_items import read_items
from tapwright.formats.outcomes import claimed_outcome


class _Step(ForeignRecord):
    episode_id: str
    episode_length: int
    step_id: int
    instruction: str
    result_action_type: int
    result_action_text: str
    result_touch_yx: str
    result_lift_yx: str
    image_path: str
    ui_positions: str = "[]"
    ui_text: str = "[]"
    ui_types: str = "[]"
    coat_action_think: str = ""
    coat_action_desc: str = ""


_STEP = TypeAdapter(_Step)
_NUMBERS: TypeAdapter[Sequence[float]] = TypeAdapter(list[float])
_BOXES: TypeAdapter[Sequence[Sequence[float]]] = TypeAdapter(list[list[float]])
_TEXTS: TypeAdapter[Sequence[str]] = TypeAdapter(list[str])


class Aitz:
    """Reads AITZ episodes."""

    name = "aitz"

    def recognizes(self, path: Path) -> bool:
        """Whether a file starts like a list of its steps."""
        return head_contains(path, ".json", b'"result_action_type"')

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the episodes in a file, or in the .json files below a directory.

        Raises:
            ForeignDataError: no such file exists.
        """
        found = False
        for file in find_files(path, "*.json"):
            found = True
            yield from read_file(file)
        if not found:
            raise ForeignDataError(f"{path}: no .json file in it")


def read_file(file: Path) -> Iterator[Episode | UnreadableEpisode]:
    """Yields the episodes of one list."""
    broken: list[UnreadableEpisode] = []
    for parts in group_by_episode(_read_step_records(file, broken)):
        if not broken:
            yield read_or_report(parts[0].where, partial(_build_episode, file, parts))
    yield from broken


def _read_step_records(
    file: Path, broken: list[UnreadableEpisode]
) -> Iterator[StepRecord[JsonValue]]:
    try:
        for number, item in enumerate(read_items(file)):
            id_ = item.get("episode_id") if isinstance(item, dict) else None
            yield StepRecord(str(id_), f"{file}, item {number}", item)
    except (OSError, ValueError, RecursionError) as error:
        # The last episode is incomplete.
        reason = f"{file}: not a JSON list: {error}"
        broken.append(UnreadableEpisode(str(file), ForeignDataError.code, reason))


def _build_episode(file: Path, parts: Sequence[StepRecord[JsonValue]]) -> Episode:
    read = [_parse_step(part.content, part.where) for part in parts]
    where, first = parts[0].where, read[0]
    check_step_order([one.step_id for one in read], first.episode_length, where)
    steps = tuple(_build_step(file, one, part.where) for one, part in zip(read, parts, strict=True))
    return Episode(
        id=f"aitz-{first.episode_id}",
        task_id=first.instruction,
        instruction=first.instruction,
        steps=steps,
        outcome=claimed_outcome(steps),
        agent="human",
    )


def _parse_step(item: JsonValue, where: str) -> _Step:
    if not isinstance(item, dict):
        raise ForeignDataError(f"{where}: found {type(item).__name__}; expected an object")
    try:
        return _STEP.validate_python(item)
    except ValidationError as error:
        raise ForeignDataError(f"{where}: {first_problem(error)}") from error


def _build_step(file: Path, read: _Step, where: str) -> Step:
    observation = read_screen(resolve_file([file.parent], PurePosixPath(read.image_path).name))
    action, raw = parse_action(
        read.result_action_type,
        read.result_action_text,
        parse_json(_NUMBERS, read.result_touch_yx, f"{where}, result_touch_yx"),
        parse_json(_NUMBERS, read.result_lift_yx, f"{where}, result_lift_yx"),
        where,
    )
    tree = build_detector_tree(
        parse_json(_BOXES, read.ui_positions, f"{where}, ui_positions"),
        parse_json(_TEXTS, read.ui_text, f"{where}, ui_text"),
        parse_json(_TEXTS, read.ui_types, f"{where}, ui_types"),
        observation.size,
        where,
    )
    return Step(
        replace(observation, ui_tree=tree),
        Decision(action, read.coat_action_think),
        raw=raw,
        step_instruction=read.coat_action_desc,
    )


AITZ = Aitz()
