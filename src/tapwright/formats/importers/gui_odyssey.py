"""GUI-Odyssey: https://github.com/OpenGVLab/GUI-Odyssey/blob/9ef208d/introduction.md.

    annotations/<episode>.json    screenshots/<picture>

Places are thousandths of the screen. A click may be one of the keys KEY_HOME, KEY_BACK and
KEY_APPSELECT. Its documents call the typing of text TYPE, its files and converter TEXT; IMPOSSIBLE
is INCOMPLETE there. Both are read. The annotator's `intention` becomes the reasoning,
`low_level_instruction` the step's instruction, and
`sam2_bbox`, the touched element found by a segmentation, the only element of the screen.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.core.actions import Action, Finish, LongPress, PressKey, Swipe, Tap, TypeText
from tapwright.core.episode import APPS, Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.errors import OffScreenError
from tapwright.formats.claimed_outcomes import claimed_outcome
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers import foreign_record, keeping
from tapwright.formats.importers.dual_point import find_order
from tapwright.formats.importers.file_importer import FileImporter, marked_json, read_file

_KEYS: Mapping[str, Action] = {
    "KEY_HOME": PressKey(key="home"),
    "KEY_BACK": PressKey(key="back"),
    "KEY_APPSELECT": PressKey(key="recents"),
    "HOME": PressKey(key="home"),
    "BACK": PressKey(key="back"),
}

_Place: TypeAlias = Annotated[list[float], Field(min_length=2, max_length=2)]
_PLACES: TypeAdapter[list[list[float]]] = TypeAdapter(list[_Place])


class _Device(foreign_record.ForeignRecord):
    UNUSED = frozenset({"product", "release_version", "sdk_version", "h", "w"})

    device_name: str = ""


class _Task(foreign_record.ForeignRecord):
    UNUSED = frozenset({"task"})

    meta_task: str = ""
    category: str = ""
    instruction: str = ""
    app: list[str] | str = ""


class _Step(foreign_record.ForeignRecord):
    step: int | None = None
    screenshot: str = ""
    action: str = ""
    info: JsonValue = ""
    ps: JsonValue = ""
    sam2_bbox: list[float] | None = None
    intention: str | None = None
    low_level_instruction: str | None = None


class _Episode(foreign_record.ForeignRecord):
    episode_id: str = ""
    device_info: _Device = _Device()
    task_info: _Task = _Task()
    step_length: int = 0
    steps: Annotated[list[JsonValue], Field(min_length=1)]


_EPISODE, _STEP = TypeAdapter(_Episode), TypeAdapter(_Step)


def _build_episode(file: Path) -> Episode:
    read = foreign_record.parse_json(_EPISODE, foreign_record.read_bytes(file), str(file))
    folders = [file.parent.parent / "screenshots", file.parent / "screenshots", file.parent]
    places = [f"{file}, step {number}" for number in range(len(read.steps))]
    recorded = keeping.parse_steps(_STEP, zip(places, read.steps, strict=True))
    length = max(read.step_length, len(read.steps))
    numbers = [at if step.step is None else step.step for at, step in enumerate(recorded)]
    order, gap = find_order(numbers, length, str(file))
    steps = keeping.build_steps(
        ((places[number], recorded[number]) for number in order),
        lambda step: foreign_record.find_screen(folders, step.screenshot),
        _build_steps,
        keeping.PHONE,
    )
    apps = [read.task_info.app] if isinstance(read.task_info.app, str) else read.task_info.app
    extra = {"category": read.task_info.category, APPS: "\n".join(apps)}
    episode = Episode(
        id=f"gui-odyssey-{read.episode_id or file.stem}",
        task_id=read.task_info.meta_task or read.task_info.instruction,
        instruction=read.task_info.instruction or keeping.note_no_instruction(str(file)),
        steps=tuple(steps),
        outcome=claimed_outcome(steps),
        agent="human",
        device=read.device_info.device_name,
        extra={name: value for name, value in extra.items() if value},
    )
    return keeping.cut_short(episode, str(file), gap, length - len(order)) if gap else episode


def _build_steps(seen: keeping.Seen, read: _Step, where: str) -> list[Step]:
    def make(observation: Observation) -> list[Step]:
        decision = Decision(_parse_action(read, where), read.intention or "")
        return [Step(observation, decision, step_instruction=read.low_level_instruction or "")]

    return keeping.keep_steps(
        seen.with_tree(partial(_build_tree, read, where), where),
        make,
        recorded={"action": read.action, "info": read.info},
        reasoning=read.intention or "",
        instruction=read.low_level_instruction or "",
    )


def _build_tree(read: _Step, where: str, size: Size) -> UiTree | None:
    if not read.sam2_bbox:
        return None
    if len(read.sam2_bbox) != 4 or not all(0 <= edge <= 1000 for edge in read.sam2_bbox):
        raise ForeignDataError(f"{where}: sam2_bbox {read.sam2_bbox} is not four thousandths")
    left, top, right, bottom = (
        round(edge * side / 1000)
        for edge, side in zip(read.sam2_bbox, 2 * (size.width, size.height), strict=True)
    )
    node = {"class": "SAM2", "bounds": foreign_record.bounds(left, top, right, bottom)}
    return foreign_record.build_flat_tree([node], size, where)


def _parse_action(read: _Step, where: str) -> Action:
    match read.action, read.info:
        case (("CLICK" | "LONG_PRESS"), str(key)) if key in _KEYS:
            return _KEYS[key]
        case ("HOME" | "BACK") as key, _:
            return _KEYS[key]
        case "CLICK", _:
            return Tap(at=_parse_points(read.info, 1, where)[0])
        case "LONG_PRESS", _:
            return LongPress(at=_parse_points(read.info, 1, where)[0])
        case "SCROLL", _:
            start, end = _parse_points(read.info, 2, where)
            return Swipe(start=start, end=end)
        case (("TEXT" | "TYPE"), str(text)):
            return TypeText(text=text)
        case ("COMPLETE" | "INCOMPLETE" | "IMPOSSIBLE") as end, _:
            reason = read.ps if isinstance(read.ps, str) else ""
            return Finish(outcome="success" if end == "COMPLETE" else "infeasible", reason=reason)
        case _:
            raise ForeignDataError(
                f"{where}: unknown action {read.action!r} with {str(read.info)[:80]!r}"
            )


def _parse_points(info: JsonValue, number: int, where: str) -> list[Point]:
    try:
        places = _PLACES.validate_python(info)
        if len(places) >= number:  # a click may have its place twice, as touched and lifted
            return [Point(x / 1000, y / 1000) for x, y in places[:number]]
    except (ValueError, OffScreenError) as error:
        reason = str(error) if isinstance(error, OffScreenError) else "not a list of places"
        raise ForeignDataError(f"{where}: {str(info)[:80]}: {reason}") from error
    raise ForeignDataError(f"{where}: {len(places)} places; expected {number}")


GUI_ODYSSEY = FileImporter(
    "gui-odyssey", marked_json(read_file(_build_episode), b'"device_info"', b'"task_info"')
)
