"""`tapwright episodes check`: the defects of a store."""

import sys
from dataclasses import asdict
from pathlib import Path

import click

from tapwright.cli.directories import store_argument
from tapwright.cli.output import Format, format_option, print_rows, show_progress
from tapwright.cli.selecting import choose_ids, selection_options
from tapwright.errors import CorruptEpisodeError, NothingFoundError
from tapwright.store.errors import SchemaVersionError
from tapwright.store.selection import EVERYTHING, Selection
from tapwright.store.store import EpisodeStore


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes check episodes\n"
    "  tapwright episodes check episodes first --format json\n"
    "  tapwright episodes check episodes --where 'created >= \"2026-11\"'"
)
@store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@selection_options
@format_option
def check(store: Path, episode_ids: tuple[str, ...], selection: Selection, format_: Format) -> None:
    """Find defects in the episodes of STORE (all by default). Nothing is changed.

    Errors: invalid lines, lines out of order, missing or altered files, pictures that cannot be
    decoded or have another size, actions after the end.

    Warnings: unused files, episodes without steps or end, repeated steps, view hierarchies that do
    not match the picture.

    Ends with 1 when anything was found.
    """
    from tapwright.check.check import check_episode, check_headers
    from tapwright.check.finding import EpisodeFinding

    episodes = EpisodeStore(store)
    findings: list[EpisodeFinding] = []
    readable = True
    if episode_ids or selection != EVERYTHING:
        selected, readable = choose_ids(episodes, selection, episode_ids)
    else:
        findings += check_headers(episodes)
        selected = episodes.scan()[0]
    if not selected and not findings:
        raise NothingFoundError(
            f"{store}: no episodes", hint=f"tapwright record --agent script -o {store}"
        )
    with show_progress("check", len(selected)) as advance:
        for id_ in selected:
            try:
                findings += check_episode(episodes, id_)
            except (CorruptEpisodeError, SchemaVersionError) as error:
                findings.append(
                    EpisodeFinding(id_, None, "error", "header", str(store), str(error))
                )
            advance(1)
    print_rows([asdict(one) for one in findings], format_, key="episode")
    sys.exit(0 if readable and not findings else 1)
