"""Judges a demonstration by its task's check, step by step, and anew after an undo."""

from dataclasses import replace

from tapwright.core.actions import Outcome
from tapwright.core.episode import Episode, EpisodeOutcome, OutcomeEvidence, Step
from tapwright.core.observation import Observation
from tapwright.devices.device import Device
from tapwright.environment.environment import CheckRunner, Info
from tapwright.errors import TaskError
from tapwright.record.progress import JudgeView
from tapwright.tasks.checks import Unchecked
from tapwright.tasks.task import Task, Verdict

__all__ = ["DemonstrationJudge"]


class DemonstrationJudge:
    """A task's check at work on a demonstration. `view` is None when the task has no check.

    A check that fails on what it reads costs no step: `view.wrong` then has the reason.
    """

    def __init__(self, device: Device, task: Task) -> None:
        self.view = None if isinstance(task.check, Unchecked) else JudgeView()
        self._runner = CheckRunner(device, task)

    def judge_reset(self, seen: Observation) -> Info:
        """Judge the screen after the reset."""
        try:
            verdict, info = self._runner.judge(seen, None)
        except TaskError as error:
            self._fail(error)
            return {"log": (), "state": {}}
        self._update(verdict, 0.0)
        return info

    def judge_step(self, step: Step, after: Observation) -> Step:
        """The step with the task's reward and instructions, the device's log and the apps' state.

        Raises:
            DeviceError: the device is lost or broken.
        """
        try:
            verdict, info = self._runner.judge(after, step.decision.action)
        except TaskError as error:
            self._fail(error)
            return step
        self._update(verdict, verdict.reward)
        return replace(
            step,
            reward=verdict.reward,
            instructions=verdict.instructions,
            log=(*step.log, *info["log"]),
            state=info["state"],
        )

    @property
    def is_reached(self) -> bool:
        """Whether the goal is reached, as far as the check can judge before the end."""
        view = self.view
        return view is not None and not view.wrong and (view.success or view.score >= 1)

    def outcome(self, claim: Outcome) -> EpisodeOutcome:
        """What became of the attempt; what the person claims, where the check cannot say."""
        return claim if self.view is not None and self.view.wrong else self._runner.attempt.outcome

    @property
    def evidence(self) -> OutcomeEvidence:
        """What the outcome rests on."""
        is_broken = self.view is not None and self.view.wrong
        return "claimed" if is_broken else self._runner.attempt.evidence

    def switch_device(self, device: Device) -> None:
        """Continue on a device that is where the recording is.

        Raises:
            DeviceError: the device is lost or broken.
        """
        self._runner.switch_device(device)

    def rejudge(self, episode: Episode, first: Observation) -> None:
        """Start over, and judge what is recorded now, as `CheckRunner.rejudge` does."""
        if self.view is not None:
            self.view = JudgeView()
        try:
            verdicts = self._runner.rejudge(episode, first)
        except TaskError as error:
            self._fail(error)
            return
        rewards = [0.0, *(step.reward for step in episode.steps)]
        for verdict, reward in zip(verdicts, rewards, strict=True):
            self._update(verdict, reward)

    def _fail(self, error: TaskError) -> None:
        if self.view is not None:
            self.view = replace(self.view, wrong=str(error))

    def _update(self, verdict: Verdict, reward: float) -> None:
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
