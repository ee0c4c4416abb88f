"""A device with a task: Gymnasium's `reset` and `step`, with tapwright's own words.

Follows https://gymnasium.farama.org/api/env/ in the order and meaning of what is returned;
observations and actions are tapwright's types, so there are no `spaces` here.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypedDict

from pydantic import JsonValue

from tapwright.core.actions import Action, AskUser, Finish, Wait
from tapwright.core.episode import (
    LET_GO,
    NOT_DONE,
    Episode,
    EpisodeOutcome,
    Moment,
    OutcomeEvidence,
    describe_actions,
    join_moments,
)
from tapwright.core.observation import Observation
from tapwright.core.task_setup import SetupCall, SetupCheck, SetupStep
from tapwright.devices.device import Device, PreparedDevice, let_go
from tapwright.environment.errors import EnvironmentOrderError, SetupFailedError
from tapwright.environment.referee import REFEREE, Referee, Ruling, rule
from tapwright.errors import DeviceLostError, UnknownAppError, UnsupportedActionError
from tapwright.files.closing import Closing
from tapwright.harnesses.protocol import Attempt
from tapwright.tasks.attempt import AttemptJudge, judge_recording
from tapwright.tasks.patterns import compile_pattern
from tapwright.tasks.task import Task, Verdict

__all__ = [
    "CheckRunner", "Environment", "Info", "end_holding", "prepare_device", "read_instruction",
]  # fmt: skip


class Info(TypedDict, total=False):
    """What a step returns beside its reward.

    `instruction` is the task's, returned by `reset` alone. `log` has the lines that the device
    logged during the step, `state` the apps' state that the check read. `extras` are values of the
    task. `refused` is set when the device has no such app or no such gesture, `between` when the
    step had several actions, `outcome` when the episode has ended.
    """

    instruction: str
    score: float
    instructions: tuple[str, ...]
    log: tuple[str, ...]
    state: Mapping[str, JsonValue]
    extras: Mapping[str, JsonValue]
    refused: str
    between: tuple[Observation, ...]
    outcome: EpisodeOutcome


class Environment(Closing):
    """One task on one device.

    `terminated`: the agent finished, or the task's own rules ended the episode. `truncated`: a
    limit of the task was reached first. Never both. `reward` is the check's reward for the step;
    `info` has the `score` (0 to 1), the check's `instructions`, and at the end the `outcome`.
    With a `referee` it is the one to set the device up after its reset, and `rule` asks it for the
    outcome once the episode has ended. What an agent asks the user is answered by the task's
    `replies`, then by `user`; where neither answers, the episode ends as "asked".
    """

    def __init__(
        self,
        device: Device,
        task: Task,
        *,
        referee: Referee | None = None,
        user: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self.device = device
        self.task = task
        self.referee = referee
        self._check_runner: CheckRunner | None = None
        self._user = user
        self._asked = 0
        self._prepared = False
        self._steps = 0
        self._ended = Attempt()
        self._evidence: OutcomeEvidence = ""

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, JsonValue] | None = None
    ) -> tuple[Observation, Info]:
        """Set the device up for the task and observe it.

        `seed` replaces the seed of the task's set-up; `options` may carry a `language`.

        Raises:
            DeviceError: the device cannot be set up as the task wants.
            SetupFailedError: a step of the set-up did not lead to what it should, or the device
                does not have the instruction.
        """
        prepare_device(
            self.device,
            self.task,
            seed=seed,
            language=str((options or {}).get("language", self.task.language)),
            again=self._prepared,
        )
        self._prepared = True
        prepared = self.referee.set_up(self.device) if self.referee else None
        self._check_runner = CheckRunner(self.device, self.task)
        self._steps = self._asked = 0
        observation = self.device.observe()
        info = self._check_runner.judge(observation, None)[1]
        if prepared is None or self.referee is None:
            info["instruction"] = read_instruction(self.device, self.task)
            return observation, info
        info["instruction"] = prepared.instruction
        told = {"params": dict(prepared.params), **self.referee.facts()}
        info["state"] = {**info["state"], REFEREE: told}
        return observation, info

    def step(
        self, action: Action | Sequence[Action]
    ) -> tuple[Observation, float, bool, bool, Info]:
        """Perform one action: observation, reward, terminated, truncated, info.

        An action that this device cannot perform (an app that is not installed, a gesture that it
        does not have) changes nothing, counts as a step, and is reported in `info["refused"]`.

        Several actions are one step: done one after another, each judged on the screen after it,
        up to the one that the device refuses or that ends the episode. The screens between are in
        `info["between"]`; `log` and `state` are those of a `Step`, whose `moments` tell them apart.

        Raises:
            EnvironmentOrderError: before `reset`, or after the episode has ended.
            DeviceError: the device is lost or broken.
        """
        runner = self._check_runner
        if runner is None:
            raise EnvironmentOrderError(
                "step was called before an episode began, or after it has ended",
                hint="call reset first",
            )
        actions = tuple(action) if isinstance(action, Sequence) else (action,)
        self._steps += 1
        observation, reward, info, is_asked = self._play(runner, actions)
        attempt = runner.attempt
        over, truncated = attempt.final is not None or is_asked, attempt.truncated
        if over:
            info["outcome"] = self._end()
            info["log"] = (*info["log"], *end_holding(self.device))
        return observation, reward, over and not truncated, truncated, info

    def _play(
        self, runner: "CheckRunner", actions: Sequence[Action]
    ) -> tuple[Observation, float, Info, bool]:
        """Do actions one after another, up to one that is refused or ends it.

        Returns:
            The last screen, what all earned, what a step returns, and whether the user was asked
            something and nobody answered.
        """
        moments: list[Moment] = []
        texts: tuple[str, ...] = ()
        earned = 0.0
        for number, action in enumerate(actions, start=1):
            refused = self._perform(action)
            reply = self._reply(action.text) if isinstance(action, AskUser) else ""
            observation = replace(self.device.observe(), message=reply or "")
            stops = bool(refused) or reply is None or isinstance(action, Finish)
            last = stops or number == len(actions)
            verdict, info = runner.judge(observation, action, last=last)
            moments.append(Moment(action, observation, info["log"], info["state"]))
            texts += (*info["instructions"], *filter(None, [reply]))
            earned += verdict.reward
            if last or runner.attempt.final is not None:
                break
        info["instructions"] = texts
        if len(actions) > 1:
            info = _join(moments, len(actions), info)
        left = actions[len(moments) :]
        if left and not refused:
            info["log"] = (*info["log"], f"{NOT_DONE}{describe_actions(left)[:300]}")
        if refused:
            info["refused"] = _say_refused(refused, len(moments), len(actions))
        return observation, earned, info, reply is None

    def truncate(self) -> EpisodeOutcome:
        """End the episode from outside; the outcome is that of a limit that is reached now.

        Raises:
            EnvironmentOrderError: before `reset`, or after the episode has ended.
        """
        if self._check_runner is None:
            raise EnvironmentOrderError("truncate was called without an episode")
        end_holding(self.device)
        return self._end()

    def rule(self, reached: EpisodeOutcome) -> Ruling:
        """The outcome of the episode that has just ended with `reached`, by the referee if any.

        Raises:
            TapwrightError: the referee could not judge it.
        """
        if self.referee is None:
            return Ruling(reached)
        return rule(self.referee, self._ended, reached)

    @property
    def evidence(self) -> OutcomeEvidence:
        """What the outcome of the episode that ended last rests on; a referee proves it."""
        return "proved" if self.referee is not None else self._evidence

    def close(self) -> None:
        """Close the device."""
        self.device.close()

    def _end(self) -> EpisodeOutcome:
        assert self._check_runner is not None
        judged = self._check_runner.attempt
        self._check_runner = None
        self._ended = Attempt(answer=judged.answer, claim=judged.claim, steps=self._steps)
        self._evidence = judged.evidence
        return judged.outcome

    def _reply(self, question: str) -> str | None:
        """What the user says to a question, None where nobody answers."""
        self._asked += 1
        if self._asked <= len(self.task.replies):
            return self.task.replies[self._asked - 1]
        return self._user(question)

    def _perform(self, action: Action) -> str:
        """Perform an action; the reason why the device refused it, or "" when it did not."""
        try:
            self.device.perform(action)
        except (UnknownAppError, UnsupportedActionError) as error:
            return str(error)
        return ""


class CheckRunner:
    """Judges an attempt on a device, with the signals that the task's check reads there."""

    def __init__(self, device: Device, task: Task) -> None:
        self.device = device
        self.attempt = AttemptJudge(task.check, task.max_steps)
        self._task = task
        self._lines = 0

    def judge(
        self, observation: Observation, action: Action | None, *, last: bool = True
    ) -> tuple[Verdict, Info]:
        """Judge the screen after an action, or with None the one after the reset.

        Other actions of the same decision follow one that is not the `last`.

        Raises:
            DeviceError: the device is lost or broken.
            TaskError: the check cannot work on what it reads.
        """
        read: dict[str, JsonValue] = {}

        def state(path: str) -> JsonValue:
            read[path] = self.device.state(path)
            return read[path]

        fresh = tuple(self.device.log(self._lines))
        self._lines += len(fresh)
        verdict = self.attempt.step(observation, action, fresh, state, last=last)
        return verdict, {
            "score": verdict.score,
            "instructions": verdict.instructions,
            "log": fresh,
            "state": read,
            "extras": verdict.extras,
        }

    def rejudge(self, episode: Episode, first: Observation) -> tuple[Verdict, ...]:
        """Start over, and judge a recording from what it holds, as `judge_recording` does.

        Raises:
            TaskError: the check cannot work on what was recorded.
        """
        judged = judge_recording(self._task, episode, first=first)
        self.attempt = judged.judge
        return judged.verdicts

    def switch_device(self, device: Device) -> None:
        """Continue on a device that is where the recording is; what it logged so far is known."""
        self.device, self._lines = device, len(device.log())


