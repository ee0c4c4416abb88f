"""What is remembered of a demonstration that was not ended: its journal and its episode agree."""

from dataclasses import dataclass, field, replace
from typing import Literal

from tapwright.episode import EpisodeOutcome
from tapwright.errors import RecordingError, TapwrightError
from tapwright.formats.mobiagent_words import TAKEOVER_BEFORE
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
from tapwright.record.journal import Begun, Journal
from tapwright.record.progress import Done, Result, Saved, StepView
from tapwright.records import read_file, unpack_step
from tapwright.store import EpisodeStore, EpisodeWriter

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
    return f"{TAKEOVER_BEFORE}{'start' if on else 'end'}"


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
    shown: list[str] = []
    undone: list[str] = []
    for number, begun in enumerate(past.begun):
        command = begun.command
        if number == len(past.begun) - 1 and not _reached(begun, found):
            break
        found.known[command.key] = Done(command.key)
        match command:
            case Act() if begun.step is not None:
                shown.append(command.key)
                undone.clear()
                found.marks.clear()
            case Undo():
                undone.append(shown.pop())
            case Redo():
                shown.append(undone.pop())
            case TakeOver(on=on):
                found.takeover = on
                found.marks.append(takeover_mark(on=on))
            case Pause() | Resume():
                found.paused = isinstance(command, Pause)
            case _:
                pass
    for key, view in zip(shown, found.steps, strict=False):
        found.known[key] = Saved(key, view, None)
    return found


def _reached(begun: Begun, found: Remembered) -> bool:
    """Whether the last command of a journal had its effect; a step that was begun gets it now."""
    steps, writer = len(found.steps), found.writer
    match begun.command:
        case Act() if begun.step is not None and writer is not None:
            if steps == begun.steps:
                step = unpack_step(begun.step, writer.directory, read_file)
                step = replace(step, note=INTERRUPTED)
                writer.append(step)
                found.steps.append(StepView.of(steps, step))
            return True
        case Undo():
            return steps == begun.steps - 1
        case Redo():
            return steps == begun.steps + 1
        case FinishUp() | Discard():
            return found.outcome is not None
        case Note():
            return False
        case _:
            return True
