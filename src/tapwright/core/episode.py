"""One attempt at a task: its observations, the decisions made on them, and its outcome.

An episode names its task by id and instruction and holds no task code, so that it can be read
when the task is gone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from tapwright.core.actions import Action, Drag, Finish, RawEvent, Swipe, describe
from tapwright.core.geometry import Point
from tapwright.core.language import counted
from tapwright.core.observation import Observation
from tapwright.core.outcomes import EpisodeOutcome, OutcomeEvidence
from tapwright.core.strip import Card, render_strip
from tapwright.errors import SeveralActionsError
from tapwright.files.jsonl import to_json

__all__ = [
    "APPS", "GROUP", "LET_GO", "MAX_ACTIONS", "NOT_DONE", "TAKEOVER_BEFORE_STEP", "Decision",
    "Episode", "EpisodeOutcome", "Moment", "OutcomeEvidence", "Remark", "Step", "describe_actions",
    "dump_actions", "join_moments", "join_steps",
]  # fmt: skip

MAX_ACTIONS = 100
"""The most actions that one decision holds."""

TAKEOVER_BEFORE_STEP = "mobiagent: before it, takeover "
"""The log line of a person who took over before a step, up to the word "start" or "end".

It names the recorder that wrote such lines first, so that imported recordings and ours are alike.
"""

LET_GO = "tapwright: at the end, let go "
"""The log line of keys and buttons that were down when an attempt ended, up to their names."""

NOT_DONE = "tapwright: after the end, not done: "
"""The log line of actions that were decided after one that ended the attempt, up to their words."""

GROUP = "group"
"""The key of an episode's `extra` whose value plays of one task over the same data share."""

APPS = "apps"
"""The key of an episode's `extra` whose value names its apps, a line for each, where a data set
names those of a whole episode."""


_SEVERAL = (tuple, list)  # which is checked sooner than whether it is a Sequence


@dataclass(frozen=True, slots=True, init=False)
class Decision:
    """What is done on one look, the reason for it, and the element it acts on.

    Mostly one action; several are done one after another without a look in between.
    `reasoning` is what led to them, `target` describes the element of the first one, so that it can
    be found without coordinates. Both are empty where they are not known.
    """

    actions: tuple[Action, ...]
    reasoning: str = ""
    target: str = ""

    def __init__(
        self, actions: Action | Sequence[Action], reasoning: str = "", target: str = ""
    ) -> None:
        """Take one action as it is, or 1 to `MAX_ACTIONS` in order.

        Raises:
            SeveralActionsError: there is none, or more than that.
        """
        several = tuple(actions) if isinstance(actions, _SEVERAL) else (actions,)
        if not 0 < len(several) <= MAX_ACTIONS:
            raise SeveralActionsError(
                f"a decision of {len(several)} actions; expected 1 to {MAX_ACTIONS}"
            )
        object.__setattr__(self, "actions", several)
        object.__setattr__(self, "reasoning", reasoning)
        object.__setattr__(self, "target", target)

    @property
    def action(self) -> Action:
        """The action of a decision that has one alone.

        Raises:
            SeveralActionsError: it has several.
        """
        if len(self.actions) > 1:
            raise SeveralActionsError(
                f"a decision of {len(self.actions)} actions where one is expected: "
                f"{describe_actions(self.actions)}",
                hint="read `Decision.actions`",
            )
        return self.actions[0]

    @property
    def alone(self) -> Action | None:
        """The action of a decision that has one alone; None when it has several."""
        return self.actions[0] if len(self.actions) == 1 else None

    @property
    def first(self) -> Action:
        """The first action, or the one alone: the element that `target` describes is its own."""
        return self.actions[0]

    @property
    def ending(self) -> Finish | None:
        """The first of the actions that ends the attempt, if any does."""
        return next((one for one in self.actions if isinstance(one, Finish)), None)


@dataclass(frozen=True, slots=True)
class Moment:
    """An action of a step with what a check is given right after it.

    `screen` is the one on which the next action of the same step was done; None after the last
    action, and where the screens between were not recorded.
    """

    action: Action
    screen: Observation | None
    log: tuple[str, ...]
    state: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Remark:
    """A line that the person who acts wrote while deciding, at `time_s` on the screens' clock."""

    text: str
    time_s: float


def count_done(decided: int, state: Mapping[str, JsonValue]) -> int:
    """How many of a step's actions were done, as its state says; see `Step.done`."""
    done = state.get(_DONE) if decided > 1 else None
    return min(done, decided) if isinstance(done, int) and done > 0 else decided


