"""AndroidControl as JSON lines with an episode in each, which UI-S1 made of a part of it.

https://github.com/X-PLUG/MobileAgent/tree/11cea57/UI-S1/datasets. Places are pixels; those of a
swipe are quarters and halves of the screen. A line names its pictures, which are searched by the
last part of the name, beside the file and in images/ there. An episode without any of its pictures
is read too: its steps have a placeholder (`Screenshot.recorded` is False), of that of
AndroidControl's two sizes that fits the places, and a line in their logs. The app in front is known
where the episode opens one.

The lines of the evaluation have `episode_id`, and for each step its instruction and the boxes that
may be touched. Those of the training have none of these: the number of the episode is the first in
the names of its pictures, and each ends with `terminate`.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from tapwright.core import actions
from tapwright.core.actions import Action, Key
from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation
from tapwright.formats.claimed_outcomes import claimed_outcome
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers import foreign_record, keeping

_SCREENS = (Size(1080, 2400), Size(1440, 3120))
_MAX_OVERHANG_PX = 20
_NO_PICTURE = "android-control: no picture {}; the size of the screen follows from places"

_Place: TypeAlias = Annotated[list[float], Field(min_length=2, max_length=2)]
_Box: TypeAlias = Annotated[list[float], Field(min_length=4, max_length=4)]


class _ClickAction(foreign_record.ForeignRecord):
    action: Literal["click"]
    coordinate: _Place
    bbox: _Box | None = None


class _LongPressAction(foreign_record.ForeignRecord):
    action: Literal["long_press"]
    coordinate: _Place
    time: float


class _SwipeAction(foreign_record.ForeignRecord):
    action: Literal["swipe"]
    coordinate: _Place
    coordinate2: _Place


class _TextAction(foreign_record.ForeignRecord):
    action: Literal["type", "open"]
    text: str


class _WaitAction(foreign_record.ForeignRecord):
    action: Literal["wait"]
    time: float


class _ButtonAction(foreign_record.ForeignRecord):
    action: Literal["system_button"]
    button: Literal["Back", "Home", "Menu", "Enter"]


class _TerminateAction(foreign_record.ForeignRecord):
    action: Literal["terminate"]
    status: Literal["success", "failure", "fail"]


_ContentKind: TypeAlias = Annotated[
    _ClickAction
    | _LongPressAction
    | _SwipeAction
    | _TextAction
    | _WaitAction
    | _ButtonAction
    | _TerminateAction,
    Field(discriminator="action"),
]
_CONTENT: TypeAdapter[_ContentKind] = TypeAdapter(_ContentKind)
_KEYS: Mapping[str, Key] = {"Back": "back", "Home": "home", "Menu": "menu", "Enter": "enter"}


class _Check(foreign_record.ForeignRecord):
    candidate_bbox: list[_Box] | None = None


class _LineStep(foreign_record.ForeignRecord):
    action_content: JsonValue = None
    screenshot: str = ""
    step_instruction: str = ""
    action_description: str = ""
    thought: str | None = None
    check_options: _Check = _Check()

    @property
    def words(self) -> str:
        """What to do in this step; the lines with thoughts describe the action instead."""
        return self.step_instruction or self.action_description

    @property
    def content(self) -> _ContentKind | None:
        """What was done; None for what is no such action."""
        try:
            return _CONTENT.validate_python(self.action_content)
        except ValidationError:
            return None


class _Line(foreign_record.ForeignRecord):
    episode_id: int | str | None = None
    goal: str = ""
    is_successful: bool | None = None
    steps: Annotated[list[_LineStep], Field(min_length=1)]


_LINE = TypeAdapter(_Line)

_OUTCOMES: Mapping[bool, EpisodeOutcome] = {True: "success", False: "failure"}


def read_line(file: Path, line: bytes, where: str) -> Episode:
    """Reads the episode in a line of `file`.

    Raises:
        ForeignDataError: it is not such an episode.
    """
    read = foreign_record.parse_json(_LINE, line, where)
    names = [PurePosixPath(step.screenshot).name for step in read.steps]
    screens = _read_screens(file, names, read.steps, where)
    steps = tuple(
        made
        for seen, step in zip(screens, read.steps, strict=True)
        for made in keeping.keep_steps(
            seen,
            partial(_make_steps, step, where),
            recorded=step.action_content,
            reasoning=step.thought or "",
            instruction=step.words,
        )
    )
    return Episode(
        id=f"android-control-{_find_number(read, names, where)}",
        task_id=read.goal,
        instruction=read.goal or keeping.note_no_instruction(where),
        steps=tuple(foreign_record.name_opened_apps(steps)),
        outcome=claimed_outcome(steps)
        if read.is_successful is None
        else _OUTCOMES[read.is_successful],
        agent="human",
    )


def _make_steps(read: _LineStep, where: str, seen: Observation) -> list[Step]:
    action = _parse_action(keeping.parse_value(_CONTENT, read.action_content, where), seen.size)
    decision = Decision(action, read.thought or "")
    return [Step(seen, decision, step_instruction=read.words)]


def _find_number(read: _Line, names: Sequence[str], where: str) -> int | str:
    """The number of an episode: its own, or that of its pictures, "<episode>_<step>.png"."""
    if read.episode_id is not None:
        return read.episode_id
    found = {name.rpartition("_")[0] for name in names if name}
    number = found.pop() if len(found) == 1 else ""
    if not number:
        raise ForeignDataError(
            f"{where}: has no episode_id, and its pictures are not those of one episode: "
            f"{', '.join(names[:3])[:200]}",
            hint="give each line an episode_id, or name pictures <episode>_<step>.png",
        )
    return number


def _read_screens(
    file: Path, names: Sequence[str], steps: Sequence[_LineStep], where: str
) -> list[keeping.Seen]:
    """The screens of the steps; where no picture came along at all, that is no fault."""
    folders = [file.parent / "images", file.parent]
    came_along = any(os.path.isfile(folder / name) for folder in folders for name in names if name)
    looks = (
        (f"{where}, step {number}", partial(foreign_record.find_screen, folders, name))
        for number, name in enumerate(names)
    )
    seen = keeping.see_screens(looks, _infer_size(steps), is_fault=came_along)
    if came_along:
        return seen
    return [
        replace(one, log=(_NO_PICTURE.format(name),)) for one, name in zip(seen, names, strict=True)
    ]


def _infer_size(steps: Sequence[_LineStep]) -> Size:
    """Infers which of AndroidControl's screen sizes fits the places of an episode.

    The places of a swipe are quarters and halves of the screen, which is exact. Boxes of elements
    exceed the screen, a little to the right and far at the bottom, so only one that starts on it
    and ends well beyond the right edge means that the screen is larger.
    """
    small, large = _SCREENS
    for step in steps:
        match step.content:
            case _SwipeAction(coordinate=start, coordinate2=end):
                fits = any(2 * place[0] == small.width for place in (start, end))
                return small if fits or 2 * start[1] == small.height else large
            case _ClickAction(coordinate=(x, y)) | _LongPressAction(coordinate=(x, y)):
                if x >= small.width or y >= small.height:
                    return large
            case _:
                pass
    if any(
        box[0] >= 0 and small.width + _MAX_OVERHANG_PX < box[2] <= large.width
        for box in _boxes(steps)
    ):
        return large
    return small


def _boxes(steps: Sequence[_LineStep]) -> Iterator[Sequence[float]]:
    for step in steps:
        yield from step.check_options.candidate_bbox or ()
        if isinstance(content := step.content, _ClickAction) and content.bbox is not None:
            yield content.bbox


def _parse_action(read: _ContentKind, size: Size) -> Action:
    match read:
        case _ClickAction(coordinate=at):
            return actions.Tap(at=foreign_record.pixel_center(at[0], at[1], size))
        case _LongPressAction(coordinate=at, time=duration_s):
            return actions.LongPress(
                at=foreign_record.pixel_center(at[0], at[1], size), duration_s=duration_s
            )
        case _SwipeAction(coordinate=start, coordinate2=end):
            return actions.Swipe(
                start=foreign_record.pixel_center(start[0], start[1], size),
                end=foreign_record.pixel_center(end[0], end[1], size),
            )
        case _TextAction(action=kind, text=text):
            return actions.TypeText(text=text) if kind == "type" else actions.OpenApp(app=text)
        case _WaitAction(time=duration_s):
            return actions.Wait(duration_s=duration_s)
        case _ButtonAction(button=button):
            return actions.PressKey(key=_KEYS[button])
        case _TerminateAction(status=status):
            return actions.Finish(outcome="success" if status == "success" else "failure")
