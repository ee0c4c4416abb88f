"""What a page and a recording session say to each other on their socket, as JSON.

A page's messages are read strictly: what is not one of them, or is too large, is told so and does
nothing. What is not about one key (`hello`, the finger's way) needs no answer.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from tapwright.actions import Action, Lift, RawEvent, Touch
from tapwright.errors import TapwrightError, first_problem
from tapwright.geometry import Point
from tapwright.record.commands import (
    MAX_RAW,
    Act,
    Command,
    Discard,
    FinishUp,
    Note,
    Pause,
    Redo,
    Resume,
    TakeOver,
    Undo,
)
from tapwright.record.demonstration import Demonstration
from tapwright.record.progress import JudgeView, Progress, Result, Saved, StepView
from tapwright.web.errors import BadMessageError
from tapwright.web.failures import failure_of

__all__ = [
    "Finger",
    "Hello",
    "Strokes",
    "asked",
    "key_of",
    "told_failure",
    "told_result",
    "told_state",
]

MAX_MESSAGE = 200_000
_STROKES_KEPT = 16
_STEP = TypeAdapter(StepView)

Whole: TypeAlias = Annotated[int, Field(ge=0, lt=2**32)]


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Hello(_Message):
    """This tab has the session from now on."""

    t: Literal["hello"]


class Finger(_Message):
    """Where the finger of a gesture is, as it moves; `ms` is on the page's own clock."""

    t: Literal["touch"]
    stroke: Whole
    phase: Literal["down", "move", "up", "cancel"]
    x: Annotated[float, Field(ge=0, le=1)]
    y: Annotated[float, Field(ge=0, le=1)]
    ms: Annotated[float, Field(allow_inf_nan=False)]
    frame: Whole


class _StrokeAct(_Message):
    """An action as the page says it: with the number of its gesture in place of its events."""

    t: Literal["act"]
    key: Annotated[str, Field(min_length=1, max_length=100)]
    frame: Whole = 0
    stroke: Whole | None = None
    action: Action


_Asked: TypeAlias = Annotated[
    Hello | Finger | _StrokeAct | Undo | Redo | Note | Pause | Resume | TakeOver | Discard
    | FinishUp,
    Field(discriminator="t"),
]  # fmt: skip
_ASKED: TypeAdapter[
    Hello | Finger | _StrokeAct | Undo | Redo | Note | Pause | Resume | TakeOver | Discard
    | FinishUp
] = TypeAdapter(_Asked)  # fmt: skip


class Strokes:
    """The latest gestures of one page; what is not asked for with an action is forgotten."""

    def __init__(self) -> None:
        self._strokes: dict[int, list[RawEvent]] = {}

    def follow(self, finger: Finger) -> None:
        """Note where the finger is; of a way that is too long the middle is left out."""
        if finger.phase == "cancel":
            self._strokes.pop(finger.stroke, None)
            return
        if finger.phase == "down":
            self._strokes[finger.stroke] = []
            while len(self._strokes) > _STROKES_KEPT:
                del self._strokes[next(iter(self._strokes))]
        way = self._strokes.get(finger.stroke)
        if way is None:
            return
        if len(way) >= MAX_RAW:
            del way[-1]
        at = Point(finger.x, finger.y)
        way.append(Lift(at=at) if finger.phase == "up" else Touch(at=at))

    def take(self, stroke: int | None) -> tuple[RawEvent, ...]:
        """The events of a gesture that was asked for as an action."""
        return () if stroke is None else tuple(self._strokes.pop(stroke, ()))


def asked(text: str | None, strokes: Strokes) -> Hello | Finger | Command:
    """What a page's message asks for.

    Raises:
        BadMessageError: it is none that a session knows.
    """
    if text is None:
        raise BadMessageError("the message is bytes; expected JSON")
    if len(text) > MAX_MESSAGE:
        raise BadMessageError(f"a message of {len(text)} characters; at most {MAX_MESSAGE}")
    try:
        message = _ASKED.validate_json(text)
    except ValidationError as error:
        raise BadMessageError(f"not a message of a session: {first_problem(error)}") from error
    if isinstance(message, _StrokeAct):
        raw = strokes.take(message.stroke)
        return Act(key=message.key, frame=message.frame, action=message.action, raw=raw)
    return message


def key_of(text: str | None) -> str | None:
    """The key of a message that could not be understood, if it has one."""
    try:
        found = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    key = found.get("key") if isinstance(found, dict) else None
    return key[:100] if isinstance(key, str) else None


def told_result(result: Result) -> dict[str, object]:
    """The answer to a command that was done."""
    match result:
        case Saved(key=key, step=step, judge=judge):
            return {
                "t": "saved", "key": key, "step": told_step(step), "judge": told_judge(judge),
            }  # fmt: skip
        case _:
            return {"t": "done", "key": result.key}


def told_failure(key: str | None, error: TapwrightError) -> dict[str, object]:
    """The answer to what was not done, or is not saved."""
    return {"t": "failed", "key": key, **failure_of(error)}


def told_judge(judge: JudgeView | None) -> dict[str, object] | None:
    """What the check says; None without one."""
    return None if judge is None else asdict(judge)


def told_step(step: StepView) -> Mapping[str, object]:
    """A recorded step in words."""
    told: Mapping[str, object] = _STEP.dump_python(step, mode="json")
    return told


def told_state(demonstration: Demonstration, progress: Progress) -> dict[str, object]:
    """All that a page needs to show a session."""
    opening, task, size = demonstration.opening, demonstration.task, progress.size
    return {
        "t": "state",
        "session": opening.episode,
        "device": opening.place,
        "episode": opening.episode,
        "task": {"id": task.id, "instruction": task.instruction, "apps": list(task.apps)},
        "size": None if size is None else [size.width, size.height],
        "apps": list(progress.apps),
        "steps": [told_step(step) for step in progress.steps],
        "undone": progress.undone,
        "paused": progress.paused,
        "takeover": progress.takeover,
        "connected": progress.connected,
        "message": progress.message,
        "disk": progress.disk,
        "judge": told_judge(progress.judge),
        "outcome": progress.outcome,
    }
