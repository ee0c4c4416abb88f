"""The JSON messages between a page and a recording session on their socket.

A page's messages are validated strictly: one that is unknown or too large is answered with an
error and has no effect. Messages without a key (`hello`, `touch`) have no answer.
"""

import json
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tapwright.core.actions import Action, Lift, RawEvent, Touch
from tapwright.core.geometry import Point
from tapwright.errors import TapwrightError, first_problem
from tapwright.record import commands
from tapwright.record.demonstration import Demonstration
from tapwright.record.progress import (
    CommandDone,
    CommandResult,
    DemonstrationProgress,
    JudgeView,
    StepSaved,
)
from tapwright.record.restoring import DeviceChange
from tapwright.web.episode_views import view_of
from tapwright.web.error_responses import ErrorView, error_view
from tapwright.web.errors import BadMessageError

__all__ = [
    "ClientMessages", "DeviceMessage", "DiskMessage", "FrameMessages", "FrameRequest", "Hello",
    "JudgeMessage", "PointerMove", "ReleasedMessage", "ServerMessage", "ServerMessages",
    "StrokeBuffer", "TabMessage", "failed_message", "judge_message", "parse_message", "read_key",
    "result_message", "state_message",
]  # fmt: skip

MAX_MESSAGE = 200_000
_MAX_STROKES = 16

FrameNumber: TypeAlias = Annotated[int, Field(ge=0, lt=2**32)]
StrokeNumber: TypeAlias = Annotated[int, Field(ge=0, lt=2**32)]


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Hello(_Message):
    """This tab controls the session from now on."""

    t: Literal["hello"]


class PointerMove(_Message):
    """Where the finger of a gesture is; `ms` is on the page's own clock."""

    t: Literal["touch"]
    stroke: StrokeNumber
    phase: Literal["down", "move", "up", "cancel"]
    x: Annotated[float, Field(ge=0, le=1)]
    y: Annotated[float, Field(ge=0, le=1)]
    ms: Annotated[float, Field(allow_inf_nan=False)]
    frame: FrameNumber


class StrokeAct(_Message):
    """An action, decided on the picture of number `frame`; `stroke` is that of its gesture."""

    t: Literal["act"]
    key: Annotated[str, Field(min_length=1, max_length=100)]
    frame: FrameNumber = 0
    stroke: StrokeNumber | None = None
    action: Action


ClientMessages: TypeAdapter[Any] = TypeAdapter(
    Annotated[
        Hello | PointerMove | StrokeAct | commands.Undo | commands.Redo | commands.Reply
        | commands.Restore | commands.Note | commands.Say | commands.Pause | commands.Resume
        | commands.TakeOver | commands.Discard | commands.FinishDemonstration,
        Field(discriminator="t"),
    ]
)  # fmt: skip
"""What a page sends."""


class FrameRequest(_Message):
    """What a page sends about its pictures.

    `credit` acknowledges `n` pictures, `key` requests a key picture, and `still` requests stills
    in place of a stream that the browser does not play.
    """

    t: Literal["credit", "key", "still"]
    n: Annotated[int, Field(ge=0, le=100)] = 1


FrameMessages: TypeAdapter[FrameRequest] = TypeAdapter(FrameRequest)


@dataclass(frozen=True, slots=True)
class TaskView:
    """The task of a session; without one, `id` is "" and there is no check."""

    id: str
    instruction: str
    apps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StateMessage(DemonstrationProgress):
    """All that a page needs to show a session.

    `suite` and `assignment` are those that it was begun with. `size` is that of the device in
    pixels, None until it has sent a picture. `message` reports what happened to the device.
    """

    session: str
    device: str
    episode: str
    task: TaskView
    suite: str
    assignment: int | None
    t: Literal["state"] = "state"


@dataclass(frozen=True, slots=True)
class SavedMessage(StepSaved):
    """A step is on disk."""

    t: Literal["saved"] = "saved"


@dataclass(frozen=True, slots=True)
class DoneMessage(CommandDone):
    """A command that makes no step is done, and on disk."""

    t: Literal["done"] = "done"


@dataclass(frozen=True, slots=True)
class FailedMessage(ErrorView):
    """A command was not done, or is not saved; `key` is None when the message had none."""

    key: str | None
    t: Literal["failed"] = "failed"


@dataclass(frozen=True, slots=True)
class DeviceMessage:
    """The device was connected or lost, has to be brought back, or is being brought back."""

    connected: bool
    message: str
    interrupted: DeviceChange | None
    restoring: int | None
    t: Literal["device"] = "device"


