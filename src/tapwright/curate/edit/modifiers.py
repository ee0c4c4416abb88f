"""Applies modifiers to episodes: each name of the grammar, and its edit."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from pydantic import TypeAdapter

from tapwright.core.actions import Action, ActionAdapter
from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.curate.edit import edits, grammar
from tapwright.curate.edit.usage import USAGE, format_usage
from tapwright.errors import TapwrightError, UnknownNameError, UsageError

__all__ = [
    "Instructions", "apply_modifiers", "find_episode_index",
    "resolve_instructions",
]  # fmt: skip

Instructions: TypeAlias = Callable[[Episode], Sequence[Sequence[str]]]
"""Returns the instructions of an episode's task, by their number."""


def apply_modifiers(
    episodes: Sequence[Episode], modifiers: str, *, instructions: Instructions | None = None
) -> list[Episode]:
    """The episodes after `modifiers`, each applied to the results of the ones before.

    `instructions` is called when a modifier names one of a task's instructions by its number.

    Raises:
        BadModifierError: a modifier is malformed or does not apply; names which, where and why.
    """
    made = list(episodes)
    for modifier in grammar.parse_modifiers(modifiers):
        try:
            for place in _find_places(modifier, len(made)):
                _apply(made, place, modifier, instructions or _no_instructions)
        except TapwrightError as error:
            raise modifier.refused(error) from error
    return made


_OUTCOME: TypeAdapter[EpisodeOutcome] = TypeAdapter(EpisodeOutcome)


def _find_places(modifier: grammar.Modifier, count: int) -> Sequence[int]:
    """The indices of a modifier's episodes among `count`, in an order in which none shifts."""
    if modifier.name not in USAGE:
        raise UnknownNameError("modifier", modifier.name, USAGE)
    if modifier.index != "*":
        return [find_episode_index(modifier, count)]
    if modifier.name == "merge":
        raise UsageError("merge takes the index of one episode, not *")
    return range(count - 1, -1, -1)


def _apply(
    made: list[Episode], place: int, modifier: grammar.Modifier, instructions: Instructions
) -> None:
    params, episode = grammar.Parameters(modifier, format_usage(modifier.name)), made[place]
    take_step = partial(params.take, grammar.INTEGER, "a step")
    match modifier.name:
        case "delete" if params.left and isinstance(params.left[0], list):
            numbers = params.take(grammar.STEPS, "a list of steps")
            made[place] = edits.delete_steps(episode, numbers)
        case "delete" | "crop" as name:
            edit = edits.delete if name == "delete" else edits.crop
            made[place] = edit(episode, take_step(), take_step())
        case "insert":
            at, action = take_step(), params.take(ActionAdapter, "an action")
            made[place] = edits.insert(episode, at, _make_step(episode, at, action))
        case "relabel":
            made[place] = _relabel(episode, params)
        case "rewardize":
            step, delta = take_step(), params.take(grammar.NUMBER, "a number")
            made[place] = edits.rewardize(episode, step, delta)
        case "instructionize":
            step, which = take_step(), params.take(grammar.WHICH, "an instruction")
            texts = resolve_instructions(which, lambda: instructions(episode))
            made[place] = edits.instructionize(episode, step, texts)
        case "auto_instructionize":
            made[place] = edits.auto_instructionize(episode, instructions(episode))
        case "part":
            made[place] = edits.part(episode, take_step())
        case "join":
            made[place] = edits.join(episode, take_step(), take_step())
        case "outcome":
            made[place] = edits.set_outcome(episode, params.take(_OUTCOME, "an outcome"))
        case "instruction":
            made[place] = edits.set_instruction(
                episode, params.take(grammar.TEXT, "an instruction")
            )
        case "split":
            at = take_step()
            id_ = params.take(grammar.TEXT, "an id") if params.left else f"{episode.id}-{at}"
            made[place : place + 1] = edits.split(episode, at, id_)
        case "merge":
            if place + 1 == len(made):
                raise UsageError("no episode follows that could be merged")
            made[place : place + 2] = [edits.merge(episode, made[place + 1])]
        case "remove":
            del made[place]
    params.end()


def find_episode_index(modifier: grammar.Modifier, count: int) -> int:
    """The index of a modifier's episode among `count`, from 0.

    Raises:
        UsageError: there is no such episode, or the modifier has no index and there are several.
    """
    if modifier.index == "*":
        raise UsageError("* stands for every episode of a store; give a number here")
    if modifier.index is None:
        if count != 1:
            raise UsageError(
                f"which of the {count} episodes? begin with its number, from 0; or *: for all"
            )
        return 0
    if not -count <= modifier.index < count:
        raise UsageError(
            f"there is no episode {modifier.index}; of the {count} the first is 0"
            if count
            else "no episode is left"
        )
    return modifier.index % count


def _relabel(episode: Episode, params: grammar.Parameters) -> Episode:
    step, name = params.take(grammar.INTEGER, "a step"), params.take(grammar.TEXT, "a field")
    match name:
        case "action":
            action = params.take(ActionAdapter, "an action")
            return edits.relabel(episode, step, actions=(action,))
        case "reasoning":
            return edits.relabel(episode, step, reasoning=params.take(grammar.TEXT, "a text"))
        case "target":
            return edits.relabel(episode, step, target=params.take(grammar.TEXT, "a text"))
        case "step_instruction":
            return edits.relabel(
                episode, step, step_instruction=params.take(grammar.TEXT, "a text")
            )
    raise UnknownNameError("field", name, ("action", "reasoning", "target", "step_instruction"))


def _make_step(episode: Episode, at: int, action: Action) -> Step:
    """A step on the screen that step `at` is decided on, or on the final one."""
    seen = [step.observation for step in episode.steps[at : at + 1]]
    if not seen and episode.final is not None:
        seen = [episode.final]
    if not seen:
        raise UsageError(f"{episode.id} has no screen {at} on which a step could be done")
    return Step(seen[0], Decision(action))


def resolve_instructions(
    which: int | str | list[str], candidates: Callable[[], Sequence[Sequence[str]]]
) -> Sequence[str]:
    """The texts of `instructionize`: those of a number, or its own.

    Raises:
        UsageError: the task has no instruction of that number.
    """
    match which:
        case -1:
            return ()
        case int(number):
            known = candidates()
            if not 0 <= number < len(known):
                raise UsageError(
                    f"the task has no instruction {number}; "
                    f"it has {len(known)}, counted from 0; -1 takes one away"
                )
            return known[number]
        case str(words):
            return (words,)
        case several:
            return several


def _no_instructions(episode: Episode) -> Sequence[Sequence[str]]:
    raise UsageError(
        f"the instructions of the task {episode.task_id!r} are not known",
        hint="give the directory of task definitions, or the words in double quotes",
    )