def _join(moments: Sequence[Moment], decided: int, last: Info) -> Info:
    """What several actions, of which those of `moments` were done, return together."""
    log, state = join_moments(moments, decided)
    between = tuple(moment.screen for moment in moments[:-1] if moment.screen is not None)
    joined: Info = {"log": log, "state": state, "between": between}
    return {**last, **joined}


def _say_refused(why: str, tried: int, decided: int) -> str:
    if decided == 1:
        return why
    return f"action {tried} of {decided}: {why} ({tried - 1} done, {decided - tried} left)"


def end_holding(device: Device) -> tuple[str, ...]:
    """Let go what an attempt left down; returns the line that says so, if anything was.

    A device that is lost lets go as it is reset.
    """
    with suppress(DeviceLostError):
        if down := let_go(device):
            return (f"{LET_GO}{', '.join(down)}",)
    return ()


def prepare_device(
    device: Device, task: Task, *, seed: int | None = None, language: str = "", again: bool = False
) -> None:
    """Set a device up for a task; with `again`, without what outlives an episode.

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
    """The instruction of a task on a device that has been set up for it.

    Raises:
        SetupFailedError: the task leaves it to the device, which does not have it.
    """
    if not task.instruction_at:
        return task.instruction
    instruction = device.state(task.instruction_at)
    if not isinstance(instruction, str) or not instruction:
        raise SetupFailedError(
            f"task {task.id}: {device.name} has no instruction at {task.instruction_at!r}; "
            f"found {instruction!r}",
            hint="play the task on the device that it is for",
        )
    return instruction


_MIN_SETUP_ATTEMPTS = 3  # as Mobile-Env
_POLL_S = 0.5


def _set_up(device: Device, step: SetupStep) -> None:
    """Perform a step of the set-up until its check holds, as often as it may be tried.

    Raises:
        SetupFailedError: its check never held, or the device has no such calls.
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
            f"{device.name} has no set-up calls, such as {call}",
            hint="play the task on a device that does, or leave the step out",
        )
    try:
        device.set_up(call)
    except (UnknownAppError, UnsupportedActionError) as error:
        raise SetupFailedError(f"{call}: {error}", hint=error.hint) from error


def _wait_until_holds(device: Device, check: SetupCheck, lines: int) -> bool:
    """Whether a check holds within its timeout; the log had `lines` lines before the step."""
    begun_s = device.observe().time_s
    while not _holds(device, check, lines):
        if device.observe().time_s - begun_s >= check.timeout_s:
            return False
        device.perform(Wait(duration_s=_POLL_S))
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
