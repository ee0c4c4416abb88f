"""Who did what when on the episodes of a store: what people are paid by.

Of a review only its end is known: it counts from what the same person did before it, unless that is
longer ago than a pause.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime

from tapwright.annotate.review import read_review_log
from tapwright.errors import TapwrightError
from tapwright.store.annotations import list_annotators
from tapwright.store.ids import directory_name
from tapwright.store.recording_reviews import read_recording_reviews
from tapwright.store.store import EpisodeStore
from tapwright.store.work_log import PAUSE_S, read_work
from tapwright.web.table_files import ExportFormat, write_csv, write_json

__all__ = ["Work", "export_work", "list_work"]

_HUMAN = "human/"


@dataclass(frozen=True, slots=True)
class Work:
    """Something that a person did to an episode, or to its `step`, counted from 0.

    `action` is "record", "act" (in the place of an agent), "rate", or what a review of the
    recording or of a step's annotation says: "accept", "reject", "edit" and others. `begun` and
    `ended` are ISO 8601 times in UTC, `seconds` what lies between, without pauses; `begun` and
    `seconds` are None where only the end is known. `steps` counts those of a recording or takeover,
    `rating` is what who recorded it says of it.
    """

    person: str
    episode: str
    step: int | None
    action: str
    begun: str | None
    ended: str
    seconds: float | None
    steps: int | None = None
    rating: int | None = None


def list_work(store: EpisodeStore) -> tuple[list[Work], dict[str, TapwrightError]]:
    """All work by its end, and the errors of the episodes that cannot be read, by id."""
    done: list[Work] = []
    failed: dict[str, TapwrightError] = {}
    for id_ in store.ids():
        try:
            done += _of_episode(store, id_)
        except TapwrightError as error:
            failed[id_] = error
    done.sort(key=lambda work: work.ended)
    return list(_since_before(done)), failed


def export_work(done: Sequence[Work], format_: ExportFormat) -> bytes:
    """A table with a row for each piece of work, in their order."""
    rows = [asdict(one) for one in done]
    if format_ == "json":
        return write_json(rows)
    return write_csv((one.name for one in fields(Work)), (row.values() for row in rows))


def _of_episode(store: EpisodeStore, id_: str) -> Iterator[Work]:
    directory = store.root / directory_name(id_)
    sittings = read_work(directory)
    for one in sittings:
        yield Work(one.who, id_, None, one.kind, one.begun, one.ended, one.seconds, one.steps)
    episode = store.open(id_)
    if not sittings and episode.agent.startswith(_HUMAN):  # older ones have no times
        person = episode.agent.removeprefix(_HUMAN)
        yield Work(person, id_, None, "record", None, episode.created, None, len(episode.steps))
    for line in read_recording_reviews(directory):
        action = "rate" if line.rating else line.state
        rating = line.rating or None
        yield Work(line.who, id_, None, action, None, line.time, None, rating=rating)
    for annotator in list_annotators(directory):
        for review in read_review_log(directory, annotator):
            yield Work(review.who, id_, review.step, review.state, None, review.time, None)


def _since_before(done: Sequence[Work]) -> Iterator[Work]:
    """The work with the begin of each review, where the same person did something before it."""
    before: dict[str, str] = {}
    for work in done:
        last = before.get(work.person)  # none where its line has no time: those are first
        before[work.person] = work.ended
        if work.begun is None and work.steps is None and last:
            gap_s = (_time(work.ended) - _time(last)).total_seconds()
            if gap_s <= PAUSE_S:
                work = replace(work, begun=last, seconds=round(gap_s, 3))
        yield work


def _time(iso: str) -> datetime:
    return datetime.fromisoformat(iso)
