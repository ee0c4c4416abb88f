"""What a task's check says of a demonstration, step by step, and of what is left after an undo."""

from dataclasses import replace

from tapwright.actions import Outcome
from tapwright.devices.device import Device
from tapwright.environment.environment import Info, Referee
from tapwright.episode import Episode, EpisodeOutcome, Step
from tapwright.errors import TaskError
from tapwright.observation import Observation
from tapwright.record.progress import JudgeView
from tapwright.tasks.checks import Unchecked
from tapwright.tasks.task import Task, Verdict

__all__ = ["Scores"]


class Scores:
    """The score that a task's check keeps on a device. `view` is None when it has no check.

    A check that cannot work on what it sees costs no step: `view` then says what is wrong.
    """

    def __init__(self, device: Device, task: Task) -> None:
        self.view = None if isinstance(task.check, Unchecked) else JudgeView()
        self._referee = Referee(device, task.check)

    def begin(self, seen: Observation) -> Info:
        """Judge the screen after the reset."""
        try:
            verdict, info = self._referee.judge(seen, None)
        except TaskError as error:
            self._fail(error)
            return {"log": (), "state": {}}
        self._tell(verdict, 0.0)
        return info

    def rewarded(self, step: Step, after: Observation) -> Step:
        """The step with what the task and the device's log said in return.

        Raises:
            DeviceError: the device is lost or broken.
        """
        try:
            verdict, info = self._referee.judge(after, step.decision.action)
        except TaskError as error:
            self._fail(error)
            return step
        self._tell(verdict, verdict.reward)
        return replace(
            step,
            reward=verdict.reward,
            instructions=verdict.instructions,
            log=(*step.log, *info["log"]),
            state=info["state"],
        )

    def outcome(self, claim: Outcome) -> EpisodeOutcome:
        """How it ended, as an environment would say; without a check as the person claims."""
        if self.view is None or self.view.wrong:
            return claim
        if self.view.success:
            return "success"
        return "infeasible" if claim == "infeasible" else "failure"

    def move(self, device: Device) -> None:
        """Go on with a device that was opened anew."""
        self._referee.move(device)

    def retrace(self, episode: Episode, first: Observation) -> None:
        """Forget all, and judge what is recorded now, as `Referee.retrace` does."""
        if self.view is None:
            return
        self.view = JudgeView()
        try:
            verdicts = self._referee.retrace(episode, first)
        except TaskError as error:
            self._fail(error)
            return
        rewards = [0.0, *(step.reward for step in episode.steps)]
        for verdict, reward in zip(verdicts, rewards, strict=True):
            self._tell(verdict, reward)

    def _fail(self, error: TaskError) -> None:
        if self.view is not None:
            self.view = replace(self.view, wrong=str(error))

    def _tell(self, verdict: Verdict, reward: float) -> None:
        if self.view is None:
            return
        self.view = JudgeView(
            score=verdict.score,
            reward=reward,
            total=self.view.total + reward,
            success=verdict.success,
            ended=verdict.ended,
            instructions=(*self.view.instructions, *verdict.instructions),
        )
