"""AITZ, Android in the Zoo: https://github.com/IMNearth/CoAT/tree/9ab1a9f.

One JSON list per episode, beside its pictures. A step has the fields of Android in the Wild
(`dual_point.py`), some of them JSON in a string, and four texts that a model wrote about it, of
which the thought becomes the reasoning, and the action's description the step's instruction.

Lists without these texts are read too: those of CAGUI, AgentCPM-GUI's Chinese phones
(https://huggingface.co/datasets/OpenBMB/CAGUI; its fields, counted, in
justanotheruser82174/cua-lite at 26025097, lite/data/preproc/cagui/AGENTS.md), and those that
AgentCPM-GUI makes of AndroidControl, GUI-Odyssey and AITZ itself (OpenBMB/AgentCPM-GUI at acbaf509,
eval/eval_data). Their boxes are fractions, and they have a `duration` in milliseconds.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from pydantic import JsonValue, TypeAdapter

from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.formats.claimed_outcomes import claimed_outcome
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import dual_point, foreign_record, keeping
from tapwright.formats.importers.file_importer import FileImporter, marked_json
from tapwright.formats.json_items import read_items


class _Step(foreign_record.ForeignRecord):
    UNUSED = frozenset(
        {"coat_screen_desc", "coat_action_result", "image_width", "image_height", "image_channels"}
        | {"subset"}
    )

    episode_id: str | int = ""
    episode_length: int = 0
    step_id: int | None = None
    instruction: str = ""
    result_action_type: int | None = None
    result_action_text: str = ""
    result_touch_yx: str = "[-1, -1]"
    result_lift_yx: str = "[-1, -1]"
    image_path: str = ""
    ui_positions: str = "[]"
    ui_text: str | None = None
    ui_types: str = "[]"
    coat_action_think: str = ""
    coat_action_desc: str = ""
    low_instruction: str = ""
    duration: float | None = None

    @property
    def words(self) -> str:
        """What to do in this step."""
        return self.coat_action_desc or self.low_instruction


_STEP = TypeAdapter(_Step)
_LARGEST_FRACTION = 1.5
"""Boxes that are a little off the screen are fractions; those in pixels are larger."""
_NUMBERS: TypeAdapter[Sequence[float]] = TypeAdapter(list[float])
_BOXES: TypeAdapter[Sequence[Sequence[float]]] = TypeAdapter(list[list[float]])
_TEXTS: TypeAdapter[Sequence[str]] = TypeAdapter(list[str])


def read_list(file: Path) -> Iterator[Episode | UnreadableEpisode]:
    """Yields the episodes of one list."""
    broken: list[UnreadableEpisode] = []
    for parts in dual_point.group_by_episode(_read_step_records(file, broken)):
        end = broken[0].reason if broken else ""
        yield foreign_record.read_or_report(
            parts[0].where, partial(_build_episode, file, parts, end)
        )
    yield from broken


def _read_step_records(
    file: Path, broken: list[UnreadableEpisode]
) -> Iterator[dual_point.StepRecord[JsonValue]]:
    try:
        id_: JsonValue = file.stem
        for number, item in enumerate(read_items(file)):
            # What names no episode is of the one before.
            named = item.get("episode_id") if isinstance(item, dict) else None
            id_ = id_ if named in (None, "") else named
            yield dual_point.StepRecord(str(id_), f"{file}, item {number}", item)
    except (OSError, ValueError, RecursionError) as error:
        reason = f"{file}: not a JSON list: {error}"
        broken.append(UnreadableEpisode(str(file), ForeignDataError.code, reason))


def _build_episode(
    file: Path, parts: Sequence[dual_point.StepRecord[JsonValue]], end: str
) -> Episode:
    """The episode of these steps, of which the last may be those before the list's `end`."""
    recorded = keeping.parse_steps(_STEP, ((part.where, part.content) for part in parts))
    where, first = parts[0].where, recorded[0]
    length = max(first.episode_length, len(parts))
    numbers = [at if one.step_id is None else one.step_id for at, one in enumerate(recorded)]
    order, gap = dual_point.find_order(numbers, length, where)
    steps = keeping.build_steps(
        ((parts[number].where, recorded[number]) for number in order),
        lambda one: foreign_record.find_screen([file.parent], PurePosixPath(one.image_path).name),
        _build_steps,
        keeping.PHONE,
    )
    episode = Episode(
        id=f"aitz-{parts[0].episode}",
        task_id=first.instruction,
        instruction=first.instruction or keeping.note_no_instruction(where),
        steps=tuple(steps),
        outcome=claimed_outcome(steps),
        agent="human",
    )
    return keeping.cut_short(episode, where, end or gap, length - len(order)) if gap else episode


def _build_steps(seen: keeping.Seen, read: _Step, where: str) -> list[Step]:
    def make(observation: Observation) -> list[Step]:
        if read.result_action_type is None:
            raise ForeignDataError(f"{where}: names no action")
        action, raw = dual_point.parse_action(
            read.result_action_type,
            read.result_action_text,
            foreign_record.parse_json(_NUMBERS, read.result_touch_yx, f"{where}, result_touch_yx"),
            foreign_record.parse_json(_NUMBERS, read.result_lift_yx, f"{where}, result_lift_yx"),
            where,
            read.duration,
        )
        decision = Decision(action, read.coat_action_think)
        return [Step(observation, decision, raw=raw, step_instruction=read.words)]

    recorded = {name: value for name, value in read if name.startswith("result_")}
    return keeping.keep_steps(
        seen.with_tree(partial(_build_tree, read, where), where),
        make,
        recorded=recorded,
        reasoning=read.coat_action_think,
        instruction=read.words,
    )


def _build_tree(read: _Step, where: str, size: Size) -> UiTree | None:
    boxes = foreign_record.parse_json(_BOXES, read.ui_positions, f"{where}, ui_positions")
    if all(edge <= _LARGEST_FRACTION for box in boxes for edge in box):
        scale = (size.height, size.width) * 2
        boxes = [[edge * side for edge, side in zip(box, scale, strict=False)] for box in boxes]
    if read.ui_text is None:
        none = [""] * len(boxes)
        return dual_point.build_detector_tree(boxes, none, none, size, where)
    return dual_point.build_detector_tree(
        boxes,
        foreign_record.parse_json(_TEXTS, read.ui_text, f"{where}, ui_text"),
        foreign_record.parse_json(_TEXTS, read.ui_types, f"{where}, ui_types"),
        size,
        where,
    )


AITZ = FileImporter("aitz", marked_json(read_list, b'"result_action_type"'))
