"""Many runs at a glance: a row for each subject, a column for each suite."""

from collections.abc import Sequence
from dataclasses import dataclass

from tapwright.benchmarks.metrics import Cell, cell
from tapwright.evaluate.paper_tables import Answered
from tapwright.evaluate.rule_choice import rule_of_header
from tapwright.evaluate.run_log import RunLog

__all__ = ["MatrixCell", "RunMatrix", "run_matrix"]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One run: its score with its interval, the rule behind it, and how much of it was answered."""

    score: Cell
    rules: str
    answered: Answered

    @property
    def words(self) -> str:
        """The score in percent with its interval, "71.3 (68–74)"; marked where some is missing."""
        if self.score.value is None or self.score.interval is None:
            told = "–"
        else:
            low, high = 100 * self.score.interval.low, 100 * self.score.interval.high
            told = f"{100 * self.score.value:.1f} ({low:.0f}–{high:.0f})"
        part = self.answered
        return told if part.is_whole else f"{told}, {part.has_answer} of {part.samples}"


@dataclass(frozen=True, slots=True)
class RunMatrix:
    """The runs by suite; a subject that was measured twice on one suite has two rows."""

    suites: tuple[str, ...]
    rows: tuple[tuple[str, tuple[MatrixCell | None, ...]], ...]


def run_matrix(runs: Sequence[RunLog]) -> RunMatrix:
    """The matrix of the runs, subjects and suites in the order in which they are met."""
    suites = tuple(dict.fromkeys(run.header.benchmark for run in runs))
    rows: list[tuple[str, dict[str, MatrixCell]]] = []
    for run in runs:
        subject, suite = run.header.subject, run.header.benchmark
        rule = rule_of_header(run.header)
        found = MatrixCell(cell(run.rows), rule.name if rule else "", Answered.of(run))
        free = next((one for who, one in rows if who == subject and suite not in one), None)
        if free is None:
            rows.append((subject, {suite: found}))
        else:
            free[suite] = found
    return RunMatrix(suites, tuple((who, tuple(map(cells.get, suites))) for who, cells in rows))
