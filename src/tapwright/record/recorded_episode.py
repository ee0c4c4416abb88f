"""The episode of a demonstration: on disk with its first step, then step by step; and its answers.

Nothing is kept here that is not on disk; `views` are the recorded steps as text, without pictures.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from tapwright.core.actions import Action, AskUser
from tapwright.core.episode import Episode, EpisodeOutcome, OutcomeEvidence, Step
from tapwright.core.observation import Observation
from tapwright.environment.environment import Info
from tapwright.errors import BadImageError, DiskError, StoreError
from tapwright.files.jsonl import now_text
from tapwright.record.errors import RecordingError
from tapwright.record.journal import JournalHeader
from tapwright.record.progress import StepView
from tapwright.store.records import StepRecord
from tapwright.store.store import EpisodeStore
from tapwright.store.writer import EpisodeWriter
from tapwright.tasks.task import Task

__all__ = ["RecordedEpisode", "answer_last", "answer_step", "find_reply", "last_reply"]


class RecordedEpisode:
    """The episode that a journal's header names; made on one that is there, it is continued.

    Until `begin` there is no episode in the store, and only `make_ready`, `begin`, `discard` and
    `close` may be called. Every change raises DiskError where the disk is full or not writable.
    """

    def __init__(
        self,
        store: EpisodeStore,
        header: JournalHeader,
        writer: EpisodeWriter | None,
        views: list[StepView],
    ) -> None:
        self._store = store
        self._header = header
        self._open = writer
        self._views = views
        self._ready: ExitStack | None = None

    @property
    def is_ready(self) -> bool:
        """Whether `begin` may be called."""
        return self._ready is not None

    @property
    def begun(self) -> bool:
        """Whether the episode is in the store."""
        return self._open is not None

    @property
    def views(self) -> tuple[StepView, ...]:
        """The recorded steps, without those that were undone."""
        return tuple(self._views)

    @property
    def undone(self) -> int:
        """How many steps can be redone."""
        return 0 if self._open is None else self._open.undone

    def read(self) -> Episode:
        """What is recorded, with pictures.

        Raises:
            StoreError: it cannot be read.
        """
        return self._store.read(self._header.episode)

    def make_ready(self, task: Task, device: str, first: Info | None, screen: Observation) -> None:
        """Make all ready that `begin` needs, so that the first step is written as soon as others.

        `first` is what the check read after the set-up, `screen` what the first step may be on.
        """
        self._abandon()
        header = self._header
        episode = Episode(
            task_id=task.id,
            instruction=task.instruction,
            steps=(),
            agent=f"human/{header.owner}",
            device=device,
            id=header.episode,
            created=now_text(),
            log=first["log"] if first else (),
            state=first["state"] if first else {},
            extra={"suite": header.suite} if header.suite else {},
        )
        with ExitStack() as ready:
            ready.enter_context(self._store.beginning(episode, screen))
            self._ready = ready.pop_all()

    def begin(self) -> None:
        """Create the episode, which was made ready."""
        assert self._ready is not None
        ready, self._ready = self._ready, None
        ready.close()
        self._open = self._store.resume(self._header.episode)

    def prepare(self, step: Step) -> StepRecord:
        """A step's line as the journal keeps it, its pictures on disk."""
        return self._writer.prepare(step)

    def append(self, step: Step) -> StepView:
        """Record a step."""
        self._writer.append(step)
        return self._add_view(step)

    def append_storable(self, step: Step, begun: Step) -> StepView:
        """Record a step; one that led to what cannot be stored, as it was `begun`, with a note."""
        try:
            return self.append(step)
        except DiskError:
            raise
        except (StoreError, BadImageError) as error:
            note = f"what this step led to cannot be stored: {error}"
            return self.append(replace(begun, note=note))

    def replace_last(self, step: Step) -> StepView:
        """Record the last step anew."""
        self._writer.replace_last(step)
        self._views.pop()
        return self._add_view(step)

    def undo(self) -> None:
        """Take the last step back."""
        self._writer.undo()
        self._views.pop()

    def redo(self) -> None:
        """Bring the step back that was undone last."""
        self._writer.redo()
        self._add_view(self.read().steps[-1])

    def note(self, at: int, note: str) -> None:
        """Write a note on a step, counted from 0."""
        self._writer.note(at, note)
        self._views[at] = replace(self._views[at], note=note)

    def finish(
        self, outcome: EpisodeOutcome, final: Observation, evidence: OutcomeEvidence
    ) -> None:
        """End the episode, which takes no more steps."""
        self._writer.finish(outcome, final, evidence=evidence)
        self._writer.close()

    def discard(self) -> None:
        """Remove the episode, if there is one; it can be restored from the store's bin."""
        if self._open is None:
            return
        self._open.close()
        try:
            self._store.remove(self.read(), edit="discard, while recording")
        except DiskError:
            self._open = self._store.resume(self._header.episode)
            raise

    def close(self) -> None:
        """Close the files; what is recorded can be continued later."""
        self._abandon()
        if self._open is not None:
            self._open.close()

    def _abandon(self) -> None:
        """Remove what was made ready, as any failure in its block does."""
        if self._ready is not None:
            ready, self._ready = self._ready, None
            ready.__exit__(GeneratorExit, GeneratorExit(), None)

    @property
    def _writer(self) -> EpisodeWriter:
        if self._open is None:
            raise RecordingError("nothing is recorded yet")
        return self._open

    def _add_view(self, step: Step) -> StepView:
        view = StepView.of(len(self._views), step)
        self._views.append(view)
        return view


def last_reply(views: Sequence[StepView]) -> str:
    """What was answered to the question of the last step; "" where it asked none, or waits."""
    return views[-1].reply if views else ""


def find_reply(action: Action, views: Sequence[StepView], task: Task) -> str:
    """What the task has the user answer to an action after these steps; "" where it has nothing.

    The task's script answers questions in their order, as in an environment; once it is used up, a
    person does.
    """
    if not isinstance(action, AskUser):
        return ""
    asked = sum(isinstance(view.action, AskUser) for view in views)
    return next(iter(task.replies[asked:]), "")


def answer_step(step: Step, after: Observation, reply: str) -> Step:
    """The step with the screen after it and what the user answered; "" is no answer."""
    texts = (*step.instructions, *filter(None, [reply]))
    return replace(step, after=replace(after, message=reply), instructions=texts)


def answer_last(steps: Sequence[Step], reply: str) -> Step:
    """The last step with an answer to its question, in place of an earlier one.

    Raises:
        RecordingError: it asked nothing.
    """
    if not steps or not isinstance(steps[-1].decision.first, AskUser):
        raise RecordingError("the last step asked the user nothing", hint="ask first")
    step = steps[-1]
    after = step.after or replace(step.observation, stale=True)
    texts = step.instructions[:-1] if after.message else step.instructions
    return answer_step(replace(step, instructions=texts), after, reply)
