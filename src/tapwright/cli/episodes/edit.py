"""`tapwright episodes edit`: change recorded episodes; each change is a new version."""

import json
import re
import shlex
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tapwright.cli import output, selecting
from tapwright.cli.directories import fetch_episodes, open_catalog, open_store
from tapwright.cli.episodes.options import split_store, store_or_pickle_argument
from tapwright.cli.options import EXISTING_FOLDER
from tapwright.curate.edit.usage import USAGE, format_usage
from tapwright.errors import UnknownNameError, UsageError
from tapwright.store.selection import EVERYTHING, Selection

if TYPE_CHECKING:
    from tapwright.core.episode import Episode
    from tapwright.curate.edit.difference import DiffLine
    from tapwright.curate.edit.modifiers import Instructions
    from tapwright.store.store import EpisodeStore


_FIELDS = ("instruction", "outcome")
_RANGE = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?", re.ASCII)
_DRY_RUN = "nothing was changed; repeat it without --dry-run"


_MADE = "this edit was made already, and nothing was changed since; --again makes it once more"


_MODIFIERS = "\n".join(f"  {format_usage(name):<28}{what}" for name, (_, what) in USAGE.items())


_EPILOG = f"""\b
A modifier is [index:]name[:param…]; several are separated by commas, and each
applies to the result of the ones before; *:name changes every episode. Index
and steps count from 0. Text with a colon or a comma is put in double quotes; a
list or an action is JSON.
{_MODIFIERS}

\b
Examples:
  tapwright episodes edit episodes notes-1 'delete:1:3,rewardize:3:-1'
  tapwright episodes edit episodes a b '0:merge' --dry-run
  tapwright episodes edit episodes/a 'relabel:2:target:"the bell, top right"'
  tapwright episodes edit episodes --where 'task == "a"' --set outcome=failure
  tapwright episodes edit episodes a b --delete-steps 2,5,7-9
  tapwright episodes edit note-open.pkl '2:delete:1:3,2:rewardize:3:-1'
"""


@click.command(epilog=_EPILOG, context_settings={"ignore_unknown_options": True})
@store_or_pickle_argument
@click.argument("words", metavar="[ID]... [MODIFIERS]", nargs=-1)
@click.option(
    "--set",
    "fields",
    metavar="FIELD=VALUE",
    multiple=True,
    help="Set a field of every episode: instruction=TEXT, or outcome= and one that `episodes ls "
    "--outcome` has; repeatable.",
)
@click.option(
    "--delete-steps",
    metavar="STEPS",
    default="",
    help="Take these steps out of every episode, by their numbers before: 2,5,7-9.",
)
@selecting.selection_options
@selecting.yes_option
@click.option("--dry-run", is_flag=True, help="Show the changes, and make none.")
@click.option("--again", is_flag=True, help="Make the edit once more that was just made.")
@click.option(
    "--tasks",
    type=EXISTING_FOLDER,
    metavar="DIR",
    help="The task definitions (*.textproto) that `instructionize` reads.",
)
@output.format_option
def edit(
    store: Path,
    words: tuple[str, ...],
    fields: tuple[str, ...],
    delete_steps: str,
    selection: Selection,
    yes: bool,
    dry_run: bool,
    again: bool,
    tasks: Path | None,
    format_: output.Format,
) -> None:
    """Edit episodes of STORE; each becomes a new version, and the old ones stay.

    STORE is the directory that `import` or `record` wrote to, ID an episode as `tapwright episodes
    ls STORE` lists it; STORE ID may also be written STORE/ID. Without an ID those that fit --where
    are edited, or all, in the order of that list. With --set or --delete-steps, which change every
    one of them, there are no MODIFIERS. The modifiers' indices count the episodes. The same command
    after an interruption goes on where it stopped, and changes nothing twice; nor does it while the
    episodes are as it left them, but for --again.

    A PICKLE of Mobile-Env (….pkl) is edited by delete, rewardize, instructionize,
    auto_instructionize and remove: the indices count its trajectories, step 0 is the head record,
    and the original is kept beside it as ….pkl.old.
    """
    from tapwright.curate.edit.modifiers import apply_modifiers
    from tapwright.curate.edit.save import edit_episodes

    ids, modifiers = _read_words(words, fields, delete_steps)
    if store.is_file():
        if selection != EVERYTHING:
            raise UsageError(f"{store} is a pickle, and has no catalog that --where could ask")
        _edit_pickle(store, ids, modifiers, tasks, dry_run=dry_run, again=again, format_=format_)
        return
    root, selected = split_store(store, ids)
    if not store.is_dir() and not (selected and selected[0] in open_store(root)):
        raise UsageError(
            f"{store}: neither a store of episodes nor a pickle",
            hint=f"tapwright episodes edit STORE {' '.join((store.name, *ids))} '{modifiers}'",
        )
    episodes, instructions = open_store(root), _read_instructions(tasks)
    named, readable = (*_selection_words(selection), *selected), True
    if selection != EVERYTHING or _changes_every(modifiers):
        selected, readable = _select(
            episodes, selection, selected, named, modifiers, yes=yes or dry_run
        )
    else:
        fetch_episodes(root, selected or None)
    if dry_run:
        before = [episodes.read(id_) for id_ in selected or episodes.ids()]
        _print_difference(before, apply_modifiers(before, modifiers, instructions=instructions))
        output.hint(_DRY_RUN)
        selecting.exit_if_unreadable(readable)
        return
    _print_pending(root, named, modifiers)
    kept = edit_episodes(
        episodes, selected, modifiers, named=named, instructions=instructions, once=not again
    )
    if kept and all(one.earlier for one in kept):
        output.print_message(_MADE)
    output.print_rows(
        [{"episode": one.id, "what": one.what, "version": one.version} for one in kept],
        format_,
        key="episode",
    )
    selecting.exit_if_unreadable(readable)