@dataclass(frozen=True, slots=True)
class Step:
    """A decision with the observation that it was made on (the screen *before* the action).

    `reward` and `instructions` are the task's response, `log` the lines that the device logged
    during the action, `state` the apps' state that the task's check read after it. `refused` is
    the reason why the device did not perform it; empty when it did. `raw` holds the recorder's own
    touch-level events that were folded into the action. `between` are the screens after each of
    them, or without them after each action that was done, but the last (whose screen the next step
    has), so that all can be written out again.
    `step_instruction` tells what to do in this step alone ("tap the search bar"), in data sets that
    have such words; it is neither why the action was chosen nor what its target looks like.
    `after` is the screen that the action led to, where it was captured: the next step has the one
    that its own action was decided on, and much may have happened in between. `note` is a remark
    of the person who acted, and `said` is what they wrote down while they decided.
    `by` names who decided in the place of the episode's agent, as "human/anna", who took over and
    gave back; it is empty where the agent did.
    """

    observation: Observation
    decision: Decision
    reward: float = 0.0
    instructions: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    state: Mapping[str, JsonValue] = field(default_factory=dict)
    refused: str = ""
    raw: tuple[RawEvent, ...] = ()
    between: tuple[Observation, ...] = ()
    after: Observation | None = None
    note: str = ""
    step_instruction: str = ""
    by: str = ""
    said: tuple[Remark, ...] = ()

    @property
    def screens(self) -> tuple[Observation, ...]:
        """Every screen that the step holds, in the order in which they were observed."""
        return (self.observation, *self.between, *([] if self.after is None else [self.after]))

    @property
    def done(self) -> int:
        """How many of its actions the device was given; the last may be the one it refused.

        Fewer than were decided when it refused one, or when the attempt ended with one.
        """
        return count_done(len(self.decision.actions), self.state)

    @property
    def moments(self) -> tuple[Moment, ...]:
        """The actions that were done, each with what is known of the time right after it."""
        if len(self.decision.actions) == 1:
            return (Moment(self.decision.actions[0], None, self.log, self.state),)
        done = self.decision.actions[: self.done]
        screens = self.between if len(self.between) == len(done) - 1 else ()
        log = list(self.log)
        moments: list[Moment] = []
        for number, action in enumerate(done[:-1], start=1):
            head = _AFTER.format(number=number)
            paths = [path for path in self.state if path.startswith(head)]
            state = {path.removeprefix(head): self.state[path] for path in paths}
            lines = state.pop(_LINES, None)
            count = lines if isinstance(lines, int) else 0
            screen = screens[number - 1] if screens else None
            read = self.state if lines is None else state
            moments.append(Moment(action, screen, tuple(log[:count]), read))
            del log[:count]
        return (*moments, Moment(done[-1], None, tuple(log), self.state))

    @property
    def parts(self) -> tuple["Step", ...]:
        """The step as one step for each action that was done; itself when it has one alone.

        The words go with the first, the task's response with the last. Where no screen between was
        recorded, the look before is repeated, as stale.
        """
        if len(self.decision.actions) == 1:
            return (self,)
        moments, seen = self.moments, self.observation
        parts: list[Step] = []
        for number, moment in enumerate(moments):
            words = (self.decision.reasoning, self.decision.target) if number == 0 else ("", "")
            state, log = moment.state, moment.log
            decision = Decision(moment.action, *words)
            parts.append(Step(seen, decision, log=log, state=state, by=self.by))
            seen = moment.screen or replace(self.observation, stale=True)
        told = self.step_instruction
        parts[0] = replace(parts[0], note=self.note, step_instruction=told, said=self.said)
        parts[-1] = replace(
            parts[-1],
            reward=self.reward,
            instructions=self.instructions,
            refused=self.refused,
            after=self.after,
            state={path: self.state[path] for path in self.state if not _is_bookkeeping(path)},
        )
        return tuple(parts)


_DONE = "actions done"
_AFTER = "after action {number}: "
_LINES = "log lines"


def _is_bookkeeping(path: str) -> bool:
    return path == _DONE or path.startswith(_AFTER.partition("{")[0])


def join_moments(
    moments: Sequence[Moment], decided: int
) -> tuple[tuple[str, ...], Mapping[str, JsonValue]]:
    """The `log` and the `state` of a step whose first `len(moments)` actions were done so.

    `Step.moments` reads them back. `decided` counts the actions of the step's decision. The state
    of a step with one action is that of its moment.
    """
    *before, last = moments
    state: dict[str, JsonValue] = {}
    for number, moment in enumerate(before, start=1):
        head = _AFTER.format(number=number)
        state |= {f"{head}{path}": value for path, value in moment.state.items()}
        state[f"{head}{_LINES}"] = len(moment.log)
    if len(moments) < decided:
        state[_DONE] = len(moments)
    log = tuple(line for moment in moments for line in moment.log)
    return log, {**state, **last.state} if state else last.state


