"""Who did what when, for paying people."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tapwright.annotate.review import Review, write_review
from tapwright.store import work_log
from tapwright.store.annotations import Annotation, replace_annotations
from tapwright.store.recording_reviews import RecordingReview, write_recording_review
from tapwright.store.store import EpisodeStore
from tapwright.store.work_log import WorkClock, read_work
from tapwright.web.team.work import list_work
from tests.cli.running import tapwright
from tests.store.episodes import episode


class Clock(datetime):
    """A clock that goes on when it is told to."""

    at = datetime(2026, 11, 28, 9, tzinfo=UTC)

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        return cls.at

    @classmethod
    def go_on(cls, seconds: float) -> str:
        cls.at += timedelta(seconds=seconds)
        return cls.at.isoformat(timespec="milliseconds")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EpisodeStore:
    monkeypatch.setattr(work_log, "datetime", Clock)
    monkeypatch.setattr(Clock, "at", datetime(2026, 11, 28, 9, tzinfo=UTC))
    store = EpisodeStore(tmp_path / "episodes")
    store.write(episode(3, "demo"))
    home = store.root / "demo"
    work = WorkClock("anna", "record")
    work.note()
    for gap in (30, 700, 20):
        Clock.go_on(gap)
        work.note(step=True)
    work.write(home)
    rated = Clock.go_on(15)
    line = RecordingReview(version=1, state="comment", rating=4, who="anna", time=rated)
    write_recording_review(home, line)
    accepted = RecordingReview(version=1, state="accept", who="ben", time=Clock.go_on(5))
    write_recording_review(home, accepted)
    told = Annotation(
        step=0, frame="f", reasoning="r", target="", annotator="vlm", version="1", time=""
    )
    replace_annotations(home, "vlm", [told])
    write_review(
        home, "vlm", Review(step=2, frame="f", state="edit", who="ben", time=Clock.go_on(40))
    )
    return store


def test_a_pause_is_no_work(store: EpisodeStore) -> None:
    (line,) = read_work(store.root / "demo")
    assert (line.seconds, line.steps, line.ended) == (50, 3, "2026-11-28T09:12:30.000+00:00")


def test_everything_that_people_did_is_there_by_its_end(store: EpisodeStore) -> None:
    done, failed = list_work(store)
    assert failed == {}
    found = [(one.person, one.action, one.step, one.seconds, one.rating) for one in done]
    assert found == [
        ("anna", "record", None, 50, None),
        ("anna", "rate", None, 15, 4),
        ("ben", "accept", None, None, None),
        ("ben", "edit", 2, 40, None),
    ]


def test_reviews_without_a_time_are_listed_without_seconds(store: EpisodeStore) -> None:
    for _ in range(2):
        line = RecordingReview(version=1, state="accept", who="carl")
        write_recording_review(store.root / "demo", line)
    done, _ = list_work(store)
    assert [(one.ended, one.seconds) for one in done if one.person == "carl"] == [("", None)] * 2


def test_an_older_recording_has_no_seconds(tmp_path: Path) -> None:
    with EpisodeStore(tmp_path).create(
        task_id="t", instruction="", agent="human/anna", device="d", id="old"
    ) as writer:
        writer.finish("success")
    ((one,), _) = list_work(EpisodeStore(tmp_path))
    assert (one.person, one.action, one.seconds, one.steps) == ("anna", "record", None, 0)


@pytest.mark.slow
@pytest.mark.filterwarnings("always:--as is")
def test_the_command_sums_and_exports_it(store: EpisodeStore) -> None:
    nobody = tapwright("team", "work", "episodes", "--person", "zoe", cwd=store.root.parent)
    assert "leave out --person" in nobody.stderr
    summed = tapwright("team", "work", "episodes", "--format", "human", cwd=store.root.parent)
    assert summed.returncode == 0
    assert summed.stdout.startswith("person")
    old = tapwright("team", "work", "episodes", "--as", "text", cwd=store.root.parent)
    assert (old.stdout, "--as is --format now" in old.stderr) == (summed.stdout, True)
    to_csv = tapwright("team", "work", "episodes", "--format", "csv", cwd=store.root.parent)
    rows = list(csv.DictReader(io.StringIO(to_csv.stdout)))
    assert [row["action"] for row in rows] == ["record", "rate", "accept", "edit"]
    words = ("--person", "ben", "--since", "2026-11-28")
    to_json = tapwright("team", "work", "episodes", *words, cwd=store.root.parent)
    assert [row["seconds"] for row in json.loads(to_json.stdout)] == [None, 40]
    none = tapwright("team", "work", "episodes", "--until", "2026-1-1", cwd=store.root.parent)
    assert (none.returncode, none.stdout) == (5, "[]\n")
    odd = tapwright("team", "work", "episodes", "--since", "1.11.2026", cwd=store.root.parent)
    assert odd.returncode == 2
    (store.root / "demo" / "work.jsonl").write_text("?\n")
    store.write(episode(1, "other"))
    line = RecordingReview(version=1, state="accept", who="ben", time=Clock.go_on(5))
    write_recording_review(store.root / "other", line)
    rest = tapwright("team", "work", "episodes", cwd=store.root.parent)
    assert (rest.returncode, "ben" in rest.stdout, "work.jsonl" in rest.stderr) == (1, True, True)
