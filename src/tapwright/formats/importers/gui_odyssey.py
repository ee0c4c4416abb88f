"""GUI-Odyssey: https://github.com/OpenGVLab/GUI-Odyssey/blob/9ef208d/introduction.md.

    annotations/<episode>.json    screenshots/<picture>

Places are thousandths of the screen. A click may be one of the keys KEY_HOME, KEY_BACK and
KEY_APPSELECT. Its documents call the typing of text TYPE, its files and converter TEXT; IMPOSSIBLE
is INCOMPLETE there. Both are read. The annotator's `intention` becomes the reasoning,
`low_level_instruction` the step's instruction, and
`sam2_bbox`, the touched element found by a segmentation, the only element of the screen.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.core.actions import Action, Finish, LongPress, PressKey, Swipe, Tap, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.errors import OffScreenError
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.dual_point import check_step_order
from tapwright.formats.importers.foreign_record import (
    ForeignRecord,
    build_flat_tree,
    find_files,
    head_contains,
    parse_json,
    read_bytes,
    read_or_report,
    read_screen,
    resolve_file,
)
from tapwright.formats.outcomes import claimed_outcome

_KEYS: Mapping[str, Action] = {
    "KEY_HOME": PressKey(key="home"),
    "KEY_BACK": PressKey(key="back"),
    "KEY_APPSELECT": PressKey(key="recents"),
    "HOME": PressKey(key="home"),
    "BACK": PressKey(key="back"),
}

_Place: TypeAlias = Annotated[list[float], Field(min_length=2, max_length=2)]
_PLACES: TypeAdapter[list[list[float]]] = TypeAdapter(list[_Place])


class _Device(ForeignRecord):
    device_name: str = ""


class _Task(ForeignRecord):
    meta_task: str = ""
    category: str = ""
    instruction: str


class _Step(ForeignRecord):
    step: int
    screenshot: str
    action: str
    info: JsonValue = ""
    ps: JsonValue = ""
    sam2_bbox: list[float] | None = None
    intention: str | None = None
    low_level_instruction: str | None = None


class _Episode(ForeignRecord):
    episode_id: str
    device_info: _Device
    task_info: _Task
    step_length: int
    steps: Annotated[list[_Step], Field(min_length=1)]


_EPISODE = TypeAdapter(_Episode)


class GuiOdyssey:
    """Reads GUI-Odyssey."""

    name = "gui-odyssey"

    def recognizes(self, path: Path) -> bool:
        """Whether a file starts like one of its annotations."""
        return head_contains(path, ".json", b'"device_info"', b'"task_info"')

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the episode in a file, or those in annotations/ of a directory, else below it.

        Raises:
            ForeignDataError: no such file exists.
        """
        folder = path / "annotations"
        found = False
        for file in find_files(folder if folder.is_dir() else path, "*.json"):
            found = True
            yield read_or_report(str(file), partial(_build_episode, file))
        if not found:
            raise ForeignDataError(f"{path}: no .json file in it")


def _build_episode(file: Path) -> Episode:
    read = parse_json(_EPISODE, read_bytes(file), str(file))
    check_step_order([step.step for step in read.steps], read.step_length, str(file))
    folders = [file.parent.parent / "screenshots", file.parent / "screenshots", file.parent]
    steps = tuple(
        Step(
            _read_observation(
                resolve_file(folders, step.screenshot), step, f"{file}, step {step.step}"
            ),
            Decision(_parse_action(step, f"{file}, step {step.step}"), step.intention or ""),
            step_instruction=step.low_level_instruction or "",
        )
        for step in read.steps
    )
    return Episode(
        id=f"gui-odyssey-{read.episode_id}",
        task_id=read.task_info.meta_task or read.task_info.instruction,
        instruction=read.task_info.instruction,
        steps=steps,
        outcome=claimed_outcome(steps),
        agent="human",
        device=read.device_info.device_name,
        extra={"category": read.task_info.category} if read.task_info.category else {},
    )


def _read_observation(path: Path, read: _Step, where: str) -> Observation:
    observation = read_screen(path)
    if not read.sam2_bbox:
        return observation
    if len(read.sam2_bbox) != 4 or not all(0 <= edge <= 1000 for edge in read.sam2_bbox):
        raise ForeignDataError(f"{where}: sam2_bbox {read.sam2_bbox} is not four thousandths")
    left, top, right, bottom = (
        round(edge * side / 1000)
        for edge, side in zip(
            read.sam2_bbox, 2 * (observation.size.width, observation.size.height), strict=True
        )
    )
    node = {"class": "SAM2", "bounds": f"[{left},{top}][{right},{bottom}]"}
    return replace(observation, ui_tree=build_flat_tree([node], observation.size, where))


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
        if len(places) == number:
            return [Point(x / 1000, y / 1000) for x, y in places]
    except (ValueError, OffScreenError) as error:
        reason = str(error) if isinstance(error, OffScreenError) else "not a list of places"
        raise ForeignDataError(f"{where}: {str(info)[:80]}: {reason}") from error
    raise ForeignDataError(f"{where}: {len(places)} places; expected {number}")


GUI_ODYSSEY = GuiOdyssey()
