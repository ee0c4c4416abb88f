"""What is remembered of a demonstration that was not ended: its journal and its episode agree."""

from dataclasses import dataclass, field, replace
from typing import Literal, assert_never

from tapwright.episode import TAKEOVER_BEFORE_STEP, EpisodeOutcome
from tapwright.errors import TapwrightError
from tapwright.record.commands import (
    Act,
    Discard,
    FinishUp,
    Note,
    Pause,
    Redo,
    Resume,
    TakeOver,
    Undo,
)
from tapwright.record.errors import RecordingError
from tapwright.record.journal import Begun, Journal
from tapwright.record.progress import Done, Result, Saved, StepView
from tapwright.store.lines import read_file
from tapwright.store.packing import unpack_step
from tapwright.store.store import EpisodeStore
from tapwright.store.writer import EpisodeWriter

__all__ = ["INTERRUPTED", "Remembered", "remember", "takeover_mark"]

INTERRUPTED = (
    "The recorder was stopped during this step: look whether it was done, and undo it if not."
)
"""The note of a step that was begun and is recorded without knowing more."""


@dataclass(slots=True)
class Remembered:
    """How a demonstration stands; `known` has the answer to each key, `marks` wait for a step."""

    writer: EpisodeWriter | None = None
    steps: list[StepView] = field(default_factory=list)
    known: dict[str, Result | TapwrightError] = field(default_factory=dict)
    marks: list[str] = field(default_factory=list)
    paused: bool = False
    takeover: bool = False
    outcome: EpisodeOutcome | Literal["discarded"] | None = None


def takeover_mark(*, on: bool) -> str:
    """The line of a log that says that a person began or ended acting by hand."""
    return f"{TAKEOVER_BEFORE_STEP}{'start' if on else 'end'}"


def remember(store: EpisodeStore, journal: Journal) -> Remembered:
    """What a journal and the episode of the store say together.

    A step that was begun and never recorded is recorded now, as `INTERRUPTED` says.

    Raises:
        StoreError: the episode is broken, was edited, or another writer is at it.
        DiskError: the disk is full or not writable.
    """
    found, past = Remembered(), journal.past
    id_ = past.opening.episode
    if id_ in store:
        episode = store.read(id_)
        found.steps = [StepView.of(number, step) for number, step in enumerate(episode.steps)]
        found.writer = store.resume(id_)
        if found.writer.ended:
            found.outcome = episode.outcome
    elif any(isinstance(begun.command, Discard) for begun in past.begun):
        found.outcome = "discarded"
    for key, failed in past.failed.items():
        found.known[key] = RecordingError(failed.message, hint=failed.hint)
    if past.begun:
        _end_the_last(past.begun[-1], found)
    # A full disk may have come between any command and its effect, which the counts tell.
    counts = [*(begun.steps for begun in past.begun[1:]), len(found.steps)]
    keys: dict[int, str] = {}
    for begun, steps in zip(past.begun, counts, strict=False):
        if not _had_its_effect(begun, steps, found):
            continue
        command = begun.command
        found.known[command.key] = Done(command.key)
        match command:
            case Act() if begun.step is not None:
                keys = {at: key for at, key in keys.items() if at < begun.steps}
                keys[begun.steps] = command.key
                found.marks.clear()
            case TakeOver(on=on):
                found.takeover = on
                found.marks.append(takeover_mark(on=on))
            case Pause() | Resume():
                found.paused = isinstance(command, Pause)
            case _:
                pass
    for at, key in keys.items():
        if at < len(found.steps):
            found.known[key] = Saved(key, found.steps[at], None)
    return found


def _end_the_last(begun: Begun, found: Remembered) -> None:
    """Record a step that was begun and is not there, though it may have been done."""
    steps, writer = len(found.steps), found.writer
    if (
        isinstance(begun.command, Act)
        and begun.step is not None
        and writer is not None
        and not writer.ended
        and steps == begun.steps
    ):
        step = unpack_step(begun.step, writer.directory, read_file)
        step = replace(step, note=INTERRUPTED)
        writer.append(step)
        found.steps.append(StepView.of(steps, step))


def _had_its_effect(begun: Begun, steps: int, found: Remembered) -> bool:
    """Whether a command that left so many steps was done; if not, the same key does it now."""
    match begun.command:
        case Act():
            return begun.step is None or steps == begun.steps + 1
        case Undo():
            return steps == begun.steps - 1
        case Redo():
            return steps == begun.steps + 1
        case FinishUp() | Discard():
            return found.outcome is not None
        case Note():
            return False  # nothing tells, and to say it again changes nothing
        case TakeOver() | Pause() | Resume():
            return True
        case _:
            assert_never(begun.command)
