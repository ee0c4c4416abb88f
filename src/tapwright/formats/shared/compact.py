"""Compacts a shared store: few large packs of many small ones, and a checkpoint to begin with.

Rows go from pack to pack as they are. What somebody edits meanwhile stays where it is. What no
episode names any more is listed in the checkpoint, and may be deleted some days after that: who is
training on it has a list of packs of before, and who has put a pack and not yet its commit is given
the same time. All times are those of the place, whatever the clocks of the writers say.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial

from tapwright.errors import NothingFoundError
from tapwright.files.temporary import owned_directory
from tapwright.formats.pack.tables import TABLES, merge_shards
from tapwright.formats.shared.copy import SHARD, SharedCopy
from tapwright.formats.shared.log import SharedEntry, SharedLog, is_shared, new_name
from tapwright.formats.shared.rows import list_whole, read_number

__all__ = ["compact"]

_SMALL_STEPS = 1024
_PACK_STEPS = 4096


def compact(
    copy: SharedCopy, *, delete_after_days: int | None, advance: Callable[[int], object]
) -> dict[str, int]:
    """Compact a shared store, by a `copy` with no episodes of its own; counts of what was done.

    Raises:
        NothingFoundError: there is no shared store.
        RemoteFileError: it cannot be read or written; the same call goes on.
        BrokenPackError: what is there is broken.
    """
    if not is_shared(copy.place):
        raise NothingFoundError(
            f"{copy.url}: no shared store", hint=f"tapwright episodes share {copy.url}"
        )
    copy.sync()
    merged = made = 0
    for group in _group_small(copy.use(lambda connection: list(list_whole(connection)))):
        entries = _merge(copy, group)
        _, late = copy.commit(entries)
        merged += len({one.pack for one in group})
        made += 1
        advance(len(entries) - len(late))
    log = SharedLog(copy.place)
    used = {name for one in copy.entries() for name in (f"packs/{one.pack}", f"texts/{one.texts}")}
    there = (f"{below}/{name}" for below in ("packs", "texts") for name in copy.place.list(below))
    unused = [name for name in there if name not in used]
    number = copy.use(read_number)
    # One that is there stays: its age says when what it lists may be deleted.
    if number and number not in {one.number for one in log.checkpoints()}:
        copy.use(lambda connection: log.put_checkpoint(number, list_whole(connection), unused))
    deleted = set[str]()
    if delete_after_days is not None:
        deleted = set(_find_old(copy, log, timedelta(days=delete_after_days))) & set(unused)
        copy.place.delete(sorted(deleted))
    return {"merged": merged, "made": made, "unused": len(unused), "deleted": len(deleted)}


def _group_small(entries: Sequence[SharedEntry]) -> Iterator[list[SharedEntry]]:
    """The episodes of small packs, as they will be in one; a pack alone stays."""
    packs: defaultdict[str, list[SharedEntry]] = defaultdict(list)
    for one in entries:
        if one.pack:
            packs[one.pack].append(one)
    group: list[SharedEntry] = []
    for found in packs.values():
        if _count_steps(found) < _SMALL_STEPS:
            group += found
        if _count_steps(group) >= _PACK_STEPS:
            yield group
            group = []
    if len({one.pack for one in group}) > 1:
        yield group


def _count_steps(entries: Sequence[SharedEntry]) -> int:
    return sum(1 if one.row is None else max(1, one.row.steps) for one in entries)


def _merge(copy: SharedCopy, group: Sequence[SharedEntry]) -> list[SharedEntry]:
    """Put the pack and the texts of a group; its entries, as they will be."""
    ids: defaultdict[str, set[str]] = defaultdict(set)
    for one in group:
        ids[one.pack].add(one.id)
    pack, name, place = new_name(), new_name(), copy.place
    with owned_directory("tapwright-compact-") as root:
        for old in ids:
            for table in TABLES:
                file = f"{table}/{SHARD}.parquet"
                place.fetch(f"packs/{old}/{file}", root / old / file)
        merge_shards(root, SHARD, ((root / old, found) for old, found in ids.items()))
        for table in TABLES:
            file = f"{table}/{SHARD}.parquet"
            place.put(f"packs/{pack}/{file}", root / file)
    texts = {old: place.read(f"texts/{old}") or b"" for old in {one.texts for one in group}}
    entries, parts, start = list[SharedEntry](), list[bytes](), 0
    for one in group:
        parts.append(texts[one.texts][one.start : one.start + one.length])
        new = {"was": one.revision, "pack": pack, "texts": name, "start": start}
        entries.append(one.model_copy(update=new))
        start += one.length
    place.put(f"texts/{name}", b"".join(parts))
    return entries


def _find_old(copy: SharedCopy, log: SharedLog, age: timedelta) -> Iterator[str]:
    """What no episode named at a checkpoint that is as old as that."""
    checkpoints = log.checkpoints()
    when = partial("checkpoints/{:012d}.json".format)
    now = copy.place.modified(when(checkpoints[-1].number)) if checkpoints else None
    for one in checkpoints:
        if now is not None and now - copy.place.modified(when(one.number)) >= age:
            yield from one.unused
