"""`tapwright eval compare`: whether one run is better than another."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.output import Cell, Format, format_option, print_record, print_rows

if TYPE_CHECKING:
    from tapwright.benchmarks.metrics import Interval


@click.command(epilog="\b\nExample:\n  tapwright eval compare runs/l2-small runs/l2-large")
@click.argument("before", type=click.Path(path_type=Path, exists=True))
@click.argument("after", type=click.Path(path_type=Path, exists=True))
@click.option("--flips", is_flag=True, help="List the samples that only one run has right.")
@format_option
def compare(before: Path, after: Path, *, flips: bool, format_: Format) -> None:
    """Compare the run AFTER with BEFORE, sample by sample.

    The interval is from a paired bootstrap over screenshots, the p-value from McNemar's exact test.
    """
    from tapwright.evaluate import compare as comparing
    from tapwright.evaluate.run_log import read_run

    comparison = comparing.compare(read_run(before), read_run(after))
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
    print_record(
        {
            "before_percent": round(100 * comparison.before, 2),
            "after_percent": round(100 * comparison.after, 2),
            "difference_points": round(100 * comparison.difference, 2),
            "interval_points": _interval(comparison.interval),
            "p_value": float(f"{comparison.p_value:.2g}"),
            "gained": len(comparison.gained),
            "lost": len(comparison.lost),
            "paired": comparison.n,
            "unpaired": comparison.unpaired,
        },
        format_,
        key="difference_points",
    )


def _interval(interval: "Interval | None") -> list[float] | None:
    return [round(100 * end, 2) for end in (interval.low, interval.high)] if interval else None
