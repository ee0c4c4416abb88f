"""The steps that a run of tasks took: EQA, the curve behind it, and steps against the scripts.

Attempts count in the declared order, that of the suite (`place` in a row's detail), epoch after
epoch, whatever the order in which they ended. Attempts that could not be played have no steps and
are left out, as they are of the score.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from tapwright.benchmarks.metrics import Eqa, eqa
from tapwright.evaluate.run_log import RunLog, SampleRow

__all__ = ["AttemptSteps", "StepEfficiency", "measure_step_efficiency"]


@dataclass(frozen=True, slots=True)
class AttemptSteps:
    """One attempt: whether it succeeded, its steps, and the moves of the task's script, if any."""

    success: bool
    steps: int
    solution_steps: int | None


@dataclass(frozen=True, slots=True)
class StepEfficiency:
    """All attempts in the declared order, and their totals.

    `max_steps` is the largest number of steps that an attempt could have taken; EQA's budget is so
    many for each. `ratio` and `ratio_median` are how many steps a success took for each move of
    the script, over the `compared` successes that have one; None without any.
    """

    attempts: tuple[AttemptSteps, ...]
    max_steps: int
    eqa: Eqa
    ratio: float | None
    ratio_median: float | None
    compared: int

    @property
    def curve(self) -> list[tuple[float, float]]:
        """EQA's R(u): the corners where the share of solved tasks rises, from (0, 0) on.

        u is the part of the whole budget that was used up, the area below the steps up to u = 1
        the exact EQA.
        """
        budget, count = len(self.attempts) * self.max_steps, len(self.attempts)
        corners, used, solved = [(0.0, 0.0)], 0, 0
        for attempt in self.attempts:
            used += attempt.steps
            if attempt.success:
                solved += 1
                corners.append((used / budget, solved / count))
        return corners

    @property
    def used(self) -> float:
        """The part of the whole budget that all attempts used up."""
        return sum(one.steps for one in self.attempts) / (len(self.attempts) * self.max_steps)


def measure_step_efficiency(run: RunLog) -> StepEfficiency | None:
    """What the attempts of a run took; None when none was played."""
    rows = [row for row in run.rows if row.score is not None and _number(row, "max_steps")]
    if not rows:
        return None
    rows.sort(key=lambda row: (row.about.epoch, _number(row, "place") or 0))
    attempts = tuple(
        AttemptSteps(
            row.detail.get("outcome") == "success",
            _number(row, "steps") or 0,
            _number(row, "solution_steps"),
        )
        for row in rows
    )
    max_steps = max(_number(row, "max_steps") or 0 for row in rows)
    found = eqa([(one.success, one.steps) for one in attempts], max_steps=max_steps)
    assert found is not None  # there is an attempt
    ratios = _ratios(attempts)
    return StepEfficiency(
        attempts=attempts,
        max_steps=max_steps,
        eqa=found,
        ratio=fmean(ratios) if ratios else None,
        ratio_median=median(ratios) if ratios else None,
        compared=len(ratios),
    )


def _ratios(attempts: Sequence[AttemptSteps]) -> list[float]:
    return [
        one.steps / one.solution_steps for one in attempts if one.success and one.solution_steps
    ]


def _number(row: SampleRow, name: str) -> int | None:
    found = row.detail.get(name)
    return found if isinstance(found, int) else None
