"""ScreenAgent's sessions: https://github.com/niuzaisheng/ScreenAgent/tree/2312c85/data.

    <session>/
        <time>_translate.json    the task and, as corrected by people, the actions
        images/<time>.jpg        the screen at that time

Places are pixels, given as width and height. A session's steps are in the order of their times. A
step may hold several actions, among them a mouse button "down" and "up" again, which together are a
drag. The model's response, as corrected, becomes the reasoning, without its blocks of code.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from tapwright.actions import Action, DoubleTap, Hover, Tap, TypeText, Wait
from tapwright.episode import Episode, Step
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.desktop import Pointer, press_keys
from tapwright.formats.importers.foreign_record import (
    ForeignRecord,
    find_files,
    head_contains,
    make_steps,
    parse_json,
    pixel_center,
    read_bytes,
    read_or_report,
    read_screen,
    resolve_file,
)
from tapwright.geometry import Point, Size


class _Place(ForeignRecord):
    width: float
    height: float


class _Mouse(ForeignRecord):
    action_type: Literal["MouseAction"]
    mouse_action_type: Literal[
        "click", "double_click", "move", "drag", "down", "up", "scroll_up", "scroll_down"
    ]
    mouse_button: Literal["left", "right", "middle"] | None = None
    mouse_position: _Place | None = None
    scroll_repeat: int = 1


class _Keyboard(ForeignRecord):
    action_type: Literal["KeyboardAction"]
    keyboard_action_type: Literal["press", "text"]
    keyboard_key: str | list[str] | None = None
    keyboard_text: str | None = None


class _Wait(ForeignRecord):
    action_type: Literal["WaitAction"]
    wait_time: Annotated[float, Field(ge=0, le=3600)]


_ActionKind: TypeAlias = Annotated[_Mouse | _Keyboard | _Wait, Field(discriminator="action_type")]


class _Record(ForeignRecord):
    session_id: str
    task_prompt: str
    saved_image_name: str
    video_width: int
    video_height: int
    actions: list[_ActionKind]
    LLM_response_editer: str = ""


_RECORD = TypeAdapter(_Record)
_CODE = re.compile(r"```.*?(```|\Z)", re.DOTALL)
_CLICKS: Mapping[str, int] = {"scroll_down": 1, "scroll_up": -1}


class ScreenAgent:
    """Reads ScreenAgent's sessions."""

    name = "screenagent"

    def recognizes(self, path: Path) -> bool:
        """Whether one of the .json files in a directory starts like one of its steps."""
        return path.is_dir() and any(_is_step_file(file) for file in path.glob("*.json"))

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the sessions below a directory, each from the .json files of one folder.

        Raises:
            ForeignDataError: no such file exists.
        """
        found = False
        for folder, files in groupby(find_files(path, "*.json"), key=lambda file: file.parent):
            found = True
            yield read_or_report(str(folder), partial(_build_episode, folder, list(files)))
        if not found:
            raise ForeignDataError(f"{path}: no .json file in it")


def _is_step_file(file: Path) -> bool:
    return head_contains(file, ".json", b'"task_prompt"', b'"send_prompt"')


def _build_episode(folder: Path, files: Sequence[Path]) -> Episode:
    pointer = Pointer()
    steps: list[Step] = []
    records = [parse_json(_RECORD, read_bytes(file), str(file)) for file in files]
    first = records[0]
    for file, read in zip(files, records, strict=True):
        if (read.session_id, read.task_prompt) != (first.session_id, first.task_prompt):
            raise ForeignDataError(f"{file}: belongs to another session than {files[0].name}")
        observation = read_screen(resolve_file([folder / "images", folder], read.saved_image_name))
        if observation.size != Size(read.video_width, read.video_height):
            raise ForeignDataError(
                f"{file}: its picture is {observation.size}; its record has "
                f"{read.video_width}x{read.video_height}"
            )
        actions, log = _parse_actions(read.actions, pointer, observation.size, str(file))
        steps.extend(
            make_steps(observation, actions, _CODE.sub("", read.LLM_response_editer).strip(), log)
        )
    if not steps:
        raise ForeignDataError(f"{folder}: has no actions")
    return Episode(
        id=f"screenagent-{first.session_id}",
        task_id=first.task_prompt,
        instruction=first.task_prompt,
        steps=tuple(steps),
    )


def _parse_actions(
    read: Sequence[_ActionKind], pointer: Pointer, size: Size, where: str
) -> tuple[list[Action], list[str]]:
    actions: list[Action] = []
    log: list[str] = []
    is_down = False
    for number, one in enumerate(read):
        here = f"{where}, action {number}"
        match one:
            case _Wait(wait_time=duration_s):
                actions.append(Wait(duration_s=duration_s))
            case _Keyboard():
                actions.append(_parse_keyboard(one, here))
            case _Mouse(mouse_action_type="down"):
                pointer.move(_mouse_point(one, size), here)
                is_down = True
            case _Mouse(mouse_action_type="up") if is_down:
                end = _mouse_point(one, size)
                if end is None:
                    raise ForeignDataError(f"{here}: releases the button without a place")
                actions.append(pointer.drag(end, here))
                is_down = False
            case _Mouse():
                action = _parse_mouse(one, pointer, size, here)
                actions.append(action)
                if action.type == "scroll":
                    log.append(f"{one.mouse_action_type} by {one.scroll_repeat} clicks")
    if is_down:
        raise ForeignDataError(f"{where}: a button goes down and never up again")
    return actions, log


def _parse_mouse(read: _Mouse, pointer: Pointer, size: Size, where: str) -> Action:
    at, button = _mouse_point(read, size), read.mouse_button or "left"
    match read.mouse_action_type:
        case "click":
            return Tap(at=pointer.move(at, where), button=button)
        case "double_click" if button == "left":
            return DoubleTap(at=pointer.move(at, where))
        case "move":
            return Hover(at=pointer.move(at, where))
        case "drag" if at is not None and button == "left":
            return pointer.drag(at, where)
        case "scroll_up" | "scroll_down" as way:
            return pointer.scroll(at, where, down=_CLICKS[way] * read.scroll_repeat)
    raise ForeignDataError(f"{where}: {read.mouse_action_type!r} with the {button} button")


def _parse_keyboard(read: _Keyboard, where: str) -> Action:
    if read.keyboard_action_type == "text":
        if read.keyboard_text is None:
            raise ForeignDataError(f"{where}: types no text")
        return TypeText(text=read.keyboard_text)
    keys = read.keyboard_key or []
    names = keys.split("+") if isinstance(keys, str) and len(keys) > 1 else list(keys)
    return press_keys(names, where)


def _mouse_point(read: _Mouse, size: Size) -> Point | None:
    place = read.mouse_position
    return None if place is None else pixel_center(place.width, place.height, size)


SCREENAGENT = ScreenAgent()
