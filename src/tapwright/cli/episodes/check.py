"""`tapwright episodes check`: the defects of a store."""

import sys
from dataclasses import asdict
from pathlib import Path

import click

from tapwright.cli.directories import fetch_episodes, open_store, selected_store_argument
from tapwright.cli.options import engine_options
from tapwright.cli.output import Format, format_option, print_rows, show_progress
from tapwright.cli.selecting import choose_ids, selection_options
from tapwright.store.errors import no_episodes
from tapwright.store.selection import EVERYTHING, Selection
from tapwright.workflows.engine import Engine


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes check episodes\n"
    "  tapwright episodes check episodes --fast\n"
    "  tapwright episodes check episodes first --format json\n"
    "  tapwright episodes check episodes --where 'created >= \"2026-11\"'"
)
@selected_store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@click.option("--fast", is_flag=True, help="Only the structure: lines, and files that are named.")
@click.option("--again", is_flag=True, help="Also episodes whose files were checked as they are.")
@selection_options
@engine_options
@format_option
def check(
    store: Path,
    episode_ids: tuple[str, ...],
    fast: bool,
    again: bool,
    selection: Selection,
    engine: Engine,
    format_: Format,
) -> None:
    """Find defects in the episodes of STORE (all by default). Nothing is changed.

    Errors: invalid lines, lines out of order, missing or altered files, pictures that cannot be
    decoded or have another size, actions after the end.

    Warnings: unused files, episodes without steps or end, repeated steps, view hierarchies that do
    not match the picture, steps that are no targets; an episode that has the actions of a better
    one on nearly the same screens, and a success that does another thing than an older one at the
    same point of the same task.

    With --fast every line is read, and every file that it names has to be there and not empty;
    pictures, trees and states are not opened, so none of their faults is found, and episodes are
    not compared.

    What was found is remembered: an episode is checked again when one of its files has another
    size, time or inode. To find what a disk altered by itself, use --again.

    Ends with 1 when anything was found.
    """
    from tapwright.curate.check.finding import EpisodeFinding
    from tapwright.curate.check.store import check_episodes, compare_episodes, list_checked

    episodes = open_store(store)
    findings: list[EpisodeFinding] = []
    readable = True
    if episode_ids or selection != EVERYTHING:
        selected, readable = choose_ids(episodes, selection, episode_ids)
    else:
        fetch_episodes(store)
        selected, findings = list_checked(episodes)
    if not selected and not findings:
        raise no_episodes(store)
    with show_progress("check", len(selected)) as advance:
        findings += check_episodes(
            episodes, selected, fast=fast, again=again, advance=advance,
            mapping=engine.map_batches(store),
        )  # fmt: skip
    if not fast:
        findings += compare_episodes(episodes, selected)
    print_rows([asdict(one) for one in findings], format_, key="episode")
    sys.exit(0 if readable and not findings else 1)
