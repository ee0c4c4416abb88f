"""Which episodes a command works on, as options: `--where`, `--sort`, `--limit`, `--sample`."""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tapwright.cli.directories import fetch_episodes, open_catalog, remote_directories
from tapwright.cli.options import F, add_options, collect_options, option
from tapwright.cli.output import print_failure, print_message
from tapwright.errors import NothingFoundError, UsageError, quote_path
from tapwright.store.errors import no_episodes
from tapwright.store.selection import EVERYTHING, Selection

if TYPE_CHECKING:
    from tapwright.store.catalog import Catalog
    from tapwright.store.store import EpisodeStore

_ASKED = 100
"""More changed episodes than this are asked about."""

_OPTIONS = {
    "where": option(
        "--where",
        default="",
        metavar="FILTER",
        help="Only episodes that meet this, such as: "
        """'steps > 3 and app == "notes" and not tag("bad")'.""",
    ),
    "sort": option(
        "--sort",
        default="",
        metavar="COLUMN",
        help="Order by this column; -COLUMN: the largest first. id, task, suite, instruction, "
        "agent, device, language, outcome, evidence, steps, duration, version, created, reviewed, "
        "review, comments, comment, rating or unfit.  [default: created]",
    ),
    "limit": option("--limit", type=click.IntRange(1), help="At most this many, the first ones."),
    "sample": option("--sample", type=click.IntRange(1), help="This many of them, by chance."),
    "sample_seed": option("--sample-seed", type=int, default=0, help="Seed of the sample."),
}


def selection_options(command: F) -> F:
    """`--where`, `--sort`, `--limit`, `--sample`, `--sample-seed` as one argument `selection`."""
    return _add(command, tuple(_OPTIONS))


def unlimited_selection_options(command: F) -> F:
    """`selection_options` of a command whose own `--limit` counts something else."""
    return _add(command, ("where", "sort", "sample", "sample_seed"))


def _add(command: F, names: Sequence[str]) -> F:
    command = collect_options("selection", names, _build_selection)(command)
    return add_options(command, [_OPTIONS[name] for name in names])


def _build_selection(sample_seed: int, **given: Any) -> Selection:
    return Selection(seed=sample_seed, **given)


def choose_ids(
    store: "EpisodeStore", selection: Selection, ids: Sequence[str] = ()
) -> tuple[list[str], bool]:
    """As `select_ids`; how many of the store's episodes are selected is told on stderr."""
    catalog = open_catalog(store)
    chosen, readable = select_ids(catalog, selection, ids)
    if not selection.is_everything:
        print_message(f"{len(chosen)} of {catalog.count()} episodes")
    return chosen, readable


def select_ids(
    catalog: "Catalog", selection: Selection, ids: Sequence[str] = ()
) -> tuple[list[str], bool]:
    """The ids that were named, or those of a selection; and whether each episode could be read.

    Those that could not are told on stderr.

    Raises:
        UsageError: there are both ids and a selection.
        NothingFoundError: no episode is selected.
    """
    if ids:
        if selection != EVERYTHING:
            raise UsageError("episodes are named or selected, and not both", hint="leave one out")
        fetch_episodes(catalog.store.root, ids)
        return list(dict.fromkeys(ids)), True
    selected = catalog.ids(selection)
    unreadable = catalog.unreadable()
    for name, error in unreadable.items():
        print_failure(name, error, error.code)
    if not selected:
        raise nothing_found(catalog, selection)
    fetch_episodes(catalog.store.root, selected)
    return selected, not unreadable


def fetch_selected(store: Path, selection: Selection = EVERYTHING) -> None:
    """Fetch the episodes of a selection, where a store is the local copy of a shared one."""
    if remote_directories().is_shared(store):
        from tapwright.store.catalog import Catalog
        from tapwright.store.store import EpisodeStore

        everything = selection == EVERYTHING
        ids = None if everything else Catalog(EpisodeStore(store)).ids(selection)
        fetch_episodes(store, ids)


def print_unfit(store: "EpisodeStore", ids: Sequence[str]) -> None:
    """Tell how many steps of these episodes are no targets, and why; nothing when all may be."""
    from tapwright.core.fit import FitKind, tell_unfit
    from tapwright.store.filters import has_id

    kinds = Counter[FitKind]()
    for entry in open_catalog(store).select(EVERYTHING, has_id(ids)):
        kinds.update(entry.fit)
    if told := tell_unfit(kinds):
        print_message(told)


def exit_if_unreadable(readable: bool) -> None:
    """End with 1 when episodes were left out that could not be read."""
    if not readable:
        sys.exit(1)


def nothing_found(catalog: "Catalog", selection: Selection) -> NothingFoundError:
    """The error that a selection is empty."""
    root, total = catalog.store.root, catalog.count()
    if total:
        return NothingFoundError(
            f"{root}: none of {total} episodes fits the filter",
            hint=f"tapwright episodes stats {quote_path(root)} counts what is there",
        )
    return no_episodes(root)


def confirm_change(count: int, total: int, what: str, *, yes: bool) -> None:
    """Tell how many episodes will be changed, and ask when they are many.

    Raises:
        UsageError: they are many, and nobody is there to say yes.
    """
    print_message(f"{what}: {count} of {total} episodes")
    if count > _ASKED and not yes:
        ask(f"{what}: more than {_ASKED} episodes", "Change them?")


def ask(what: str, question: str) -> None:
    """Ask before something is done; a no ends the command.

    Raises:
        UsageError: nobody is there to answer.
    """
    if not sys.stdin.isatty():
        raise UsageError(what, hint="repeat it with --yes")
    click.confirm(question, abort=True, err=True)


def yes_option(command: F) -> F:
    """`--yes`."""
    return option(
        "--yes", is_flag=True, help=f"Change more than {_ASKED} episodes without asking."
    )(command)
