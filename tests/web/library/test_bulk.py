"""Files of a list of episodes, and changes of many at once."""

import csv
import io
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tapwright.core.episode import Episode
from tapwright.store.ids import directory_name
from tapwright.store.recording_reviews import current_recording_review, read_recording_reviews
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import read_tags
from tapwright.store.trash import list_trash
from tapwright.store.versions import lock_episode
from tapwright.web.app import WebConfig, create_app
from tests.web.asking import OURS, client
from tests.web.library.test_episodes import Anna
from tests.web.library.world import NASTY, STRANGE, World, make_world


@pytest.fixture
def world(episodes: list[Episode], tmp_path: Path) -> World:
    return make_world(tmp_path, episodes, runs=False)


@pytest.fixture
def browser(world: World) -> Iterator[TestClient]:
    with client(create_app(WebConfig(episodes=world.store.root)), headers=OURS) as found:
        yield found


def select(browser: TestClient, **query: str) -> dict[str, Any]:
    found: dict[str, Any] = browser.get("/api/episodes/selection", params=query).json()
    return found


def change(browser: TestClient, path: str, **body: object) -> dict[str, Any]:
    """Begin a change, and wait until it has ended."""
    response = browser.post(f"/api/{path}", json=body)
    assert response.status_code == 200, response.text
    return wait(browser, response.json()["id"])


def wait(browser: TestClient, job: str) -> dict[str, Any]:
    """A job once it has ended; each answer takes a moment while it goes on."""
    until = time.monotonic() + 60
    while True:
        found: dict[str, Any] = browser.get("/api/jobs", params={"id": job}).json()
        if found["state"] not in ("waiting", "running"):
            return found
        assert time.monotonic() < until


def tags(world: World, id_: str) -> tuple[str, ...]:
    return read_tags(world.store.root / directory_name(id_))


def review(world: World, id_: str) -> str:
    directory = world.store.root / directory_name(id_)
    found = current_recording_review(
        read_recording_reviews(directory), world.store.history(id_).current
    )
    return "open" if found is None else found.state


def test_all_that_a_filter_selects_are_tagged_and_undone(world: World, browser: TestClient) -> None:
    change(browser, "episodes/tag", ids=["b"], add=["good", "old"])
    chosen = select(browser, app="notes")
    assert chosen["count"] == 4
    wanted = {"filter": {"app": "notes"}, "stamp": chosen["stamp"]}
    done = change(browser, "episodes/tag", **wanted, add=["good"], remove=["old"])
    assert (done["state"], done["total"], done["done"], done["changed"]) == ("ended", 4, 4, 4)
    assert tags(world, "b") == tags(world, STRANGE) == ("good",)
    assert change(browser, "changes/undo", change=done["change"])["changed"] == 4
    assert tags(world, "b") == ("good", "old")
    assert tags(world, STRANGE) == ()
    assert change(browser, "changes/undo", change=done["change"])["changed"] == 0


def test_a_removal_is_undone_whole(world: World, browser: TestClient) -> None:
    before = {id_: world.store.read(id_) for id_ in world.store.ids()}
    done = change(browser, "episodes/remove", stamp=select(browser)["stamp"])
    assert (done["changed"], done["left"]) == (7, {})
    assert browser.get("/api/episodes").json()["total"] == 0
    assert {one.removal for one in list_trash(world.store.root)} == {done["change"]}
    assert change(browser, "changes/undo", change=done["change"])["changed"] == 7
    assert {id_: world.store.read(id_) for id_ in world.store.ids()} == before
    assert browser.get("/api/episodes").json()["total"] == 7


def test_an_edit_of_many_leaves_what_it_does_not_fit_and_is_undone_after_a_restart(
    world: World, browser: TestClient
) -> None:
    done = change(
        browser,
        "episodes/edit",
        ids=["long", "b", "e"],
        modifiers='*:delete:[4],*:instruction:"Do it"',
    )
    assert (done["changed"], done["left"]) == (1, {"TW820": 2})
    assert world.store.read("long").instruction == "Do it"
    assert len(world.store.read("long").steps) == 5
    with client(create_app(WebConfig(episodes=world.store.root)), headers=OURS) as other:
        (listed,) = other.get("/api/changes").json()["changes"]
        assert (listed["kind"], listed["total"], listed["changed"]) == ("edit", 3, 1)
        assert (listed["who"], listed["undone_by"]) == ("local", "")
        assert change(other, "changes/undo", change=listed["id"])["changed"] == 1
        (listed,) = other.get("/api/changes").json()["changes"]
        assert listed["undone_by"] == "local"
    assert world.store.read("long").instruction == "Look around"
    assert len(world.store.read("long").steps) == 6


