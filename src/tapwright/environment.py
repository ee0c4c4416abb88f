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
from tapwright.errors import EnvironmentOrderError, UnknownAppError, UnsupportedActionError
from tapwright.observation import Observation
from tapwright.tasks.task import Judge, Signals, Task, Verdict

__all__ = [
    "Environment",
    "Info",
]


class Info(TypedDict, total=False):
    """What a step tells beside its reward.

    `log` has the lines that the device logged meanwhile. `refused` is there when the device has
    no such app or no such gesture, `outcome` when the episode has ended.
    """

    score: float
    instructions: tuple[str, ...]
    log: tuple[str, ...]
    refused: str
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
        self._log: list[str] = []
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
        self._steps, self._log, self._answer, self._claim = 0, [], None, None
        observation = self.device.observe()
        return observation, self._judged(self._judge, observation)[1]

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, Info]:
        """Perform one action: observation, reward, terminated, truncated, info.

        An action that this device cannot do (an app that is not there, a gesture that it does not
        know) changes nothing, counts as a step, and is told in `info["refused"]`.

        Raises:
            EnvironmentOrderError: before `reset`, or after the episode has ended.
            DeviceError: the device is lost or broken.
        """
        if self._judge is None:
            raise EnvironmentOrderError(
                "step was called on an episode that has not begun or has ended",
                hint="call reset first",
            )
        refused = self._perform(action)
        self._steps += 1
        observation = self.device.observe()
        verdict, info = self._judged(self._judge, observation)
        if refused:
            info["refused"] = refused
        terminated = self._claim is not None or verdict.ended
        truncated = not terminated and self._steps >= self.task.max_steps
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

    def _perform(self, action: Action) -> str:
        """Do it; why the device would not, or "" when it did."""
        match action:
            case Answer(text=text):
                self._answer = text
            case Finish(outcome=outcome):
                self._claim = outcome
            case _:
                try:
                    self.device.perform(action)
                except (UnknownAppError, UnsupportedActionError) as error:
                    return str(error)
        return ""

    def _judged(self, judge: Judge, observation: Observation) -> tuple[Verdict, Info]:
        fresh = tuple(self.device.log(len(self._log)))
        self._log.extend(fresh)
        verdict = judge.step(
            Signals(
                observation=observation,
                log=self._log,
                state=self.device.state,
                answer=self._answer,
                claim=self._claim,
            )
        )
        return verdict, {
            "score": verdict.score,
            "instructions": verdict.instructions,
            "log": fresh,
        }

    def _outcome(self, verdict: Verdict, *, truncated: bool) -> EpisodeOutcome:
        if verdict.success:
            return "success"
        if truncated:
            return "truncated"
        return "infeasible" if self._claim == "infeasible" else "failure"
