"""Files of a list of episodes, and changes of many at once."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tapwright.episode import Episode
from tapwright.store.ids import directory_name
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
def browser(world: World) -> TestClient:
    return client(create_app(WebConfig(episodes=world.store.root)), headers=OURS)


def select(browser: TestClient, **query: str) -> dict[str, Any]:
    found: dict[str, Any] = browser.get("/api/episodes/selection", params=query).json()
    return found


def post(browser: TestClient, path: str, **body: object) -> dict[str, Any]:
    response = browser.post(f"/api/episodes/{path}", json=body)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def tags(world: World, id_: str) -> tuple[str, ...]:
    return read_tags(world.store.root / directory_name(id_))


def test_all_that_a_filter_selects_are_tagged_and_undone(world: World, browser: TestClient) -> None:
    post(browser, "tag", ids=["b"], add=["good", "old"])
    chosen = select(browser, app="notes")
    assert chosen["count"] == 4
    wanted = {"filter": {"app": "notes"}, "stamp": chosen["stamp"]}
    done = post(browser, "tag", **wanted, add=["good"], remove=["old"])
    assert set(done["episodes"]) == {"b", "e", "long", STRANGE}
    assert tags(world, "b") == tags(world, STRANGE) == ("good",)
    post(browser, "tag/undo", change=done["change"], ids=done["episodes"])
    assert tags(world, "b") == ("good", "old")
    assert tags(world, STRANGE) == ()
    again = post(browser, "tag/undo", change=done["change"], ids=done["episodes"])
    assert again["episodes"] == []


def test_a_removal_is_undone_whole(world: World, browser: TestClient) -> None:
    before = {id_: world.store.read(id_) for id_ in world.store.ids()}
    chosen = select(browser)
    done = post(browser, "remove", stamp=chosen["stamp"])
    assert (len(done["episodes"]), done["left"]) == (7, [])
    assert browser.get("/api/episodes").json()["total"] == 0
    assert {one.removal for one in list_trash(world.store.root)} == {done["change"]}
    back = post(browser, "restore", change=done["change"])
    assert set(back["episodes"]) == set(before)
    assert {id_: world.store.read(id_) for id_ in world.store.ids()} == before
    assert browser.get("/api/episodes").json()["total"] == 7


def test_a_selection_that_has_changed_is_refused(world: World, browser: TestClient) -> None:
    chosen = select(browser, app="notes")
    post(browser, "remove", ids=["b"])
    for body in ({"filter": {"app": "notes"}, "stamp": chosen["stamp"]}, {"ids": ["b", "long"]}):
        for path in ("tag", "remove"):
            more = {"add": ["x"]} if path == "tag" else {}
            refused = browser.post(f"/api/episodes/{path}", json={**body, **more})
            assert (refused.status_code, refused.json()["code"]) == (409, "TW164")
    assert "long" in world.store.ids()
    assert tags(world, "long") == ()


def test_an_episode_that_is_being_written_is_left(world: World, browser: TestClient) -> None:
    with lock_episode(world.store.root / "b", 1.0):
        done = post(browser, "remove", ids=["b", "long"])
    assert done["episodes"] == ["long"]
    assert done["left"] == [{"id": "b", "code": "TW821"}]
    assert "b" in world.store.ids()


def test_what_is_no_tag_or_change_changes_nothing(world: World, browser: TestClient) -> None:
    for path, body in (
        ("tag", {"ids": ["b"], "add": ["two words"]}),
        ("tag/undo", {"ids": ["b"], "change": ""}),
        ("restore", {"change": ""}),
    ):
        assert browser.post(f"/api/episodes/{path}", json=body).status_code == 422, path
    assert tags(world, "b") == ()


def test_an_annotator_downloads_their_own_and_changes_nothing(world: World) -> None:
    app = create_app(WebConfig(episodes=world.store.root, authenticator=Anna()))
    browser = client(app, headers=OURS)
    listed = browser.get("/api/episodes/export", params={"format": "json"}).json()
    assert [one["id"] for one in listed] == [STRANGE]
    assert browser.get("/api/episodes/selection").status_code == 403
    for path in ("tag", "tag/undo", "remove", "restore"):
        assert browser.post(f"/api/episodes/{path}", json={"ids": [STRANGE]}).status_code == 403


def test_a_file_has_the_episodes_of_the_filter_in_their_order(
    world: World, browser: TestClient
) -> None:
    asked = {"app": "notes", "sort": "-steps"}
    answer = browser.get("/api/episodes/export", params=asked)
    assert "attachment" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert [row["id"] for row in rows] == ["long", "b", STRANGE, "e"]
    assert rows[2]["instruction"] == NASTY
    assert rows[2]["apps"] == "org.example.settings org.example.notes"
    named = {"format": "json", "ids": '["e", "b", "nobody"]', "sort": "id"}
    listed = browser.get("/api/episodes/export", params=named).json()
    assert [one["id"] for one in listed] == ["b", "e"]