def test_what_was_changed_since_is_not_undone(world: World, browser: TestClient) -> None:
    first = change(browser, "episodes/edit", ids=["b", "long"], modifiers="outcome:failure")
    change(browser, "episodes/edit", ids=["b"], modifiers="outcome:infeasible")
    undone = change(browser, "changes/undo", change=first["change"])
    assert (undone["changed"], undone["left"]) == (1, {"TW821": 1})
    assert world.store.read("b").outcome == "infeasible"
    assert world.store.read("long").outcome != "failure"


def test_an_edit_that_is_not_for_many_changes_nothing(world: World, browser: TestClient) -> None:
    for modifiers in ("remove", "*:merge", "1:outcome:failure", "nonsense:1", "outcome:failure:2:"):
        body = {"ids": ["b", "long"], "modifiers": modifiers}
        answer = browser.post("/api/episodes/edit", json=body)
        if answer.status_code == 200:
            assert change(browser, "episodes/edit", **body)["changed"] == 0
        else:
            assert (answer.status_code, answer.json()["code"]) == (422, "TW820")
    assert world.store.history("b").current == 1


def test_recordings_are_reviewed_together_put_back_and_undone(
    world: World, browser: TestClient
) -> None:
    change(browser, "episodes/review", ids=["b"], state="reject", text="Too slow.")
    accepted = change(browser, "episodes/review", ids=["b", "e", "long"], state="accept")
    assert [review(world, id_) for id_ in ("b", "e", "long")] == ["accept"] * 3
    reopened = change(browser, "episodes/review", ids=["b", "e"], state="open")
    assert reopened["changed"] == 2
    assert [review(world, id_) for id_ in ("b", "e", "long")] == ["open", "open", "accept"]
    assert change(browser, "changes/undo", change=reopened["change"])["changed"] == 2
    assert [review(world, id_) for id_ in ("b", "e", "long")] == ["accept"] * 3
    # It is not undone what stands under something later.
    undone = change(browser, "changes/undo", change=accepted["change"])
    assert (undone["changed"], undone["left"]) == (1, {"TW821": 2})
    refused = browser.post("/api/episodes/review", json={"ids": ["b"], "state": "again"})
    assert refused.status_code == 422


def test_the_recordings_of_a_filter_are_rejected_and_undone(
    world: World, browser: TestClient
) -> None:
    asked = {"agent": "human/anna"}
    counted = browser.get("/api/review/recordings/bulk", params=asked).json()
    assert counted["count"] == 1
    body = {**asked, "stamp": counted["stamp"], "state": "reject", "text": "Wrong app."}
    done = change(browser, "review/recordings/bulk", **body)
    assert review(world, STRANGE) == "reject"
    refused = browser.post("/api/review/recordings/bulk", json=body)
    assert (refused.status_code, refused.json()["code"]) == (409, "TW164")
    change(browser, "changes/undo", change=done["change"])
    assert review(world, STRANGE) == "open"


def test_a_selection_that_has_changed_is_refused(world: World, browser: TestClient) -> None:
    chosen = select(browser, app="notes")
    change(browser, "episodes/remove", ids=["b"])
    for body in ({"filter": {"app": "notes"}, "stamp": chosen["stamp"]}, {"ids": ["b", "long"]}):
        for path in ("tag", "remove"):
            more = {"add": ["x"]} if path == "tag" else {}
            refused = browser.post(f"/api/episodes/{path}", json={**body, **more})
            assert (refused.status_code, refused.json()["code"]) == (409, "TW164")
    assert "long" in world.store.ids()
    assert tags(world, "long") == ()


@pytest.mark.slow
def test_an_episode_that_is_being_written_is_left(world: World, browser: TestClient) -> None:
    with lock_episode(world.store.root / "b", 1.0):
        done = change(browser, "episodes/remove", ids=["b", "long"])
    assert (done["changed"], done["left"]) == (1, {"TW821": 1})
    assert "b" in world.store.ids()
    assert "long" not in world.store.ids()


