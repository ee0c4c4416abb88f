"""`tapwright episodes rejudge`: outcomes, found anew from the recorded steps."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli import selecting
from tapwright.cli.directories import open_catalog, open_store, store_argument
from tapwright.cli.episodes.options import split_store
from tapwright.cli.output import Format, format_option, hint, print_message, print_rows
from tapwright.errors import UnknownNameError
from tapwright.store.selection import Selection

if TYPE_CHECKING:
    from tapwright.core.episode import Episode
    from tapwright.tasks.task import Task

_SUITE = "phone"


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes rejudge episodes --tasks definitions\n"
    "  tapwright episodes rejudge episodes --where 'outcome == \"failure\"' --write"
)
@store_argument
@click.argument("ids", metavar="[ID]...", nargs=-1)
@selecting.selection_options
@click.option(
    "--tasks",
    default="",
    metavar="SUITE",
    help="The tasks: a suite, or a path of definitions.  [default: the suite that each episode "
    f"names, else {_SUITE}]",
)
@click.option("--write", is_flag=True, help="Store the outcomes; without it they are only shown.")
@selecting.yes_option
@format_option
def rejudge(
    store: Path,
    ids: tuple[str, ...],
    selection: Selection,
    tasks: str,
    write: bool,
    yes: bool,
    format_: Format,
) -> None:
    """Find the outcomes of STORE's episodes anew, from what their steps prove by their tasks.

    Shown are the episodes whose stored outcome is another one, those whose claimed one is proved,
    and those that cannot be judged, which keep theirs: their task is not there, or the recording
    lacks what its check reads. With --write each changed one becomes a new version, which `episodes
    undo` takes back.
    """
    from tapwright.curate.edit.edits import set_outcome
    from tapwright.curate.edit.save import save_edits
    from tapwright.curate.rejudging import rejudge as judge_anew

    root, named = split_store(store, ids)
    episodes = open_store(root)
    catalog = open_catalog(episodes)
    chosen, readable = selecting.select_ids(catalog, selection, named)
    read = cache(_read_suite)
    given = _tasks_of(tasks) if tasks else None
    found = []
    for id_ in chosen:
        episode = episodes.open(id_)
        found.append(judge_anew(episode, read(_suite_of(episode)) if given is None else given))
    print_rows(
        [
            {
                "episode": one.id,
                "stored": one.stored,
                "proved": one.proved,
                "note": "was claimed" if one.is_claimed else one.undecided,
            }
            for one in found
            if one.differs or one.undecided or one.is_claimed
        ],
        format_,
        key="episode",
    )
    wrong = [one for one in found if one.differs]
    claimed = [one for one in found if one.is_claimed]
    undecided = sum(1 for one in found if one.undecided)
    print_message(
        f"{len(wrong)} of {len(found)} outcomes are not what the steps prove"
        + (f"; {len(claimed)} that were claimed are proved" if claimed else "")
        + (f"; {undecided} cannot be judged" if undecided else "")
    )
    changed = [*wrong, *claimed]
    if changed and not write:
        hint("nothing was changed; repeat it with --write")
    elif changed:
        selecting.confirm_change(len(changed), len(found), "rejudge", yes=yes)
        for one in changed:
            before = episodes.open(one.id)
            after = set_outcome(before, one.proved, "proved")
            save_edits(episodes, [before], [after], edit="rejudge")
    selecting.exit_if_unreadable(readable)


def _suite_of(episode: "Episode") -> str:
    return episode.extra.get("suite", _SUITE)


def _read_suite(name: str) -> "Mapping[str, Task]":
    """The tasks of the suite that an episode names, none where it is not known here."""
    try:
        return _tasks_of(name)
    except UnknownNameError:
        return {}


def _tasks_of(suite: str) -> "Mapping[str, Task]":
    from tapwright.tasks.task_files import read_suite

    return {task.id: task for task in read_suite(suite)}
