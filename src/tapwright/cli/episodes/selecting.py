"""Which episodes a command works on, as options: `--where`, `--sort`, `--limit`, `--sample`."""

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import click

from tapwright.cli.output import print_failure, print_message
from tapwright.errors import NothingFoundError, UsageError
from tapwright.store.catalog import Catalog
from tapwright.store.selection import Selection

F = TypeVar("F", bound=Callable[..., Any])

_NAMES = ("where", "sort", "limit", "sample", "sample_seed")
_ASKED = 100
"""More changed episodes than this are asked about."""


def where_option(command: F) -> F:
    """`--where FILTER` as the argument `selection`."""
    return _collect(click.option("--where", default="", metavar="FILTER", help=_WHERE)(command))


def selection_options(command: F) -> F:
    """`--where`, `--sort`, `--limit`, `--sample`, `--sample-seed` as one argument `selection`."""
    options: Sequence[Callable[[Any], Any]] = (
        click.option("--where", default="", metavar="FILTER", help=_WHERE),
        click.option(
            "--sort",
            default="",
            metavar="COLUMN",
            help="Order by this column; -COLUMN: the largest first.  [default: created]",
        ),
        click.option("--limit", type=click.IntRange(1), help="At most this many, the first ones."),
        click.option("--sample", type=click.IntRange(1), help="This many of them, by chance."),
        click.option(
            "--sample-seed", type=int, default=0, show_default=True, help="Seed of the sample."
        ),
    )
    command = _collect(command)
    for option in reversed(options):
        command = option(command)
    return command


_WHERE = (
    "Only episodes that meet this, such as: "
    """'steps > 3 and app == "notes" and not tag("bad")'."""
)


def _collect(command: F) -> F:
    @wraps(command)
    def wrapped(*args: Any, **options: Any) -> Any:
        given = {name: options.pop(name) for name in _NAMES if name in options}
        if "sample_seed" in given:
            given["seed"] = given.pop("sample_seed")
        return command(*args, selection=Selection(**given), **options)

    return wrapped  # type: ignore[return-value]


def select_ids(
    catalog: Catalog, selection: Selection, ids: Sequence[str] = ()
) -> tuple[list[str], bool]:
    """The ids that were named, or those of a selection; and whether each episode could be read.

    Those that could not are told on stderr.

    Raises:
        UsageError: there are both ids and a selection.
        NothingFoundError: no episode is selected.
    """
    if ids:
        if not selection.is_everything:
            raise UsageError("episodes are named or selected, and not both", hint="leave one out")
        return list(ids), True
    unreadable = catalog.unreadable()
    for name, error in unreadable.items():
        print_failure(name, error, error.code)
    selected = catalog.ids(selection)
    if not selected:
        raise nothing_found(catalog, selection)
    return selected, not unreadable


def nothing_found(catalog: Catalog, selection: Selection) -> NothingFoundError:
    """The error that a selection is empty."""
    root, total = catalog.store.root, catalog.count()
    if total:
        return NothingFoundError(
            f"{root}: none of {total} episodes fits the filter",
            hint=f"tapwright episodes ls {root}",
        )
    return NothingFoundError(
        f"{root}: no episodes", hint=f"tapwright record --agent script -o {root}"
    )


def confirm_change(count: int, total: int, what: str, *, yes: bool) -> None:
    """Tell how many episodes will be changed, and ask when they are many.

    Raises:
        UsageError: they are many, and nobody is there to say yes.
    """
    print_message(f"{what}: {count} of {total} episodes")
    if count <= _ASKED or yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(f"{what}: more than {_ASKED} episodes", hint="repeat it with --yes")
    click.confirm("Change them?", abort=True, err=True)


def yes_option(command: F) -> F:
    """`--yes`."""
    return click.option(
        "--yes", is_flag=True, help=f"Change more than {_ASKED} episodes without asking."
    )(command)
