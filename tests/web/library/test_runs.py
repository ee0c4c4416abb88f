from collections import Counter
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tapwright.episode import Episode
from tapwright.evaluate.compare import compare
from tapwright.evaluate.error_analysis import answered_point, target_box
from tapwright.evaluate.report_data import report_data
from tapwright.evaluate.run_log import read_run
from tapwright.web.app import WebConfig, create_app
from tests.web.asking import client
from tests.web.library.world import World, make_world

NAMES = {"tree", "random", "group/far"}


@pytest.fixture
def world(episodes: list[Episode], tmp_path: Path) -> World:
    return make_world(tmp_path, episodes)


@pytest.fixture
def browser(world: World) -> TestClient:
    return client(create_app(WebConfig(episodes=world.store.root, runs=(world.runs,))))


def test_a_run_counts_what_the_report_counts_and_draws_what_the_log_says(
    world: World, browser: TestClient
) -> None:
    for name in NAMES:
        log = read_run(world.runs / name)
        told = browser.get("/api/run", params={"name": name}).json()
        figures = report_data([log], ())["runs"]
        assert isinstance(figures, list)
        figure = figures[0]
        assert isinstance(figure, dict)
        assert told["mistakes"] == figure["mistakes"]
        counted = Counter(row["mistake"] for row in told["rows"] if row["mistake"])
        assert counted == told["mistakes"]
        assert told["summary"]["score"] == figure["score"]["value"]  # type: ignore[call-overload,index]
        for row, shown in zip(log.rows, told["rows"], strict=True):
            box, point = target_box(row), answered_point(row)
            assert box is not None
            assert shown["box"] == [box.left, box.top, box.right, box.bottom]
            assert shown["point"] == (None if point is None else [point.x, point.y])


def test_the_pictures_of_a_run_are_those_that_it_was_made_on(
    world: World, browser: TestClient
) -> None:
    row = browser.get("/api/run", params={"name": "tree"}).json()["rows"][0]
    asked = {"name": "tree", "key": row["key"]}
    whole = browser.get("/api/run/picture", params=asked)
    files = [path.read_bytes() for path in (world.root / "own" / "offline_images").rglob("*.png")]
    assert whole.content in files
    assert browser.get("/api/run/picture", params={**asked, "w": 100}).content[:2] == b"\xff\xd8"
    (world.root / "own").rename(world.root / "moved")
    fresh = client(create_app(WebConfig(episodes=world.store.root, runs=(world.runs,))))
    assert fresh.get("/api/run/picture", params=asked).status_code == 404
    assert fresh.get("/api/run", params={"name": "tree"}).json()["rows"][0]["picture"] is None


def test_two_runs_are_compared_as_the_command_compares_them(
    world: World, browser: TestClient
) -> None:
    told = browser.get("/api/compare", params={"a": "random", "b": "tree"}).json()
    found = compare(read_run(world.runs / "random"), read_run(world.runs / "tree"))
    assert (told["gained"], told["lost"], told["n"]) == (
        len(found.gained), len(found.lost), found.n,
    )  # fmt: skip
    assert told["difference"] == found.difference
    assert told["ties"] == found.n - len(found.gained) - len(found.lost)
    assert {flip["key"] for flip in told["flips"]} == {
        flip.key for flip in (*found.gained, *found.lost)
    }


def test_a_broken_run_is_told_and_hides_no_other(world: World, browser: TestClient) -> None:
    (world.runs / "broken").mkdir()
    (world.runs / "broken" / "run.jsonl").write_text("{}\n")
    told = browser.get("/api/runs").json()
    assert {run["name"] for run in told["runs"]} == NAMES
    assert len(told["unreadable"]) == 1
    assert browser.get("/api/run", params={"name": "broken"}).status_code == 422


def test_the_whole_log_of_a_sample_can_be_asked_for(browser: TestClient) -> None:
    told = browser.get("/api/run/sample", params={"name": "group/far", "key": "0"})
    assert told.json()["log"]["answer"] == "(999, 999)"
    missing = browser.get("/api/run/sample", params={"name": "tree", "key": "none"})
    assert missing.status_code == 404
