"""How a run is carried out, as options of `eval run` and `eval resume`."""

import click

from tapwright.cli.options import F, add_options, engine_options, max_cost_option, option


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