def join_steps(steps: Sequence[Step]) -> Step:
    """One step that does the actions of several on the look of the first.

    The screens of the others are those between; `Step.parts` takes it apart again. Of words that
    each has, those of the first that has some are kept, and of rewards the sum.

    Raises:
        SeveralActionsError: they have more than `MAX_ACTIONS` actions, or one was not done as it
            was decided, so that what follows it was decided on something else, or somebody else
            decided one.
    """
    first, last = steps[0], steps[-1]
    for number, step in enumerate(steps[:-1]):
        if step.refused or step.done < len(step.decision.actions) or step.decision.ending:
            raise SeveralActionsError(
                f"step {number} of those to be joined was refused or was the end; "
                "expected steps whose actions were all done"
            )
    if len({step.by for step in steps}) > 1:
        raise SeveralActionsError("the agent decided some of the steps, and a person others")
    parts = [part for step in steps for part in step.parts]
    screens = [part.observation for part in parts[1:]] + [None]
    moments = [
        Moment(part.decision.first, screen, part.log, part.state)
        for part, screen in zip(parts, screens, strict=True)
    ]
    decided = [action for step in steps for action in step.decision.actions]
    log, state = join_moments(moments, len(decided))
    words = [next(filter(None, found), "") for found in zip(*map(_words, steps), strict=True)]
    reasoning, target, note, told = words
    return Step(
        first.observation,
        Decision(decided, reasoning, target),
        reward=sum(step.reward for step in steps),
        instructions=tuple(text for step in steps for text in step.instructions),
        log=log,
        state=state,
        refused=last.refused,
        between=tuple(screen for screen in screens if screen is not None),
        after=last.after,
        note=note,
        step_instruction=told,
        by=first.by,
        said=tuple(line for step in steps for line in step.said),
    )


def _words(step: Step) -> tuple[str, str, str, str]:
    return step.decision.reasoning, step.decision.target, step.note, step.step_instruction


def describe_actions(actions: Iterable[Action]) -> str:
    """One short line for people; several actions with "then" between them."""
    return ", then ".join(map(describe, actions))


def dump_actions(actions: Sequence[Action]) -> str:
    """The JSON of one action, or of several as a list."""
    texts = [to_json(action).decode() for action in actions]
    return texts[0] if len(texts) == 1 else f"[{','.join(texts)}]"


@dataclass(frozen=True, slots=True)
class Episode:
    """One attempt: its steps in order, and the screen after the last one (`final`).

    `agent` and `device` name who acted and where, `version` counts the edits (1 as recorded).
    `created` is an ISO 8601 time in UTC. `extra` holds the fields of another tool's format that
    have no place here, by that format's names, so that they can be written out again, and the
    `GROUP` of one that was played several times. `log` and
    `state` are those of the reset, as each step has those of its action. `evidence` is what the
    outcome rests on.
    """

    id: str
    task_id: str
    instruction: str
    steps: tuple[Step, ...]
    final: Observation | None = None
    outcome: EpisodeOutcome = "unknown"
    agent: str = ""
    device: str = ""
    created: str = ""
    version: int = 1
    extra: Mapping[str, str] = field(default_factory=dict, hash=False)
    log: tuple[str, ...] = ()
    state: Mapping[str, JsonValue] = field(default_factory=dict, hash=False)
    evidence: OutcomeEvidence = ""

    @property
    def has_ended(self) -> bool:
        """Whether the attempt was played to its end; if not, its recording may go on."""
        return self.outcome != "interrupted"

    def _repr_html_(self) -> str:
        """What a notebook shows: its screens in a row, each with what was done on it."""
        cards = [_make_card(number, step) for number, step in enumerate(self.steps)]
        if self.final is not None:
            cards.append(Card(self.final.screenshot, (), ("at the end",)))
        title = f"{self.instruction or self.id}: {self.outcome}, {counted(len(self.steps), 'step')}"
        return render_strip(title, cards)


def _make_card(number: int, step: Step) -> Card:
    done = step.decision.actions
    marks = [places for action in done if (places := _places(action))]
    decision = step.decision
    words = (decision.target, decision.reasoning, step.refused and f"refused: {step.refused}")
    lines = (f"{number}: {describe_actions(done)}", *words)
    return Card(step.observation.screenshot, marks, lines)


def _places(action: Action) -> tuple[Point, ...]:
    match action:
        case Swipe(start=start, end=end):
            return (start, end)
        case Drag(start=start, end=end, path=path):
            return (start, *path, end)
        case _:
            at = getattr(action, "at", None)
            return (at,) if isinstance(at, Point) else ()
