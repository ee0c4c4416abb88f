"""One person's demonstration on one device: what they do becomes an episode, step by step.

No command is executed twice, and none is acknowledged before it is on disk. An action goes through
three states: begun (in the journal, with the screen that it was decided on), performed on the
device, and recorded. After a kill between the first and the third, the step is recorded when the
demonstration continues, with a note, and the device is not touched again.

Use it from one thread; `frame_history` may be used from any.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal, assert_never

from tapwright.core.actions import Finish
from tapwright.core.episode import Decision, EpisodeOutcome, Remark, Step
from tapwright.core.observation import Observation
from tapwright.devices.device import Device, LiveFrame
from tapwright.devices.watcher import DeviceWatcher
from tapwright.environment.environment import end_holding
from tapwright.errors import (
    BadImageError,
    DeviceError,
    DeviceLostError,
    DiskError,
    StoreError,
    TapwrightError,
)
from tapwright.record import commands, recorded_episode
from tapwright.record.errors import DEVICE_NOT_RESTORED, RecordingError
from tapwright.record.journal import CommandBegun, Journal
from tapwright.record.judged_device import JudgedDevice, check_focus, make_decision
from tapwright.record.progress import CommandDone, CommandResult, DemonstrationProgress, StepSaved
from tapwright.record.recovery import recover_state, takeover_log_line
from tapwright.record.restoring import DeviceChange
from tapwright.store.ids import directory_name
from tapwright.store.records import StepRecord
from tapwright.store.store import EpisodeStore
from tapwright.store.work_log import WorkClock
from tapwright.tasks.task import Task

__all__ = ["Demonstration"]


@dataclass(slots=True)
class _Unsaved:
    """A step that was performed and is not on disk; `begun` is the step as it was before."""

    key: str
    step: Step
    begun: Step


class Demonstration:
    """What one person does on one device for one task.

    Made on the journal of one that has not ended, it continues where that one stopped. `on_frame`,
    `on_change` and `has_pending` are those of `DeviceWatcher`.
    """

    def __init__(
        self,
        store: EpisodeStore,
        journal: Journal,
        task: Task,
        *,
        on_frame: Callable[[int, int, LiveFrame], None] = lambda *_: None,
        on_change: Callable[[], None] = lambda: None,
        has_pending: Callable[[], bool] = lambda: False,
    ) -> None:
        self.store = store
        self.header = journal.contents.header
        self._journal = journal
        self._watcher = DeviceWatcher(on_frame, on_change, has_pending)
        self.frame_history = self._watcher.frame_history
        self._unsaved: _Unsaved | None = None
        self._disk = ""
        state = recover_state(store, journal)
        self._recorded = recorded_episode.RecordedEpisode(
            store, self.header, state.writer, state.steps
        )
        self._device = JudgedDevice(task, self._recorded, self._watcher, on_change)
        self._results: dict[str, CommandResult | TapwrightError] = state.results
        self._takeovers = state.takeovers
        self._said = state.said
        self._work = WorkClock(self.header.owner, "record")
        self._paused = state.paused
        self._takeover = state.takeover
        self._outcome: EpisodeOutcome | Literal["discarded"] | None = state.outcome

    @property
    def task(self) -> Task:
        """The task, with the instruction that the device gave once it was set up."""
        return self._device.task

    @property
    def progress(self) -> DemonstrationProgress:
        """The current progress."""
        size = self._watcher.size
        return DemonstrationProgress(
            connected=self._watcher.device is not None,
            message=self._watcher.message,
            interrupted=self._device.interrupted,
            restoring=self._device.restoring,
            disk=self._disk,
            size=None if size is None else (size.width, size.height),
            apps=self._device.apps,
            keys=self._device.keys,
            steps=self._recorded.views,
            undone=self._recorded.undone,
            paused=self._paused,
            takeover=self._takeover,
            said=tuple(self._said),
            judge=self._device.verdict,
            outcome=self._outcome,
        )

    @property
    def is_empty(self) -> bool:
        """Whether it leaves nothing once it is closed: nothing was done, or it was discarded."""
        if self._outcome is None:
            return not self._results and not self._recorded.begun
        return self._outcome == "discarded"

    def attach(self, device: Device, changed: DeviceChange | None = "reopened") -> None:
        """Begin on a device; or continue on one, after a restart or when the one before was lost.

        A demonstration without a step sets the device up. Another continues at once where nothing
        but itself has used the device (`changed` is None); else it takes no action, and its check
        judges nothing but what is recorded, until `Restore` has brought the device back.

        Raises:
            DeviceError: the device is lost, or cannot be set up as the task wants.
            SetupFailedError: a step of the set-up did not lead to what it should.
            StoreError: what was recorded cannot be read.
        """
        self._work.note()
        fresh = not self._recorded.begun and not self._takeovers
        self._device.attach(device, changed, fresh=fresh)
        self._expect_first_step()

    @property
    def waiting_s(self) -> float:
        """For how many seconds the device has owed an answer; 0 when it owes none."""
        return self._watcher.waiting_s

    def detach(self) -> None:
        """Let go of the device, which belongs to its opener."""
        self._watcher.detach()

    def lose(self, error: TapwrightError) -> None:
        """Note that no device is available; `error` is the reason."""
        self._watcher.lose(error)

    def refresh(self) -> None:
        """Restart the live pictures with one that can be decoded by itself."""
        self._watcher.refresh()

    def close(self) -> None:
        """Let go of device and files; the journal stays while the demonstration can continue."""
        self.detach()
        self._recorded.close()
        self._write_work()
        if self._outcome is None and not self.is_empty:
            self._journal.close()
        else:
            self._journal.remove()

    def poll(self) -> float:
        """Poll the device while no command waits; the seconds until the next poll."""
        return self._watcher.poll()

    def do(self, command: commands.Command) -> CommandResult:
        """Execute a command; one whose key is known gets the same result again.

        Raises:
            RecordingError: it cannot be executed now; it had no effect.
            DeviceError: the device refused it, or is lost; nothing is recorded.
            DiskError: it had no effect; or it was performed and is not on disk, and the same
                command tries to write it again. The message names the case.
        """
        known = self._results.get(command.key)
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
            self._results[command.key] = error
            raise
        self._disk = ""
        self._results[command.key] = result
        self._work.note(step=isinstance(result, StepSaved))
        if self._outcome is not None:  # whatever its page does then
            self._write_work()
        return result

    def _write_work(self) -> None:
        if not self.is_empty:
            with suppress(DiskError):  # what was recorded counts
                self._work.write(self.store.root / directory_name(self.header.episode))

    def _do(self, command: commands.Command) -> CommandResult:
        if self._unsaved is not None:
            if command.key == self._unsaved.key:
                return self._save(self._unsaved)
            raise RecordingError(
                "a step that was performed is not on disk yet, so no other can follow",
                hint="free some space, and try that step again",
            )
        if self._outcome is not None:
            raise RecordingError("the demonstration has ended and takes nothing more")
        match command:
            case commands.Act():
                return self._act(command)
            case commands.FinishDemonstration():
                self._finish(command)
            case commands.Undo() | commands.Redo():
                self._undo_or_redo(command)
            case commands.Reply():
                return self._reply(command)
            case commands.Restore():
                self._device.restore()
                self._expect_first_step()
            case commands.Note():
                self._note(command)
            case commands.Say(text=text):
                time_s = self._watcher.time_s
                self._begin(command.model_copy(update={"time_s": time_s}))
                self._said.append(Remark(text, time_s))
            case commands.Pause() | commands.Resume():
                self._begin(command)
                self._paused = isinstance(command, commands.Pause)
            case commands.TakeOver(on=on):
                if on != self._takeover:
                    self._begin(command)
                    self._takeover = on
                    self._takeovers.append(takeover_log_line(on=on))
            case commands.Discard():
                self._begin(command)
                self._let_go()
                self._recorded.discard()
                self._outcome = "discarded"
            case _:
                assert_never(command)
        return CommandDone(command.key)

    def _act(self, command: commands.Act) -> CommandResult:
        action, device = command.action, self._device.require()
        if isinstance(action, Finish):
            raise RecordingError("an action cannot end a demonstration", hint="send finish")
        if self._device.interrupted is not None:
            raise DEVICE_NOT_RESTORED(
                "the device may not be where the recorded steps led, and nothing was done",
                hint="bring it back, or close the demonstration with a reason",
            )
        if self._paused:
            raise RecordingError("recording is paused; nothing was done", hint="resume it first")
        if self._takeover:
            self._begin(command)
            self._perform(command, device)
            return CommandDone(command.key)
        with self._watcher.asking():
            check_focus(action, device)
        self._undo_unfinished_end()
        frame, pressed_s = command.frame or self.frame_history.number, monotonic()
        told = recorded_episode.last_reply(self._recorded.views)
        seen = replace(self._device.observe_frame(frame), message=told)
        step = self._make_step(seen, make_decision(action, seen))
        step = replace(step, raw=command.raw)
        self._begin(command, step)
        self._perform(command, device)
        after = self._watcher.observe_settled()
        # By now a change is known that was under way when the finger went down.
        seen = replace(self.frame_history.find_observation(frame, pressed_s) or seen, message=told)
        begun, step = step, replace(step, observation=seen, decision=make_decision(action, seen))
        if after is not None:
            reply = recorded_episode.find_reply(action, self._recorded.views, self.task)
            step = self._device.judge_step(step, replace(after, message=reply))
            step = recorded_episode.answer_step(step, after, reply)
        self._unsaved = _Unsaved(command.key, step, begun)
        return self._save(self._unsaved)

    def _reply(self, command: commands.Reply) -> StepSaved:
        steps = self._recorded.read().steps if self._recorded.views else ()
        step = recorded_episode.answer_last(steps, command.text)
        self._begin(command, step)
        view = self._recorded.replace_last(step)
        self._device.rejudge()
        return StepSaved(command.key, view, self.progress.judge)

    def _perform(self, command: commands.Act, device: Device) -> None:
        self._watcher.mark_action()
        try:
            with self._watcher.asking(command.action):
                device.perform(command.action)
        except DeviceError as error:
            self._journal.add_failed(command.key, error)
            if isinstance(error, DeviceLostError):
                self._watcher.lose(error)
            raise

    def _begin(self, command: commands.Command, step: Step | None = None) -> None:
        """Write a command to the journal; on a full disk it must not be executed."""
        record = None if step is None else self._prepare(step)
        self._journal.add_begun(
            CommandBegun(
                command=command,
                steps=len(self._recorded.views),
                undone=self._recorded.undone,
                step=record,
            )
        )

    def _save(self, unsaved: _Unsaved) -> StepSaved:
        try:
            view = self._recorded.append_storable(unsaved.step, unsaved.begun)
        except DiskError as error:
            raise DiskError(
                f"it was done on the device and is not saved yet: {error}",
                hint="free some space, and try again: it is then only written, not done again",
            ) from error
        self._unsaved = None
        self._takeovers.clear()
        self._said.clear()
        return StepSaved(unsaved.key, view, self.progress.judge)

    def _undo_or_redo(self, command: commands.Undo | commands.Redo) -> None:
        back = isinstance(command, commands.Undo)
        if not (self._recorded.views if back else self._recorded.undone):
            raise RecordingError("there is no step to undo" if back else "no step was undone")
        self._begin(command)
        if back:
            self._recorded.undo()
        else:
            self._recorded.redo()
        self._device.rejudge()

    def _note(self, command: commands.Note) -> None:
        steps = len(self._recorded.views)
        if command.step >= steps:
            raise RecordingError(f"no step {command.step}; there are {steps}")
        self._begin(command)
        self._recorded.note(command.step, command.note)

    def _finish(self, command: commands.FinishDemonstration) -> None:
        self._undo_unfinished_end()
        action = Finish(outcome=command.outcome, reason=command.reason)
        if self._device.interrupted is None:
            seen = self._device.observe_frame(0)
            seen = replace(seen, message=recorded_episode.last_reply(self._recorded.views))
            step = self._make_step(seen, Decision(action), *self._let_go())
            self._begin(command, step)
            self._recorded.append(self._device.judge_step(step, seen))
        else:
            seen = self._close_interrupted(command, action)
        outcome = self._device.outcome(command.outcome)
        self._recorded.finish(outcome, seen, self._device.evidence)
        self._outcome = outcome

    def _make_step(self, seen: Observation, decision: Decision, *log: str) -> Step:
        """A step with what came before it; the lines of `log` are last."""
        return Step(seen, decision, log=(*self._takeovers, *log), said=tuple(self._said))

    def _let_go(self) -> tuple[str, ...]:
        """Let go what the person left down; the line that says so, if anything was."""
        device = self._watcher.device
        if device is None:
            return ()
        with self._watcher.asking():
            return end_holding(device)

    def _close_interrupted(
        self, command: commands.FinishDemonstration, action: Finish
    ) -> Observation:
        """Append the end to what is recorded, and judge that alone; the last recorded screen."""
        steps = self._recorded.read().steps if self._recorded.views else ()
        reached = self._device.is_reached
        if not steps or not (command.reason or (reached and command.outcome == "success")):
            raise DEVICE_NOT_RESTORED(
                "the device may not be where the recorded steps led, and nothing tells the outcome",
                hint="bring it back, give a reason, or discard the demonstration",
            )
        last = steps[-1]
        seen = last.after or last.observation
        step = replace(self._make_step(seen, Decision(action)), state=last.state)
        self._begin(command, step)
        self._recorded.append(step)
        self._device.rejudge()
        return seen

    def _undo_unfinished_end(self) -> None:
        """Undo a last step that ends it: a crash or a full disk came before the end itself."""
        views = self._recorded.views
        if views and isinstance(views[-1].action, Finish):
            self._recorded.undo()
            self._device.rejudge()

    def _prepare(self, step: Step) -> StepRecord:
        """A step's line for the journal; the episode is created with the first."""
        if not self._recorded.begun:
            if not self._recorded.is_ready:
                self._make_ready(step.observation)
            self._recorded.begin()
        return self._recorded.prepare(step)

    def _expect_first_step(self) -> None:
        """Make the episode ready; what hinders that, the first step tells."""
        seen = self.frame_history.find_observation(self.frame_history.number, monotonic())
        if not self._recorded.begun and seen is not None:
            with suppress(DiskError, StoreError, BadImageError):
                self._make_ready(seen)

    def _make_ready(self, screen: Observation) -> None:
        device = self._watcher.device
        place = self.header.place if device is None else device.name
        self._recorded.make_ready(self.task, place, self._device.first, screen)
