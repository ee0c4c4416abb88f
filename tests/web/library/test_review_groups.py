"""Reviews of many steps at once, decisions between annotators, and comments, through the API."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tapwright.annotate.review import apply_reviews, read_review_log, read_reviews
from tapwright.core.episode import Episode
from tapwright.store.annotations import apply_annotations, list_annotators, read_annotations
from tapwright.web.app import WebConfig, create_app
from tests.web.asking import OURS, client
from tests.web.library.world import World, annotate, make_world


@pytest.fixture
def world(episodes: list[Episode], tmp_path: Path) -> World:
    world = make_world(tmp_path, episodes, runs=False)
    annotate(world.store, broken=lambda number: number == 2)
    return world


@pytest.fixture
def browser(world: World) -> TestClient:
    return client(create_app(WebConfig(episodes=world.store.root)), headers=OURS)


def read(browser: TestClient, step: int, annotator: str = "vlm") -> dict[str, Any]:
    asked: dict[str, str | int] = {"annotator": annotator, "episode": "long", "step": step}
    found: dict[str, Any] = browser.get("/api/review/item", params=asked).json()["item"]
    return found


def judge(browser: TestClient, step: int, state: str, **more: object) -> None:
    item = read(browser, step)
    body = {"annotator": "vlm", "episode": "long", "step": step, "frame": item["before"]["sha"]}
    lines = len(item["log"])
    answer = browser.post("/api/review", json={**body, "lines": lines, "state": state, **more})
    assert answer.status_code == 200, answer.text


def select(browser: TestClient, **wanted: str) -> dict[str, Any]:
    counted = browser.get("/api/review/bulk", params={"annotator": "vlm", **wanted}).json()
    return {
        "annotator": "vlm",
        **wanted,
        "count": counted["count"],
        "selection": counted["selection"],
    }


def states(world: World, annotator: str = "vlm") -> dict[int, str]:
    held = read_reviews(world.store.root / "long", annotator)
    return {step: held[step].state for step in sorted(held)}


def test_what_a_filter_shows_is_accepted_at_once_but_for_what_is_invalid(
    world: World, browser: TestClient
) -> None:
    judge(browser, 4, "edit", reasoning="Mine.")
    counted = browser.get("/api/review/bulk", params={"annotator": "vlm"}).json()
    assert (counted["count"], counted["invalid"]) == (4, 1)
    told = browser.post("/api/review/bulk", json=select(browser)).json()
    assert told["count"] == 4
    assert told["progress"]["open"] == 1
    assert states(world) == {0: "accept", 1: "accept", 3: "accept", 4: "edit", 5: "accept"}
    assert select(browser)["count"] == 0
    assert select(browser, show="any")["count"] == 0


def test_a_selection_that_changed_since_it_was_counted_is_refused(
    world: World, browser: TestClient
) -> None:
    counted = select(browser)
    judge(browser, 0, "reject", code="HINDSIGHT")
    answer = browser.post("/api/review/bulk", json=counted)
    assert answer.status_code == 409
    told = answer.json()
    assert (told["code"], told["values"]) == ("TW164", {"before": 5, "now": 4})
    assert states(world) == {0: "reject"}
    # As many as before, yet not the same: a step was rejected and another one taken back.
    counted = select(browser)
    judge(browser, 0, "withdraw")
    judge(browser, 1, "reject", code="HINDSIGHT")
    assert browser.post("/api/review/bulk", json=counted).status_code == 409


def test_the_rejected_ones_of_a_code_are_accepted_where_they_are_shown(
    world: World, browser: TestClient
) -> None:
    judge(browser, 0, "reject", code="HINDSIGHT")
    judge(browser, 1, "reject", code="BAD_WORDING")
    body = select(browser, show="reject", code="HINDSIGHT")
    assert browser.post("/api/review/bulk", json=body).json()["count"] == 1
    assert states(world) == {0: "accept", 1: "reject"}


def test_all_of_them_are_taken_back_at_once_but_for_what_was_reviewed_since(
    world: World, browser: TestClient
) -> None:
    judge(browser, 0, "reject", code="HINDSIGHT")
    judge(browser, 0, "withdraw")
    group = browser.post("/api/review/bulk", json=select(browser)).json()["group"]
    judge(browser, 3, "edit", reasoning="Better.")
    told = browser.post("/api/review/undo", json={"annotator": "vlm", "group": group}).json()
    assert (told["count"], told["kept"]) == (4, 1)
    assert states(world) == {3: "edit"}
    again = browser.post("/api/review/undo", json={"annotator": "vlm", "group": group}).json()
    assert again["count"] == 0
    assert {line.who for line in read_review_log(world.store.root / "long", "vlm")} == {"local"}


def decide(browser: TestClient, step: int, chosen: str, **more: object) -> Any:
    item = read(browser, step)
    lines = {"vlm": len(item["log"])} | {one["annotator"]: one["lines"] for one in item["others"]}
    body = {"annotator": "vlm", "episode": "long", "step": step, "frame": item["before"]["sha"]}
    return browser.post(
        "/api/review/decide", json={**body, "lines": lines, "chosen": chosen, **more}
    )


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [("vlm", "I tap thing 0 of the list."), ("anna", "Because."), ("", "A third wording.")],
)
def test_after_a_decision_both_annotators_have_the_same_words(
    chosen: str, expected: str, world: World, browser: TestClient
) -> None:
    annotate(world.store, as_="anna", words=lambda _: "Because.")
    answer = decide(browser, 0, chosen, reasoning="A third wording.", target="it")
    assert answer.status_code == 200, answer.text
    directory = world.store.root / "long"
    for name in ("vlm", "anna"):
        said = apply_annotations(world.store.read("long"), read_annotations(directory, name))
        taught, _ = apply_reviews(said, read_reviews(directory, name))
        assert taught.steps[0].decision.reasoning == expected
        (line,) = read_review_log(directory, name)
        assert (line.chosen, line.who) == (chosen, "local")
        assert line.state == ("accept" if name == chosen else "edit")
    facets = browser.get("/api/review/facets", params={"annotator": "vlm", "show": "any"}).json()
    assert facets["differs"] == 4  # neither this one nor the invalid one
    undone = browser.post(
        "/api/review/undo", json={"annotator": "vlm", "group": answer.json()["group"]}
    ).json()
    assert undone["count"] == 2
    assert states(world) == states(world, "anna") == {}


def test_a_decision_has_words_and_is_made_on_what_is_there(
    world: World, browser: TestClient
) -> None:
    assert decide(browser, 0, "vlm").status_code == 422  # nobody to differ from
    annotate(world.store, as_="anna", words=lambda _: "Because.")
    assert decide(browser, 2, "vlm").status_code == 422  # it is invalid
    assert decide(browser, 0, "nobody").status_code == 422
    assert decide(browser, 0, "", reasoning=" ").status_code == 422
    assert decide(browser, 0, "anna", lines={"vlm": 0, "anna": 1}).status_code == 409
    assert decide(browser, 0, "anna", lines={"vlm": 0}).status_code == 409
    assert states(world) == states(world, "anna") == {}
    assert decide(browser, 2, "anna").status_code == 200


def test_a_comment_is_kept_beside_the_annotation_and_decides_nothing(
    world: World, browser: TestClient
) -> None:
    item = read(browser, 1)
    body = {"annotator": "vlm", "episode": "long", "step": 1, "frame": item["before"]["sha"]}
    for text in ("Which list? ", "列表不清楚"):
        answer = browser.post("/api/review/comment", json={**body, "text": text})
        assert answer.status_code == 200, answer.text
    found = read(browser, 1)["comments"]
    assert [(one["text"], one["who"]) for one in found] == [
        ("Which list?", "local"), ("列表不清楚", "local")
    ]  # fmt: skip
    assert all(one["time"] for one in found)
    assert read(browser, 0)["comments"] == []
    assert browser.post("/api/review/comment", json={**body, "text": " "}).status_code == 422
    moved = {**body, "text": "x", "frame": "0" * 64}
    assert browser.post("/api/review/comment", json=moved).status_code == 422
    assert list_annotators(world.store.root / "long") == ["vlm"]
    assert states(world) == {}
