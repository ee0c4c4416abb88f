"""The device of a demonstration: set up for its task, judged, and brought back to where it stands.

Beside it, what an action of a person becomes: a decision with the label of what it hits, or a
refusal of text that would go nowhere.

Use it from one thread.
"""

from collections.abc import Callable
from dataclasses import replace

from tapwright.core.actions import Action, Drag, Key, Outcome, PointAction, TypeText
from tapwright.core.episode import Decision, EpisodeOutcome, OutcomeEvidence, Step
from tapwright.core.observation import Observation
from tapwright.devices.device import Device, keys_of, takes_text
from tapwright.devices.watcher import DeviceWatcher
from tapwright.environment.environment import Info, prepare_device, read_instruction
from tapwright.errors import BadTreeError, DeviceError, DeviceLostError
from tapwright.record.errors import DEVICE_UNAVAILABLE, NO_FIELD_FOCUSED
from tapwright.record.judge import DemonstrationJudge
from tapwright.record.progress import JudgeView
from tapwright.record.recorded_episode import RecordedEpisode
from tapwright.record.restoring import DeviceChange, replay_steps
from tapwright.tasks.task import Task

__all__ = ["JudgedDevice", "check_focus", "make_decision"]


class JudgedDevice:
    """One device at a time for one task.

    `interrupted` is why it may not be where the `recorded` steps led; then it takes no action, and
    nothing but what is recorded is judged, until `restore`. `restoring` is the step that is being
    played again. `first` is what the check read after the set-up.
    """

    def __init__(
        self,
        task: Task,
        recorded: RecordedEpisode,
        watcher: DeviceWatcher,
        on_change: Callable[[], None],
    ) -> None:
        self.task = task
        self.interrupted: DeviceChange | None = None
        self.restoring: int | None = None
        self.first: Info | None = None
        self.apps: tuple[str, ...] = ()
        self.keys: tuple[Key, ...] = ()
        self._recorded = recorded
        self._watcher = watcher
        self._on_change = on_change
        self._judge: DemonstrationJudge | None = None
        self._first_screen: Observation | None = None

    @property
    def verdict(self) -> JudgeView | None:
        """What the task's check says; None when it has none, or nothing was judged yet."""
        return None if self._judge is None else self._judge.view

    @property
    def is_reached(self) -> bool:
        """Whether the goal is reached, as far as the check can judge before the end."""
        return self._judge is not None and self._judge.is_reached

    def outcome(self, claim: Outcome) -> EpisodeOutcome:
        """The outcome by the check; without one, what the person claims."""
        return claim if self._judge is None else self._judge.outcome(claim)

    @property
    def evidence(self) -> OutcomeEvidence:
        """What the outcome rests on."""
        return "claimed" if self._judge is None else self._judge.evidence

    def require(self) -> Device:
        """The device.

        Raises:
            RecordingError: there is none now.
        """
        if self._watcher.device is None:
            raise DEVICE_UNAVAILABLE(
                f"the device is not connected, and nothing was done: {self._watcher.message}",
                hint="wait until it is back",
            )
        return self._watcher.device

    def observe_frame(self, frame: int) -> Observation:
        """What the person saw with the picture of this number; 0 is the current one.

        Raises:
            RecordingError: nothing was captured yet.
            DeviceError: the device is gone.
            BadImageError: it gives no readable picture, and was let go of.
        """
        seen = self._watcher.observe_frame(frame)
        if seen is None:
            raise DEVICE_UNAVAILABLE(
                "no screen was captured yet", hint="wait until the device is connected"
            )
        return seen

    def attach(self, device: Device, changed: DeviceChange | None, *, fresh: bool) -> None:
        """Connect a device, set up for the task where `fresh`; `Demonstration.attach` says more."""
        self.interrupted = None if fresh else changed
        if fresh:
            self._set_up(device)
        self._watcher.connect(device)
        self.apps, self.keys = tuple(device.apps()), keys_of(device)
        if fresh:
            self._judge_reset(device)
            return
        if self._judge is None:
            self._judge, self._first_screen = DemonstrationJudge(device, self.task), self._observe()
        self._judge.switch_device(device)
        self.rejudge()

    def restore(self) -> None:
        """Set the device up for the task, and play what is recorded again.

        Raises:
            RecordingError: it does not come to where the recorded steps led.
            DeviceError: it is lost, or cannot be set up as the task wants.
        """
        device = self.require()
        steps = self._recorded.read().steps if self._recorded.begun else ()
        if self.interrupted is None:
            self.interrupted = "used"  # until it is done
        try:
            self._report_replay(0)
            self._set_up(device)
            self._judge_reset(device)
            replay_steps(self._watcher, device, steps, self._report_replay)
            if self._judge is not None:
                self._judge.switch_device(device)
            self.rejudge()
            self.interrupted = None
        except DeviceLostError as error:
            self._watcher.lose(error)
            raise
        finally:
            self.restoring = None
            self._on_change()

    def judge_step(self, step: Step, after: Observation) -> Step:
        """The step with what the check says of the screen `after` it."""
        if self._judge is None or self._watcher.device is None:
            return step
        try:
            with self._watcher.asking():  # the check reads the apps' state
                return self._judge.judge_step(step, after)
        except DeviceError as error:
            self._watcher.lose(error)
            return step

    def rejudge(self) -> None:
        """Judge again what is recorded now."""
        if self._judge is None or self._first_screen is None or not self._recorded.begun:
            return
        self._judge.rejudge(self._recorded.read(), self._first_screen)

    def _set_up(self, device: Device) -> None:
        prepare_device(device, self.task)
        self.task = replace(self.task, instruction=read_instruction(device, self.task))

    def _judge_reset(self, device: Device) -> None:
        """Begin to judge on a device that was just set up."""
        self._first_screen = self._observe()
        self._judge = DemonstrationJudge(device, self.task)
        self.first = self._judge.judge_reset(self._first_screen)

    def _observe(self) -> Observation:
        seen = self._watcher.observe_now()
        if seen is None:
            raise DeviceLostError(self._watcher.message)
        return seen

    def _report_replay(self, index: int) -> None:
        self.restoring = index
        self._on_change()


_MAX_TARGET = 200


def make_decision(action: Action, seen: Observation) -> Decision:
    """The decision for an action, with the label of the element that it hits."""
    return Decision(action, target=_find_target(action, seen))


def _find_target(action: Action, seen: Observation) -> str:
    """The label of the smallest clickable element that the action hits; "" when there is none."""
    match action:
        case PointAction(at=at) | Drag(start=at):
            pass
        case _:
            return ""
    try:
        node = None if seen.ui_tree is None else seen.ui_tree.at(at)
    except BadTreeError:
        return ""
    return node.label[:_MAX_TARGET] if node is not None and node.is_("clickable") else ""


def check_focus(action: Action, device: Device) -> None:
    """Refuse text that the device would drop: a step without an effect teaches nothing.

    A device that does not know where text goes gets it, and what it does with it is recorded.

    Raises:
        RecordingError: no field has the focus, and the action touches none before.
        DeviceLostError: the device is gone.
    """
    if isinstance(action, TypeText) and action.at is None and not takes_text(device):
        raise NO_FIELD_FOCUSED(
            "no field has the focus, so the text would go nowhere; nothing was done",
            hint="tap a field first",
        )
