"""Runs one combination with a progress bar, and reports how it went."""

from pathlib import Path
from typing import TYPE_CHECKING

from tapwright.cli.eval.summary import describe_attempts, describe_rules, describe_score
from tapwright.cli.host import read_host
from tapwright.cli.output import (
    hint,
    print_failure,
    print_first_failure,
    print_line,
    print_message,
    show_progress,
)
from tapwright.errors import quote_path
from tapwright.workflows.engine import Engine

if TYPE_CHECKING:
    from tapwright.evaluate.combination import RunCombination
    from tapwright.workflows.evaluate import RunSettings

MAX_ROUNDS = 3
"""How often samples are queried whose server did not respond."""


def run_and_report(
    combination: "RunCombination", out: Path, settings: "RunSettings", engine: Engine
) -> bool:
    """Measure one combination and print its result; returns whether a sample failed."""
    import asyncio

    from tapwright.evaluate.run_warnings import run_warnings
    from tapwright.workflows.evaluate import run_benchmark

    log = asyncio.run(
        run_benchmark(
            combination,
            out,
            read_host(),
            settings,
            engine=engine,
            show_progress=show_progress,
            on_notice=print_message,
        )
    )
    failed = [(row.key, row.error) for row in log.rows if row.error is not None]
    for key, error in failed:
        print_failure(key, error.message, error.code)
    print_message(f"{log.header.subject} on {combination.benchmark}: {describe_score(log)}")
    for line in [*describe_rules(log), *describe_attempts(log)]:
        print_message(line)
    for line in run_warnings(log):
        print_message(f"warning: {line}")
    if failed:
        key, error = failed[0]
        print_first_failure(len(failed), key, error.message, error.code)
    print_line(out)
    if not failed:
        hint(f"tapwright report {quote_path(out)}")
    elif ":" in combination.benchmark:
        hint("give the same command again: a log does not load a benchmark of your own")
    else:
        hint(f"tapwright eval resume {quote_path(out)}")
    return bool(failed)
