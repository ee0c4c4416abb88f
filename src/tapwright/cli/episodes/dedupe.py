"""`tapwright episodes dedupe`: episodes that were recorded twice."""

import json
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli import output, selecting
from tapwright.cli.directories import check_local, open_catalog, open_store, store_argument
from tapwright.cli.options import engine_options, option
from tapwright.core.language import counted
from tapwright.errors import quote_path
from tapwright.store.errors import EditConflictError, EpisodeMissingError
from tapwright.store.filters import Condition
from tapwright.store.selection import EVERYTHING, Selection
from tapwright.workflows.engine import Engine

if TYPE_CHECKING:
    from tapwright.curate.duplicates import DuplicateGroup
    from tapwright.store.catalog import Catalog


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes dedupe episodes\n"
    "  tapwright episodes dedupe episodes --where 'agent == \"ann\"' --remove"
)
@store_argument
@selecting.selection_options
@option(
    "--difference",
    type=click.FloatRange(0, 0.5),
    default=0.03,
    help="How much two screens may differ: the share of the bits of their hashes.",
)
@option("--remove", is_flag=True, help="Move all but the best of each group to the trash.")
@selecting.yes_option
@engine_options
@output.format_option
def dedupe(
    store: Path,
    selection: Selection,
    difference: float,
    remove: bool,
    yes: bool,
    engine: Engine,
    format_: output.Format,
) -> None:
    """Find the episodes of STORE that are nearly the same: same actions, near-same screens.

    Actions are compared exactly, screens by a perceptual hash: another time in the status bar,
    another size or JPEG in place of PNG makes no difference. Instructions are not compared. Of a
    group, the best is kept: a success before others, then the shortest, then the newest.

    Hashes are remembered, so the next time takes seconds, and an interrupted command goes on. An
    episode with a broken picture is named and in no group; the command then ends with 1.
    """
    from tapwright.curate.duplicates import FindDuplicates

    if remove:
        check_local(store)
    catalog = open_catalog(open_store(store))
    ids, readable = selecting.select_ids(catalog, selection)
    search = FindDuplicates(catalog, None if selection == EVERYTHING else ids)
    with output.show_progress("hash screens", search.pictures) as advance:
        groups = search.run(difference, advance, engine.map_batches(store))
    for id_ in search.broken:
        output.print_failure(id_, "has a picture that cannot be read", "TW200")
    rows, worse = _make_rows(catalog, groups)
    output.print_rows(rows, format_, key="episode")
    output.print_message(
        f"{counted(len(groups), 'group')}; "
        f"of {counted(len(ids), 'episode')} {len(worse)} duplicate a better one"
    )
    selecting.print_unfit(catalog.store, ids)
    left = 0
    if remove and worse:
        left = _remove(catalog, worse, yes=yes)
    elif worse:
        output.hint("move them to the trash: the same command with --remove")
    sys.exit(1 if left or search.broken or not readable else 0)


def _make_rows(
    catalog: "Catalog", groups: "Sequence[DuplicateGroup]"
) -> tuple[list[dict[str, output.Cell]], list[tuple[str, str]]]:
    """The rows of the table; and each episode that a better one makes needless, with that one."""
    from tapwright.curate.duplicates import find_best

    named = json.dumps([id_ for group in groups for id_ in group.ids])
    of_groups = Condition("id IN (SELECT value FROM json_each(?))", (named,))
    entries = {entry.id: entry for entry in catalog.select(EVERYTHING, of_groups)}
    rows: list[dict[str, output.Cell]] = []
    worse: list[tuple[str, str]] = []
    for number, group in enumerate(groups, start=1):
        members = [entries[id_] for id_ in group.ids if id_ in entries]  # one may be gone since
        best = find_best(members).id if members else ""
        for id_, difference in zip(group.ids, group.differences, strict=True):
            if id_ not in entries:
                continue
            entry = entries[id_]
            rows.append(
                {
                    "group": number,
                    "episode": id_,
                    "kept": id_ == best,
                    "outcome": entry.outcome,
                    "steps": entry.steps,
                    "created": entry.created,
                    "difference": difference,
                    "instruction": entry.instruction,
                }
            )
            if id_ != best:
                worse.append((id_, best))
    return rows, worse


def _remove(catalog: "Catalog", worse: Sequence[tuple[str, str]], *, yes: bool) -> int:
    """Move episodes to the trash; how many could not be."""
    from tapwright.store.trash import trash_episode

    root = catalog.store.root
    selecting.confirm_change(len(worse), catalog.count(), "dedupe", yes=yes)
    removal, left = secrets.token_hex(4), 0
    with output.show_progress("rm", len(worse)) as advance:
        for id_, best in worse:
            try:
                trash_episode(root, id_, reason=f"duplicate of {best}", removal=removal)
            except (EditConflictError, EpisodeMissingError) as error:
                output.print_failure(id_, error, error.code)
                left += 1
            advance(1)
    output.hint(f"put them back: tapwright episodes restore {quote_path(root)} --removal {removal}")
    return left
