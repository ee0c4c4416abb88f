"""One person's demonstration on one device: what they do becomes an episode, step by step.

No command is done twice and none is told as saved that is not on disk. An action goes through
three states: begun (in the journal, with the screen that it was decided on), done on the device,
and recorded. Who is killed between the first and the third finds the step recorded when the
demonstration is gone on with, with a note that says so, and the device is not touched again.

Use it from one thread; `sight` may be used from any.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal, assert_never

from tapwright.actions import Finish
from tapwright.devices.device import Device, LiveFrame
from tapwright.environment.environment import Info, instruction_of, prepare
from tapwright.episode import Decision, EpisodeOutcome, Step
from tapwright.errors import (
    BadImageError,
    DeviceError,
    DeviceLostError,
    DiskError,
    StoreError,
    TapwrightError,
)
from tapwright.observation import Observation
from tapwright.record.commands import (
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
from tapwright.record.errors import DeviceUnavailableError, RecordingError
from tapwright.record.journal import Begun, Journal
from tapwright.record.meant import decision
from tapwright.record.past import remember, takeover_mark
from tapwright.record.progress import Done, Progress, Result, Saved, StepView
from tapwright.record.scores import Scores
from tapwright.record.watching import Watching
from tapwright.store.store import EpisodeStore
from tapwright.store.writer import EpisodeWriter
from tapwright.tasks.task import Task

__all__ = ["Demonstration"]


@dataclass(slots=True)
class _Unsaved:
    """A step that was done and is not on disk; `begun` is it as it was before it was done."""

    key: str
    step: Step
    begun: Step


class Demonstration:
    """What one person does on one device for one task.

    Made on the journal of one that was not ended, it goes on where that one stopped. `on_frame`,
    `on_change` and `hurry` as `Watching` has them.
    """

    def __init__(
        self,
        store: EpisodeStore,
        journal: Journal,
        task: Task,
        *,
        on_frame: Callable[[int, int, LiveFrame], None] = lambda *_: None,
        on_change: Callable[[], None] = lambda: None,
        hurry: Callable[[], bool] = lambda: False,
    ) -> None:
        self.store = store
        self.task = task
        self.opening = journal.past.opening
        self._journal = journal
        self._watching = Watching(on_frame, on_change, hurry)
        self.sight = self._watching.sight
        self._scores: Scores | None = None
        self._first: Info | None = None
        self._begun_on: Observation | None = None
        self._unsaved: _Unsaved | None = None
        self._apps: tuple[str, ...] = ()
        self._disk = ""
        past = remember(store, journal)
        self._writer: EpisodeWriter | None = past.writer
        self._steps = past.steps
        self._known: dict[str, Result | TapwrightError] = past.known
        self._marks = past.marks
        self._paused = past.paused
        self._takeover = past.takeover
        self._outcome: EpisodeOutcome | Literal["discarded"] | None = past.outcome

    @property
    def progress(self) -> Progress:
        """How it stands."""
        return Progress(
            connected=self._watching.device is not None,
            message=self._watching.message,
            disk=self._disk,
            size=self._watching.size,
            apps=self._apps,
            steps=tuple(self._steps),
            undone=self._undone,
            paused=self._paused,
            takeover=self._takeover,
            judge=None if self._scores is None else self._scores.view,
            outcome=self._outcome,
        )

    def attach(self, device: Device) -> None:
        """Begin on a device; or go on with one, after a restart or when the one before was lost.

        Only a demonstration that nothing was done in sets the device up. Otherwise the person sees
        what it shows, and `Progress.message` says that this may not be what it did.

        Raises:
            DeviceError: the device is lost, or cannot be set up as the task wants.
            SetupFailedError: a step of the set-up did not lead to what it should.
            StoreError: what was recorded cannot be read.
        """
        fresh = self._scores is None and not self._journal.past.begun
        if fresh:
            prepare(device, self.task)
            self.task = replace(self.task, instruction=instruction_of(device, self.task))
            self._watching.connect(device)
        else:
            told = f"{device.name} was opened anew, and nothing was set up again: "
            self._watching.connect(device, f"{told}it may not show what it did")
        self._apps = tuple(device.apps())
        first = self._watching.now()
        if first is None:
            raise DeviceLostError(self._watching.message)
        if self._scores is None:
            self._scores, self._begun_on = Scores(device, self.task), first
        else:
            self._scores.move(device)
        if fresh:
            self._first = self._scores.begin(first)
        else:
            self._retrace()

    def detach(self) -> None:
        """Let go of the device, which belongs to who opened it."""
        self._watching.detach()

    def lose(self, error: TapwrightError) -> None:
        """There is no device to have; `error` says why."""
        self._watching.lose(error)

    def refresh(self) -> None:
        """Begin the live pictures anew, with one that can be shown by itself."""
        self._watching.refresh()

    def close(self) -> None:
        """Let go of device and files; the journal stays while there is something to go on with."""
        self.detach()
        if self._writer is not None:
            self._writer.close()
        if self._outcome is None and (self._known or self._writer is not None):
            self._journal.close()
        else:
            self._journal.remove()

    def look(self) -> float:
        """Look at the device while nobody acts; in how many seconds to look again."""
        return self._watching.look()

    def do(self, command: Command) -> Result:
        """Do it; a key that is known gets the answer that it got before.

        Raises:
            RecordingError: it cannot be done now; nothing was done.
            DeviceError: the device would not, or is lost; nothing is recorded.
            DiskError: nothing was done; or it was done and is not on disk, and the same command
                tries to write it again. The message says which.
        """
        known = self._known.get(command.key)
        if isinstance(known, TapwrightError):
            raise known
        if known is not None:
            return known
        try:
            result = self._do(command)
        except DiskError as error:
            self._disk = str(error)
            raise
        except TapwrightError as error:
            self._known[command.key] = error
            raise
        self._disk = ""
        self._known[command.key] = result
        return result

    def _do(self, command: Command) -> Result:
        if self._unsaved is not None:
            if command.key == self._unsaved.key:
                return self._save(self._unsaved)
            raise RecordingError(
                "a step that was done is not on disk yet, so that nothing else can follow",
                hint="free some space, and try that step again",
            )
        if self._outcome is not None:
            raise RecordingError("the demonstration has ended and takes nothing more")
        match command:
            case Act():
                return self._act(command)
            case FinishUp():
                self._finish(command)
            case Undo() | Redo():
                self._turn(command)
            case Note():
                self._note(command)
            case Pause() | Resume():
                self._begin(command)
                self._paused = isinstance(command, Pause)
            case TakeOver(on=on):
                if on != self._takeover:
                    self._begin(command)
                    self._takeover = on
                    self._marks.append(takeover_mark(on=on))
            case Discard():
                self._begin(command)
                self._discard()
            case _:
                assert_never(command)
        return Done(command.key)

    def _act(self, command: Act) -> Result:
        action, device = command.action, self._watching.device
        if isinstance(action, Finish):
            raise RecordingError("an action cannot end a demonstration", hint="send finish")
        if device is None:
            raise DeviceUnavailableError(
                f"the device is away, and nothing was done: {self._watching.message}",
                hint="wait until it is back",
            )
        if self._paused:
            raise RecordingError("recording is paused; nothing was done", hint="resume it first")
        if self._takeover:
            self._begin(command)
            self._perform(command, device)
            return Done(command.key)
        self._take_back_an_end()
        frame, pressed_s = command.frame or self.sight.number, monotonic()
        seen = self._watching.seen(frame)
        step = Step(seen, decision(action, seen), log=tuple(self._marks), raw=command.raw)
        self._begin(command, step)
        self._perform(command, device)
        after = self._watching.settled()
        # By now a change is known that was under way when the finger went down.
        seen = self.sight.seen(frame, pressed_s) or seen
        begun, step = step, replace(step, observation=seen, decision=decision(action, seen))
        if after is not None:
            step = self._rewarded(replace(step, after=after), after)
        self._unsaved = _Unsaved(command.key, step, begun)
        return self._save(self._unsaved)

    def _perform(self, command: Act, device: Device) -> None:
        self._watching.acts += 1
        self.sight.act(monotonic())
        try:
            device.perform(command.action)
        except DeviceError as error:
            self._journal.failed(command.key, error)
            if isinstance(error, DeviceLostError):
                self._watching.lose(error)
            raise

    def _begin(self, command: Command, step: Step | None = None) -> None:
        """Write down what is about to be done; on a full disk nothing is."""
        record = None if step is None else self._writing().prepare(step)
        self._journal.begun(
            Begun(command=command, steps=len(self._steps), undone=self._undone, step=record)
        )

    def _save(self, unsaved: _Unsaved) -> Saved:
        try:
            view = self._append_what_can_be(unsaved)
        except DiskError as error:
            raise DiskError(
                f"it was done on the device and is not saved yet: {error}",
                hint="free some space, and try again: it is then only written, not done again",
            ) from error
        self._unsaved = None
        self._marks.clear()
        return Saved(unsaved.key, view, self.progress.judge)

    def _append_what_can_be(self, unsaved: _Unsaved) -> StepView:
        try:
            return self._append(unsaved.step)
        except DiskError:
            raise
        except (StoreError, BadImageError) as error:
            note = f"what came of this step cannot be stored: {error}"
            return self._append(replace(unsaved.begun, note=note))

    def _append(self, step: Step) -> StepView:
        self._writing().append(step)
        view = StepView.of(len(self._steps), step)
        self._steps.append(view)
        return view

    def _turn(self, command: Undo | Redo) -> None:
        back = isinstance(command, Undo)
        if not (self._steps if back else self._undone):
            raise RecordingError("there is no step to take back" if back else "none was undone")
        self._begin(command)
        if back:
            self._writing().undo()
            self._steps.pop()
        else:
            self._writing().redo()
            step = self.store.read(self.opening.episode).steps[-1]
            self._steps.append(StepView.of(len(self._steps), step))
        self._retrace()

    def _note(self, command: Note) -> None:
        at, note = command.step, command.note
        if at >= len(self._steps):
            raise RecordingError(f"no step {at}; there are {len(self._steps)}")
        self._begin(command)
        self._writing().note(at, note)
        self._steps[at] = replace(self._steps[at], note=note)

    def _finish(self, command: FinishUp) -> None:
        self._take_back_an_end()
        seen = self._watching.seen(0)
        action = Finish(outcome=command.outcome, reason=command.reason)
        step = Step(seen, Decision(action), log=tuple(self._marks))
        self._begin(command, step)
        step = self._rewarded(step, seen)
        outcome = command.outcome if self._scores is None else self._scores.outcome(command.outcome)
        self._append(step)
        self._writing().finish(outcome, seen)
        self._writing().close()
        self._outcome = outcome

    def _take_back_an_end(self) -> None:
        """Take back a last step that ends it: a crash or a full disk came before the end itself."""
        if self._steps and isinstance(self._steps[-1].action, Finish):
            self._writing().undo()
            self._steps.pop()
            self._retrace()

    def _discard(self) -> None:
        if self._writer is not None:
            self._writer.close()
            before = self.store.read(self.opening.episode)
            try:
                self.store.remove(before, edit="discard, while recording")
            except DiskError:
                self._writer = self.store.resume(self.opening.episode)
                raise
        self._outcome = "discarded"

    @property
    def _undone(self) -> int:
        return 0 if self._writer is None else self._writer.undone

    def _rewarded(self, step: Step, after: Observation) -> Step:
        if self._scores is None or self._watching.device is None:
            return step
        try:
            return self._scores.rewarded(step, after)
        except DeviceError as error:
            self._watching.lose(error)
            return step

    def _retrace(self) -> None:
        """Judge again what is recorded now."""
        if self._scores is None or self._begun_on is None or self._writer is None:
            return
        self._scores.retrace(self.store.read(self.opening.episode), self._begun_on)

    def _writing(self) -> EpisodeWriter:
        """The episode's writer; the episode is made with its first step."""
        if self._writer is None:
            opening, first = self.opening, self._first
            device = self._watching.device
            self._writer = self.store.create(
                task_id=self.task.id,
                instruction=self.task.instruction,
                agent=f"human/{opening.owner}",
                device=opening.place if device is None else device.name,
                id=opening.episode,
                log=first["log"] if first else (),
                state=first["state"] if first else None,
            )
        return self._writer
