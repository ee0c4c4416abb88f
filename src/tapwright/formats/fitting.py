"""The part of an episode that a foreign format has words for.

A step that a format cannot express is left out where nothing hangs on it: at the beginning, whose
screens are those after it, and at the end, and wherever it did nothing, as the device refused it.
An episode with another such step in its middle would have a hole there, and is left out as a whole.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from tapwright.core.actions import Wait
from tapwright.core.episode import Episode, Step
from tapwright.errors import UnsupportedByConventionError
from tapwright.formats.format import EpisodeExporter

__all__ = ["FittingEpisodes", "LeftOut", "StepChecker", "check_done"]


@runtime_checkable
class StepChecker(EpisodeExporter, Protocol):
    """An exporter that can say of a step alone whether it has a form there."""

    def check_step(self, step: Step) -> None:
        """Check a step.

        Raises:
            UnsupportedByConventionError: it has no form there.
        """


@runtime_checkable
class EpisodePlacer(Protocol):
    """An exporter with one place for all attempts at a task."""

    def place_of(self, episode: Episode) -> str:
        """Where an episode goes: of several in one place the first does."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A step without a form there, from 0; a `step` of None means the whole episode."""

    episode: str
    step: int | None
    reason: str


@dataclass(slots=True)
class FittingEpisodes:
    """Episodes without what `checker` has no form for; `left_out` grows as they are read."""

    episodes: Iterable[Episode]
    checker: StepChecker
    left_out: list[LeftOut] = field(default_factory=list)
    _taken: set[str] = field(default_factory=set)

    def __iter__(self) -> Iterator[Episode]:
        for episode in self.episodes:
            fitting = self._fit(episode)
            if fitting is not None and self._has_place(fitting):
                yield fitting

    def _has_place(self, episode: Episode) -> bool:
        if not isinstance(self.checker, EpisodePlacer):
            return True
        place = self.checker.place_of(episode)
        if place in self._taken:
            why = f"another attempt at {episode.task_id} is written, and there is room for one"
            self.left_out.append(LeftOut(episode.id, None, why))
            return False
        self._taken.add(place)
        return True

    def _fit(self, episode: Episode) -> Episode | None:
        wrong: dict[int, str] = {}
        for number, step in enumerate(episode.steps):
            try:
                self.checker.check_step(step)
            except UnsupportedByConventionError as error:
                wrong[number] = str(error)
        right = [number for number in range(len(episode.steps)) if number not in wrong]
        if not right:
            why = next(iter(wrong.values()), "it has no steps")
            self.left_out.append(LeftOut(episode.id, None, why))
            return None
        start, stop = right[0], right[-1] + 1
        inside = [
            number
            for number in wrong
            if start < number < stop and not _did_nothing(episode.steps[number])
        ]
        if inside:
            why = f"step {inside[0]}: {wrong[inside[0]]}"
            self.left_out.append(LeftOut(episode.id, None, why))
            return None
        self.left_out += [LeftOut(episode.id, number, why) for number, why in wrong.items()]
        steps = episode.steps
        final = episode.final if stop == len(steps) else steps[stop].observation
        kept = tuple(steps[number] for number in right)
        return replace(episode, steps=kept, final=final) if wrong else episode


def check_done(step: Step) -> None:
    """Check that the device did a step, for a format that has no word for what it refused.

    Raises:
        UnsupportedByConventionError: it refused the last of its actions.
    """
    if step.refused:
        told = "it was refused" if _is_known(step) else "nothing is known of it but this"
        raise UnsupportedByConventionError(f"{told}: {step.refused}")


def _did_nothing(step: Step) -> bool:
    return bool(step.refused) and step.done == 1 and _is_known(step)


def _is_known(step: Step) -> bool:
    """Whether an action is refused, and not what was done that no action stands for."""
    return step.decision.actions[step.done - 1] != Wait(duration_s=0)
