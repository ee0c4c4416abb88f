"""What became of one attempt at a task: said once, where its check ends, and read everywhere else.

An environment, a person's recording and a stored episode are judged by the same class, so that all
three say the same of the same actions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from pydantic import JsonValue

from tapwright.core.actions import Action, Answer, AskUser, Finish, Outcome
from tapwright.core.episode import Episode, EpisodeOutcome, OutcomeEvidence, Step
from tapwright.core.observation import Observation
from tapwright.tasks.checks import Unchecked
from tapwright.tasks.definitions.task import EventCheck
from tapwright.tasks.errors import NotRecordedError
from tapwright.tasks.task import Check, Judge, Signals, Task, Verdict

__all__ = ["AttemptJudge", "RecordedAttempt", "judge_recording"]


class AttemptJudge:
    """Judges an attempt step by step, until it is over.

    It is over when the check has ended, the actor has finished or the task's limit is reached. That
    verdict is `final`: the check is given nothing after it, and what comes later earns nothing and
    claims nothing.
    """

    def __init__(self, check: Check, max_steps: int) -> None:
        self._check = check
        self.judge: Judge = check.start()
        self._max_steps = max_steps
        self._steps = -1  # the screen after the reset is none
        self._log: list[str] = []
        self._reached = self._asked = False
        self.answer: str | None = None
        """The last answer to the user."""
        self.claim: Outcome | None = None
        """What the actor finished with."""
        self.final: Verdict | None = None
        """The verdict with which the attempt was over."""

    def step(
        self,
        observation: Observation,
        action: Action | None,
        log: Sequence[str],
        state: Callable[[str], JsonValue],
        *,
        last: bool = True,
    ) -> Verdict:
        """Judge the screen after an action, or with None the one after the reset.

        `log` has the lines of this action alone. Other actions of the same step follow one that is
        not the `last`.

        Raises:
            TaskError: the check cannot work on what it reads.
        """
        self._log.extend(log)
        match action if self.final is None else None:
            case Answer(text=text):
                self.answer = text
            case Finish(outcome=outcome):
                self.claim = outcome
            case _:
                pass
        self._steps += last
        self._asked = isinstance(action, AskUser) and not observation.message
        return self._judge(observation, action, state)

    def look(self, observation: Observation) -> None:
        """Judge a screen within a step, after one of the events that its action was made of."""
        self._judge(observation, None, _read_nothing)

    def _judge(
        self, observation: Observation, action: Action | None, state: Callable[[str], JsonValue]
    ) -> Verdict:
        if self.final is not None:
            return replace(self.final, reward=0.0, instructions=(), extras={})
        try:
            verdict = self.judge.step(
                Signals(observation, self._log, state, action, self.answer, self.claim)
            )
        except NotRecordedError:  # what a recording lacks proves nothing
            verdict = Verdict(0.0, 0.0, success=False)
        self._reached = verdict.success
        if self.claim is None and not verdict.ended and self._steps >= self._max_steps:
            verdict = replace(verdict, ended=True, truncated=True)
        if verdict.ended or self.claim is not None:
            self.final = verdict
        return verdict

    @property
    def truncated(self) -> bool:
        """Whether a limit of the task ended it, and not the actor."""
        return self.final is not None and self.final.truncated and self.claim is None

    @property
    def outcome(self) -> EpisodeOutcome:
        """What became of it; one that is not over counts as cut short now.

        Without a check it is what the actor claims. Whose last question nobody answered has asked.
        """
        if self._reached:
            return "success"
        if self._asked and self.final is None:
            return "asked"
        if self.claim is None:
            return "failure" if self.final is not None and not self.truncated else "truncated"
        if isinstance(self._check, Unchecked) or self.claim == "infeasible":
            return self.claim
        return "failure"

    @property
    def evidence(self) -> OutcomeEvidence:
        """What the outcome rests on: the check, or the claim where that decided."""
        if self._reached or not (isinstance(self._check, Unchecked) or self.claim == "infeasible"):
            return "proved"
        return "claimed" if self.claim is not None else ""


@dataclass(frozen=True, slots=True)
class RecordedAttempt:
    """What a task says of a recording: a verdict for the reset, and one for each step.

    `missing` describes what the check asked for, until the attempt was over, and the recording does
    not hold.
    """

    judge: AttemptJudge
    verdicts: tuple[Verdict, ...]
    missing: tuple[str, ...]

    @property
    def outcome(self) -> EpisodeOutcome | None:
        """What became of it; None where too little was recorded to tell."""
        outcome = self.judge.outcome
        return None if self.missing and outcome != "success" else outcome


def judge_recording(
    task: Task, episode: Episode, *, first: Observation | None = None
) -> RecordedAttempt:
    """Judge an episode by a task, without a device.

    A step that was recorded event by event is judged after each event, and one of several actions
    after each of them, with what all of them earned. `first` stands for the
    screen after the reset of a recording that has no step.

    Raises:
        NotRecordedError: there is neither a step nor `first`.
        TaskError: the check cannot work on what was recorded.
    """
    steps, missing = episode.steps, dict[str, None]()
    seen = steps[0].observation if steps else first
    if seen is None:
        raise NotRecordedError(f"episode {episode.id} has no step to judge")
    looks = isinstance(task.check, EventCheck) and "view_hierarchy_event" in task.check.kinds
    if looks and seen.ui_tree is None:
        missing["step 0: a view hierarchy"] = None
    judge = AttemptJudge(task.check, task.max_steps)
    verdicts = [judge.step(seen, None, episode.log, _reader(episode.state, 0, missing))]
    for number, (step, following) in enumerate(zip_longest(steps, steps[1:]), start=1):
        after = step.after or (following.observation if following else episode.final)
        if judge.final is None and after is None:
            missing[f"the screen after step {number}, which was the last"] = None
        elif judge.final is None and looks and after is not None and after.ui_tree is None:
            missing[f"step {number}: a view hierarchy"] = None
        for within in step.between if step.raw else ():
            judge.look(within)
        verdicts.append(_judge_step(judge, step, after or step.observation, number, missing))
    return RecordedAttempt(judge, tuple(verdicts), tuple(missing))


def _judge_step(
    judge: AttemptJudge, step: Step, after: Observation, number: int, missing: dict[str, None]
) -> Verdict:
    moments = step.moments
    verdicts = [
        judge.step(
            moment.screen or after,
            moment.action,
            moment.log,
            _reader(moment.state, number, missing),
            last=at == len(moments),
        )
        for at, moment in enumerate(moments, start=1)
    ]
    if len(verdicts) == 1:
        return verdicts[0]
    texts = tuple(text for verdict in verdicts for text in verdict.instructions)
    reward = sum(verdict.reward for verdict in verdicts)
    return replace(verdicts[-1], reward=reward, instructions=texts)


def _read_nothing(path: str) -> JsonValue:
    raise NotRecordedError(f"the state {path!r} within a step was not recorded")


def _reader(
    state: Mapping[str, JsonValue], number: int, missing: dict[str, None]
) -> Callable[[str], JsonValue]:
    """A reader of the recorded state; a missing path is noted."""

    def read(path: str) -> JsonValue:
        if path in state:
            return state[path]
        missing[f"step {number}: the state {path!r}"] = None
        raise NotRecordedError(f"step {number}: the state {path!r} was not recorded")

    return read
