import random
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tapwright.annotate.annotator import Reasoning
from tapwright.annotate.review import apply_reviews, read_review_log, read_reviews
from tapwright.annotate.run import apply_annotations, read_annotations, write_annotations
from tapwright.episode import Episode
from tapwright.store.ids import directory_name
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


def following(browser: TestClient, **query: str | int) -> dict[str, object] | None:
    told = browser.get("/api/review/next", params={"annotator": "vlm", **query}).json()
    found: dict[str, object] | None = told["item"]
    return found


def judge(browser: TestClient, step: int, state: str, **more: object) -> tuple[int, object]:
    asked: dict[str, str | int] = {"annotator": "vlm", "episode": "long", "step": step}
    item = browser.get("/api/review/item", params=asked).json()["item"]
    told = browser.post(
        "/api/review",
        json={**asked, "frame": item["before"]["sha"], "lines": len(item["log"]), "state": state}
        | more,
    )
    return told.status_code, told.json()


def test_the_queue_goes_through_every_open_step_and_skips_no_invalid_one(
    browser: TestClient,
) -> None:
    seen = []
    item = following(browser)
    while item is not None:
        step = item["step"]
        assert isinstance(step, int)
        seen.append((step, item["invalid"]))
        state, more = ("edit", {"reasoning": "Better."}) if item["invalid"] else ("accept", {})
        assert judge(browser, step, state, **more)[0] == 200
        item = following(browser, episode="long", step=step)
    assert seen == [(number, number == 2) for number in range(6)]


def test_what_a_page_approves_is_what_is_taught(world: World, browser: TestClient) -> None:
    """Check 20: what is exported is what was approved, as it was edited."""
    judge(browser, 0, "accept")
    judge(browser, 1, "edit", reasoning="In my words.", target="that")
    judge(browser, 2, "edit", reasoning="Written by hand.")
    judge(browser, 3, "reject", code="HINDSIGHT")
    judge(browser, 4, "accept")
    judge(browser, 4, "withdraw")
    directory = world.store.root / directory_name("long")
    said = apply_annotations(world.store.read("long"), read_annotations(directory, "vlm"))
    taught, left_out = apply_reviews(said, read_reviews(directory, "vlm"))
    assert set(left_out) == {3, 4, 5}
    assert [step.decision.reasoning for step in taught.steps[:3]] == [
        "I tap thing 0 of the list.", "In my words.", "Written by hand."
    ]  # fmt: skip
    assert taught.steps[1].decision.target == "that"
    held = read_reviews(directory, "vlm")
    assert (held[0].state, held[1].state) == ("accept", "edit")
    assert held[1].who == "local"
    assert held[1].time
    assert read_annotations(directory, "vlm")[1].reasoning == "I tap thing 1 of the list."


def test_taking_back_appends_and_brings_back_what_held_before(
    world: World, browser: TestClient
) -> None:
    chance = random.Random(0)
    stack: list[str] = []
    for turn in range(12):
        if stack and chance.random() < 0.5:
            judge(browser, 0, "withdraw")
            stack.pop()
        else:
            judge(browser, 0, "edit", reasoning=f"words {turn}")
            stack.append(f"words {turn}")
        item = browser.get(
            "/api/review/item", params={"annotator": "vlm", "episode": "long", "step": 0}
        ).json()["item"]
        held = item["review"]
        assert (None if held is None else held["reasoning"]) == (stack[-1] if stack else None)
    assert len(read_review_log(world.store.root / "long", "vlm")) == 12


@pytest.mark.parametrize(
    ("step", "state", "more"),
    [
        (2, "accept", {}),
        (0, "edit", {"reasoning": "  "}),
        (0, "edit", {}),
        (0, "reject", {}),
        (0, "withdraw", {}),
        (0, "praise", {}),
        (0, "accept", {"frame": "0" * 64}),
    ],
)
def test_a_review_that_says_nothing_is_refused(
    step: int, state: str, more: dict[str, object], world: World, browser: TestClient
) -> None:
    assert judge(browser, step, state, **more)[0] == 422
    assert read_review_log(world.store.root / "long", "vlm") == []


def test_two_reviewers_at_one_step_do_not_overwrite_each_other(browser: TestClient) -> None:
    assert judge(browser, 0, "accept")[0] == 200
    status, told = judge(browser, 0, "reject", code="HINDSIGHT", lines=0)
    assert status == 409
    assert isinstance(told, dict)
    assert told["hint"]


def test_a_step_has_the_screen_after_it_and_what_others_wrote(
    world: World, browser: TestClient
) -> None:
    recorded = world.store.read("long")
    said = [Reasoning(number, f"I see {number}.", "") for number in range(len(recorded.steps))]
    directory = world.store.root / directory_name("long")
    write_annotations(directory, recorded, said, "other", "1", "2026-01-01T00:00:00+00:00")
    asked: dict[str, str | int] = {"annotator": "vlm", "episode": "long", "step": 0}
    item = browser.get("/api/review/item", params=asked).json()["item"]
    assert item["after"]["sha"] == recorded.steps[1].observation.screenshot.sha256
    (other,) = item["others"]
    assert (other["annotator"], other["reasoning"], other["state"]) == ("other", "I see 0.", "open")
    last = browser.get("/api/review/item", params={**asked, "step": 5}).json()["item"]
    assert (last["after"] is None) == (recorded.final is None)


def test_annotations_of_steps_that_were_edited_away_are_not_asked_about(
    world: World, browser: TestClient
) -> None:
    asked = {"id": "long", "version": 1, "modifiers": "delete:0:1"}
    assert browser.post("/api/edit", json=asked).status_code == 200
    assert following(browser) is None


def test_broken_annotations_are_told_and_hide_no_others(world: World, browser: TestClient) -> None:
    (world.store.root / "b" / "annotations").mkdir()
    (world.store.root / "b" / "annotations" / "vlm.jsonl").write_text("{}\n")
    told = browser.get("/api/review/annotators").json()
    assert [one["name"] for one in told["annotators"]] == ["vlm"]
    assert len(told["unreadable"]) == 1
    assert following(browser) is not None
