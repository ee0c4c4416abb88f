"""`tapwright episodes edit`, `undo`, `redo` and `log`: change what was recorded, without a loss."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.options import store_argument
from tapwright.cli.output import Cell, Format, format_option, hint, print_record, print_rows
from tapwright.edit.modifiers import USAGE, format_usage
from tapwright.episode import Episode
from tapwright.errors import UsageError
from tapwright.store.lines import read_header
from tapwright.store.store import EpisodeStore
from tapwright.store.versions import VersionChange

if TYPE_CHECKING:
    from tapwright.edit.difference import DiffLine
    from tapwright.edit.modifiers import Instructions

_DRY = "nothing was changed; the same without --dry-run makes it so"
_MODIFIERS = "\n".join(f"  {format_usage(name):<28}{what}" for name, (_, what) in USAGE.items())
_EPILOG = f"""\b
A modifier is [index:]name[:param…]; several are separated by commas, and each
sees what the ones before it left. Index and steps count from 0. Text that holds
a colon or a comma stands in double quotes; a list or an action is JSON.
{_MODIFIERS}

\b
Examples:
  tapwright episodes edit episodes notes-1 'delete:1:3,rewardize:3:-1'
  tapwright episodes edit episodes a b '0:merge' --dry-run
  tapwright episodes edit episodes/a 'relabel:2:target:"the bell, top right"'
  tapwright episodes edit note-open.pkl '2:delete:1:3,2:rewardize:3:-1'
"""


@click.command(epilog=_EPILOG, context_settings={"ignore_unknown_options": True})
@click.argument("store", metavar="STORE|PICKLE", type=click.Path(path_type=Path))
@click.argument("words", metavar="[ID]... MODIFIERS", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option(
    "--tasks",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="The task definitions (*.textproto) that `instructionize` reads.",
)
@format_option
def edit(
    store: Path, words: tuple[str, ...], dry_run: bool, tasks: Path | None, format_: Format
) -> None:
    """Edit episodes of STORE; each becomes a new version, and the old ones stay.

    STORE is the directory that `import` or `record` wrote to, ID an episode as `tapwright episodes
    ls STORE` names it; STORE ID may also be written STORE/ID. Without an ID all episodes are meant,
    in the order of that list. The modifiers' indices count the episodes.

    A PICKLE of Mobile-Env (….pkl) is edited by delete, rewardize, instructionize,
    auto_instructionize and remove: the indices count its trajectories, step 0 is the head record,
    and what was there before stays beside it as ….pkl.old.
    """
    from tapwright.edit.modifiers import apply_modifiers
    from tapwright.edit.save import edit_episodes

    *ids, modifiers = words
    if store.is_file():
        _edit_pickle(store, ids, modifiers, tasks, dry_run=dry_run, format_=format_)
        return
    if not store.is_dir():
        raise UsageError(
            f"{store}: neither a store of episodes nor a pickle",
            hint=f"tapwright episodes edit STORE {' '.join((store.name, *ids))} '{modifiers}'",
        )
    root, ids = _place(store, ids)
    shelf, instructions = EpisodeStore(root), _instructions(tasks)
    chosen = ids or shelf.ids()
    if dry_run:
        before = [shelf.read(id_) for id_ in chosen]
        _print_difference(before, apply_modifiers(before, modifiers, instructions=instructions))
        hint(_DRY)
        return
    kept = edit_episodes(shelf, chosen, modifiers, instructions=instructions)
    print_rows(
        [{"episode": one.id, "what": one.what, "version": one.version} for one in kept],
        format_,
        key="episode",
    )


@click.command(epilog="\b\nExample:\n  tapwright episodes undo episodes notes-1")
@store_argument
@click.argument("episode_id", metavar="[ID]", required=False)
@format_option
def undo(store: Path, episode_id: str | None, format_: Format) -> None:
    """Show an episode as it was before its last edit; also brings a removed one back."""
    root, id_ = _one(store, episode_id)
    _print_change(id_, EpisodeStore(root).undo(id_), format_)


@click.command(epilog="\b\nExample:\n  tapwright episodes redo episodes notes-1")
@store_argument
@click.argument("episode_id", metavar="[ID]", required=False)
@format_option
def redo(store: Path, episode_id: str | None, format_: Format) -> None:
    """Show again what the last undo left."""
    root, id_ = _one(store, episode_id)
    _print_change(id_, EpisodeStore(root).redo(id_), format_)


@click.command(epilog="\b\nExample:\n  tapwright episodes log episodes notes-1")
@store_argument
@click.argument("episode_id", metavar="[ID]", required=False)
@format_option
def log(store: Path, episode_id: str | None, format_: Format) -> None:
    """List what was done to an episode since it was recorded, oldest first.

    Each line tells the version that was shown from then on; the last one's is shown now.
    """
    root, id_ = _one(store, episode_id)
    history = EpisodeStore(root).history(id_)
    rows: list[dict[str, Cell]] = [
        {"version": history.recorded, "change": "recorded", "from": None, "edit": "", "time": ""}
    ]
    rows += [
        {
            "version": change.version,
            "change": change.change,
            "from": change.parent,
            "edit": change.edit,
            "time": change.time,
        }
        for change in history.changes
    ]
    print_rows(rows, format_, key="version")


def _place(store: Path, ids: Sequence[str]) -> tuple[Path, list[str]]:
    """The store and the ids that STORE ID… or STORE/ID mean."""
    header = store / "episode.json"
    if ids or not header.exists():
        return store, list(ids)
    return store.parent, [read_header(header).id]


def _one(store: Path, episode_id: str | None) -> tuple[Path, str]:
    root, ids = _place(store, [] if episode_id is None else [episode_id])
    if not ids:
        raise UsageError(f"{store}: which episode?", hint="STORE ID, or STORE/ID")
    return root, ids[0]


def _instructions(tasks: Path | None) -> "Instructions | None":
    """Where `instructionize` finds the instructions of an episode's task."""
    if tasks is None:
        return None
    from tapwright.edit.instructions import find_instructions

    find = cache(find_instructions)
    return lambda episode: find(tasks, episode.task_id)


