"""The queue of whole recordings to be reviewed: accepted, rejected, or asked for again.

What is asked for again returns to the team's queue, if it was recorded for an item of it. The
reviews are those of `store.recording_reviews`, and the column `review` of the catalog has their
states, so that `--where 'review == "accept"'` selects what was accepted here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Literal, TypeAlias

from tapwright.files.jsonl import now_text
from tapwright.store import recording_reviews
from tapwright.store.catalog import Catalog
from tapwright.store.errors import EditConflictError
from tapwright.store.filters import Condition, equals, has_app
from tapwright.store.ids import directory_name
from tapwright.store.selection import Selection
from tapwright.web.episode_views import EntryView, entry_view
from tapwright.web.errors import ForbiddenError, LeaseError, RequestError

if TYPE_CHECKING:
    from tapwright.web.team.queue import Queue

__all__ = [
    "NextRecording", "RecordingFilter", "RecordingItem", "RecordingPage", "RecordingQueue",
    "ReviewOfMany", "ShownRecordings", "StateOfMany",
]  # fmt: skip

ShownRecordings: TypeAlias = Literal["open", "accept", "reject", "again", "any"]

StateOfMany: TypeAlias = Literal["accept", "reject", "again", "open"]
"""What many recordings can become at once; "open" withdraws the reviews that they have."""

_PAGE_SIZE = 60
_ENDED = Condition("ended = 1")


@dataclass(frozen=True, slots=True)
class RecordingFilter:
    """A filter of recordings; "" leaves a condition out. `before` is a time in UTC (ISO 8601)."""

    show: ShownRecordings = "open"
    task: str = ""
    app: str = ""
    agent: str = ""
    before: str = ""

    def condition(self, *, state: bool = True) -> Condition:
        """What it states, of recordings that have ended; without `state` whatever their state."""
        wanted = _ENDED
        if state and self.show != "any":
            wanted = wanted & equals("review", self.show)
        if self.app:
            wanted = wanted & has_app(self.app)
        for column, value in (("task", self.task), ("agent", self.agent)):
            if value:
                wanted = wanted & equals(column, value)
        if self.before:
            before = Condition("substr(created, 1, 19) < ?", (self.before[:19],))
            wanted = wanted & before
        return wanted


@dataclass(frozen=True, slots=True)
class RecordingRow:
    """A recording in the queue, and its state."""

    recording: EntryView
    state: str


@dataclass(frozen=True, slots=True)
class RecordingPage:
    """A page of the queue, from 0; `states` counts by state, `facets` what the state shows."""

    found: int
    page: int
    pages: int
    states: Mapping[str, int]
    facets: Mapping[str, Mapping[str, int]]
    recordings: tuple[RecordingRow, ...]


@dataclass(frozen=True, slots=True)
class RecordingItem:
    """A recording's reviews and comments, oldest first, and the review that holds for `version`.

    `queued` says that the team's queue has it back when it is asked for again.
    """

    id: str
    version: int
    review: recording_reviews.RecordingReview | None
    log: tuple[recording_reviews.RecordingReview, ...]
    queued: bool


@dataclass(frozen=True, slots=True)
class ReviewOfMany:
    """One review that many recordings get, by `who`; `edit_id` is that of the change of them."""

    state: StateOfMany
    text: str
    who: str
    edit_id: str = ""

    def check(self) -> None:
        """Raise a `RequestError` when it asks again without saying why.

        Raises:
            RequestError: it needs words.
        """
        if self.state == "again" and not self.text.strip():
            raise RequestError("to ask again needs words", hint="say why")


@dataclass(frozen=True, slots=True)
class NextRecording:
    """The next recording of the queue by its id, None at its end."""

    id: str | None


class RecordingQueue:
    """The recordings of one store, oldest first."""

    def __init__(self, catalog: Catalog, assignments: "Queue | None" = None) -> None:
        self._catalog = catalog
        self._assignments = assignments
        self._lock = Lock()

    def page(self, wanted: RecordingFilter, page: int) -> RecordingPage:
        """A page of the recordings that a filter shows, with counts of its values."""
        condition = wanted.condition()
        found = self._catalog.count(condition)
        entries = self._catalog.page(Selection(), condition, page * _PAGE_SIZE, _PAGE_SIZE)
        shown = RecordingFilter(wanted.show, before=wanted.before)
        states = self._catalog.tally(["review"], wanted.condition(state=False))
        return RecordingPage(
            found=found,
            page=page,
            pages=max(1, -(-found // _PAGE_SIZE)),
            states={state: count for (state,), count in states.items()},
            facets=self._catalog.facets(shown.condition()),
            recordings=tuple(RecordingRow(entry_view(one), one.review) for one in entries),
        )

    def next(self, wanted: RecordingFilter, after: str = "") -> NextRecording:
        """The first recording that a filter shows behind `after`, around to the beginning."""
        known = self._catalog.page(Selection(), equals("id", after), 0, 1) if after else []
        condition = wanted.condition()
        for one in known:
            behind = Condition("(created, id) > (?, ?)", (one.created, one.id))
            found = self._catalog.page(Selection(), condition & behind, 0, 1)
            if found:
                return NextRecording(found[0].id)
        first = self._catalog.page(Selection(), condition, 0, 1)
        return NextRecording(first[0].id if first and first[0].id != after else None)

    def item(self, id_: str) -> RecordingItem:
        """The reviews of a recording.

        Raises:
            EpisodeMissingError: the store has none of this id.
            CorruptEpisodeError: its reviews cannot be read.
        """
        version = self._catalog.store.history(id_).current
        log = recording_reviews.read_recording_reviews(
            self._catalog.store.root / directory_name(id_)
        )
        return RecordingItem(
            id=id_,
            version=version,
            review=recording_reviews.current_recording_review(log, version),
            log=tuple(log),
            queued=self._find_item(id_) is not None,
        )

    def review(
        self,
        id_: str,
        state: recording_reviews.RecordingReviewState,
        *,
        version: int,
        lines: int,
        text: str,
        who: str,
        edit_id: str = "",
    ) -> RecordingItem:
        """Append one review or comment; `lines` is how many the page has read of the recording.

        Raises:
            RequestError: a comment, or a recording asked for again, without words; a withdrawal
                where no review holds.
            EditConflictError: it was changed or reviewed meanwhile.
            LeaseError: the queue's item cannot be opened again.
            DiskError: the disk is full or not writable; then nothing was written.
        """
        with self._lock:
            before = self.item(id_)
            if state in ("again", "comment") and not text.strip():
                raise RequestError(f"{id_}: {state} needs words", hint="say why")
            if state == "withdraw" and before.review is None:
                raise RequestError(f"{id_}: there is no review to withdraw")
            if before.version != version or (state != "comment" and len(before.log) != lines):
                raise EditConflictError(
                    f"{id_}: somebody else has changed or reviewed it meanwhile",
                    hint="load it again, and decide on that",
                )
            asked = self._find_item(id_) if state == "again" else None
            line = recording_reviews.RecordingReview(
                version=version,
                state=state,
                text=text.strip(),
                who=who,
                time=now_text(),
                item=None if asked is None else asked[0],
                member="" if asked is None else asked[1],
                edit_id=edit_id,
            )
            self._write(id_, line)
            if self._assignments is not None:
                if asked is not None:
                    self._assignments.reopen(*asked)
                elif state == "withdraw" and before.review is not None:
                    self._take_back(id_, before.review)
        return self.item(id_)

    def rate(self, id_: str, rating: int, *, text: str, who: str) -> None:
        """Rate a recording of one's own, 1 to 5, with or without words.

        Raises:
            EpisodeMissingError: the store has none of this id.
            ForbiddenError: somebody else recorded it.
            DiskError: the disk is full or not writable; then nothing was written.
        """
        episode = self._catalog.store.open(id_)
        if episode.agent != f"human/{who}":
            raise ForbiddenError(f"{id_}: was recorded by {episode.agent}, not by {who}")
        with self._lock:
            line = recording_reviews.RecordingReview(
                version=episode.version,
                state="comment",
                text=text.strip(),
                rating=rating,
                who=who,
                time=now_text(),
            )
            self._write(id_, line)

    def _write(self, id_: str, line: recording_reviews.RecordingReview) -> None:
        recording_reviews.write_recording_review(
            self._catalog.store.root / directory_name(id_), line
        )
        self._catalog.changed(directory_name(id_))

    def review_of_many(self, id_: str, of_many: ReviewOfMany) -> bool:
        """Give a recording the review of many; whether that changed anything.

        Raises:
            EditConflictError: it has not ended, or was changed or reviewed in this moment.
            LeaseError: the queue's item cannot be opened again.
            DiskError: the disk is full or not writable.
        """
        if not self._catalog.count(_ENDED & equals("id", id_)):
            raise EditConflictError(f"{id_}: has not ended", values={"id": id_})
        item = self.item(id_)
        held = recording_reviews.held_recording_reviews(item.log, item.version)
        if of_many.state == "open":
            for _ in held:
                item = self._append(item, "withdraw", "", of_many)
            return bool(held)
        if held and held[-1].state == of_many.state:
            return False
        self._append(item, of_many.state, of_many.text, of_many)
        return True

    def undo_of_many(self, id_: str, edit_id: str, who: str) -> bool:
        """Take back what a review of many did to a recording; whether that changed anything.

        Raises:
            EditConflictError: it was changed or reviewed since; other errors as above.
        """
        item = self.item(id_)
        lines = [line for line in item.log if line.state != "comment"]
        mine = [place for place, line in enumerate(lines) if line.edit_id == edit_id]
        if not mine:
            return False
        if mine[-1] != len(lines) - 1 or lines[-1].version != item.version:
            raise EditConflictError(f"{id_}: was changed or reviewed since", values={"id": id_})
        before = recording_reviews.held_recording_reviews(lines[: mine[0]], item.version)
        now = recording_reviews.held_recording_reviews(lines, item.version)
        undo = ReviewOfMany("open", "", who)
        if len(now) > len(before):
            self._append(item, "withdraw", "", undo)
        for line in before[len(now) :]:
            item = self._append(item, line.state, line.text, undo)
        return True

    def _append(
        self,
        item: RecordingItem,
        state: recording_reviews.RecordingReviewState,
        text: str,
        of_many: ReviewOfMany,
    ) -> RecordingItem:
        return self.review(
            item.id,
            state,
            version=item.version,
            lines=len(item.log),
            text=text,
            who=of_many.who,
            edit_id=of_many.edit_id,
        )

    def select(self, wanted: RecordingFilter) -> Sequence[str]:
        """The ids of the recordings that a filter shows, in order."""
        return self._catalog.ids(Selection(), wanted.condition())

    def _find_item(self, id_: str) -> tuple[int, str] | None:
        return None if self._assignments is None else self._assignments.find_completed(id_)

    def _take_back(self, id_: str, review: recording_reviews.RecordingReview) -> None:
        """Complete the item that was opened again, unless it was recorded anew meanwhile."""
        if self._assignments is None or review.item is None:
            return
        try:
            self._assignments.complete(review.member, review.item, id_)
        except LeaseError:
            return  # the newer recording counts, and this one is kept