@pytest.mark.slow
def test_a_job_that_waits_is_stopped_and_changes_nothing(world: World, browser: TestClient) -> None:
    with lock_episode(world.store.root / "b", 1.0):
        # The first one waits a second for the lock.
        first = browser.post("/api/episodes/remove", json={"ids": ["b"]}).json()
        body = {"ids": ["long"], "add": ["x"]}
        second = browser.post("/api/episodes/tag", json=body).json()
        browser.post("/api/jobs/stop", json={"id": second["id"]})
    wait(browser, first["id"])
    ended = wait(browser, second["id"])
    assert ended["state"] in ("stopped", "ended")
    assert (ended["state"] == "ended") == bool(tags(world, "long"))


@pytest.mark.parametrize(
    ("to", "convention", "has"),
    [
        ("tapwright", "", "episodes/long/steps.jsonl"),
        ("llamafactory", "json", "sft/train.json"),
        ("mobile-env", "", "episodes"),
    ],
)
@pytest.mark.slow_but_one
def test_chosen_episodes_are_exported_as_one_file(
    world: World, browser: TestClient, tmp_path: Path, to: str, convention: str, has: str
) -> None:
    choices = browser.get("/api/episodes/export/choices").json()
    assert to in [one["name"] for one in choices["formats"]]
    body = {"ids": ["long", "b"], "to": to, "convention": convention}
    done = change(browser, "episodes/export", **body)
    assert (done["state"], done["file"]) == ("ended", f"episodes-{to}.zip"), done
    answer = browser.get("/api/jobs/file", params={"id": done["id"]})
    assert "attachment" in answer.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as file:
        assert any(name.startswith(has) for name in file.namelist()), file.namelist()
        if to == "tapwright":
            file.extractall(tmp_path / "out")
            copied = EpisodeStore(tmp_path / "out/episodes")
            assert sorted(copied.ids()) == ["b", "long"]
            assert copied.read("long") == world.store.read("long")


@pytest.mark.slow
def test_an_unknown_format_or_convention_is_refused(browser: TestClient) -> None:
    for body in ({"to": "word"}, {"to": "llamafactory", "convention": "klingon"}):
        answer = browser.post("/api/episodes/export", json={"ids": ["b"], **body})
        assert answer.status_code == 404


def test_what_is_no_tag_or_change_changes_nothing(world: World, browser: TestClient) -> None:
    for path, body, status in (
        ("episodes/tag", {"ids": ["b"], "add": ["two words"]}, 422),
        ("changes/undo", {"change": ""}, 422),
        ("changes/undo", {"change": "../../../b"}, 404),
    ):
        assert browser.post(f"/api/{path}", json=body).status_code == status, path
    assert tags(world, "b") == ()
    assert browser.get("/api/changes").json() == {"changes": [], "jobs": []}


def test_an_annotator_downloads_their_own_and_changes_nothing(world: World) -> None:
    app = create_app(WebConfig(episodes=world.store.root, authenticator=Anna()))
    browser = client(app, headers=OURS)
    listed = browser.get("/api/episodes/export", params={"format": "json"}).json()
    assert [one["id"] for one in listed] == [STRANGE]
    for path in ("episodes/selection", "changes", "jobs?id=12345678", "episodes/export/choices"):
        assert browser.get(f"/api/{path}").status_code == 403
    for path in ("tag", "edit", "remove", "review", "export"):
        assert browser.post(f"/api/episodes/{path}", json={"ids": [STRANGE]}).status_code == 403
    assert browser.post("/api/changes/undo", json={"change": "12345678"}).status_code == 403


def test_a_file_has_the_episodes_of_the_filter_in_their_order(
    world: World, browser: TestClient
) -> None:
    asked = {"app": "notes", "sort": "-steps"}
    answer = browser.get("/api/episodes/export", params=asked)
    assert "attachment" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert [row["id"] for row in rows] == ["long", "b", STRANGE, "e"]
    assert rows[2]["instruction"] == NASTY
    assert {row["evidence"] for row in rows} <= {"", "claimed", "proved"}
    assert rows[2]["apps"] == "org.example.settings org.example.notes"
    named = {"format": "json", "ids": '["e", "b", "nobody"]', "sort": "id"}
    listed = browser.get("/api/episodes/export", params=named).json()
    assert [one["id"] for one in listed] == ["b", "e"]
