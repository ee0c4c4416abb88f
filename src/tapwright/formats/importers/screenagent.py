"""ScreenAgent's sessions: https://github.com/niuzaisheng/ScreenAgent/tree/2312c85/data.

    <session>/
        <time>_translate.json    the task and, as corrected by people, the actions
        images/<time>.jpg        the screen at that time

Places are pixels, given as width and height. A session's steps are in the order of their times. A
step may hold several actions, among them a mouse button "down" and "up" right after it, which
together are a drag. The model's response, as corrected, becomes the reasoning, without its blocks
of code.

Upstream's controller also records what it does between the steps: a plan (`PlanAction`) and the
judgement of a step (`EvaluateSubTaskAction`). These make no step: their words stand in the log of
the step that follows, and the screen of the last of them is the screen after the last action. What
the controller was about to do, `current_task`, is the step's instruction. Files called …_neg_….json
are made up from others, as wrong examples for a judge, and are passed over. A record that cannot be
read, or an action of which cannot, is a refused step in its place.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.core import actions as act
from tapwright.core.episode import Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import MAX_PIXELS
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import foreign_record, keeping
from tapwright.formats.importers.account import note_left_out, note_passed_over
from tapwright.formats.importers.desktop import Pointer, press_keys


class _Place(foreign_record.ForeignRecord):
    width: float
    height: float


class _Mouse(foreign_record.ForeignRecord):
    action_type: Literal["MouseAction"]
    mouse_action_type: Literal[
        "click", "double_click", "move", "drag", "down", "up", "scroll_up", "scroll_down"
    ]
    mouse_button: Literal["left", "right", "middle"] | None = None
    mouse_position: _Place | None = None
    scroll_repeat: int = 1


class _Keyboard(foreign_record.ForeignRecord):
    action_type: Literal["KeyboardAction"]
    keyboard_action_type: Literal["press", "text"]
    keyboard_key: str | list[str] | None = None
    keyboard_text: str | None = None


class _Wait(foreign_record.ForeignRecord):
    action_type: Literal["WaitAction"]
    wait_time: Annotated[float, Field(ge=0, le=3600)]


class _Remark(foreign_record.ForeignRecord):
    """A plan, or a judgement of what was done: nothing happens on the screen."""

    action_type: Literal["PlanAction", "EvaluateSubTaskAction"]
    element: str | None = None
    advice: str | None = None
    situation: str | None = None

    @property
    def words(self) -> str:
        """The plan, or the advice, as a line for a step's log; "" without words."""
        kind = "plan" if self.action_type == "PlanAction" else "judgement"
        said = self.element or self.advice
        return f"screenagent: {kind}: {said}" if said else ""


_ActionKind: TypeAlias = Annotated[
    _Mouse | _Keyboard | _Wait | _Remark, Field(discriminator="action_type")
]


class _Record(foreign_record.ForeignRecord):
    UNUSED = frozenset(
        {"LLM_response", "LLM_response_editer_en", "LLM_response_editer_zh", "send_prompt"}
        | {"send_prompt_en", "send_prompt_zh", "task_prompt_en", "task_prompt_zh"}
    )

    session_id: str = ""
    task_prompt: str = ""
    saved_image_name: str = ""
    video_width: int = 0
    video_height: int = 0
    actions: list[JsonValue] | None = None
    LLM_response_editer: str = ""
    current_task: str | None = None


