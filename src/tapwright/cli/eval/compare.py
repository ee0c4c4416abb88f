"""`tapwright eval compare`: whether one run is better than another, or which of several."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.directories import RUN
from tapwright.cli.output import Cell, Format, format_option, print_record, print_rows
from tapwright.errors import UsageError

if TYPE_CHECKING:
    from tapwright.benchmarks.metrics import Interval
    from tapwright.evaluate.compare import PairedRuns
    from tapwright.evaluate.run_log import RunLog


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright eval compare runs/l2-small runs/l2-large\n"
    "  tapwright eval compare runs/l2-small runs/l2-medium runs/l2-large"
)
@click.argument("directories", nargs=-1, required=True, metavar="BEFORE AFTER...", type=RUN)
@click.option("--flips", is_flag=True, help="List the samples that only one run has right.")
@format_option
def compare(directories: tuple[Path, ...], *, flips: bool, format_: Format) -> None:
    """Compare the run AFTER with BEFORE, sample by sample; of several runs, every pair.

    The interval is Newcombe's for pairs, as wide as a paired bootstrap over screenshots makes it;
    the p-value is McNemar's exact test's: where that sees no difference, the interval holds 0.
    `holm_p` is the p-value with Holm's correction for the number of pairs. `unpaired` samples have
    a score in one of the two runs alone, as where one was not finished, and are left out.
    """
    from tapwright.evaluate import compare as comparing
    from tapwright.evaluate.run_log import read_run

    if len(directories) < 2:
        raise UsageError("expected two runs or more", hint="tapwright eval compare BEFORE AFTER")
    runs = [read_run(directory) for directory in directories]
    if len(runs) > 2:
        if flips:
            raise UsageError("--flips takes two runs")
        print_rows(_pairs(directories, comparing.compare_all(runs)), format_, key="after")
        return
    comparison = comparing.compare(*runs)
    if flips:
        rows: list[dict[str, Cell]] = [
            {
                "sample": flip.key,
                "change": change,
                "instruction": flip.instruction,
                "before": flip.before.answer or "",
                "after": flip.after.answer or "",
            }
            for change, samples in (("gained", comparison.gained), ("lost", comparison.lost))
            for flip in samples
        ]
        print_rows(rows, format_, key="sample")
        return
    before, after = _names(directories)
    print_record(
        {
            "before": before,
            "after": after,
            "before_answered": _answered(runs[0]),
            "after_answered": _answered(runs[1]),
            "before_percent": round(100 * comparison.before, 2),
            "after_percent": round(100 * comparison.after, 2),
            "difference_points": round(100 * comparison.difference, 2),
            "interval_points": _interval(comparison.interval),
            "p_value": float(f"{comparison.p_value:.2g}"),
            "gained": len(comparison.gained),
            "lost": len(comparison.lost),
            "paired": comparison.n,
            "unpaired": comparison.unpaired,
            "samples_to_tell_3_points": comparison.samples_for(0.03),
        },
        format_,
        key="difference_points",
    )


def _pairs(directories: Sequence[Path], found: "Sequence[PairedRuns]") -> list[dict[str, Cell]]:
    return [
        {
            "before": before,
            "after": after,
            "points": round(100 * one.comparison.difference, 2),
            "interval": _span(one.comparison.interval),
            "p": float(f"{one.comparison.p_value:.2g}"),
            "holm_p": float(f"{one.holm_p:.2g}"),
            "gained": len(one.comparison.gained),
            "lost": len(one.comparison.lost),
            "paired": one.comparison.n,
            "unpaired": one.comparison.unpaired,
        }
        for (before, after), one in zip(combinations(_names(directories), 2), found, strict=True)
    ]


def _names(directories: Sequence[Path]) -> list[str]:
    """The names of the runs: those of their folders, or the paths where two are alike."""
    short = [directory.name for directory in directories]
    return short if len({*short}) == len(short) else [str(one) for one in directories]


def _answered(run: "RunLog") -> str:
    """How many of the run's queries were answered."""
    from tapwright.benchmarks.metrics import cell

    return f"{cell(run.rows).answered} of {run.header.samples}"


def _span(interval: "Interval | None") -> str:
    ends = _interval(interval)
    return "" if ends is None else f"{ends[0]} to {ends[1]}"


def _interval(interval: "Interval | None") -> list[float] | None:
    return [round(100 * end, 2) for end in (interval.low, interval.high)] if interval else None
