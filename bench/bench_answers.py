"""What reading and scoring answers costs, in CPU time.

Run: python bench/bench_answers.py [--json]
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pydantic import JsonValue

from tapwright.benchmarks.answers import AnswerStatus, Parser, parse_option, parse_point
from tapwright.benchmarks.benchmark import Score
from tapwright.benchmarks.grounding import GroundingBenchmark
from tapwright.benchmarks.metrics import (
    cell,
    cluster_bootstrap,
    l1_rows,
    l1_scores,
    l2_rows,
    l2_scores,
    label,
    seed_cell,
    table,
)
from tapwright.benchmarks.pointing import TargetBox
from tapwright.benchmarks.understanding import ChoiceQuestion, UnderstandingBenchmark
from tapwright.core.geometry import Box, Size
from tapwright.models.query_endings import QueryEnding

SIZE = Size(1080, 2400)
OPTIONS = {"A": "the first", "B": "the second", "C": "the third", "D": "the fourth"}
LETTERS = ("B", "(C)", "B.", "Answer: D", "The answer is A.", "C. the third", "I cannot tell.", "E")
POINTS = (
    "(540, 1200)", "[540, 1200]", "x=540, y=1200", "click(540, 1200)", '{"x": 540, "y": 1200}',
    "<point>540 1200</point>", "The button is at (540, 1200).", "I cannot find it.",
)  # fmt: skip
LONG = ("(1" * 500_000, " " * 1_000_000, "9" * 1_000_000, "A, " * 333_333, "(1, 2) " * 142_857,
        "the answer is B. " * 58_823, "{" * 1_000_000, "<think>" * 142_857)  # fmt: skip
PARSERS: tuple[Parser, ...] = ("robust", "seed")
ROWS = 100_000


@dataclass(frozen=True, slots=True)
class Result:
    """One row of a run, as the metrics see it."""

    labels: Mapping[str, str]
    score: float | None
    status: AnswerStatus
    cluster: str
    detail: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def ending(self) -> QueryEnding:
        """How its query ended."""
        return "answered" if self.status == "ok" else "unread"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    rows: dict[str, float] = {
        "letters, short answers per second": ROWS / _cpu(_letters),
        "points, short answers per second": ROWS / _cpu(_points),
        "letters, ms for 1 MB, the worst kind": 1000 * _long(_letter),
        "points, ms for 1 MB, the worst kind": 1000 * _long(_point),
    }
    for name, answer_all in (("L1", _rescore_l1), ("L2", _rescore_l2)):
        rows[f"{name}: s to re-score {ROWS:,} rows by both parsers"] = _cpu(answer_all)
    rows["load"] = os.getloadavg()[0]
    if wanted.json:
        print(json.dumps(rows, indent=1))
    else:
        for what, value in rows.items():
            print(f"{what:<58} {value:12,.2f}")


def _cpu(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _letters() -> None:
    for number in range(ROWS):
        parse_option(LETTERS[number % len(LETTERS)], OPTIONS)


def _points() -> None:
    for number in range(ROWS):
        parse_point(POINTS[number % len(POINTS)], SIZE, space="pixel")


def _letter(text: str) -> object:
    return parse_option(text, OPTIONS)


def _point(text: str) -> object:
    return parse_point(text, SIZE, space="pixel")


def _long(read: Callable[[str], object]) -> float:
    return max(min(_cpu(partial(read, text)) for _ in range(3)) for text in LONG)


def _rescore_l1() -> None:
    benchmark = UnderstandingBenchmark.__new__(
        UnderstandingBenchmark
    )  # no data: scoring needs the sample alone
    samples = [
        ChoiceQuestion(
            f"q{number}",
            "Which?",
            {"platform": f"os_{number % 6}", "difficulty": ("easy", "medium", "hard")[number % 3]},
            Path(f"{number // 3}.png"),
            SIZE,
            options=tuple(OPTIONS.items()),
            answer="B",
        )
        for number in range(8)
    ]
    results = []
    for number in range(ROWS):
        sample = samples[number % 8]
        score = benchmark.score(sample, LETTERS[number % 8], space="pixel")
        results.append(_result(sample.labels, score, number))
    _numbers(results)
    for parser in PARSERS:
        l1_scores(l1_rows(results, parser=parser))


def _rescore_l2() -> None:
    benchmark = GroundingBenchmark.__new__(GroundingBenchmark)
    labels = {"platform": "os_web", "grounding_type": "basic", "data_type": "icon"}
    sample = TargetBox("t", "it", labels, Path("1.png"), SIZE, box=Box(0.4, 0.4, 0.6, 0.6))
    results = []
    for number in range(ROWS):
        score = benchmark.score(sample, POINTS[number % 8], space="pixel")
        results.append(_result(labels, score, number))
    _numbers(results)
    for parser in PARSERS:
        l2_scores(l2_rows(results, parser=parser))


def _result(labels: Mapping[str, str], score: Score, number: int) -> Result:
    return Result(labels, score.value, score.status, f"{number // 3}.png", score.detail)


def _numbers(results: Sequence[Result]) -> None:
    cell(results)
    seed_cell(results)
    table(results, label("platform"))
    cluster_bootstrap(results)


if __name__ == "__main__":
    main()
