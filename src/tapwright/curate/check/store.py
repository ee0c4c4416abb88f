"""Checks the episodes of a store by every core, and none again whose files are as they were.

What episodes say of each other is looked for each time: it changes with any of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from tapwright.curate.check.check import check_episode
from tapwright.curate.check.contradictions import find_contradictions
from tapwright.curate.check.finding import EpisodeFinding
from tapwright.curate.check.memory import (
    Checked,
    CheckMemory,
    read_findings,
    stamp_episode,
    write_findings,
)
from tapwright.curate.duplicates import FindDuplicates, find_best
from tapwright.errors import CorruptEpisodeError
from tapwright.files.regular import read_ahead
from tapwright.jobs.processes import MapBatches, map_batches
from tapwright.store.catalog import Catalog
from tapwright.store.errors import SchemaVersionError
from tapwright.store.filters import has_id
from tapwright.store.ids import directory_name
from tapwright.store.lines import RECORDED, read_header
from tapwright.store.selection import EVERYTHING, Selection
from tapwright.store.store import EpisodeStore

__all__ = ["check_episodes", "compare_episodes", "list_checked"]

_BATCH = 50


def list_checked(store: EpisodeStore) -> tuple[list[str], list[EpisodeFinding]]:
    """The ids of all episodes that can be checked; and the fault of each that cannot be listed.

    Those are named by their directories.
    """
    catalog = Catalog(store)
    ids, broken = catalog.ids(Selection()), list[EpisodeFinding]()
    for name, error in catalog.unreadable().items():
        place = store.root / name
        try:
            ids.append(read_header(place / "episode.json").id)
        except (CorruptEpisodeError, SchemaVersionError):
            broken.append(EpisodeFinding(name, None, "error", "header", str(place), str(error)))
    return ids, broken


def check_episodes(
    store: EpisodeStore,
    ids: Sequence[str],
    *,
    fast: bool = False,
    again: bool = False,
    advance: Callable[[int], object] = lambda _: None,
    mapping: MapBatches = map_batches,
) -> Iterator[EpisodeFinding]:
    """The faults of episodes, in their order; `mapping` says who looks for them.

    A `fast` check opens no picture, tree or state. An episode whose files have not changed since it
    was checked is not checked, unless `again`.

    Raises:
        EpisodeMissingError: the store never had one of these ids.
    """
    work = partial(_check_batch, store.root, fast, again)
    with closing(CheckMemory(store.root)) as memory:
        for batch, checked in mapping(work, ids, _BATCH):
            memory.remember((one for one, new in checked if new), fast=fast)
            for (_, _, found), _ in checked:
                yield from read_findings(found)
            advance(len(batch))


def compare_episodes(store: EpisodeStore, ids: Sequence[str]) -> Iterator[EpisodeFinding]:
    """What these episodes say of each other: the same again, and another action at one point."""
    catalog = Catalog(store)
    for group in FindDuplicates(catalog, ids).run():
        best = find_best(catalog.select(EVERYTHING, has_id(group.ids))).id
        for id_ in group.ids:
            if id_ != best:
                message = f"the actions of {best}, on nearly the same screens"
                place = str(store.root / directory_name(id_))
                yield EpisodeFinding(id_, None, "warning", "duplicate", place, message)
    for one in find_contradictions(catalog, ids):
        message = f"another action than that of {one.other} at the same point of the same task"
        place = str(store.root / directory_name(one.episode))
        yield EpisodeFinding(one.episode, one.step, "warning", "contradicted", place, message)


def _check_batch(
    root: Path, fast: bool, again: bool, ids: Sequence[str]
) -> list[tuple[Checked, bool]]:
    """The check of each episode, and whether it was done now."""
    store = EpisodeStore(root)
    known: Mapping[str, Checked] = {}
    if not again:
        with closing(CheckMemory(root)) as memory:
            known = memory.recall(ids, fast=fast)
    checked = []
    new = (f"{root}/{directory_name(id_)}" for id_ in ids if id_ not in known)
    read_ahead(f"{directory}/{name}" for directory in new for name in RECORDED)
    for id_ in ids:
        stamp = stamp_episode(root / directory_name(id_))
        before = known.get(id_)
        if before is not None and stamp and before[1] == stamp:
            checked.append((before, False))
            continue
        try:
            found = check_episode(store, id_, fast=fast, threads=1)
        except (CorruptEpisodeError, SchemaVersionError) as error:
            place = str(root / directory_name(id_))
            found = [EpisodeFinding(id_, None, "error", "header", place, str(error))]
        checked.append(((id_, stamp, write_findings(found)), True))
    return checked
