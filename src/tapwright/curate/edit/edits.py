"""What can be done to an episode: pure functions that take one and return a new one.

Steps count from 0, and a range holds its start and not its end, as in Python and in Mobile-Env's
`edit_pickle.py`. Unlike there, a step or a range that the episode does not have is refused. Where
other actions are left than were judged, the outcome is no longer proved: the edit claims it.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from tapwright.core.actions import Action
from tapwright.core.episode import (
    Decision,
    Episode,
    EpisodeOutcome,
    OutcomeEvidence,
    Step,
    join_steps,
)
from tapwright.errors import UsageError

__all__ = [
    "auto_instructionize", "crop", "delete", "delete_steps", "insert", "instructionize", "join",
    "merge", "part", "relabel", "rewardize", "set_instruction", "set_outcome", "split",
]  # fmt: skip


def delete(episode: Episode, start: int, stop: int) -> Episode:
    """The episode without the steps from `start` to before `stop`.

    Without its last steps it ends as `crop` has it.

    Raises:
        UsageError: it has no such steps, or the range is empty.
    """
    _check_range(episode, start, stop)
    if stop == len(episode.steps):
        return _cut_short(episode, start)
    return _with_steps(episode, episode.steps[:start] + episode.steps[stop:])


def delete_steps(episode: Episode, numbers: Sequence[int]) -> Episode:
    """The episode without these steps; all numbers are those that the steps have before.

    Without its last steps it ends as `crop` has it.

    Raises:
        UsageError: it has no such step, or there are no numbers.
    """
    if not numbers:
        raise UsageError("no steps are given; expected a list such as [1,4]")
    for number in numbers:
        _step(episode, number)
    gone, stop = set(numbers), len(episode.steps)
    while stop - 1 in gone:
        stop -= 1
    short = episode if stop == len(episode.steps) else _cut_short(episode, stop)
    left = tuple(step for number, step in enumerate(short.steps) if number not in gone)
    return _with_steps(short, left)


def crop(episode: Episode, start: int, stop: int) -> Episode:
    """The steps from `start` to before `stop` alone.

    The screen that the next step was decided on becomes the final one. The outcome is kept when the
    last step is, and unknown otherwise, as the shorter attempt was never judged.

    Raises:
        UsageError: it has no such steps, or the range is empty.
    """
    _check_range(episode, start, stop)
    short = episode if stop == len(episode.steps) else _cut_short(episode, stop)
    return _with_steps(short, short.steps[start:])


def insert(episode: Episode, at: int, step: Step) -> Episode:
    """The episode with one more step, which becomes step `at`; `at` may be the number of steps.

    Raises:
        UsageError: `at` is below 0 or past the end.
    """
    if not 0 <= at <= len(episode.steps):
        raise UsageError(
            f"no step can be put at {at}; {episode.id} takes one at 0 to {len(episode.steps)}"
        )
    return _with_steps(episode, (*episode.steps[:at], step, *episode.steps[at:]))


def relabel(
    episode: Episode,
    step: int,
    *,
    actions: Sequence[Action] = (),
    reasoning: str | None = None,
    target: str | None = None,
    step_instruction: str | None = None,
) -> Episode:
    """The episode with other actions, or other words, for one step; what is not given is kept.

    A recorder's raw events and the screens between are those of what was done, so other actions
    drop them.

    Raises:
        UsageError: it has no such step.
    """
    old = _step(episode, step)
    decision = Decision(
        actions or old.decision.actions,
        reasoning=old.decision.reasoning if reasoning is None else reasoning,
        target=old.decision.target if target is None else target,
    )
    told = old.step_instruction if step_instruction is None else step_instruction
    new = replace(old, decision=decision, step_instruction=told)
    if decision.actions == old.decision.actions:
        return _with(episode, step, new)
    new = replace(new, raw=(), between=(), after=None, state=old.parts[-1].state)
    return _with_steps(episode, (*episode.steps[:step], new, *episode.steps[step + 1 :]))


def part(episode: Episode, step: int) -> Episode:
    """The episode where a step of several actions is a step for each of them.

    Raises:
        UsageError: it has no such step, or the step has one action.
    """
    old = _step(episode, step)
    if old.decision.alone is not None:
        raise UsageError(f"{episode.id}, step {step} has one action and cannot be taken apart")
    return replace(episode, steps=(*episode.steps[:step], *old.parts, *episode.steps[step + 1 :]))


def join(episode: Episode, start: int, stop: int) -> Episode:
    """The episode where the steps from `start` to before `stop` are one, on the look of the first.

    A recorder's raw events are dropped.

    Raises:
        UsageError: it has no such steps, or one of them alone, or one but the last was not done
            as it was decided.
        SeveralActionsError: they have too many actions for one step.
    """
    _check_range(episode, start, stop)
    if stop - start < 2:
        raise UsageError(f"steps {start} to before {stop} are one; expected two or more to join")
    joined = join_steps(episode.steps[start:stop])
    return replace(episode, steps=(*episode.steps[:start], joined, *episode.steps[stop:]))


def rewardize(episode: Episode, step: int, delta: float) -> Episode:
    """The episode with `delta` points added to the reward of one step.

    Raises:
        UsageError: it has no such step, or `delta` is no finite number.
    """
    if not isfinite(delta):
        raise UsageError(f"a reward changes by a number, not by {delta}")
    old = _step(episode, step)
    raw = old.raw
    if raw:
        raw = (*raw[:-1], raw[-1].model_copy(update={"reward": raw[-1].reward + delta}))
    return _with(episode, step, replace(old, reward=old.reward + delta, raw=raw))


def instructionize(episode: Episode, step: int, instructions: Sequence[str]) -> Episode:
    """The episode where one step has `instructions` in place of its own.

    An empty sequence removes them.

    Raises:
        UsageError: it has no such step.
    """
    old = _step(episode, step)
    raw = tuple(event.model_copy(update={"instructions": ()}) for event in old.raw)
    if raw:
        raw = (*raw[:-1], raw[-1].model_copy(update={"instructions": tuple(instructions)}))
    return _with(episode, step, replace(old, instructions=tuple(instructions), raw=raw))


def auto_instructionize(episode: Episode, candidates: Sequence[Sequence[str]]) -> Episode:
    """The episode where each rewarded step but the last has the next of the candidates.

    The last candidate is repeated for the remaining steps, as in Mobile-Env.

    Raises:
        UsageError: there are no candidates.
    """
    if not candidates:
        raise UsageError("the task has no instructions")
    rewarded = [number for number, step in enumerate(episode.steps[:-1]) if step.reward > 0]
    for turn, number in enumerate(rewarded):
        episode = instructionize(episode, number, candidates[min(turn, len(candidates) - 1)])
    return episode


def set_outcome(
    episode: Episode, outcome: EpisodeOutcome, evidence: OutcomeEvidence = "claimed"
) -> Episode:
    """The episode with another outcome; the same one when it has that already, or proved.

    "unknown" and "interrupted" claim nothing.
    """
    if outcome in ("unknown", "interrupted"):
        evidence = ""
    if episode.outcome == outcome and evidence in ("claimed", episode.evidence):
        return episode
    return replace(episode, outcome=outcome, evidence=evidence)


def set_instruction(episode: Episode, instruction: str) -> Episode:
    """The episode with another instruction; the same one when it has that already."""
    if episode.instruction == instruction:
        return episode
    return replace(episode, instruction=instruction)


def split(episode: Episode, at: int, id: str) -> tuple[Episode, Episode]:
    """The steps before `at`, and those from `at` on as an episode of its own, called `id`.

    Raises:
        UsageError: one of the two would have no steps, or they would share their id.
    """
    if id == episode.id:
        raise UsageError(f"the second part of {id} needs an id of its own")
    if not 0 < at < len(episode.steps):
        raise UsageError(
            f"{episode.id} cannot be split at {at}: each part needs a step; "
            f"it has {_count(episode)}"
        )
    second = replace(crop(episode, at, len(episode.steps)), id=id, version=1)
    return crop(episode, 0, at), second


def merge(first: Episode, second: Episode) -> Episode:
    """The steps of both, one after the other; `first` gives the name, `second` the end."""
    ended = replace(first, final=second.final, outcome=second.outcome, evidence=second.evidence)
    return _with_steps(ended, first.steps + second.steps)


def _step(episode: Episode, number: int) -> Step:
    if not 0 <= number < len(episode.steps):
        raise UsageError(f"{episode.id} has no step {number}; it has {_count(episode)}")
    return episode.steps[number]


def _with(episode: Episode, number: int, step: Step) -> Episode:
    return replace(episode, steps=(*episode.steps[:number], step, *episode.steps[number + 1 :]))


def _with_steps(episode: Episode, steps: tuple[Step, ...]) -> Episode:
    """The episode with these steps, of which nothing but the edit says that they end as it does."""
    is_proved = episode.evidence == "proved" and steps != episode.steps
    return replace(episode, steps=steps, evidence="claimed" if is_proved else episode.evidence)


def _cut_short(episode: Episode, stop: int) -> Episode:
    final = episode.steps[stop].observation
    return replace(episode, steps=episode.steps[:stop], final=final, outcome="unknown", evidence="")


def _check_range(episode: Episode, start: int, stop: int) -> None:
    if not 0 <= start < stop <= len(episode.steps):
        raise UsageError(
            f"{episode.id} has no steps {start} to before {stop}; it has {_count(episode)}"
        )


def _count(episode: Episode) -> str:
    match len(episode.steps):
        case 0:
            return "none"
        case 1:
            return "one, step 0"
        case count:
            return f"{count}, from step 0 to step {count - 1}"
