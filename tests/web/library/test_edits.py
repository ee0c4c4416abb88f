import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from tapwright.cli.main import cli
from tapwright.core.episode import Episode
from tapwright.store.store import EpisodeStore
from tapwright.web.app import WebConfig, create_app
from tests.web.asking import OURS, client
from tests.web.library.world import STRANGE, World, make_world

EDITS = [
    "delete:2:5",
    'relabel:1:reasoning:"why: \\"so\\", 因为"',
    'relabel:0:action:{"type":"swipe","start":{"x":0.1,"y":0.9},"end":{"x":0.1,"y":0.2}}',
    'insert:1:{"type":"wait","duration_s":2}',
    "rewardize:0:-1.5",
    'instructionize:0:["one","two: three"]',
    "crop:1:2",
    "outcome:infeasible",
    'instruction:"do, that"',
    'split:1:"second/half"',
    "remove",
]


@pytest.fixture
def world(episodes: list[Episode], tmp_path: Path) -> World:
    return make_world(tmp_path, episodes, runs=False)


@pytest.fixture
def browser(world: World) -> TestClient:
    return client(create_app(WebConfig(episodes=world.store.root)), headers=OURS)


def on_disk(store: EpisodeStore) -> list[Episode]:
    return [store.read(id_) for id_ in store.ids()]


@pytest.mark.parametrize("modifiers", EDITS)
@pytest.mark.slow_but_one
def test_an_edit_leaves_on_disk_what_its_command_leaves(
    modifiers: str, world: World, browser: TestClient, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(world.store.root, copy)
    asked = {"id": "long", "version": 1, "modifiers": modifiers}
    command = browser.post("/api/edit/preview", json=asked).json()["command"]
    assert on_disk(world.store) == on_disk(EpisodeStore(copy))  # looking changes nothing
    done = browser.post("/api/edit", json=asked)
    assert done.status_code == 200, done.text
    assert done.json()["command"] == command
    words = [str(copy) if word == str(world.store.root) else word for word in shlex.split(command)]
    ran = CliRunner().invoke(cli, words[1:])
    assert ran.exit_code == 0, ran.output
    assert on_disk(EpisodeStore(copy)) == on_disk(world.store)


def test_an_edit_of_a_version_that_is_not_shown_is_refused(
    world: World, browser: TestClient
) -> None:
    asked = {"id": STRANGE, "version": 1, "modifiers": "delete:0:1"}
    assert browser.post("/api/edit", json=asked).status_code == 200
    second = browser.post("/api/edit", json=asked)
    assert second.status_code == 409
    assert second.json()["hint"]
    assert browser.post("/api/edit/preview", json=asked).status_code == 409
    assert len(world.store.read(STRANGE).steps) == 1


def test_undo_and_redo_go_through_the_versions_and_lose_nothing(
    world: World, browser: TestClient
) -> None:
    before = world.store.read("long")
    browser.post("/api/edit", json={"id": "long", "version": 1, "modifiers": "crop:0:2"})
    cut = world.store.read("long")
    assert browser.post("/api/undo", json={"id": "long", "version": 2}).json()["version"] == 1
    assert world.store.read("long") == before
    assert browser.post("/api/undo", json={"id": "long", "version": 1}).status_code == 409
    assert browser.post("/api/redo", json={"id": "long", "version": 1}).json()["version"] == 2
    assert world.store.read("long") == cut
    old = browser.get("/api/episode", params={"id": "long", "version": 1}).json()
    assert (len(old["steps"]), old["version"], old["current"]) == (6, 1, 2)


@pytest.mark.parametrize(
    "modifiers", ["", "nonsense", "delete:9:10", "relabel:0:action:{}", "0:merge", "delete:0"]
)
def test_what_is_no_edit_is_told_and_changes_nothing(
    modifiers: str, world: World, browser: TestClient
) -> None:
    for path in ("edit", "edit/preview"):
        told = browser.post(
            f"/api/{path}", json={"id": "long", "version": 1, "modifiers": modifiers}
        )
        assert told.status_code == 422
        assert told.json()["message"]
    assert world.store.read("long").version == 1
