"""`tapwright episodes stats`: counts of a store, and maps of its taps."""

import sys
from pathlib import Path

import click

from tapwright.cli.directories import fetch_episodes, open_store, selected_store_argument
from tapwright.cli.options import FILE, out_option
from tapwright.cli.output import Cell, Format, hint, list_format_option, print_failure, print_rows
from tapwright.cli.selecting import choose_ids, selection_options
from tapwright.store.errors import no_episodes
from tapwright.store.selection import EVERYTHING, Selection


@click.command(epilog="\b\nExample:\n  tapwright episodes stats episodes -o stats.html")
@selected_store_argument
@selection_options
@out_option(
    "Write an HTML page, too: the same numbers, and heat maps of the taps in each app.", kind=FILE
)
@list_format_option
def stats(store: Path, selection: Selection, out: Path | None, format_: Format) -> None:
    """Count the episodes of STORE by outcome, length, action, app, task, agent, annotator and fit.

    The fit of a step is whether it may be taught, and why not: it is stale, refused, cut off,
    unlabelled (without a thought: taught as an action alone), black or without a picture.

    An unreadable episode is reported on stderr and not counted; the command then ends with 1.
    """
    from tapwright.visualize.stats import collect_stats
    from tapwright.visualize.stats_page import write_stats_page

    episodes, ids, readable = open_store(store), None, True
    if selection != EVERYTHING:
        ids, readable = choose_ids(episodes, selection)
    else:
        fetch_episodes(store)
    summary = collect_stats(episodes, ids)
    for name, error in summary.unreadable.items():
        print_failure(name, error, error.code)
    if not summary.episodes and not summary.unreadable:
        raise no_episodes(store)
    rows: list[dict[str, Cell]] = [
        {"by": "all", "name": "", "episodes": summary.episodes, "steps": summary.steps}
    ]
    rows += (
        {"by": one.facet, "name": one.name, "episodes": one.episodes, "steps": one.steps}
        for one in summary.counts
    )
    print_rows(rows, format_, key="name")
    if out is not None:
        write_stats_page(summary, out, title=f"Episodes in {store.name or store}")
        hint(f"open {out} in a browser")
    if summary.unreadable or not readable:
        sys.exit(1)
