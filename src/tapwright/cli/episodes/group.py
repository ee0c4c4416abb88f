"""`tapwright episodes`: its commands."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from tapwright.cli import output, selecting
from tapwright.cli.directories import (
    Directory,
    open_catalog,
    open_store,
    selected_store_argument,
    store_argument,
)
from tapwright.cli.episodes.options import split_episode, version_option
from tapwright.cli.episodes.pack import print_unreadable
from tapwright.cli.lazy import LazyGroup
from tapwright.cli.options import FILE, PATH, option, out_option
from tapwright.cli.selecting import choose_ids, exit_if_unreadable, selection_options
from tapwright.errors import UsageError, quote_path
from tapwright.files.place import Place
from tapwright.files.temporary import owned_directory
from tapwright.store.selection import Selection

if TYPE_CHECKING:
    from tapwright.core.episode import Episode
    from tapwright.curate.edit.undo import Undone
    from tapwright.store.store import EpisodeStore


_COMMANDS = {
    "import": "Import other tools' recordings",
    "resave": "Collect Mobile-Env's recordings by task",
    "export": "Write episodes as another tool's files",
    "pack": "Pack a store as a data set of Parquet shards",
    "unpack": "Restore a store from a packed data set",
    "check": "Find defects in a store's episodes",
    "stats": "Count the contents of a store, and map its taps",
    "card": "Write a data set card of a store",
    "ls": "List the episodes of a store",
    "tag": "Add tags to episodes, and remove them",
    "reindex": "Make a store's catalog again",
    "show": "Show the steps of one episode as a table",
    "frames": "Draw every step with its action marked",
    "video": "Make a video of every step, marked",
    "sheet": "Draw episodes as a contact sheet",
    "bundle": "Write episodes as a static site",
    "edit": "Edit episodes; each becomes a new version",
    "rejudge": "Find outcomes anew from the recorded steps",
    "share": "Make a store that many machines write",
    "compact": "Compact a store that many machines write",
    "copy": "Copy episodes between stores: merge and split",
    "dedupe": "Find episodes that are recorded twice",
    "split": "Split a store for training and testing",
    "diff": "List what two stores do not have in common",
    "rm": "Move episodes to the store's trash",
    "restore": "List a store's trash, put episodes back, empty it",
    "undo": "Return an episode to the version before its last edit",
    "redo": "Return to the version that the last undo left",
    "log": "List an episode's versions",
}


@click.group(cls=LazyGroup, table=_COMMANDS)
def episodes() -> None:
    """Import, pack, check, list, show, draw, edit and export recorded episodes."""


@click.command(
    epilog="\b\nExample:\n  tapwright episodes card episodes -o README.md --html card.html"
)
@store_argument
@out_option(
    "The card in Markdown, or a directory for it; its pictures are put into card/ beside it.",
    kind=PATH,
    default="README.md",
)
@option("--html", type=FILE, help="Write the same as one HTML page, too.")
@option("--title", default="", help="The card's title; by default the store's name.")
@option("--pictures", type=click.IntRange(1, 100), default=8, help="How many sample pictures.")
def card(store: Path, out: Path, html: Path | None, title: str, pictures: int) -> None:
    """Write a data set card of STORE: counts, sources and licences, languages, apps, defects.

    Licences are those of data sets by name (`data get`) that were imported. Every file of the store
    is checked, so this takes as long as `episodes check`. Look at the sample pictures before you
    publish: they show what was on the screens. A file that is there and is no such card stays.
    Ends with 1 when an episode cannot be read; the card is of the others.
    """
    from tapwright.visualize.card import refuse_to_replace, write_card, write_card_page
    from tapwright.workflows.card import collect_card

    file = out if out.suffix and not out.is_dir() else out / "README.md"
    for path in (file, html):
        if path is not None:
            refuse_to_replace(path)
    found = collect_card(
        open_store(store), title=title, pictures=pictures, show_progress=output.show_progress
    )
    write_card(found, file)
    output.print_line(file)
    if html is not None:
        write_card_page(found, html)
        output.print_line(html)
    for name, error in found.stats.unreadable.items():
        output.print_failure(name, error, error.code)
    selecting.exit_if_unreadable(not found.stats.unreadable)


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes tag episodes demo-1 demo-2 --add good\n"
    "  tapwright episodes tag episodes --where 'steps > 40' --add long --remove new\n"
    "  tapwright episodes ls episodes --where 'tag(\"long\")'"
)
@selected_store_argument
@click.argument("ids", nargs=-1)
@selecting.selection_options
@option("--add", multiple=True, metavar="TAG", help="Add this tag; repeatable.")
@option("--remove", multiple=True, metavar="TAG", help="Remove this tag; repeatable.")
@selecting.yes_option
def tag(
    store: Path,
    ids: tuple[str, ...],
    selection: Selection,
    add: tuple[str, ...],
    remove: tuple[str, ...],
    yes: bool,
) -> None:
    """Add tags to episodes of STORE, and remove them: those named, or those that fit --where.

    Tags lie beside the recording and change nothing in it. The command can be repeated after a
    kill: what is tagged already stays as it is.
    """
    from tapwright.store.tags import check_tags, write_tags

    if not add and not remove:
        raise UsageError("there is neither --add nor --remove", hint="for example --add good")
    check_tags((*add, *remove))
    opened = open_store(store)
    catalog = open_catalog(opened)
    chosen, readable = selecting.select_ids(catalog, selection, ids)
    directories = [opened.history(id_).directory for id_ in chosen]
    selecting.confirm_change(len(chosen), catalog.count(), "tag", yes=yes)
    changed = 0
    with output.show_progress("tagged", len(chosen)) as advance:
        for directory in directories:
            changed += write_tags(directory, add=add, remove=remove)
            advance(1)
    output.print_message(f"{changed} changed, {len(chosen) - changed} were so already")
    selecting.exit_if_unreadable(readable)


@click.command(epilog="\b\nExample:\n  tapwright episodes log episodes notes-1")
@selected_store_argument
@click.argument("episode_id", metavar="[ID]", required=False)
@output.format_option
def log(store: Path, episode_id: str | None, format_: output.Format) -> None:
    """List the changes of an episode since it was recorded, oldest first.

    `version` is the one that was current from then on; that of the last line is current now.
    """
    root, id_ = split_episode(store, episode_id)
    history = open_store(root).history(id_)
    rows: list[dict[str, output.Cell]] = [
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
    output.print_rows(rows, format_, key="version")


@click.command(epilog="\b\nExample:\n  tapwright episodes undo episodes notes-1")
@selected_store_argument
@click.argument("episode_id", metavar="[ID]", required=False)
@version_option
@output.format_option
def undo(store: Path, episode_id: str | None, version: int | None, format_: output.Format) -> None:
    """Return an episode to the version before its last edit; restores a removed one, too.

    The second part of a split is hidden with it; one that was edited since has to be undone first.
    """
    from tapwright.curate.edit.undo import undo_edit

    root, id_ = split_episode(store, episode_id)
    print_change(id_, undo_edit(open_store(root), id_, version), format_)


def print_change(id_: str, undone: "Undone", format_: output.Format) -> None:
    """Print which version of an episode is current now, which was before, and what went along."""
    change = undone.change
    record: dict[str, object] = {"episode": id_, "version": change.version, "was": change.parent}
    if undone.parts:
        record["with"] = ", ".join(undone.parts)
    output.print_record(record, format_, key="version")


@click.command(epilog="\b\nExample:\n  tapwright episodes redo episodes notes-1")
@selected_store_argument
@click.argument("episode_id", metavar="[ID]", required=False)
@version_option
@output.format_option
def redo(store: Path, episode_id: str | None, version: int | None, format_: output.Format) -> None:
    """Return an episode to the version that the last undo left, with the other part of a split."""
    from tapwright.curate.edit.undo import redo_edit

    root, id_ = split_episode(store, episode_id)
    print_change(id_, redo_edit(open_store(root), id_, version), format_)


@click.command(epilog="\b\nExample:\n  tapwright episodes reindex episodes")
@store_argument
@output.format_option
def reindex(store: Path, format_: output.Format) -> None:
    """Make the catalog of STORE again, by which episodes are listed and selected.

    What tapwright changes is known at once, and so are episodes that come, go or are replaced. With
    more than 5000 episodes, `ls` does not look for files that another program changed within an
    episode: this command does, and so does every command that works through the episodes.
    """
    begun = time.monotonic()
    directories = sum(1 for name in os.listdir(store) if name[0] != ".") if store.is_dir() else 0
    with output.show_progress("reindex", directories) as advance:
        catalog = open_catalog(open_store(store))
        catalog.rebuild(advance)
    record = {
        "episodes": catalog.count(),
        "unreadable": len(catalog.unreadable()),
        "seconds": round(time.monotonic() - begun, 1),
    }
    output.print_record(record, format_, key="episodes")


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes share s3://lab/phone\n"
    "  tapwright record --agent script -o s3://lab/phone\n"
    "  tapwright episodes copy episodes s3://lab/phone"
)
@click.argument("store", metavar="URL")
def share(store: str) -> None:
    """Make a store at URL that any number of machines write at a time.

    URL is one of fsspec's, such as s3://bucket/name, or a directory, and has nothing yet. Every
    command that takes a store takes it: what is recorded, edited or removed is put there when it
    has ended, and what others put is seen by the next command.
    """
    from tapwright.formats.shared.log import make_shared

    make_shared(Place(store))
    output.print_line(store.rstrip("/"))
    output.hint(f"tapwright episodes copy STORE {quote(store.rstrip('/'))}")


@click.command(epilog="\b\nExample:\n  tapwright episodes compact s3://lab/phone --delete-after 30")
@click.argument("store", metavar="URL")
@click.option(
    "--delete-after",
    type=click.IntRange(1),
    metavar="DAYS",
    help="Delete files that no episode has named since a compaction so many days ago. Who trains "
    "on them has to have begun later than that.",
)
@output.format_option
def compact(store: str, delete_after: int | None, format_: output.Format) -> None:
    """Make few large packs of the many small ones in the shared store at URL.

    Others read and write meanwhile. New readers begin with what is written of all episodes here,
    instead of every commit since the first.
    """
    from tapwright.formats.shared.compact import compact as compact_store
    from tapwright.formats.shared.copy import SharedCopy

    with owned_directory("tapwright-compact-") as folder:
        copy = SharedCopy(store, Path(folder))
        copy.sync()
        with output.show_progress("compact", len(copy.entries())) as advance:
            done = compact_store(copy, delete_after_days=delete_after, advance=advance)
    output.print_record(done, format_, key="merged")


@click.command(
    epilog="\b\nExamples:\n"
    "  tapwright episodes bundle episodes -o site\n"
    "  tapwright episodes bundle episodes notes-1 notes-2 -o two-notes --open"
)
@selected_store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@selection_options
@out_option("The output directory, which must not exist yet.", kind=PATH, required=True)
@click.option("--open", "open_", is_flag=True, help="Open it in the browser.")
def bundle(
    store: Path, episode_ids: tuple[str, ...], selection: Selection, out: Path, *, open_: bool
) -> None:
    """Write episodes (all by default) as a static site that needs no server.

    OUT/index.html opens from the disk, and from any static web server; nothing outside of the
    directory is loaded. The pages are those of `tapwright serve`, without edits.
    """
    from tapwright.web.bundle import write_bundle
    from tapwright.web.library.library import Library

    episodes = open_store(store)
    ids, readable = choose_ids(episodes, selection, episode_ids)
    with output.show_progress("write episodes", len(ids)) as advance:
        write_bundle(out, Library(episodes), episodes=ids, advance=advance)
    output.print_site(out, open_=open_)
    exit_if_unreadable(readable)


@click.command(epilog="\b\nExample:\n  tapwright episodes unpack packed -o episodes")
@click.argument("packed", metavar="DIR", type=Directory("refuse"))
@out_option(kind=Directory("none"), default="episodes")
@output.format_option
def unpack(packed: Path, out: Path, format_: output.Format) -> None:
    """Restore a store from the packed data set in DIR or at a URL: the same steps and pixels.

    Episodes that the store has are skipped, so an interrupted command continues when repeated. What
    cannot be unpacked is reported with the reason and skipped; the command then ends with 1.
    """
    from tapwright.formats.format import UnreadableEpisode
    from tapwright.formats.pack.unpack import count_packed_episodes
    from tapwright.formats.pack.unpack import unpack_store as unpack_into

    unreadable: list[UnreadableEpisode] = []
    rows: list[dict[str, output.Cell]] = []
    with output.show_progress("unpack", count_packed_episodes(packed)) as advance:
        for one in unpack_into(packed, open_store(out)):
            advance(1)
            if isinstance(one, UnreadableEpisode):
                unreadable.append(one)
            else:
                rows.append({"episode": one.id, "new": one.new})
    print_unreadable(unreadable)
    output.print_rows(rows, format_, key="episode")
    output.hint(f"tapwright episodes ls {quote_path(out)}")
    sys.exit(1 if unreadable else 0)


@click.command()
@selected_store_argument
@click.argument("episode_ids", metavar="[ID]...", nargs=-1)
@selection_options
@out_option("The output file.", kind=PATH, default="sheet.jpg")
@option("--columns", type=click.IntRange(1, 50), default=12, help="Steps per row.")
def sheet(
    store: Path, episode_ids: tuple[str, ...], selection: Selection, out: Path, columns: int
) -> None:
    """Draw episodes (all by default) as a contact sheet: every step on one picture.

    What does not fit on one picture goes on several: sheet-1.jpg, sheet-2.jpg, …
    """
    from tapwright.visualize.contact_sheet import draw_contact_sheet

    episodes = open_store(store)
    ids, readable = choose_ids(episodes, selection, episode_ids)
    with output.show_progress("draw", len(ids)) as advance:
        for path in draw_contact_sheet(_read(episodes, ids, advance), out, columns=columns):
            output.print_line(path)
    exit_if_unreadable(readable)


def _read(
    episodes: "EpisodeStore", ids: Sequence[str], advance: Callable[[int], None]
) -> "Iterator[Episode]":
    for id_ in ids:
        yield episodes.read(id_)
        advance(1)
