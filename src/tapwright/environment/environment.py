"""A device with a task: Gymnasium's `reset` and `step`, with tapwright's own words.

Follows https://gymnasium.farama.org/api/env/ in the order and meaning of what is returned;
observations and actions are tapwright's types, so there are no `spaces` here.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Self, TypedDict

from pydantic import JsonValue

from tapwright.actions import Action, Answer, Finish, Outcome, Wait
from tapwright.devices.device import Device, PreparedDevice
from tapwright.environment.errors import EnvironmentOrderError, SetupFailedError
from tapwright.episode import Episode, EpisodeOutcome
from tapwright.errors import UnknownAppError, UnsupportedActionError
from tapwright.observation import Observation
from tapwright.setup import SetupCall, SetupCheck, SetupStep
from tapwright.tasks.patterns import compile_pattern
from tapwright.tasks.task import Check, Judge, Signals, Task, Verdict

__all__ = [
    "CheckRunner",
    "Environment",
    "Info",
    "prepare_device",
    "read_instruction",
]


class Info(TypedDict, total=False):
    """What a step tells beside its reward.

    `instruction` is what is asked, told by `reset` alone. `log` has the lines that the device
    logged meanwhile, `state` what the check read of the apps' state. `extras` are values that the
    task gives. `refused` is there when the device has no such app or no such gesture, `outcome`
    when the episode has ended.
    """

    instruction: str
    score: float
    instructions: tuple[str, ...]
    log: tuple[str, ...]
    state: Mapping[str, JsonValue]
    extras: Mapping[str, JsonValue]
    refused: str
    outcome: EpisodeOutcome


class Environment:
    """One task on one device.

    `terminated`: the agent finished, or the task's own rules ended the episode. `truncated`: a
    limit of the task was reached first. Never both. `reward` is what the check gave for the step;
    `info` has the `score` (0 to 1), the check's `instructions`, and at the end the `outcome`.
    """

    def __init__(self, device: Device, task: Task) -> None:
        self.device = device
        self.task = task
        self._referee: CheckRunner | None = None
        self._prepared = False
        self._steps = 0

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, JsonValue] | None = None
    ) -> tuple[Observation, Info]:
        """Set the device up for the task and look at it.

        `seed` replaces the seed of the task's set-up; `options` may carry a `language`.

        Raises:
            DeviceError: the device cannot be set up as the task wants.
            SetupFailedError: a step of the set-up did not lead to what it should, or the device
                does not say what is asked.
        """
        prepare_device(
            self.device,
            self.task,
            seed=seed,
            language=str((options or {}).get("language", self.task.language)),
            again=self._prepared,
        )
        self._prepared = True
        self._referee = CheckRunner(self.device, self.task.check)
        self._steps = 0
        observation = self.device.observe()
        info = self._referee.judge(observation, None)[1]
        info["instruction"] = read_instruction(self.device, self.task)
        return observation, info

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, Info]:
        """Perform one action: observation, reward, terminated, truncated, info.

        An action that this device cannot do (an app that is not there, a gesture that it does not
        know) changes nothing, counts as a step, and is told in `info["refused"]`.

        Raises:
            EnvironmentOrderError: before `reset`, or after the episode has ended.
            DeviceError: the device is lost or broken.
        """
        if self._referee is None:
            raise EnvironmentOrderError(
                "step was called on an episode that has not begun or has ended",
                hint="call reset first",
            )
        refused = self._perform(action)
        self._steps += 1
        observation = self.device.observe()
        verdict, info = self._referee.judge(observation, action)
        if refused:
            info["refused"] = refused
        finished = isinstance(action, Finish)
        terminated = finished or (verdict.ended and not verdict.truncated)
        truncated = not terminated and (verdict.truncated or self._steps >= self.task.max_steps)
        if terminated or truncated:
            info["outcome"] = self._referee.outcome(truncated=truncated)
            self._referee = None
        return observation, verdict.reward, terminated, truncated, info

    def cut_short(self) -> EpisodeOutcome:
        """End the episode from outside; the outcome is that of a limit which is reached now.

        Raises:
            EnvironmentOrderError: before `reset`, or after the episode has ended.
        """
        if self._referee is None:
            raise EnvironmentOrderError("an episode that has not begun or has ended is cut short")
        outcome = self._referee.outcome(truncated=True)
        self._referee = None
        return outcome

    def close(self) -> None:
        """Close the device."""
        self.device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _perform(self, action: Action) -> str:
        """Do it; why the device would not, or "" when it did."""
        try:
            self.device.perform(action)
        except (UnknownAppError, UnsupportedActionError) as error:
            return str(error)
        return ""


class CheckRunner:
    """A task's check at work on a device: reads the signals that it wants, step by step."""

    def __init__(self, device: Device, check: Check) -> None:
        self.device = device
        self._check = check
        self._judge: Judge = check.start()
        self._log: list[str] = []
        self._lines = 0
        self._answer: str | None = None
        self._claim: Outcome | None = None
        self._held = False

    def judge(self, observation: Observation, action: Action | None) -> tuple[Verdict, Info]:
        """Judge the screen after an action, or with None the one after the reset.

        Raises:
            DeviceError: the device is lost or broken.
            TaskError: the check cannot work on what it sees.
        """
        read: dict[str, JsonValue] = {}

        def state(path: str) -> JsonValue:
            read[path] = self.device.state(path)
            return read[path]

        fresh = tuple(self.device.log(self._lines))
        self._lines += len(fresh)
        verdict = self._step(observation, action, fresh, state)
        return verdict, {
            "score": verdict.score,
            "instructions": verdict.instructions,
            "log": fresh,
            "state": read,
            "extras": verdict.extras,
        }

    def rejudge(self, episode: Episode, first: Observation) -> list[Verdict]:
        """Start over, and judge a recording from what it holds.

        `first` stands for the screen after the reset of a recording that has no step.

        Returns:
            The verdict on the screen after the reset, and one for each step.

        Raises:
            TaskError: the check cannot work on what was recorded.
        """
        self._judge, self._log = self._check.start(), []
        self._answer, self._claim = None, None
        steps = episode.steps
        if steps:
            first = steps[0].observation
        verdicts = [self._step(first, None, episode.log, episode.state.get)]
        for step, following in zip_longest(steps, steps[1:]):
            after = step.after or (following.observation if following else episode.final)
            seen = step.observation if after is None else after
            verdicts.append(self._step(seen, step.decision.action, step.log, step.state.get))
        return verdicts

    def switch_device(self, device: Device) -> None:
        """Continue on another device, whose log begins anew; what was judged so far counts."""
        self.device, self._lines = device, 0

    def outcome(self, *, truncated: bool) -> EpisodeOutcome:
        """How an episode that ends with the last verdict has ended."""
        if self._held:
            return "success"
        if truncated:
            return "truncated"
        return "infeasible" if self._claim == "infeasible" else "failure"

    def _step(
        self,
        observation: Observation,
        action: Action | None,
        fresh: Sequence[str],
        state: Callable[[str], JsonValue],
    ) -> Verdict:
        self._log.extend(fresh)
        match action:
            case Answer(text=text):
                self._answer = text
            case Finish(outcome=outcome):
                self._claim = outcome
            case _:
                pass
        verdict = self._judge.step(
            Signals(
                observation=observation,
                log=self._log,
                state=state,
                action=action,
                answer=self._answer,
                claim=self._claim,
            )
        )
        self._held = verdict.success
        return verdict


