"""The commands of a demonstration: a closed union, each with an idempotency key.

The client makes the key. A command with a known key is never executed twice.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from tapwright.core.actions import Action, Outcome, RawEvent

__all__ = [
    "Act", "Command", "Discard", "FinishDemonstration", "Note", "Pause", "Redo", "Reply", "Restore",
    "Resume", "Say", "TakeOver", "Undo",
]  # fmt: skip

MAX_RAW = 2000
"""The most touch events that are kept of one gesture."""


class _CommandBase(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    key: Annotated[str, Field(min_length=1, max_length=100)]


class Act(_CommandBase):
    """Perform an action, decided on the picture of number `frame`; `raw` is the finger's path."""

    t: Literal["act"] = "act"
    action: Action
    frame: Annotated[int, Field(ge=0, lt=2**32)] = 0
    raw: Annotated[tuple[RawEvent, ...], Field(max_length=MAX_RAW)] = ()


class Undo(_CommandBase):
    """Remove the last step from the recording; on the device nothing is undone."""

    t: Literal["undo"] = "undo"


class Redo(_CommandBase):
    """Restore the step that was undone last."""

    t: Literal["redo"] = "redo"


class Note(_CommandBase):
    """Set the note of a step, counted from 0."""

    t: Literal["note"] = "note"
    step: Annotated[int, Field(ge=0)]
    note: Annotated[str, Field(max_length=10_000)]


class Say(_CommandBase):
    """Write down what is thought before the next step; the recorder sets `time_s`."""

    t: Literal["say"] = "say"
    text: Annotated[str, Field(min_length=1, max_length=2000)]
    time_s: Annotated[float, Field(allow_inf_nan=False)] = 0.0


class Reply(_CommandBase):
    """Say what the user answers to the question that the last step asked."""

    t: Literal["reply"] = "reply"
    text: Annotated[str, Field(min_length=1, max_length=10_000)]


class Restore(_CommandBase):
    """Bring the device back: set it up for the task, and play the recorded steps again."""

    t: Literal["restore"] = "restore"


class Pause(_CommandBase):
    """Accept no action until `Resume`."""

    t: Literal["pause"] = "pause"


class Resume(_CommandBase):
    """Continue after a pause."""

    t: Literal["resume"] = "resume"


class TakeOver(_CommandBase):
    """Begin or end a takeover, whose actions are not recorded; its times are logged."""

    t: Literal["takeover"] = "takeover"
    on: bool


class Discard(_CommandBase):
    """End the demonstration and remove its episode."""

    t: Literal["discard"] = "discard"


class FinishDemonstration(_CommandBase):
    """End the demonstration, claiming an outcome."""

    t: Literal["finish"] = "finish"
    outcome: Outcome
    reason: Annotated[str, Field(max_length=10_000)] = ""


Command: TypeAlias = Annotated[
    Act | Undo | Redo | Reply | Restore | Note | Say | Pause | Resume | TakeOver | Discard
    | FinishDemonstration,
    Field(discriminator="t"),
]  # fmt: skip
