"""`tapwright annotate run`: annotate the episodes of a store."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.annotate.options import annotator_options
from tapwright.cli.annotate.report import report_annotation
from tapwright.cli.directories import open_store, selected_store_argument
from tapwright.cli.grouped_help import GroupedCommand
from tapwright.cli.host import read_host
from tapwright.cli.options import engine_options
from tapwright.cli.output import Format, format_option, print_failure, print_record, show_progress
from tapwright.cli.selecting import choose_ids, exit_if_unreadable, selection_options
from tapwright.store.selection import Selection
from tapwright.workflows.engine import Engine

if TYPE_CHECKING:
    from tapwright.workflows.annotators import AnnotatorConfig


@click.command(
    cls=GroupedCommand,
    first="model base-url where limit dry-run max-cost language template",
    epilog="\b\nExample:\n"
    "  tapwright annotate run episodes --with rules\n"
    "  tapwright annotate run episodes --where 'not annotated(\"rules\")' --limit 10\n"
    "  tapwright annotate run episodes -m openai/qwen2.5-vl-7b --dry-run",
)
@selected_store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@selection_options
@annotator_options
@engine_options
@click.option("--dry-run", is_flag=True, help="Send no query; estimate the tokens and the cost.")
@format_option
def run(
    store: Path,
    episode_ids: tuple[str, ...],
    selection: Selection,
    config: "AnnotatorConfig",
    dry_run: bool,
    format_: Format,
    engine: Engine,
) -> None:
    """Annotate the episodes of STORE (all by default).

    Annotated episodes are skipped, so an interrupted run continues with the same command, and no
    query is sent twice. The annotations lie beside the recording, never in it. Ends with 1 when an
    episode failed, or a step has no annotation that passed the checks.
    """
    import asyncio

    from tapwright.workflows.annotate import annotate_episodes, estimate_annotation

    episodes, host = open_store(store), read_host()
    ids, readable = choose_ids(episodes, selection, episode_ids)
    if dry_run:
        estimate = asyncio.run(
            estimate_annotation(
                episodes, config, host, ids,
                report_error=lambda id_, error: print_failure(id_, error, error.code),
            )
        )  # fmt: skip
        record = asdict(estimate)
        cost = record.pop("cost")
        record |= {} if cost is None else {"cost": round(cost, 4)}
        print_record(record, format_, key="questions")
        exit_if_unreadable(readable)
        return
    failures = asyncio.run(
        annotate_episodes(episodes, config, host, ids, engine=engine, show_progress=show_progress)
    )
    code = report_annotation(episodes, config.name, ids, failures)
    sys.exit(code or not readable)