@dataclass(frozen=True, slots=True)
class TabMessage:
    """Whether this tab controls the session; the one that was opened last does."""

    controls: bool
    t: Literal["tab"] = "tab"


@dataclass(frozen=True, slots=True)
class ReleasedMessage:
    """An admin released the device; what is recorded is kept, and nothing more is taken here."""

    by: str
    t: Literal["released"] = "released"


@dataclass(frozen=True, slots=True)
class JudgeMessage(JudgeView):
    """The verdict of the task's check has changed."""

    t: Literal["judge"] = "judge"


@dataclass(frozen=True, slots=True)
class DiskMessage:
    """Steps could not be written, or can be written again."""

    ok: bool
    message: str
    t: Literal["disk"] = "disk"


ServerMessage: TypeAlias = (
    StateMessage
    | SavedMessage
    | DoneMessage
    | FailedMessage
    | DeviceMessage
    | TabMessage
    | ReleasedMessage
    | JudgeMessage
    | DiskMessage
)
ServerMessages: TypeAdapter[ServerMessage] = TypeAdapter(
    Annotated[ServerMessage, Field(discriminator="t")]
)
"""What a session sends."""


class StrokeBuffer:
    """The latest gestures of one page; those that no action refers to are dropped."""

    def __init__(self) -> None:
        self._strokes: dict[int, list[RawEvent]] = {}

    def add(self, move: PointerMove) -> None:
        """Append a finger's position; a gesture that is too long loses its middle."""
        if move.phase == "cancel":
            self._strokes.pop(move.stroke, None)
            return
        if move.phase == "down":
            self._strokes[move.stroke] = []
            while len(self._strokes) > _MAX_STROKES:
                del self._strokes[next(iter(self._strokes))]
        events = self._strokes.get(move.stroke)
        if events is None:
            return
        if len(events) >= commands.MAX_RAW:
            del events[-1]
        at = Point(move.x, move.y)
        events.append(Lift(at=at) if move.phase == "up" else Touch(at=at))

    def take(self, stroke: int | None) -> tuple[RawEvent, ...]:
        """Remove and return the events of a gesture; none for None."""
        return () if stroke is None else tuple(self._strokes.pop(stroke, ()))


def parse_message(
    text: str | None, strokes: StrokeBuffer
) -> Hello | PointerMove | commands.Command:
    """Parse a page's message; None stands for bytes.

    Raises:
        BadMessageError: it is not valid.
    """
    if text is None:
        raise BadMessageError("the message is binary; expected JSON text")
    if len(text) > MAX_MESSAGE:
        raise BadMessageError(f"a message of {len(text)} characters; at most {MAX_MESSAGE}")
    try:
        message: Hello | PointerMove | StrokeAct | commands.Command = ClientMessages.validate_json(
            text
        )
    except ValidationError as error:
        raise BadMessageError(f"the message is not valid: {first_problem(error)}") from error
    if isinstance(message, StrokeAct):
        raw = strokes.take(message.stroke)
        return commands.Act(key=message.key, frame=message.frame, action=message.action, raw=raw)
    return message


def read_key(text: str | None) -> str | None:
    """The key of a message that is not valid, if it has one."""
    try:
        found = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    key = found.get("key") if isinstance(found, dict) else None
    return key[:100] if isinstance(key, str) else None


def result_message(result: CommandResult) -> ServerMessage:
    """The answer to a command that was done."""
    match result:
        case StepSaved(key=key, step=step, judge=judge):
            return SavedMessage(key, step, judge)
        case _:
            return DoneMessage(result.key)


def failed_message(key: str | None, error: TapwrightError) -> FailedMessage:
    """The answer to a command that was not done, or is not saved."""
    view = error_view(error)
    return FailedMessage(view.code, view.message, view.hint, view.values, key)


def judge_message(judge: JudgeView) -> JudgeMessage:
    """The verdict of the task's check."""
    return JudgeMessage(**asdict(judge))


def state_message(demonstration: Demonstration, progress: DemonstrationProgress) -> StateMessage:
    """All that a page needs to show a session."""
    opening, task = demonstration.header, demonstration.task
    return view_of(
        StateMessage,
        progress,
        session=opening.episode,
        device=opening.place,
        episode=opening.episode,
        task=TaskView(task.id, task.instruction, task.apps),
        suite=opening.suite,
        assignment=opening.assignment,
        t="state",
    )
