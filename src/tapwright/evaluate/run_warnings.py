"""What a run's answers look like when something else than the model's skill decides its score.

Many answers in another unit, empty, cut off, or thought in a field of their own: all read from the
rows of the log, and none changes a score. The terminal, the report and the web app show them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import get_args

from tapwright.benchmarks.answers import parse_point
from tapwright.conventions.convention import Space, to_point
from tapwright.core.geometry import Size
from tapwright.errors import OffScreenError
from tapwright.evaluate.error_analysis import answered_point, target_box
from tapwright.evaluate.plan import RunPlan
from tapwright.evaluate.run_log import RunLog, SampleRow
from tapwright.evaluate.run_tally import RowFlags, RunTally

__all__ = ["run_warnings"]

_SHARE = 0.05
"""From this share of the answers on there are many."""
_LEAST_HITS = 3
"""By chance an answer or two are a hit in another unit, too."""
_MOST_READ = 1000
_UNITS = {
    "pixel": "pixels", "fraction": "fractions, 0-1", "permille": "0-1000", "percent": "0-100",
}  # fmt: skip


def run_warnings(run: RunLog, tally: RunTally | None = None) -> list[str]:
    """What should be looked at before the score is believed, a line each; nothing for most runs.

    Without its `tally` its rows are counted here.
    """
    counted = RunTally.of(run.rows) if tally is None else tally
    return [*_scale_warnings(run, counted), *_answer_warnings(counted)]


def _answer_warnings(tally: RunTally) -> Iterator[str]:
    total, empty = tally.count(RowFlags.ANSWERED), tally.count(RowFlags.EMPTY)
    if _many(empty, total):
        yield f"{empty} of {total} answers are empty"
    cut = tally.count(RowFlags.CUT_OFF)
    if _many(cut, total):
        yield (
            f"{cut} of {total} answers were cut off at the limit of tokens: raise max_tokens, or "
            "shorten the reasoning"
        )
    thought = tally.count(RowFlags.THOUGHT)
    if thought:
        yield (
            f"{thought} of {total} answers came with reasoning in a field of its own, which is "
            "kept apart and not read as the answer"
        )


def _scale_warnings(run: RunLog, tally: RunTally) -> Iterator[str]:
    """One line when answers would be right far more often in another unit, or lie off the picture.

    Of a long run a thousand rows are read, evenly over the log.
    """
    aimed = tally.places(RowFlags.AIMED)
    read = [run.rows[at] for at in aimed[:: -(-len(aimed) // _MOST_READ) or 1]]
    hits = sum(row.score == 1.0 for row in read)
    misses = [row for row in read if row.score != 1.0]
    unit, right = _best_unit(misses)
    found = [row for row in misses if row.key in right or row.status == "out_of_range"]
    if not _many(len(found), len(read)):
        return
    plan = run.header.config.get("plan")
    named = plan.get("convention") if isinstance(plan, dict) else None
    declared = f"the convention {named}" if named else _declared(plan)
    if len(right) >= _LEAST_HITS and len(right) > hits:
        way = "name its own --convention" if named else f"--space {unit}, or a --convention"
        yield (
            f"{len(found)} of {len(read)} answers look like another unit ({_UNITS[unit]}?): scale "
            f"error; they were read as {declared}: {way}"
        )
    elif _many(off := sum(row.status == "out_of_range" for row in misses), len(read)):
        yield (
            f"{off} of {len(read)} answers are off the picture: scale error? they were read as "
            f"{declared}"
        )


def _declared(plan: object) -> str:
    space = plan.get("space") if isinstance(plan, dict) else None
    return _UNITS.get(str(space), str(space or RunPlan().space))


def _best_unit(misses: Sequence[SampleRow]) -> tuple[Space, set[str]]:
    """The unit in which most of the wrong answers would be hits, and the keys of those.

    Numbers with a unit of their own ("50%") are in no other one.
    """
    right: dict[Space, set[str]] = {space: set() for space in get_args(Space)}
    for row in misses:
        box, size, answer = target_box(row), row.sent or row.about.size, row.answer or ""
        if box is None or size is None or "%" in answer or "px" in answer:
            continue
        found = parse_point(answer, Size(*size), space="pixel")
        if found.status == "ambiguous" or len(found.numbers) < 2:
            continue
        numbers = found.numbers
        x, y = (numbers[0] + numbers[-2]) / 2, (numbers[1] + numbers[-1]) / 2
        for space, keys in right.items():
            try:
                point = to_point(x, y, Size(*size), space)
            except OffScreenError:
                continue
            if point != answered_point(row) and box.contains(point):
                keys.add(row.key)
    counts = Counter({space: len(keys) for space, keys in right.items()})
    best = counts.most_common(1)[0][0]
    return best, right[best]


def _many(count: int, total: int) -> bool:
    return count > 0 and count >= _SHARE * total
