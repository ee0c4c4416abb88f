"""`tapwright episodes ls`: the episodes of a store."""

import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import get_args

import click

from tapwright.cli.directories import open_store, selected_store_argument
from tapwright.cli.output import Cell, Format, list_format_option, print_failure, print_rows
from tapwright.cli.selecting import nothing_found, selection_options
from tapwright.core.outcomes import EpisodeOutcome
from tapwright.store.filters import EVERY, equals, has_app, has_text
from tapwright.store.selection import Selection


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes ls episodes\n"
    "  tapwright episodes ls episodes --outcome failure --app settings --format quiet\n"
    "  tapwright episodes ls episodes --where 'steps > 3 and not tag(\"bad\")' --sort -steps"
)
@selected_store_argument
@click.option("--text", default="", help="Only with this in id, task or instruction.")
@click.option("--task", default="", metavar="ID", help="Only of this task.")
@click.option("--app", default="", help="Only with this app (package or its last part) in front.")
@click.option(
    "--outcome",
    type=click.Choice(get_args(EpisodeOutcome)),
    metavar="OUTCOME",
    help="Only with this outcome: success, failure, infeasible, truncated, asked, interrupted or "
    "unknown.",
)
@click.option("--agent", default="", help="Only recorded by this agent or person.")
@selection_options
@list_format_option
def ls(
    store: Path,
    text: str,
    task: str,
    app: str,
    outcome: EpisodeOutcome | None,
    agent: str,
    selection: Selection,
    format_: Format,
) -> None:
    """List the episodes of STORE, oldest first.

    An unreadable episode is reported on stderr and skipped; the command then ends with 1.
    """
    from tapwright.curate.contents import iterate_entries
    from tapwright.store.catalog import Catalog

    catalog = Catalog(open_store(store), freshness="noted")
    also = EVERY
    for column, value in (("task", task), ("outcome", outcome), ("agent", agent)):
        also = also & equals(column, value) if value else also
    also = also & has_app(app) if app else also
    also = also & has_text(text) if text else also
    unreadable = catalog.unreadable()
    for name, error in unreadable.items():
        print_failure(name, error, error.code)
    entries = iterate_entries(catalog, selection, also)
    first = next(entries, None)
    if first is None and not (unreadable and not catalog.count()):
        raise nothing_found(catalog, selection)
    rows: Iterator[dict[str, Cell]] = (
        {
            "episode": entry.id,
            "task": entry.task_id,
            "agent": entry.agent,
            "steps": entry.steps,
            "outcome": entry.outcome,
            "evidence": entry.evidence,
            "tags": " ".join(entry.tags),
            "instruction": entry.instruction,
        }
        for entry in chain([] if first is None else [first], entries)
    )
    print_rows(rows, format_, key="episode")
    if unreadable:
        sys.exit(1)
