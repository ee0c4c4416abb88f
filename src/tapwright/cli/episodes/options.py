"""Options and arguments that several commands on episodes share."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tapwright.cli.directories import Directory, fetch_episodes
from tapwright.cli.options import option
from tapwright.cli.output import print_failure
from tapwright.errors import NothingFoundError, UsageError

if TYPE_CHECKING:
    from tapwright.core.episode import Episode


width_option = option(
    "--width", "width_px", type=click.IntRange(80, 4096), default=540, help="Width in pixels."
)

version_option = option(
    "--version",
    type=click.IntRange(1),
    metavar="N",
    help="Only while version N is current, so that a repeated command does nothing more.",
)


def split_store(store: Path, ids: "tuple[str, ...] | list[str]") -> tuple[Path, list[str]]:
    """The store and the ids of STORE ID… or STORE/ID."""
    from tapwright.store.addresses import split_address

    if ids or (store.is_dir() and not (store / "episode.json").exists()):
        return store, list(ids)
    root, id_ = split_address(store)
    return root, [id_]


def split_episode(store: Path, episode_id: str | None) -> tuple[Path, str]:
    """The store and the id of STORE ID or STORE/ID.

    Raises:
        UsageError: there is no id.
    """
    root, ids = split_store(store, [] if episode_id is None else [episode_id])
    if not ids:
        raise UsageError(f"{store}: which episode?", hint="STORE ID, or STORE/ID")
    fetch_episodes(root, ids)
    return root, ids[0]


F = TypeVar("F", bound=Callable[..., Any])


class _StoreOrPickle(Directory):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and value.endswith(".pkl") and Path(value).is_file():
            return Path(value)
        return super().convert(value, param, ctx)


def store_or_pickle_argument(command: F) -> F:
    """The argument STORE, which may be a pickle of Mobile-Env."""
    return click.argument("store", metavar="STORE|PICKLE", type=_StoreOrPickle("selected"))(command)


def read_pickle(path: Path, numbers: tuple[str, ...] = ()) -> "tuple[list[Episode], bool]":
    """The trajectories of a pickle, or those of these numbers, and whether all could be read.

    Those that could not are told on stderr.

    Raises:
        UsageError: a number is none of a trajectory.
        NothingFoundError: it has no trajectory.
        ForeignDataError: nothing in the file can be read.
    """
    from tapwright.core.episode import Episode
    from tapwright.formats.mobile_env.records import view_records

    found = view_records(path)
    if not found:
        raise NothingFoundError(f"{path} has no trajectory")
    for number in numbers:
        if not (number.isdecimal() and int(number) < len(found)):
            raise UsageError(
                f"{path} has no trajectory {number!r}",
                hint=f"its trajectories have the numbers 0 to {len(found) - 1}",
            )
    chosen = [found[int(number)] for number in numbers] or found
    readable = True
    for one in chosen:
        if not isinstance(one, Episode):
            readable = False
            print_failure(one.where, one.reason, one.code)
    return [one for one in chosen if isinstance(one, Episode)], readable
