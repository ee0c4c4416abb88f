"""Changes of many episodes at once, and how each is undone.

A change is of episodes that were counted before: when others fit by then, nothing is changed. It is
written down before it begins, goes on behind the page, and is undone by its id.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tapwright.curate.edit.grammar import parse_modifiers
from tapwright.curate.edit.modifiers import apply_modifiers
from tapwright.curate.edit.save import save_edits
from tapwright.curate.edit.undo import undo_edit
from tapwright.curate.edit.usage import USAGE
from tapwright.errors import TapwrightError, UnknownNameError, UsageError
from tapwright.store.catalog import Catalog
from tapwright.store.errors import EditConflictError
from tapwright.store.filters import Condition, has_id
from tapwright.store.ids import directory_name
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import check_tags, undo_tags, write_tags
from tapwright.store.trash import list_trash, restore_episode, trash_episode
from tapwright.web.errors import SELECTION_CHANGED
from tapwright.web.library.bulk_jobs import BulkJob, BulkJobs
from tapwright.web.library.bulk_ledger import BulkChange, BulkLedger, ChangeKind, new_change_id
from tapwright.web.library.recording_queue import RecordingQueue, ReviewOfMany

__all__ = [
    "BulkChanges", "EpisodeSelection", "check_selection", "describe_selection", "select_episodes",
    "selected_ids",
]  # fmt: skip

_LATEST = 20
_OF_ONE = ("split", "merge", "remove")
"""Modifiers that make or take away episodes."""


@dataclass(frozen=True, slots=True)
class EpisodeSelection:
    """How many episodes a filter selects; `stamp` is another when others are selected."""

    count: int
    stamp: str


def select_episodes(catalog: Catalog, wanted: Condition) -> EpisodeSelection:
    """The episodes that meet a condition."""
    return describe_selection(catalog.ids(Selection(), wanted))


def selected_ids(
    catalog: Catalog, ids: Sequence[str], wanted: Condition, stamp: str
) -> Sequence[str]:
    """The ids that were named, or without those all that meet a condition.

    Raises:
        TapwrightError: an episode that was named is gone, or the selection has not `stamp`.
    """
    if ids:
        found = catalog.ids(Selection(), has_id(ids))
    else:
        return check_selection(catalog.ids(Selection(), wanted), stamp)
    if set(found) != set(ids):
        raise _changed(found)
    return found


def check_selection(found: Sequence[str], stamp: str) -> Sequence[str]:
    """The ids that were found now, when they are those that were counted.

    Raises:
        TapwrightError: they have another stamp.
    """
    if describe_selection(found).stamp != stamp:
        raise _changed(found)
    return found


class BulkChanges:
    """The changes of many episodes of one store; each begins a job, and returns it."""

    def __init__(self, catalog: Catalog, recordings: RecordingQueue) -> None:
        self.jobs = BulkJobs()
        self.ledger = BulkLedger(catalog.store.root)
        self._catalog = catalog
        self._recordings = recordings

    def tag(
        self, ids: Sequence[str], add: Sequence[str], remove: Sequence[str], who: str
    ) -> BulkJob:
        """Add and remove tags; an episode that has them already is not changed.

        Raises:
            UsageError: one is no tag.
            DiskError: the change cannot be written down; then nothing is changed.
        """
        check_tags((*add, *remove))
        words = " ".join((*(f"+{tag}" for tag in add), *(f"-{tag}" for tag in remove)))

        def work(change: str, id_: str) -> bool:
            place = self._store.history(id_).directory
            return write_tags(place, add=add, remove=remove, edit_id=change)

        return self._begin("tag", ids, words, who, work)

    def edit(self, ids: Sequence[str], modifiers: str, who: str) -> BulkJob:
        """Apply modifiers to each episode by itself; one that they do not fit is left.

        Raises:
            BadModifierError: a modifier is unknown, or is not one for many episodes.
            DiskError: the change cannot be written down; then nothing is changed.
        """
        _check_modifiers(modifiers)

        def work(change: str, id_: str) -> bool:
            before = self._store.open(id_)
            after = apply_modifiers([before], modifiers)
            if after[0] is before:
                return False
            save_edits(self._store, [before], after, edit=modifiers, edit_id=change)
            return True

        return self._begin("edit", ids, modifiers, who, work)

    def remove(self, ids: Sequence[str], who: str) -> BulkJob:
        """Move episodes to the trash of their store; one that is being recorded or edited is left.

        Raises:
            DiskError: the change cannot be written down; then nothing is changed.
        """

        def work(change: str, id_: str) -> bool:
            trash_episode(self._store.root, id_, removal=change)
            return True

        return self._begin("remove", ids, "", who, work)

    def review(self, ids: Sequence[str], of_many: ReviewOfMany) -> BulkJob:
        """Give each recording the same review, or open those that they have; see `ReviewOfMany`.

        A recording that has not ended, or has this review already, is left.

        Raises:
            RequestError: it needs words.
            DiskError: the change cannot be written down; then nothing is changed.
        """
        of_many.check()
        words = " ".join((of_many.state, of_many.text)).strip()

        def work(change: str, id_: str) -> bool:
            return self._recordings.review_of_many(id_, replace(of_many, edit_id=change))

        return self._begin("review", ids, words, of_many.who, work)

    def undo(self, change: str, who: str) -> BulkJob:
        """Undo a change; an episode that was changed since is left.

        Raises:
            ResourceNotFoundError: there is no such change.
        """
        found = self.ledger.find(change)
        job = BulkJob(new_change_id(), "undo", len(found.ids))

        def work(job: BulkJob) -> None:
            if self.ledger.find(change).undone_by:
                job.advance(len(found.ids))
                return
            job.each(found.ids, self._noting(self._undo_one(found, who)))
            self.ledger.undo(change, who)

        self.jobs.start(job, work)
        return job

    def latest(self) -> list[BulkChange]:
        """The last 20 changes, the latest first."""
        return list(self.ledger.latest(_LATEST))

    @property
    def _store(self) -> EpisodeStore:
        return self._catalog.store

    def _begin(
        self,
        kind: ChangeKind,
        ids: Sequence[str],
        words: str,
        who: str,
        work: Callable[[str, str], bool],
    ) -> BulkJob:
        job = BulkJob(new_change_id(), kind, len(ids))
        self.ledger.begin(job.id, kind, words, who, ids)

        def run(job: BulkJob) -> None:
            try:
                job.each(ids, self._noting(partial(work, job.id)))
            finally:
                left = job.left.total()
                self.ledger.end(job.id, changed=job.changed, left=left)

        self.jobs.start(job, run)
        return job

    def _noting(self, work: Callable[[str], bool]) -> Callable[[str], bool]:
        """The same work, after which the catalog looks at the episode anew."""

        def noting(id_: str) -> bool:
            changed = work(id_)
            if changed:
                self._catalog.changed(directory_name(id_))
            return changed

        return noting

    def _undo_one(self, found: BulkChange, who: str) -> Callable[[str], bool]:
        match found.kind:
            case "tag":
                return lambda id_: undo_tags(
                    self._store.history(id_).directory, found.id, edit_id=new_change_id()
                )
            case "edit":
                return partial(_undo_edit, self._store, found.id)
            case "review":
                return lambda id_: self._recordings.undo_of_many(id_, found.id, who)
            case "remove":
                trashed = {
                    one.id: one for one in list_trash(self._store.root) if one.removal == found.id
                }

                def put_back(id_: str) -> bool:
                    if id_ in trashed:
                        restore_episode(self._store.root, trashed[id_])
                    return id_ in trashed

                return put_back


def _undo_edit(store: EpisodeStore, change: str, id_: str) -> bool:
    history = store.history(id_)
    made = history.find_edit(change)
    if made is None:
        return False
    if history.current != made.version:
        raise EditConflictError(
            f"{id_}: was changed since this edit made version {made.version}",
            hint="undo the later changes first",
            values={"id": id_, "version": history.current},
        )
    undo_edit(store, id_, made.version)
    return True


def _check_modifiers(modifiers: str) -> None:
    for one in parse_modifiers(modifiers):
        if one.name not in USAGE:
            raise one.refused(UnknownNameError("modifier", one.name, USAGE))
        if one.name in _OF_ONE or one.index not in (None, 0, "*"):
            raise one.refused(UsageError("this is not done to many episodes at once"))


def _changed(found: Sequence[str]) -> TapwrightError:
    return SELECTION_CHANGED(
        f"other episodes are selected now: {len(found)}",
        hint="look at the list again, and select anew",
        values={"count": len(found)},
    )


def describe_selection(ids: Sequence[str]) -> EpisodeSelection:
    """How many they are, and their stamp, whatever their order."""
    names = "\n".join(sorted(map(directory_name, ids)))
    return EpisodeSelection(len(ids), hashlib.sha256(names.encode()).hexdigest()[:16])