_RECORD = TypeAdapter(_Record)
_ACTION: TypeAdapter[_ActionKind] = TypeAdapter(_ActionKind)
_CODE = re.compile(r"```.*?(```|\Z)", re.DOTALL)
_CLICKS: Mapping[str, int] = {"scroll_down": 1, "scroll_up": -1}


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A record of a session; `fault` is why it, or an action of it, cannot be read."""

    file: Path
    record: _Record
    actions: tuple[_ActionKind, ...] = ()
    fault: str = ""

    @property
    def is_played(self) -> bool:
        """Whether something was done on the screen."""
        return any(not isinstance(one, _Remark) for one in self.actions)


class ScreenAgent:
    """Reads ScreenAgent's sessions."""

    name = "screenagent"

    def recognizes(self, path: Path) -> bool:
        """Whether one of the .json files in a directory starts like one of its steps."""
        return path.is_dir() and any(_is_step_file(file) for file in path.glob("*.json"))

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the sessions below a directory, each from the .json files of one folder."""
        found = False
        records = filter(_is_no_wrong_example, foreign_record.find_files(path, "*.json"))
        for folder, files in groupby(records, key=lambda file: file.parent):
            found = True
            try:
                tasks = _split_tasks(folder, list(files))
            except ForeignDataError as error:
                yield UnreadableEpisode.of(str(folder), error)
                continue
            for number, task in enumerate(tasks, 1):
                yield foreign_record.read_or_report(
                    str(folder), partial(_build_episode, folder, task, number)
                )
        if not found:
            raise ForeignDataError(f"{path}: no .json file in it")


def _is_no_wrong_example(file: Path) -> bool:
    if "_neg_" in file.name:
        note_passed_over(file, "a wrong example, made up for a judge")
        return False
    return True


def _is_step_file(file: Path) -> bool:
    return foreign_record.head_contains(file, ".json", b'"task_prompt"', b'"send_prompt"')


def _read_record(file: Path) -> _Recorded | None:
    """The record in a file; None for JSON of something else."""
    where = str(file)
    record = _Record()
    try:
        record = foreign_record.parse_json(_RECORD, foreign_record.read_bytes(file), where)
        if not record.model_fields_set & _Record.model_fields.keys():
            note_left_out("steps", where, f"{where}: is no record of a step")
            return None
        if record.actions is None:
            raise ForeignDataError(f"{where}: has no list of actions")
        actions = [
            keeping.parse_value(_ACTION, one, f"{where}, action {number}")
            for number, one in enumerate(record.actions)
        ]
    except ForeignDataError as error:
        return _Recorded(file, record, fault=str(error))
    return _Recorded(file, record, tuple(actions))


def _split_tasks(folder: Path, files: Sequence[Path]) -> list[list[_Recorded]]:
    """The records of a session, task by task: one session may have several, some only planned.

    One that names neither its session nor its task is of those before it, or of the first.
    """
    records: list[_Recorded] = []
    read = [one for one in map(_read_record, files) if one is not None]
    whole = next((one for one in read if one.record.session_id), None)
    for one in read:
        session = one.record.session_id
        if whole is not None and session and session != whole.record.session_id:
            reason = f"{one.file}: belongs to another session than {whole.file.name}"
            note_left_out("steps", str(one.file), reason)
            continue
        if not one.actions and not one.fault:
            note_left_out("steps", str(one.file), "has no action", is_fault=False)
        records.append(one)
    tasks: list[list[_Recorded]] = []
    for one in records:
        before = _task_of(tasks[-1]) if tasks else ""
        if not tasks or (before and one.record.task_prompt not in ("", before)):
            tasks.append([])
        tasks[-1].append(one)
    played = [task for task in tasks if any(one.is_played for one in task)]
    if not played:
        fault = next((one.fault for one in records if one.fault), "")
        raise ForeignDataError(fault or f"{folder}: has no actions")
    return played


def _task_of(records: Iterable[_Recorded]) -> str:
    return next((one.record.task_prompt for one in records if one.record.task_prompt), "")


def _build_episode(folder: Path, task: Sequence[_Recorded], number: int) -> Episode:
    pointer = Pointer()
    steps: list[Step] = []
    after: Observation | None = None
    instruction = _task_of(task) or keeping.note_no_instruction(str(folder))
    session = next((one.record.session_id for one in task if one.record.session_id), folder.name)
    declared = next(
        (size for one in task if (size := _size(one.record)) is not None), keeping.DESKTOP
    )
    looks = ((str(one.file), partial(_look, folder, one.record)) for one in task)
    screens = keeping.see_screens(looks, declared)
    said: list[str] = []
    for seen, one in zip(screens, task, strict=True):
        said += [it.words for it in one.actions if isinstance(it, _Remark) and it.words]
        after = None if seen.log else seen.observation
        if not one.is_played and not one.fault:
            continue
        reasoning = _CODE.sub("", one.record.LLM_response_editer).strip()
        make = partial(_make_steps, one, pointer, reasoning)
        made = keeping.keep_steps(
            seen, make, recorded=one.record.actions or "", reasoning=reasoning
        )
        made[0] = replace(made[0], log=(*said, *made[0].log))
        after, said = None, []
        steps += made
    if steps and said:
        steps[-1] = replace(steps[-1], log=(*steps[-1].log, *said))
    return Episode(
        id=f"screenagent-{session}" + (f"-{number}" if number > 1 else ""),
        task_id=instruction,
        instruction=instruction,
        steps=tuple(steps),
        final=after,
        outcome="success" if _has_succeeded(task[-1].actions) else "unknown",
    )


def _size(read: _Record) -> Size | None:
    width, height = read.video_width, read.video_height
    is_screen = width > 0 and height > 0 and width * height <= MAX_PIXELS
    return Size(width, height) if is_screen else None


def _look(folder: Path, read: _Record) -> Observation:
    seen = foreign_record.read_screen(
        foreign_record.resolve_file([folder / "images", folder], read.saved_image_name)
    )
    declared = read.video_width, read.video_height
    if any(declared) and (seen.size.width, seen.size.height) != declared:
        raise ForeignDataError(
            f"{folder}, {read.saved_image_name}: its picture is {seen.size}; its record has "
            f"{read.video_width}x{read.video_height}"
        )
    return seen


def _make_steps(read: _Recorded, pointer: Pointer, reasoning: str, seen: Observation) -> list[Step]:
    if read.fault:
        raise ForeignDataError(read.fault)
    actions, log = _parse_actions(read.actions, pointer, seen.size, str(read.file))
    return foreign_record.make_steps(seen, actions, reasoning, log, read.record.current_task or "")


def _has_succeeded(last: Sequence[_ActionKind]) -> bool:
    """Whether the task's last record judges that its last part was done."""
    judged = [one for one in last if isinstance(one, _Remark)]
    return bool(judged) and judged[-1].situation == "sub_task_success"


