"""What people write about a recording is counted in lists, wherever they wrote it."""

from pathlib import Path

from tapwright.annotate.comments import StepComment, write_comment
from tapwright.store.catalog import Catalog
from tapwright.store.filters import parse_filter
from tapwright.store.recording_reviews import RecordingReview, write_recording_review
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore
from tests.conftest import SETTINGS, episode, touch


def test_comments_are_counted_and_the_latest_is_shown(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    for id_ in ("a", "b"):
        store.write(episode(id_, "Turn it on", [(SETTINGS, touch(SETTINGS, "Sound"))]))
    catalog = Catalog(store, freshness="noted")
    catalog.read()
    review = RecordingReview(version=1, state="reject", text="Too early", time="2026-01-03")
    write_recording_review(tmp_path / "a", review)
    write_recording_review(tmp_path / "a", RecordingReview(version=1, state="accept", time="2027"))
    for time, text in (("2026-01-02", "first"), ("2026-01-04", "x" * 300)):
        said = StepComment(step=0, frame="f", text=text, who="rita", time=time)
        write_comment(tmp_path / "a", "vlm", said)
    (found,) = catalog.select(Selection(), parse_filter("comments > 0"))
    assert (found.id, found.comments, found.comment) == ("a", 3, "x" * 200)
    (other,) = catalog.select(Selection(), parse_filter("comments == 0"))
    assert (other.id, other.comment) == ("b", "")


def test_a_rating_is_a_number(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    for id_ in ("a", "b"):
        store.write(episode(id_, "Turn it on", [(SETTINGS, touch(SETTINGS, "Sound"))]))
    review = RecordingReview(version=1, state="comment", text="Fine", rating=4)
    write_recording_review(tmp_path / "a", review)
    (rated,) = Catalog(store).select(Selection(), parse_filter("rating > 3"))
    (other,) = Catalog(store).select(Selection(), parse_filter("rating == 0"))
    assert (rated.id, rated.rating, other.id, other.rating) == ("a", 4, "b", 0)


def test_a_broken_comment_hides_no_other(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(episode("a", "Turn it on", [(SETTINGS, touch(SETTINGS, "Sound"))]))
    write_comment(
        tmp_path / "a", "vlm", StepComment(step=0, frame="f", text="fine", who="r", time="1")
    )
    file = tmp_path / "a" / "annotations" / "vlm.comments.jsonl"
    file.write_bytes(b'{"time": 3}\n[[[\n' + file.read_bytes())
    (found,) = Catalog(store).select(Selection(), parse_filter('"fin" in comment'))
    assert found.comments == 1
