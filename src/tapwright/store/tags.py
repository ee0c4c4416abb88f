"""Tags of episodes: words that people sort a store by, beside the recording and never in it.

`<episode>/tags.jsonl` is only ever appended to: each line adds some tags and removes others, and a
line that a kill tore is left aside.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter

from tapwright.errors import CorruptEpisodeError, UsageError
from tapwright.files.jsonl import JsonlWriter, now_text, parse_lines, read_lines, to_json
from tapwright.store.changes import noting_change
from tapwright.store.records import FrozenRecord

__all__ = [
    "TAGS", "TagChange", "check_tags", "read_tag_log", "read_tags", "undo_tags", "write_tags",
]  # fmt: skip

TAGS = "tags.jsonl"
_TAG = re.compile(r"[^\s\",\x00-\x1f\x7f\ud800-\udfff]{1,100}")


class TagChange(FrozenRecord):
    """One line: the tags that were added and removed; `edit_id` is that of a change of many."""

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    edit_id: str = ""
    time: str = ""


_LINE = TypeAdapter(TagChange)


def check_tags(tags: Sequence[str]) -> None:
    """Raise a `UsageError` about the first that is no tag.

    Raises:
        UsageError: a tag is empty, longer than 100 characters, or has a space, comma or quote.
    """
    for tag in tags:
        if not _TAG.fullmatch(tag):
            raise UsageError(
                f"{tag[:60]!r} is no tag: expected 1 to 100 characters without spaces, commas, "
                "quotes and control characters"
            )


def read_tags(directory: Path) -> tuple[str, ...]:
    """The tags of the episode in `directory`, in alphabetical order.

    Raises:
        CorruptEpisodeError: the file cannot be read, or a line of it is broken.
    """
    tags: set[str] = set()
    for change in read_tag_log(directory):
        tags = (tags | set(change.add)) - set(change.remove)
    return tuple(sorted(tags))


def read_tag_log(directory: Path) -> list[TagChange]:
    """Every change of the tags of the episode in `directory`, oldest first; raises likewise."""
    path = directory / TAGS
    lines = read_lines(path, CorruptEpisodeError)
    return list(
        parse_lines(
            lines, _LINE, path, error=CorruptEpisodeError, expected="a change of an episode's tags"
        )
    )


def write_tags(
    directory: Path, *, add: Sequence[str] = (), remove: Sequence[str] = (), edit_id: str = ""
) -> bool:
    """Add and remove tags of the episode in `directory`; whether that changed anything.

    Only what changes is written, so that the line says what undoing it has to put back.

    Raises:
        UsageError: one is no tag.
        CorruptEpisodeError: the file cannot be read, or a line of it is broken.
        DiskError: the disk is full or not writable; then the tags are as they were.
    """
    check_tags((*add, *remove))
    tags = read_tags(directory)
    change = TagChange(
        add=tuple(tag for tag in dict.fromkeys(add) if tag not in tags),
        remove=tuple(tag for tag in dict.fromkeys(remove) if tag in tags),
        edit_id=edit_id,
        time=now_text(),
    )
    if not change.add and not change.remove:
        return False
    with noting_change(directory), JsonlWriter(directory / TAGS) as file:
        file.recover()
        file.append(to_json(change))
    return True


def undo_tags(directory: Path, undone: str, *, edit_id: str = "") -> bool:
    """Take back what the changes with the `edit_id` `undone` did; whether that changed anything.

    Raises as `write_tags` does.
    """
    changes = [change for change in read_tag_log(directory) if change.edit_id == undone]
    return bool(changes) and write_tags(
        directory,
        add=[tag for change in changes for tag in change.remove],
        remove=[tag for change in changes for tag in change.add],
        edit_id=edit_id,
    )