def _edit_pickle(
    path: Path,
    ids: Sequence[str],
    modifiers: str,
    tasks: Path | None,
    *,
    dry_run: bool,
    format_: Format,
) -> None:
    from tapwright.edit.mobile_env import edit_pickle, preview_pickle

    if ids:
        raise UsageError(
            f"{path} is a pickle: its trajectories have numbers and no ids",
            hint="begin each modifier with the trajectory's number, from 0",
        )
    if dry_run:
        for number, lines in preview_pickle(path, modifiers, tasks=tasks).items():
            _print_lines(f"trajectory {number}", lines)
        hint(_DRY)
        return
    backup = edit_pickle(path, modifiers, tasks=tasks)
    print_record({"file": str(path), "before": str(backup)}, format_, key="file")


def _print_change(id_: str, change: VersionChange, format_: Format) -> None:
    record = {"episode": id_, "version": change.version, "was": change.parent}
    print_record(record, format_, key="version")


def _print_difference(before: Sequence[Episode], after: Sequence[Episode]) -> None:
    from tapwright.edit.difference import difference

    old, new = {one.id: one for one in before}, {one.id: one for one in after}
    for id_ in {**old, **new}:
        nothing = Episode(id_, "", "", ())
        lines = difference(old.get(id_, nothing), new.get(id_, nothing))
        if not lines:
            continue
        fate = " (new)" if id_ not in old else " (removed)" if id_ not in new else ""
        _print_lines(f"{id_}{fate}", lines)


def _print_lines(title: str, lines: "Sequence[DiffLine]") -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True)
    console.print(Text(title, style="bold"))
    for line in lines:
        number = "" if line.step is None else f"{line.step:>4}  "
        style = {"-": "red", "+": "green", " ": "dim"}[line.sign]
        console.print(Text(f"{line.sign} {number}{line.text}", style=style))
