"""The review of whole recordings through the API."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tapwright.core.episode import Episode
from tapwright.store.recording_reviews import read_recording_reviews
from tapwright.web.app import WebConfig, create_app
from tapwright.web.team.team import Team
from tests.web.asking import OURS, client
from tests.web.library.test_episodes import Anna
from tests.web.library.world import STRANGE, World, make_world


@pytest.fixture
def world(episodes: list[Episode], tmp_path: Path) -> World:
    return make_world(tmp_path, episodes, runs=False)


@pytest.fixture
def browser(world: World) -> TestClient:
    return client(create_app(WebConfig(episodes=world.store.root)), headers=OURS)


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    team = Team(f"sqlite:///{tmp_path}/team.db")
    yield team
    team.close()


def review(browser: TestClient, id_: str, state: str, **more: object) -> Any:
    item = browser.get("/api/review/recording", params={"id": id_}).json()
    body = {"id": id_, "version": item["version"], "lines": len(item["log"]), "state": state}
    return browser.post("/api/review/recording", json={**body, **more})


def listed(browser: TestClient, **wanted: str | int) -> Any:
    return browser.get("/api/review/recordings", params=wanted).json()


def following(browser: TestClient, **wanted: str) -> str | None:
    found: str | None = browser.get("/api/review/recordings/next", params=wanted).json()["id"]
    return found


def test_recordings_wait_until_they_are_accepted_rejected_or_asked_for_again(
    browser: TestClient,
) -> None:
    ids = [one["recording"]["id"] for one in listed(browser)["recordings"]]
    assert len(ids) == 7
    at = following(browser)
    seen = []
    for state, text in (("accept", ""), ("reject", "Wrong task"), ("again", "Too fast")):
        assert at is not None
        seen.append(at)
        told = review(browser, at, state, text=text).json()
        assert (told["review"]["state"], told["review"]["text"]) == (state, text)
        assert told["review"]["who"] == "local"
        at = following(browser, after=at)
    assert seen == ids[:3]
    told = listed(browser, show="any")
    assert told["states"] == {"open": 4, "accept": 1, "reject": 1, "again": 1}
    assert [one["state"] for one in told["recordings"][:3]] == ["accept", "reject", "again"]
    assert listed(browser, show="again")["found"] == 1


def test_the_queue_wraps_around_and_ends_where_nothing_is_left(browser: TestClient) -> None:
    ids = [one["recording"]["id"] for one in listed(browser)["recordings"]]
    assert following(browser, after=ids[-1]) == ids[0]
    assert following(browser, after="gone") == ids[0]
    assert following(browser, agent="human/anna") == "a/b 中文 #1?x=%2F"
    assert following(browser, agent="human/anna", after="a/b 中文 #1?x=%2F") is None
    assert following(browser, app="org.example.clock") == "d"
    assert listed(browser, show="accept")["found"] == 0
    assert listed(browser, waiting_h=1)["facets"]["agent"].keys() <= {"script", "human/anna"}


def test_a_review_is_of_what_the_reviewer_saw(world: World, browser: TestClient) -> None:
    assert review(browser, "long", "accept", lines=1).status_code == 409
    assert review(browser, "long", "accept", version=2).status_code == 409
    assert review(browser, "long", "accept").status_code == 200
    edit = {"id": "long", "version": 1, "modifiers": "delete:5:6"}
    assert browser.post("/api/edit", json=edit).status_code == 200
    item = browser.get("/api/review/recording", params={"id": "long"}).json()
    assert (item["review"], item["version"], len(item["log"])) == (None, 2, 1)
    assert browser.post("/api/undo", json={"id": "long", "version": 2}).status_code == 200
    item = browser.get("/api/review/recording", params={"id": "long"}).json()
    assert item["review"]["state"] == "accept"


@pytest.mark.parametrize(("state", "text"), [("again", " "), ("comment", ""), ("withdraw", "")])
def test_a_review_that_says_nothing_is_refused(
    state: str, text: str, world: World, browser: TestClient
) -> None:
    assert review(browser, "long", state, text=text).status_code == 422
    assert read_recording_reviews(world.store.root / "long") == []


def test_comments_decide_nothing_and_a_withdrawal_opens_it_again(browser: TestClient) -> None:
    review(browser, "long", "reject", text="Stops early")
    told = review(browser, "long", "comment", text="Anna will look at it").json()
    assert told["review"]["state"] == "reject"
    told = review(browser, "long", "withdraw").json()
    assert told["review"] is None
    assert [line["state"] for line in told["log"]] == ["reject", "comment", "withdraw"]


def test_what_is_asked_for_again_returns_to_the_queue_and_can_be_taken_back(
    world: World, team: Team
) -> None:
    root = team.accounts.add("root", "admin")
    team.accounts.add("bo", "annotator")
    (item,) = team.queue.assign("mine", ["t"])
    team.queue.lease("bo")
    team.queue.complete("bo", item, "long")
    config = WebConfig(episodes=world.store.root, authenticator=team.accounts, team=team)
    with client(create_app(config), headers=OURS) as browser:
        assert browser.post("/api/login", json={"token": root}).status_code == 200
        assert browser.get("/api/review/recording", params={"id": "long"}).json()["queued"]
        assert not browser.get("/api/review/recording", params={"id": "a"}).json()["queued"]
        told = review(browser, "long", "again", text="The list is cut off").json()
        assert (told["review"]["item"], told["review"]["member"]) == (item, "bo")
        (progress,) = team.queue.items()
        assert (progress.done, progress.waiting) == ((), 1)
        review(browser, "long", "withdraw")
        (progress,) = team.queue.items()
        assert progress.done == (("bo", "long"),)
        # Recorded anew meanwhile: the newer one counts, and the withdrawal stands.
        review(browser, "long", "again", text="Once more")
        team.queue.lease("bo")
        team.queue.complete("bo", item, "b")
        assert review(browser, "long", "withdraw").json()["review"] is None
        (progress,) = team.queue.items()
        assert progress.done == (("bo", "b"),)


def test_only_reviewers_review_recordings(world: World, team: Team) -> None:
    token = team.accounts.add("bo", "annotator")
    config = WebConfig(episodes=world.store.root, authenticator=team.accounts, team=team)
    with client(create_app(config), headers=OURS) as browser:
        browser.post("/api/login", json={"token": token})
        for path in ("recordings", "recordings/next", "recording?id=long"):
            assert browser.get(f"/api/review/{path}").status_code == 403
        body = {"id": "long", "version": 1, "lines": 0, "state": "accept"}
        assert browser.post("/api/review/recording", json=body).status_code == 403
    assert read_recording_reviews(world.store.root / "long") == []


@pytest.mark.slow
def test_who_recorded_reads_what_reviewers_said_and_finds_what_is_asked_for_again(
    world: World, browser: TestClient
) -> None:
    review(browser, STRANGE, "comment", text="Nearly there.")
    review(browser, STRANGE, "again", text="Too fast.")
    review(browser, "long", "comment", text="Not for Anna.")
    anna = client(
        create_app(WebConfig(episodes=world.store.root, authenticator=Anna())), headers=OURS
    )
    episode = anna.get("/api/episode", params={"id": STRANGE}).json()
    assert episode["review"] == "again"
    said = [(line["who"], line["state"], line["text"]) for line in episode["reviews"]]
    assert said == [("local", "comment", "Nearly there."), ("local", "again", "Too fast.")]
    assert anna.get("/api/episode", params={"id": "long"}).status_code == 403
    listed = anna.get("/api/episodes", params={"review": "again"}).json()
    assert [(one["id"], one["review"]) for one in listed["episodes"]] == [(STRANGE, "again")]
    assert anna.get("/api/episodes/facets").json()["review"] == {"again": 1}
    assert anna.get("/api/review/recording", params={"id": STRANGE}).status_code == 403
