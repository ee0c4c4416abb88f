"""Runs one combination with a progress bar, and reports how it went."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli import output
from tapwright.cli.eval.summary import describe_attempts, describe_rules, describe_score
from tapwright.cli.host import read_host
from tapwright.cli.options import F, add_options, engine_options, max_cost_option, option
from tapwright.errors import quote_path
from tapwright.workflows.engine import Engine

if TYPE_CHECKING:
    from tapwright.evaluate.combination import RunCombination
    from tapwright.workflows.evaluate import RunSettings


def run_options(command: F) -> F:
    """`--concurrency`, `--max-cost`, `--envs` and the engine, which may differ in each start."""
    options = (
        option("--concurrency", type=click.IntRange(1), default=8, help="Parallel requests."),
        max_cost_option,
        option(
            "--envs",
            type=click.IntRange(1, 64),
            help="Parallel device instances (l3, l4, miniwob).  [default: 2; with --profile 1]",
        ),
        engine_options,
    )
    return add_options(command, options)


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
            show_progress=output.show_progress,
            on_notice=output.print_message,
        )
    )
    failed = [(row.key, row.error) for row in log.rows if row.error is not None]
    for key, error in failed:
        output.print_failure(key, error.message, error.code)
    output.print_message(f"{log.header.subject} on {combination.benchmark}: {describe_score(log)}")
    for line in [*describe_rules(log), *describe_attempts(log)]:
        output.print_message(line)
    for line in run_warnings(log):
        output.print_message(f"warning: {line}")
    if failed:
        key, error = failed[0]
        output.print_first_failure(len(failed), key, error.message, error.code)
    output.print_line(out)
    if not failed:
        output.hint(f"tapwright report {quote_path(out)}")
    elif ":" in combination.benchmark:
        output.hint("give the same command again: a log does not load a benchmark of your own")
    else:
        output.hint(f"tapwright eval resume {quote_path(out)}")
    return bool(failed)
