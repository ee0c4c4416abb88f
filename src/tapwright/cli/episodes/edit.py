"""`tapwright episodes edit`: change recorded episodes; each change is a new version."""

import shlex
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli.episodes.options import split_store
from tapwright.cli.output import (
    Format,
    format_option,
    hint,
    print_message,
    print_record,
    print_rows,
    print_styled,
)
from tapwright.edit.modifiers import USAGE, apply_modifiers, format_usage
from tapwright.episode import Episode
from tapwright.errors import UsageError
from tapwright.store.store import EpisodeStore

if TYPE_CHECKING:
    from tapwright.edit.difference import DiffLine
    from tapwright.edit.modifiers import Instructions


_DRY_RUN = "nothing was changed; repeat it without --dry-run"


_MADE = "this edit was made already, and nothing was changed since; --again makes it once more"


_MODIFIERS = "\n".join(f"  {format_usage(name):<28}{what}" for name, (_, what) in USAGE.items())


_EPILOG = f"""\b
A modifier is [index:]name[:param…]; several are separated by commas, and each
applies to the result of the ones before. Index and steps count from 0. Text with
a colon or a comma is put in double quotes; a list or an action is JSON.
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
@click.option("--dry-run", is_flag=True, help="Show the changes, and make none.")
@click.option("--again", is_flag=True, help="Make the edit once more that was just made.")
@click.option(
    "--tasks",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="The task definitions (*.textproto) that `instructionize` reads.",
)
@format_option
def edit(
    store: Path,
    words: tuple[str, ...],
    dry_run: bool,
    again: bool,
    tasks: Path | None,
    format_: Format,
) -> None:
    """Edit episodes of STORE; each becomes a new version, and the old ones stay.

    STORE is the directory that `import` or `record` wrote to, ID an episode as `tapwright episodes
    ls STORE` lists it; STORE ID may also be written STORE/ID. Without an ID all episodes are
    edited, in the order of that list. The modifiers' indices count the episodes. The same command
    after an interruption goes on where it stopped, and changes nothing twice; nor does it while the
    episodes are as it left them, but for --again.

    A PICKLE of Mobile-Env (….pkl) is edited by delete, rewardize, instructionize,
    auto_instructionize and remove: the indices count its trajectories, step 0 is the head record,
    and the original is kept beside it as ….pkl.old.
    """
    from tapwright.edit.save import edit_episodes

    *ids, modifiers = words
    if store.is_file():
        _edit_pickle(store, ids, modifiers, tasks, dry_run=dry_run, again=again, format_=format_)
        return
    root, selected = split_store(store, ids)
    if not store.is_dir() and not (selected and selected[0] in EpisodeStore(root)):
        raise UsageError(
            f"{store}: neither a store of episodes nor a pickle",
            hint=f"tapwright episodes edit STORE {' '.join((store.name, *ids))} '{modifiers}'",
        )
    episodes, instructions = EpisodeStore(root), _read_instructions(tasks)
    if dry_run:
        before = [episodes.read(id_) for id_ in selected or episodes.ids()]
        _print_difference(before, apply_modifiers(before, modifiers, instructions=instructions))
        hint(_DRY_RUN)
        return
    _print_pending(root, selected, modifiers)
    kept = edit_episodes(episodes, selected, modifiers, instructions=instructions, once=not again)
    if kept and all(one.earlier for one in kept):
        print_message(_MADE)
    print_rows(
        [{"episode": one.id, "what": one.what, "version": one.version} for one in kept],
        format_,
        key="episode",
    )


def _print_pending(root: Path, ids: Sequence[str], modifiers: str) -> None:
    """Print which edits were interrupted: this one goes on, others can."""
    from tapwright.edit.journal import pending_edits

    for edit in pending_edits(root):
        if (edit.modifiers, edit.named) == (modifiers, tuple(ids)):
            print_message("the edit was interrupted; it goes on where it stopped")
        else:
            words = ("tapwright", "episodes", "edit", str(root), *edit.named, edit.modifiers)
            hint(f"another edit was interrupted; to go on with it: {shlex.join(words)}")


def _read_instructions(tasks: Path | None) -> "Instructions | None":
    """A function that finds the instructions of an episode's task, for `instructionize`."""
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
    again: bool,
    format_: Format,
) -> None:
    from tapwright.edit.mobile_env import edit_pickle, find_same_edit, preview_pickle

    if ids:
        raise UsageError(
            f"{path} is a pickle: its trajectories have numbers and no ids",
            hint="begin each modifier with the trajectory's number, from 0",
        )
    if dry_run:
        for number, lines in preview_pickle(path, modifiers, tasks=tasks).items():
            _print_lines(f"trajectory {number}", lines)
        hint(_DRY_RUN)
        return
    backup = None if again else find_same_edit(path, modifiers, tasks=tasks)
    if backup is not None:
        print_message(_MADE)
    else:
        backup = edit_pickle(path, modifiers, tasks=tasks)
    print_record({"file": str(path), "before": str(backup)}, format_, key="file")


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
    print_styled([[(title, "bold")]])
    for line in lines:
        number = "" if line.step is None else f"{line.step:>4}  "
        style = {"-": "red", "+": "green", " ": "dim"}[line.sign]
        print_styled([[(f"{line.sign} {number}{line.text}", style)]])
