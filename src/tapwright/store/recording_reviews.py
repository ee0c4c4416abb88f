"""Reviews of whole recordings: accepted, rejected, or asked for again, beside the recording.

`<episode>/reviews.jsonl` is only ever appended to. A review is of one version of the episode, and
does not hold for another; a withdrawn one is one more line. A comment decides nothing.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from tapwright.errors import CorruptEpisodeError
from tapwright.files.jsonl import JsonlWriter, parse_lines, read_lines, to_json
from tapwright.store.changes import noting_change
from tapwright.store.records import FrozenRecord

__all__ = [
    "RECORDING_REVIEWS", "RecordingReview", "RecordingReviewState", "current_recording_review",
    "held_recording_reviews", "read_recording_reviews", "write_recording_review",
]  # fmt: skip

RECORDING_REVIEWS = "reviews.jsonl"

RecordingReviewState: TypeAlias = Literal["accept", "reject", "again", "withdraw", "comment"]
"""After a withdrawal the review before the last one holds again, if there was one."""


class RecordingReview(FrozenRecord):
    """One line: what `who` decided on a version of the recording, or wrote about it.

    `text` is the reason or the comment, which has a `rating` of 1 to 5 where who recorded it wrote
    it, or 0. With "again", `item` and `member` are the item of the team's queue that was opened
    again and who had recorded it, if it came from there. `time` is an ISO 8601 time in UTC;
    `edit_id` is that of a review of many.
    """

    version: int
    state: RecordingReviewState
    text: str = ""
    rating: Annotated[int, Field(ge=0, le=5, exclude_if=lambda rating: not rating)] = 0
    who: str = ""
    time: str = ""
    item: int | None = None
    member: str = ""
    edit_id: str = ""


_LINE = TypeAdapter(RecordingReview)


def read_recording_reviews(directory: Path) -> list[RecordingReview]:
    """Every line about the recording in `directory`, oldest first.

    Raises:
        CorruptEpisodeError: the file cannot be read, or a line of it is broken.
    """
    path = directory / RECORDING_REVIEWS
    lines = read_lines(path, CorruptEpisodeError)
    return list(
        parse_lines(
            lines, _LINE, path, error=CorruptEpisodeError, expected="a review of a recording"
        )
    )


def current_recording_review(
    log: Iterable[RecordingReview], version: int
) -> RecordingReview | None:
    """The review that holds for a version of the recording; None while it is open."""
    held = held_recording_reviews(log, version)
    return held[-1] if held else None


def held_recording_reviews(log: Iterable[RecordingReview], version: int) -> list[RecordingReview]:
    """The reviews of a version that were not withdrawn, the one that holds last."""
    held: list[RecordingReview] = []
    for line in log:
        if line.version != version or line.state == "comment":
            continue
        if line.state != "withdraw":
            held.append(line)
        elif held:
            held.pop()
    return held


def write_recording_review(directory: Path, review: RecordingReview) -> None:
    """Append one line about the recording in `directory`; it is on disk then.

    Raises:
        DiskError: the disk is full or not writable; then the file is as it was.
    """
    with noting_change(directory), JsonlWriter(directory / RECORDING_REVIEWS) as file:
        file.recover()
        file.append(to_json(review))
