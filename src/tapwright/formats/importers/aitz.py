"""AITZ, Android in the Zoo: https://github.com/IMNearth/CoAT/tree/9ab1a9f.

One JSON list per episode, beside its pictures. A step has the fields of Android in the Wild
(`dual_point.py`), some of them JSON in a string, and four texts that a model wrote about it, of
which the thought becomes the reasoning, and the action's description the step's instruction. Lists
without these texts are read too, among them those of CAGUI, AgentCPM-GUI's Chinese phones
(https://huggingface.co/datasets/OpenBMB/CAGUI), whose boxes are fractions.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from pydantic import JsonValue, TypeAdapter, ValidationError

from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.errors import first_problem
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.dual_point import (
    StepRecord,
    build_detector_tree,
    count_in_order,
    group_by_episode,
    parse_action,
)
from tapwright.formats.importers.foreign_record import (
    ForeignRecord,
    count_fields,
    find_files,
    head_contains,
    parse_json,
    read_or_report,
    read_screen,
    resolve_file,
)
from tapwright.formats.importers.keeping import (
    PHONE,
    Seen,
    cut_short,
    keep_steps,
    see_screens,
)
from tapwright.formats.json_items import read_items
from tapwright.formats.outcomes import claimed_outcome


class _Step(ForeignRecord):
    UNUSED = frozenset(
        {"coat_screen_desc", "coat_action_result", "image_width", "image_height", "duration"}
    )

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
    ui_text: str | None = None
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
    read, problem = _parse_steps(parts)
    where, first = parts[0].where, read[0]
    length = max(first.episode_length, len(parts))
    whole, gap = count_in_order([one.step_id for one in read], length, where)
    looks = (
        (part.where, partial(_read_screen, file, one))
        for one, part in zip(read, parts, strict=False)
    )
    steps = [
        step
        for seen, one, part in zip(see_screens(looks, PHONE)[:whole], read, parts, strict=False)
        for step in _build_steps(seen, one, part.where)
    ]
    episode = Episode(
        id=f"aitz-{first.episode_id}",
        task_id=first.instruction,
        instruction=first.instruction,
        steps=tuple(steps),
        outcome=claimed_outcome(steps),
        agent="human",
    )
    return cut_short(episode, where, problem or gap, length - whole) if gap else episode


def _parse_steps(parts: Sequence[StepRecord[JsonValue]]) -> tuple[list[_Step], str]:
    """The steps up to one that cannot be read, and why not."""
    read: list[_Step] = []
    for part in parts:
        try:
            read.append(_parse_step(part.content, part.where))
        except ForeignDataError as error:
            if not read:
                raise
            return read, str(error)
    return read, ""


def _read_screen(file: Path, read: _Step) -> Observation:
    return read_screen(resolve_file([file.parent], PurePosixPath(read.image_path).name))


def _parse_step(item: JsonValue, where: str) -> _Step:
    if not isinstance(item, dict):
        raise ForeignDataError(f"{where}: found {type(item).__name__}; expected an object")
    try:
        read = _STEP.validate_python(item)
    except ValidationError as error:
        raise ForeignDataError(f"{where}: {first_problem(error)}") from error
    count_fields(read)
    return read


def _build_steps(seen: Seen, read: _Step, where: str) -> list[Step]:
    def make(observation: Observation) -> list[Step]:
        action, raw = parse_action(
            read.result_action_type,
            read.result_action_text,
            parse_json(_NUMBERS, read.result_touch_yx, f"{where}, result_touch_yx"),
            parse_json(_NUMBERS, read.result_lift_yx, f"{where}, result_lift_yx"),
            where,
        )
        decision = Decision(action, read.coat_action_think)
        return [Step(observation, decision, raw=raw, step_instruction=read.coat_action_desc)]

    recorded = {name: value for name, value in read if name.startswith("result_")}
    return keep_steps(
        seen.with_tree(partial(_build_tree, read, where), where),
        make,
        recorded=recorded,
        reasoning=read.coat_action_think,
        instruction=read.coat_action_desc,
    )


def _build_tree(read: _Step, where: str, size: Size) -> UiTree | None:
    boxes = parse_json(_BOXES, read.ui_positions, f"{where}, ui_positions")
    if read.ui_text is None:  # as CAGUI has them: fractions, and no words
        scale = (size.height, size.width) * 2
        boxes = [[edge * side for edge, side in zip(box, scale, strict=False)] for box in boxes]
        none = [""] * len(boxes)
        return build_detector_tree(boxes, none, none, size, where)
    return build_detector_tree(
        boxes,
        parse_json(_TEXTS, read.ui_text, f"{where}, ui_text"),
        parse_json(_TEXTS, read.ui_types, f"{where}, ui_types"),
        size,
        where,
    )


AITZ = Aitz()
