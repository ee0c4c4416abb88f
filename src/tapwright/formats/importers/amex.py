"""AMEX: people's demonstrations on Android, a JSON file for each, beside the pictures.

    instruction_anno/<name>.json    episode_id, instruction, steps
    screenshot/<picture>.png
    element_anno/<picture>.json     clickable_elements and scrollable_elements: bbox, xml_desc

https://huggingface.co/datasets/Yuxiang007/AMEX; its fields as others' processors and the loader of
LearnGUI, which has the same files, read them. Places are pixels of the
picture. The package in front is the app of a step.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.core.actions import Action, Finish, PressKey, Swipe, Tap, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.foreign_record import (
    ForeignRecord,
    build_flat_tree,
    find_files,
    head_contains,
    parse_json,
    pixel_center,
    read_bytes,
    read_or_report,
    read_screen,
    resolve_file,
)
from tapwright.formats.importers.keeping import (
    PHONE,
    Seen,
    cut_short,
    keep_steps,
    note_no_instruction,
    parse_value,
    see_screens,
)
from tapwright.formats.outcomes import claimed_outcome

__all__ = ["AMEX", "Amex"]

_PLAIN: Mapping[str, Action] = {
    "PRESS_BACK": PressKey(key="back"),
    "PRESS_HOME": PressKey(key="home"),
    "PRESS_ENTER": PressKey(key="enter"),
    "TASK_COMPLETE": Finish(),
    "TASK_IMPOSSIBLE": Finish(outcome="infeasible"),
}


class _Step(ForeignRecord):
    UNUSED = frozenset({"step_id", "device_dim", "need_human_check", "interest_region"})

    image_path: str
    action: str
    touch_coord: list[float] | None = None
    lift_coord: list[float] | None = None
    type_text: str | None = None
    package_name: str | None = None


class _Episode(ForeignRecord):
    episode_id: str
    instruction: str = ""
    steps: Annotated[list[JsonValue], Field(min_length=1)]


class _Element(ForeignRecord):
    UNUSED = frozenset({"functionality"})

    bbox: Annotated[list[float], Field(min_length=4, max_length=4)]
    xml_desc: list[str] | None = None


class _Elements(ForeignRecord):
    UNUSED = frozenset({"image_path", "device_dim"})

    clickable_elements: list[_Element] = Field(default_factory=list)
    scrollable_elements: list[_Element] = Field(default_factory=list)


_STEP, _EPISODE, _ELEMENTS = TypeAdapter(_Step), TypeAdapter(_Episode), TypeAdapter(_Elements)


class Amex:
    """Reads AMEX."""

    name = "amex"

    def recognizes(self, path: Path) -> bool:
        """Whether a file is one of its demonstrations."""
        return head_contains(path, ".json", b'"episode_id"', b'"touch_coord"', b'"image_path"')

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the episode in a file, or those of the .json files below a directory.

        Raises:
            ForeignDataError: no such file exists.
        """
        found = False
        for file in find_files(path, "*.json"):
            found = True
            yield read_or_report(str(file), partial(_build_episode, file))
        if not found:
            raise ForeignDataError(f"{path}: no .json file in it")


AMEX = Amex()


def _build_episode(file: Path) -> Episode:
    read = parse_json(_EPISODE, read_bytes(file), str(file))
    above = file.parent.parent
    folders = [above / "screenshot", above / "screenshots", file.parent]
    recorded, problem = _read_steps(read.steps, file)
    screens = see_screens(
        (
            (f"{file}, step {number}", partial(_look, folders, step.image_path))
            for number, step in enumerate(recorded)
        ),
        PHONE,
    )
    steps = [
        made
        for number, (seen, step) in enumerate(zip(screens, recorded, strict=True))
        for made in _build_steps(seen, step, above, f"{file}, step {number}")
    ]
    episode = Episode(
        id=f"amex-{read.episode_id}",
        task_id=read.episode_id,
        instruction=read.instruction or note_no_instruction(str(file)),
        steps=tuple(steps),
        outcome=claimed_outcome(steps),
        agent="human",
    )
    lost = len(read.steps) - len(recorded)
    return cut_short(episode, str(file), problem, lost) if problem else episode


def _read_steps(steps: Sequence[JsonValue], file: Path) -> tuple[list[_Step], str]:
    """The steps up to one that cannot be read, and why not."""
    read: list[_Step] = []
    for number, step in enumerate(steps):
        try:
            read.append(parse_value(_STEP, step, f"{file}, step {number}"))
        except ForeignDataError as error:
            return read, str(error)
    return read, ""


def _look(folders: Sequence[Path], name: str) -> Observation:
    return read_screen(resolve_file(folders, name))


def _build_steps(seen: Seen, read: _Step, above: Path, where: str) -> list[Step]:
    def make(observation: Observation) -> list[Step]:
        return [Step(observation, Decision(_read_action(read, observation.size, where)))]

    elements = above / "element_anno" / f"{Path(read.image_path).stem}.json"
    if os.path.isfile(elements):
        seen = seen.with_tree(partial(_build_tree, elements), where)
    seen = seen.with_app(read.package_name or "")
    recorded: JsonValue = {
        "action": read.action,
        "touch_coord": list[JsonValue](read.touch_coord or []),
        "lift_coord": list[JsonValue](read.lift_coord or []),
    }
    return keep_steps(seen, make, recorded=recorded)


def _build_tree(file: Path, size: Size) -> UiTree | None:
    read = parse_json(_ELEMENTS, read_bytes(file), str(file))
    kinds = (("clickable", read.clickable_elements), ("scrollable", read.scrollable_elements))
    nodes = [
        {
            "text": " ".join(element.xml_desc or ()),
            kind: "true",
            "bounds": "[{:.0f},{:.0f}][{:.0f},{:.0f}]".format(*element.bbox),
        }
        for kind, elements in kinds
        for element in elements
    ]
    return build_flat_tree(nodes, size, str(file)) if nodes else None


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
    return pixel_center(xy[0], xy[1], size)
