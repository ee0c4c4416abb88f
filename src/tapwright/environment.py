"""A device with a task: Gymnasium's `reset` and `step`, with tapwright's own words.

Follows https://gymnasium.farama.org/api/env/ in the order and meaning of what is returned;
observations and actions are tapwright's types, so there are no `spaces` here.
"""

from collections.abc import Mapping
from typing import Self, TypedDict

from pydantic import JsonValue

from tapwright.actions import Action, Answer, Finish, Outcome
from tapwright.devices.device import Device
from tapwright.episode import EpisodeOutcome
from tapwright.errors import EnvironmentOrderError
from tapwright.observation import Observation
from tapwright.tasks.task import Judge, Signals, Task, Verdict

__all__ = [
    "Environment",
    "Info",
]


class Info(TypedDict, total=False):
    """What a step tells beside its reward; `outcome` is there when the episode has ended."""

    score: float
    instructions: tuple[str, ...]
    outcome: EpisodeOutcome


class Environment:
    """One task on one device.

    `terminated`: the agent finished, or the task's own rules ended the episode. `truncated`: the
    task's step limit was reached first. Never both. `reward` is what the check gave for the step;
    `info` has the `score` (0 to 1), the check's `instructions`, and at the end the `outcome`.
    """

    def __init__(self, device: Device, task: Task) -> None:
        self.device = device
        self.task = task
        self._judge: Judge | None = None
        self._steps = 0
        self._answer: str | None = None
        self._claim: Outcome | None = None

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, JsonValue] | None = None
    ) -> tuple[Observation, Info]:
        """Set the device up for the task and look at it.

        `seed` replaces the seed of the task's set-up; `options` may carry a `language`.

        Raises:
            DeviceError: the device cannot be set up as the task wants.
        """
        setup = self.task.setup
        language = (options or {}).get("language", self.task.language)
        self.device.reset(
            seed=setup.seed if seed is None else seed,
            language=str(language),
            state=setup.state,
            app=setup.app,
        )
        self._judge = self.task.check.start()
        self._steps, self._answer, self._claim = 0, None, None
        observation = self.device.observe()
        return observation, self._info(self._judge.step(self._signals(observation)))

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, Info]:
        """Perform one action: observation, reward, terminated, truncated, info.

        Raises:
            EnvironmentOrderError: before `reset`, or after the episode has ended.
            DeviceError: the device could not perform it; the episode may go on.
        """
        if self._judge is None:
            raise EnvironmentOrderError(
                "step was called on an episode that has not begun or has ended",
                hint="call reset first",
            )
        match action:
            case Answer(text=text):
                self._answer = text
            case Finish(outcome=outcome):
                self._claim = outcome
            case _:
                self.device.perform(action)
        self._steps += 1
        observation = self.device.observe()
        verdict = self._judge.step(self._signals(observation))
        terminated = self._claim is not None or verdict.ended
        truncated = not terminated and self._steps >= self.task.max_steps
        info = self._info(verdict)
        if terminated or truncated:
            info["outcome"] = self._outcome(verdict, truncated=truncated)
            self._judge = None
        return observation, verdict.reward, terminated, truncated, info

    def close(self) -> None:
        """Close the device."""
        self.device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _signals(self, observation: Observation) -> Signals:
        return Signals(
            observation=observation,
            log=self.device.log(),
            state=self.device.state,
            answer=self._answer,
            claim=self._claim,
        )

    def _info(self, verdict: Verdict) -> Info:
        return {"score": verdict.score, "instructions": verdict.instructions}

    def _outcome(self, verdict: Verdict, *, truncated: bool) -> EpisodeOutcome:
        if verdict.success:
            return "success"
        if truncated:
            return "truncated"
        return "infeasible" if self._claim == "infeasible" else "failure"
