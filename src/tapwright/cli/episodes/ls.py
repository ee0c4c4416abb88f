"""`tapwright episodes ls`: the episodes of a store."""

import sys
from pathlib import Path

import click

from tapwright.cli.options import store_argument
from tapwright.cli.output import Cell, Format, format_option, print_failure, print_rows
from tapwright.errors import NothingFoundError
from tapwright.store.catalog import Catalog, CatalogQuery
from tapwright.store.store import EpisodeStore


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes ls episodes\n"
    "  tapwright episodes ls episodes --outcome failure --app settings --format quiet"
)
@store_argument
@click.option("--text", default="", help="Only with this in id, task or instruction.")
@click.option("--task", default="", metavar="ID", help="Only of this task.")
@click.option("--app", default="", help="Only with this app (package or its last part) in front.")
@click.option("--outcome", default="", help="Only with this outcome.")
@click.option("--agent", default="", help="Only recorded by this agent or person.")
@format_option
def ls(
    store: Path, text: str, task: str, app: str, outcome: str, agent: str, format_: Format
) -> None:
    """List the episodes of STORE, oldest first.

    An unreadable episode is reported on stderr and skipped; the command then ends with 1.
    """
    criteria = CatalogQuery(text=text, task=task, app=app, outcome=outcome, agent=agent)
    entries, unreadable = Catalog(EpisodeStore(store)).read()
    for name, error in unreadable.items():
        print_failure(name, error, error.code)
    rows: list[dict[str, Cell]] = [
        {
            "episode": entry.id,
            "task": entry.task_id,
            "agent": entry.agent,
            "steps": entry.steps,
            "outcome": entry.outcome,
            "instruction": entry.instruction,
        }
        for entry in entries
        if criteria.matches(entry)
    ]
    if not entries and not unreadable:
        raise NothingFoundError(
            f"{store}: no episodes", hint=f"tapwright record --agent script -o {store}"
        )
    if not rows and entries:
        raise NothingFoundError(f"{store}: none of {len(entries)} episodes fits the filter")
    print_rows(rows, format_, key="episode")
    if unreadable:
        sys.exit(1)
