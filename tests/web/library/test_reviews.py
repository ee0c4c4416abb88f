import random
from datetime import datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tapwright.annotate.review import apply_reviews, read_review_log, read_reviews
from tapwright.core.episode import Episode
from tapwright.store.annotations import apply_annotations, read_annotations
from tapwright.store.catalog import Catalog
from tapwright.store.ids import directory_name
from tapwright.web.app import WebConfig, create_app
from tapwright.web.library.review_filter import StepFilter, hours_before
from tapwright.web.library.review_queue import ReviewQueue
from tests.web.asking import OURS, client
from tests.web.library.world import World, annotate, make_world

SAID = [f"I tap thing {number} of the list." for number in range(6)]
SAID[3] = "I see 3."


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
@pytest.mark.slow_but_one
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
    annotate(world.store, as_="other", words="I see {}.".format)
    asked: dict[str, str | int] = {"annotator": "vlm", "episode": "long", "step": 0}
    item = browser.get("/api/review/item", params=asked).json()["item"]
    assert item["after"]["sha"] == recorded.steps[1].observation.screenshot.sha256
    (other,) = item["others"]
    assert (other["annotator"], other["reasoning"], other["state"]) == ("other", "I see 0.", "open")
    last = browser.get("/api/review/item", params={**asked, "step": 5}).json()["item"]
    assert (last["after"] is None) == (recorded.final is None)


def test_an_instruction_of_a_step_alone_is_shown_beside_that_of_the_task(
    world: World, browser: TestClient
) -> None:
    told = 'relabel:0:step_instruction:"Tap the bell"'
    body = {"id": "long", "version": 1, "modifiers": told}
    assert browser.post("/api/edit", json=body).status_code == 200
    viewed = browser.get("/api/episode", params={"id": "long"}).json()
    assert [step["step_instruction"] for step in viewed["steps"][:2]] == ["Tap the bell", ""]
    asked: dict[str, str | int] = {"annotator": "vlm", "episode": "long", "step": 0}
    item = browser.get("/api/review/item", params=asked).json()["item"]
    assert item["step_instruction"] == "Tap the bell"
    assert item["instruction"] == world.store.read("long").instruction


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


def facets(browser: TestClient, **query: str | int | bool) -> dict[str, object]:
    told = browser.get("/api/review/facets", params={"annotator": "vlm", **query})
    assert told.status_code == 200, told.text
    found: dict[str, object] = told.json()
    return found


def test_each_value_of_a_filter_says_how_many_steps_it_shows(browser: TestClient) -> None:
    judge(browser, 0, "accept")
    judge(browser, 1, "reject", code="HINDSIGHT")
    told = facets(browser)
    assert (told["found"], told["differs"]) == (4, 0)
    assert told["state"] == {"any": 6, "open": 4, "accept": 1, "reject": 1}
    assert told["code"] == {"REASONING_EMPTY": 1}
    assert told["app"] == {
        "org.example.mail": 4, "org.example.notes": 4, "org.example.settings": 4
    }  # fmt: skip
    told = facets(browser, show="any", code="HINDSIGHT")
    assert told["found"] == 1
    assert told["code"] == {"HINDSIGHT": 1, "REASONING_EMPTY": 1}
    assert told["state"] == {"any": 1, "reject": 1}


def test_the_queue_shows_what_the_filter_selects(browser: TestClient) -> None:
    judge(browser, 1, "reject", code="HINDSIGHT")
    judge(browser, 4, "reject", code="BAD_WORDING")
    at = following(browser, show="reject", code="BAD_WORDING")
    assert at is not None
    assert at["step"] == 4
    assert following(browser, code="REASONING_EMPTY", app="org.example.mail") is not None
    assert following(browser, app="org.example.clock") is None
    assert following(browser, code="HINDSIGHT") is None  # it is not open


def test_a_step_waits_since_it_was_annotated(world: World) -> None:
    queue = ReviewQueue(Catalog(world.store))
    now = datetime.fromisoformat("2026-01-02T00:30:00+00:00")
    told = queue.facets("vlm", StepFilter(), now)
    assert told.waiting_h == {"1": 6, "24": 6, "168": 0, "720": 0}
    for day, found in (("2026-01-05", False), ("2026-01-09", True)):
        at = datetime.fromisoformat(f"{day}T00:30:00+00:00")
        wanted = StepFilter(before=hours_before(at, 168))
        assert (queue.next("vlm", wanted).item is not None) == found


def test_the_queue_goes_both_ways_round(browser: TestClient) -> None:
    judge(browser, 5, "accept")
    for at, back, expected in ((4, False, 0), (0, True, 4), (5, True, 4), (2, False, 3)):
        found = following(browser, episode="long", step=at, back=back)
        assert found is not None
        assert found["step"] == expected


def test_words_that_another_annotator_wrote_differently_can_be_shown_alone(
    world: World, browser: TestClient
) -> None:
    annotate(world.store, as_="other", words=lambda number: SAID[number])
    assert facets(browser)["differs"] == 1
    found = following(browser, differs=True)
    assert found is not None
    assert found["step"] == 3
    judge(browser, 3, "edit", reasoning="I see 3.", target="thing 3")
    assert facets(browser, show="any", differs=True)["found"] == 0
