"""Recovers a demonstration that has not ended from its journal and its episode."""

from dataclasses import dataclass, field, replace
from typing import Literal, assert_never

from tapwright.core.episode import TAKEOVER_BEFORE_STEP, EpisodeOutcome, Remark
from tapwright.errors import TapwrightError
from tapwright.record import commands
from tapwright.record.errors import RecordingError
from tapwright.record.journal import CommandBegun, Journal
from tapwright.record.progress import CommandDone, CommandResult, StepSaved, StepView
from tapwright.store.lines import read_file
from tapwright.store.packing import unpack_step
from tapwright.store.store import EpisodeStore
from tapwright.store.writer import EpisodeWriter

__all__ = ["INTERRUPTED", "RecoveredState", "recover_state", "takeover_log_line"]

INTERRUPTED = (
    "The recorder was stopped during this step: look whether it was done, and undo it if not."
)
"""The note of a step that was begun, and of which nothing more is known."""


@dataclass(slots=True)
class RecoveredState:
    """The state of a demonstration.

    `results` has the result of each command by its key, `takeovers` log lines for the next step,
    and `said` what was written down before it.
    """

    writer: EpisodeWriter | None = None
    steps: list[StepView] = field(default_factory=list)
    results: dict[str, CommandResult | TapwrightError] = field(default_factory=dict)
    takeovers: list[str] = field(default_factory=list)
    said: list[Remark] = field(default_factory=list)
    paused: bool = False
    takeover: bool = False
    outcome: EpisodeOutcome | Literal["discarded"] | None = None


def takeover_log_line(*, on: bool) -> str:
    """The log line of a person who begins or ends acting by hand."""
    return f"{TAKEOVER_BEFORE_STEP}{'start' if on else 'end'}"


def recover_state(store: EpisodeStore, journal: Journal) -> RecoveredState:
    """The state that a journal and its episode in the store give together.

    A step that was begun and never recorded is recorded now, with the note `INTERRUPTED`.

    Raises:
        StoreError: the episode is broken, was edited, or another writer is at it.
        DiskError: the disk is full or not writable.
    """
    found, contents = RecoveredState(), journal.contents
    id_ = contents.header.episode
    if id_ in store:
        episode = store.read(id_)
        found.steps = [StepView.of(number, step) for number, step in enumerate(episode.steps)]
        found.writer = store.resume(id_)
        if found.writer.ended:
            found.outcome = episode.outcome
    elif any(isinstance(begun.command, commands.Discard) for begun in contents.commands):
        found.outcome = "discarded"
    for key, failed in contents.failed.items():
        found.results[key] = RecordingError(failed.message, hint=failed.hint)
    if contents.commands:
        _record_interrupted_step(contents.commands[-1], found)
    # A full disk may have come between a command and its effect; the counts show it.
    counts = [*(begun.steps for begun in contents.commands[1:]), len(found.steps)]
    keys: dict[int, str] = {}
    for begun, steps in zip(contents.commands, counts, strict=False):
        if not _took_effect(begun, steps, found):
            continue
        command = begun.command
        found.results[command.key] = CommandDone(command.key)
        match command:
            case commands.Act() if begun.step is not None:
                keys = {at: key for at, key in keys.items() if at < begun.steps}
                keys[begun.steps] = command.key
                found.takeovers.clear()
                found.said.clear()
            case commands.TakeOver(on=on):
                found.takeover = on
                found.takeovers.append(takeover_log_line(on=on))
            case commands.Say(text=text, time_s=time_s):
                found.said.append(Remark(text, time_s))
            case commands.Pause() | commands.Resume():
                found.paused = isinstance(command, commands.Pause)
            case _:
                pass
    for at, key in keys.items():
        if at < len(found.steps):
            found.results[key] = StepSaved(key, found.steps[at], None)
    return found


def _record_interrupted_step(begun: CommandBegun, found: RecoveredState) -> None:
    """Record a step that was begun and is missing, though it may have been executed.

    Of an answer to a question the step with it is there, or only the undo of the one without.
    """
    steps, writer = len(found.steps), found.writer
    is_act = isinstance(begun.command, commands.Act)
    if (
        begun.step is not None
        and writer is not None
        and not writer.ended
        and (is_act or isinstance(begun.command, commands.Reply))
        and steps == begun.steps - (not is_act)
    ):
        step = unpack_step(begun.step, writer.directory, read_file)
        writer.append(replace(step, note=INTERRUPTED) if is_act else step)
        found.steps.append(StepView.of(steps, step))


def _took_effect(begun: CommandBegun, steps: int, found: RecoveredState) -> bool:
    """Whether a command that left so many steps was executed; if not, its key executes it now."""
    match begun.command:
        case commands.Act():
            return begun.step is None or steps == begun.steps + 1
        case commands.Undo():
            return steps == begun.steps - 1
        case commands.Redo():
            return steps == begun.steps + 1
        case commands.FinishDemonstration() | commands.Discard():
            return found.outcome is not None
        case commands.Note() | commands.Reply():
            return False  # unknown, and to write it again changes nothing
        case (
            commands.TakeOver()
            | commands.Pause()
            | commands.Resume()
            | commands.Restore()
            | commands.Say()
        ):
            return True
        case _:
            assert_never(begun.command)
