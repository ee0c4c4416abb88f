"""What a person may ask of a demonstration: a closed union, each with a key of its own.

The key is made by who asks. The same key again means the same wish, which is never done twice.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from tapwright.actions import Action, Outcome, RawEvent

__all__ = [
    "Act",
    "Command",
    "CommandAdapter",
    "Discard",
    "FinishUp",
    "Note",
    "Pause",
    "Redo",
    "Resume",
    "TakeOver",
    "Undo",
]

MAX_RAW = 2000
"""The most touch events that are kept of one gesture."""


class _Command(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    key: Annotated[str, Field(min_length=1, max_length=100)]


class Act(_Command):
    """Do an action, decided on the picture of number `frame`; `raw` is the finger's way."""

    t: Literal["act"] = "act"
    action: Action
    frame: Annotated[int, Field(ge=0, lt=2**32)] = 0
    raw: Annotated[tuple[RawEvent, ...], Field(max_length=MAX_RAW)] = ()


class Undo(_Command):
    """Take back the last step in the recording; on the device nothing is undone."""

    t: Literal["undo"] = "undo"


class Redo(_Command):
    """Bring back the step that was taken back last."""

    t: Literal["redo"] = "redo"


class Note(_Command):
    """Say something of a step, counted from 0."""

    t: Literal["note"] = "note"
    step: Annotated[int, Field(ge=0)]
    note: Annotated[str, Field(max_length=10_000)]


class Pause(_Command):
    """Take no action until `Resume`."""

    t: Literal["pause"] = "pause"


class Resume(_Command):
    """Go on after a pause."""

    t: Literal["resume"] = "resume"


class TakeOver(_Command):
    """From now on (or no more) what is done on the device is not recorded, and said to be so."""

    t: Literal["takeover"] = "takeover"
    on: bool


class Discard(_Command):
    """End the demonstration and show it no more."""

    t: Literal["discard"] = "discard"


class FinishUp(_Command):
    """End the demonstration, claiming an outcome."""

    t: Literal["finish"] = "finish"
    outcome: Outcome
    reason: Annotated[str, Field(max_length=10_000)] = ""


Command: TypeAlias = Annotated[
    Act | Undo | Redo | Note | Pause | Resume | TakeOver | Discard | FinishUp,
    Field(discriminator="t"),
]
CommandAdapter: TypeAdapter[Command] = TypeAdapter(Command)
"""Reads and writes any command as JSON, by its `t`."""