def _parse_actions(
    read: Sequence[_ActionKind], pointer: Pointer, size: Size, where: str
) -> tuple[list[act.Action], list[str]]:
    actions: list[act.Action] = []
    log: list[str] = []
    for number, one in enumerate(read):
        here = f"{where}, action {number}"
        match one:
            case _Remark():
                pass
            case _Wait(wait_time=duration_s):
                actions.append(act.Wait(duration_s=duration_s))
            case _Keyboard():
                actions.append(_parse_keyboard(one, here))
            case _Mouse(mouse_action_type="down", mouse_button=button):
                at = pointer.move(_mouse_point(one, size), here)
                actions.append(act.ButtonDown(at=at, button=button or "left"))
            case _Mouse(mouse_action_type="up", mouse_button=button):
                end = _mouse_point(one, size)
                before = actions[-1] if actions else None
                if (
                    end is not None
                    and isinstance(before, act.ButtonDown)
                    and before.button == "left"
                ):
                    actions[-1] = pointer.drag(end, here)
                else:
                    at = pointer.move(end, here)
                    actions.append(act.ButtonUp(at=at, button=button or "left"))
            case _Mouse():
                action = _parse_mouse(one, pointer, size, here)
                actions.append(action)
                if action.type == "scroll":
                    log.append(f"{one.mouse_action_type} by {one.scroll_repeat} clicks")
    return actions, log


def _parse_mouse(read: _Mouse, pointer: Pointer, size: Size, where: str) -> act.Action:
    at, button = _mouse_point(read, size), read.mouse_button or "left"
    match read.mouse_action_type:
        case "click":
            return act.Tap(at=pointer.move(at, where), button=button)
        case "double_click":
            return act.DoubleTap(at=pointer.move(at, where), button=button)
        case "move":
            return act.Hover(at=pointer.move(at, where))
        case "drag" if at is not None and button == "left":
            return pointer.drag(at, where)
        case "scroll_up" | "scroll_down" as way:
            return pointer.scroll(at, where, down=_CLICKS[way] * read.scroll_repeat)
    raise ForeignDataError(f"{where}: {read.mouse_action_type!r} with the {button} button")


def _parse_keyboard(read: _Keyboard, where: str) -> act.Action:
    if read.keyboard_action_type == "text":
        if read.keyboard_text is None:
            raise ForeignDataError(f"{where}: types no text")
        return act.TypeText(text=read.keyboard_text)
    keys = read.keyboard_key or []
    names = keys.split("+") if isinstance(keys, str) and len(keys) > 1 else list(keys)
    return press_keys(names, where)


def _mouse_point(read: _Mouse, size: Size) -> Point | None:
    place = read.mouse_position
    return None if place is None else foreign_record.pixel_center(place.width, place.height, size)


SCREENAGENT = ScreenAgent()
