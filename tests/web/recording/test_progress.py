"""How far a suite is recorded, as the start page and the lead's page are told."""

from pathlib import Path

from starlette.testclient import TestClient

from tapwright.core.episode import Episode, EpisodeOutcome
from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.store.ids import directory_name
from tapwright.store.recording_reviews import (
    RecordingReview,
    RecordingReviewState,
    write_recording_review,
)
from tapwright.store.store import EpisodeStore
from tapwright.tasks.checks import Unchecked
from tapwright.tasks.task import Task
from tapwright.web.app import WebConfig, create_app
from tapwright.web.team.team import Team
from tests.store.episodes import episode
from tests.web.asking import HOST
from tests.web.recording.talking import Page, begin, client

TASKS = [Task(id, f"Do {id}", ("fake",), Unchecked()) for id in ("one", "two", "three")]
NONE = {"recorded": 0, "accepted": 0, "rejected": 0, "open": 0, "interrupted": 0}


def record(
    store: EpisodeStore,
    task: str,
    *,
    person: str = "human/local",
    outcome: EpisodeOutcome = "success",
    suite: str = "mine",
) -> None:
    number = len(store.ids())
    store.write(
        Episode(
            id=f"e{number}",
            task_id=task,
            instruction=task,
            steps=episode().steps,
            outcome=outcome,
            agent=person,
            extra={"suite": suite} if suite else {},
        )
    )


def test_a_suite_says_what_is_recorded_of_it_and_what_comes_next(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    record(store, "one")
    record(store, "one", suite="")
    record(store, "one", suite="another")
    record(store, "two", person="model/x")
    record(store, "two", outcome="interrupted")
    with client(tmp_path, {"fake": lambda: FakeDevice(EndlessScenes())}, lambda: TASKS) as browser:
        told = browser.get("/api/tasks/progress?suite=mine").json()
        assert (told["tasks"], told["recorded"]) == (3, 1)
        assert told["counts"] == {
            "one": {**NONE, "recorded": 2},
            "two": {**NONE, "interrupted": 1},
        }
        assert told["next"]["id"] == "two"
        assert browser.get("/api/tasks/progress?suite=mine&after=two").json()["next"]["id"] == (
            "three"
        )
        missing = browser.get("/api/tasks?suite=mine&missing=true").json()
        assert [task["id"] for task in missing] == ["two", "three"]
        assert browser.get("/api/tasks/progress?suite=gone").status_code == 404


def test_a_task_that_is_being_recorded_is_not_offered_and_then_counts(tmp_path: Path) -> None:
    with client(tmp_path, {"fake": lambda: FakeDevice(EndlessScenes())}, lambda: TASKS) as browser:
        session = begin(browser, suite="mine", task="one", instruction="")
        told = browser.get("/api/tasks/progress?suite=mine").json()
        assert told["counts"] == {"one": {**NONE, "open": 1}}
        assert told["next"]["id"] == "two"
        with browser.websocket_connect(f"ws://localhost/ws/session?session={session}") as socket:
            page = Page(socket)
            page.hello()
            assert page.act()["t"] == "saved"
            assert page.ask("finish", outcome="success")["t"] == "done"
            told = browser.get("/api/tasks/progress?suite=mine&after=three").json()
            assert told["counts"] == {"one": {**NONE, "recorded": 1}}
            assert told["next"]["id"] == "two"
    assert EpisodeStore(tmp_path).read(session).extra["suite"] == "mine"


def test_a_finished_suite_offers_nothing(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    for task in TASKS:
        record(store, task.id)
    with client(tmp_path, {}, lambda: TASKS) as browser:
        told = browser.get("/api/tasks/progress?suite=mine").json()
    assert (told["recorded"], told["next"]) == (3, None)


def test_a_recording_that_was_rejected_leaves_its_task_to_be_recorded(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    states: list[RecordingReviewState] = ["accept", "reject", "again"]
    for task, state in zip(TASKS, states, strict=True):
        record(store, task.id)
        directory = tmp_path / directory_name(store.ids()[-1])
        write_recording_review(directory, RecordingReview(version=1, state=state))
    with client(tmp_path, {}, lambda: TASKS) as browser:
        told = browser.get("/api/tasks/progress?suite=mine").json()
    assert (told["recorded"], told["next"]["id"]) == (1, "two")
    assert told["counts"]["one"] == {**NONE, "recorded": 1, "accepted": 1}
    assert told["counts"]["three"] == {**NONE, "recorded": 1, "rejected": 1}


def lead(tmp_path: Path, team: Team) -> TestClient:
    config = WebConfig(
        episodes=tmp_path / "episodes", suites={"mine": lambda: TASKS}, devices={}, team=team
    )
    return TestClient(create_app(config), base_url=HOST)


def test_the_lead_sees_recordings_by_suite_task_and_person(tmp_path: Path) -> None:
    team = Team(f"sqlite:///{tmp_path}/team.db")
    for name in ("anna", "bo"):
        team.accounts.add(name, "annotator")
    team.queue.assign("mine", ["one", "two"], copies=2)
    team.queue.assign("mine", ["three"], only="bo")
    for name in ("anna", "bo"):
        team.queue.lease(name, 1)
    team.queue.complete("anna", 1, "e0")
    store = EpisodeStore(tmp_path / "episodes")
    record(store, "one", person="human/anna")
    record(store, "one", person="human/bo", outcome="interrupted")
    record(store, "", person="human/bo", suite="")
    with lead(tmp_path, team) as browser:
        told = browser.get("/api/team/recordings").json()
        assert told["suites"] == [
            {
                "suite": "mine", "tasks": 3, "covered": 1, "done": 1, "wanted": 5,
                "counts": {**NONE, "recorded": 1, "interrupted": 1},
            },
            {
                "suite": "", "tasks": 0, "covered": 0, "done": 0, "wanted": 0,
                "counts": {**NONE, "recorded": 1},
            },
        ]  # fmt: skip
        people = {one["name"]: one for one in told["people"]}
        assert (people["anna"]["done"], people["anna"]["wanted"]) == (1, 1)
        assert (people["bo"]["done"], people["bo"]["wanted"]) == (0, 2)
        assert people["bo"]["counts"] == {**NONE, "recorded": 1, "interrupted": 1}
        address = "/api/team/recordings/tasks?suite=mine"
        rows = browser.get(address).json()["rows"]
        assert [(row["task"], row["done"], row["wanted"]) for row in rows] == [
            ("one", 1, 2), ("two", 0, 2), ("three", 0, 1),
        ]  # fmt: skip
        for show, ids in (
            ("missing", ["two", "three"]),
            ("open", ["one"]),
            ("wanted", ["one", "two", "three"]),
        ):
            found = browser.get(f"{address}&show={show}").json()
            assert [row["task"] for row in found["rows"]] == ids
            assert found["found"] == len(ids)
        assert browser.get(f"{address}&q=do+thr").json()["rows"][0]["task"] == "three"
        assert browser.get("/api/team/recordings/tasks?suite=gone").status_code == 404
    team.close()