def prepare_device(
    device: Device, task: Task, *, seed: int | None = None, language: str = "", again: bool = False
) -> None:
    """Set a device up for a task; `again` leaves out what outlives an episode.

    `seed` and `language` replace those of the task.

    Raises:
        DeviceError: the device cannot be set up as the task wants.
        SetupFailedError: a step of the set-up did not lead to what it should.
    """
    setup = task.setup
    device.reset(
        seed=setup.seed if seed is None else seed,
        language=language or task.language,
        state=setup.state,
        app=setup.app,
    )
    for step in setup.steps:
        if not (step.once and again):
            _set_up(device, step)


def read_instruction(device: Device, task: Task) -> str:
    """What a task asks on a device that has been set up for it.

    Raises:
        SetupFailedError: the task leaves it to the device, which does not say it.
    """
    if not task.instruction_at:
        return task.instruction
    said = device.state(task.instruction_at)
    if not isinstance(said, str) or not said:
        raise SetupFailedError(
            f"task {task.id}: {device.name} does not say at {task.instruction_at!r} what is asked; "
            f"found {said!r}",
            hint="play the task on the device that it is for",
        )
    return said


_MIN_SETUP_ATTEMPTS = 3  # as Mobile-Env
_LOOK_EVERY_S = 0.5


def _set_up(device: Device, step: SetupStep) -> None:
    """Do a step of the set-up until it has worked, so often as it may be tried.

    Raises:
        SetupFailedError: it did not work, or the device does no such calls.
    """
    tries = max(step.check.retries, _MIN_SETUP_ATTEMPTS) if step.check else 1
    for _ in range(tries):
        lines = len(device.log())
        if step.call is not None:
            _call(device, step.call)
        if step.sleep_s > 0:
            device.perform(Wait(duration_s=step.sleep_s))
        if step.check is None or _wait_until_holds(device, step.check, lines):
            return
    raise SetupFailedError(f"{device.name}: {step} did not work in {tries} tries")


def _call(device: Device, call: SetupCall) -> None:
    if not isinstance(device, PreparedDevice):
        raise SetupFailedError(
            f"{device.name} does none of a task's set-up calls, such as {call}",
            hint="play the task on a device that does, or leave the step out",
        )
    try:
        device.set_up(call)
    except (UnknownAppError, UnsupportedActionError) as error:
        raise SetupFailedError(f"{call}: {error}", hint=error.hint) from error


def _wait_until_holds(device: Device, check: SetupCheck, lines: int) -> bool:
    """Whether a check holds within its time; `lines` of the log were there before the step."""
    begun_s = device.observe().time_s
    while not _holds(device, check, lines):
        if device.observe().time_s - begun_s >= check.timeout_s:
            return False
        device.perform(Wait(duration_s=_LOOK_EVERY_S))
    return True


def _holds(device: Device, check: SetupCheck, lines: int) -> bool:
    match check.kind:
        case "app":
            return device.observe().app == check.wanted
        case "installed":
            return check.wanted in device.apps()
        case "message":
            pattern = compile_pattern(check.wanted)
            return any(pattern.search(line) is not None for line in device.log(lines))
