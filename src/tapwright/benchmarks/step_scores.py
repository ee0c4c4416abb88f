"""Step accuracy in numbers: by type of action, and of whole episodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Protocol, TypeVar

from pydantic import JsonValue

__all__ = ["ScoredStep", "StepScores", "TypeScores", "step_scores"]


class ScoredStep(Protocol):
    """The result of one step, as step metrics need it."""

    @property
    def labels(self) -> Mapping[str, str]:
        """Its "episode", the "step"'s number in it, and the right "action"'s type."""

    @property
    def score(self) -> float | None:
        """0 to 1; None when there is none."""

    @property
    def status(self) -> str:
        """How its answer could be read; "failed" when there is no answer."""

    @property
    def detail(self) -> Mapping[str, JsonValue]:
        """Whether its type is right: "type_match"."""


R = TypeVar("R", bound=ScoredStep)


@dataclass(frozen=True, slots=True)
class TypeScores:
    """The steps whose right action is of one type: how many, and both accuracies, 0 to 1."""

    n: int
    type_accuracy: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class StepScores:
    """Shares from 0 to 1, None where there is nothing to share.

    `type_accuracy` (TM) and `accuracy` (EM, the mean of the scores) are of the `n` steps that have
    an answer. An episode is a success when each of its steps scores 1, and its progress is the part
    of its steps before the first that does not; `success_rate` and `progress` are means over the
    `episodes` none of whose steps failed to be answered. `format_errors` are answers that could not
    be read, which are wrong; `failures` have no answer.
    """

    n: int
    type_accuracy: float | None
    accuracy: float | None
    by_type: Mapping[str, TypeScores]
    episodes: int
    success_rate: float | None
    progress: float | None
    format_errors: int
    failures: int


def step_scores(rows: Sequence[ScoredStep]) -> StepScores:
    """The numbers of a run on recorded steps, whatever its rule set."""
    answered = [row for row in rows if row.score is not None]
    whole = [
        sorted(group, key=lambda row: int(row.labels["step"]))
        for group in _group_by(rows, "episode").values()
        if all(row.score is not None for row in group)
    ]
    progress = [_progress(group) for group in whole]
    every = _type_scores(answered) if answered else None
    return StepScores(
        n=len(answered),
        type_accuracy=every.type_accuracy if every else None,
        accuracy=every.accuracy if every else None,
        by_type={
            name: _type_scores(group) for name, group in _group_by(answered, "action").items()
        },
        episodes=len(whole),
        success_rate=fmean(part == 1 for part in progress) if progress else None,
        progress=fmean(progress) if progress else None,
        format_errors=sum(row.status not in ("ok", "failed") for row in rows),
        failures=len(rows) - len(answered),
    )


def _progress(steps: Sequence[ScoredStep]) -> float:
    first_miss = next((at for at, row in enumerate(steps) if row.score != 1), len(steps))
    return first_miss / len(steps)


def _type_scores(rows: Sequence[ScoredStep]) -> TypeScores:
    return TypeScores(
        n=len(rows),
        type_accuracy=fmean(row.detail.get("type_match") is True for row in rows),
        accuracy=fmean(row.score or 0.0 for row in rows),
    )


def _group_by(rows: Sequence[R], name: str) -> dict[str, list[R]]:
    groups: dict[str, list[R]] = {}
    for row in rows:
        groups.setdefault(row.labels.get(name, ""), []).append(row)
    return groups