def _read_words(
    words: Sequence[str], fields: Sequence[str], delete_steps: str
) -> tuple[list[str], str]:
    """The ids and the modifiers that a command names."""
    made = []
    if delete_steps:
        made.append(f"*:delete:{json.dumps(_read_numbers(delete_steps))}")
    for field in fields:
        name, equals, value = field.partition("=")
        if not equals:
            raise UsageError(f"--set {field}: no value", hint='--set instruction="Open the notes"')
        if name not in _FIELDS:
            raise UnknownNameError("field", name, _FIELDS)
        made.append(f"*:{name}:{json.dumps(value)}")
    if made:
        return list(words), ",".join(made)
    if not words:
        raise UsageError("nothing is to be changed", hint="give MODIFIERS, --set or --delete-steps")
    return list(words[:-1]), words[-1]


def _read_numbers(text: str) -> list[int]:
    numbers: list[int] = []
    for part in text.split(","):
        found = _RANGE.fullmatch(part.strip())
        if not found or int(found[1]) > int(found[2] or found[1]):
            raise UsageError(f"--delete-steps {text}: {part!r} is no step", hint="like 2,5,7-9")
        numbers += range(int(found[1]), int(found[2] or found[1]) + 1)
    return numbers


def _selection_words(selection: Selection) -> list[str]:
    """The options that a selection was given by."""
    options = {
        "--where": selection.where,
        "--sort": selection.sort,
        "--limit": selection.limit,
        "--sample": selection.sample,
        "--sample-seed": selection.seed,
    }
    return [word for name, value in options.items() if value for word in (name, str(value))]


def _changes_every(modifiers: str) -> bool:
    from tapwright.curate.edit.grammar import parse_modifiers

    return any(one.index == "*" for one in parse_modifiers(modifiers))


def _select(
    store: "EpisodeStore",
    selection: Selection,
    ids: Sequence[str],
    named: Sequence[str],
    modifiers: str,
    *,
    yes: bool,
) -> tuple[list[str], bool]:
    """The ids that are edited, once their count is told, and whether all could be read.

    An edit that was interrupted goes on with the same ones, whatever a filter selects by now.
    """
    from tapwright.curate.edit.grammar import parse_modifiers
    from tapwright.curate.edit.journal import pending_edits

    for edit in pending_edits(store.root):
        if (edit.modifiers, edit.named) == (modifiers, tuple(named)):
            return list(edit.ids), True
    catalog = open_catalog(store)
    chosen, readable = selecting.select_ids(catalog, selection, ids)
    indices = {one.index for one in parse_modifiers(modifiers)}
    count = len(chosen) if "*" in indices else min(len(chosen), len(indices))
    selecting.confirm_change(count, catalog.count(), "edit", yes=yes)
    return chosen, readable


def _print_pending(root: Path, ids: Sequence[str], modifiers: str) -> None:
    """Print which edits were interrupted: this one goes on, others can."""
    from tapwright.curate.edit.journal import pending_edits

    for edit in pending_edits(root):
        if (edit.modifiers, edit.named) == (modifiers, tuple(ids)):
            output.print_message("the edit was interrupted; it goes on where it stopped")
        else:
            words = ("tapwright", "episodes", "edit", str(root), *edit.named, edit.modifiers)
            output.hint(f"another edit was interrupted; to go on with it: {shlex.join(words)}")


def _read_instructions(tasks: Path | None) -> "Instructions | None":
    """A function that finds the instructions of an episode's task, for `instructionize`."""
    if tasks is None:
        return None
    from tapwright.curate.edit.instructions import find_instructions

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
    format_: output.Format,
) -> None:
    from tapwright.curate.edit.mobile_env import edit_pickle, find_same_edit, preview_pickle

    if ids:
        raise UsageError(
            f"{path} is a pickle: its trajectories have numbers and no ids",
            hint="begin each modifier with the trajectory's number, from 0",
        )
    if dry_run:
        for number, lines in preview_pickle(path, modifiers, tasks=tasks).items():
            _print_lines(f"trajectory {number}", lines)
        output.hint(_DRY_RUN)
        return
    backup = None if again else find_same_edit(path, modifiers, tasks=tasks)
    if backup is not None:
        output.print_message(_MADE)
    else:
        backup = edit_pickle(path, modifiers, tasks=tasks)
    output.print_record({"file": str(path), "before": str(backup)}, format_, key="file")


def _print_difference(before: "Sequence[Episode]", after: "Sequence[Episode]") -> None:
    from tapwright.core.episode import Episode
    from tapwright.curate.edit.difference import difference

    old, new = {one.id: one for one in before}, {one.id: one for one in after}
    for id_ in {**old, **new}:
        nothing = Episode(id_, "", "", ())
        lines = difference(old.get(id_, nothing), new.get(id_, nothing))
        if not lines:
            continue
        fate = " (new)" if id_ not in old else " (removed)" if id_ not in new else ""
        _print_lines(f"{id_}{fate}", lines)


def _print_lines(title: str, lines: "Sequence[DiffLine]") -> None:
    output.print_styled([[(title, "bold")]])
    for line in lines:
        number = "" if line.step is None else f"{line.step:>4}  "
        style = {"-": "red", "+": "green", " ": "dim"}[line.sign]
        output.print_styled([[(f"{line.sign} {number}{line.text}", style)]])
