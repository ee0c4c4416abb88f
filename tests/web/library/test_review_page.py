"""The review queue in a real browser, by keyboard alone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tapwright.annotate.annotator import Reasoning
from tapwright.annotate.comments import read_comments
from tapwright.annotate.review import read_review_log, read_reviews
from tapwright.annotate.run import write_annotations
from tapwright.core.actions import Tap
from tapwright.core.geometry import Point
from tests.conftest import NOTES, SETTINGS, episode
from tests.web.browsing import axe_findings
from tests.web.library.world import World, annotate


def at_step(page: Page, step: int) -> None:
    expect(page.get_by_role("heading", name=f"Step {step + 1} of 6")).to_be_focused()


@pytest.mark.slow
def test_a_queue_is_worked_off_by_keyboard_and_the_focus_is_never_lost(
    page: Page, own: tuple[World, str]
) -> None:
    """Check 19; `bench/bench_web.py` measures twenty."""
    world, address = own
    page.goto(f"{address}/review")
    at_step(page, 0)
    page.keyboard.press("Enter")
    at_step(page, 1)
    page.keyboard.press("e")
    words = page.get_by_role("textbox", name="Reasoning")
    expect(words).to_be_focused()
    words.fill("I tap the first thing of the list.")
    expect(page.locator("del")).to_have_text("thing 1")
    expect(page.locator("ins")).to_have_text("the first thing")
    page.keyboard.press("Control+Enter")
    at_step(page, 2)  # invalid: it is never passed over, and cannot be accepted
    expect(page.get_by_role("button", name="Accept", exact=True)).to_be_disabled()
    page.keyboard.press("Enter")
    at_step(page, 2)
    page.keyboard.press("x")
    expect(page.get_by_role("group", name="What is wrong?")).to_be_focused()
    page.keyboard.press("4")
    at_step(page, 3)
    page.keyboard.press("Enter")
    at_step(page, 4)
    page.keyboard.press("z")
    at_step(page, 3)
    directory = world.store.root / "long"
    held = read_reviews(directory, "vlm")
    assert {step: one.state for step, one in held.items()} == {0: "accept", 1: "edit", 2: "reject"}
    assert (held[2].code, held[1].reasoning) == ("HINDSIGHT", "I tap the first thing of the list.")
    assert [line.state for line in read_review_log(directory, "vlm")][-2:] == ["accept", "withdraw"]
    for step in (3, 4, 5):
        at_step(page, step)
        page.keyboard.press("Enter")
    expect(page.get_by_text("Every step is reviewed.")).to_be_visible()
    expect(page.get_by_text("6 of 6 reviewed: 4 accepted, 1 edited, 1 rejected")).to_be_visible()


@pytest.mark.slow
def test_no_shortcut_fires_while_somebody_writes(page: Page, own: tuple[World, str]) -> None:
    """Check 21."""
    world, address = own
    page.goto(f"{address}/review")
    at_step(page, 0)
    page.keyboard.press("e")
    for name in ("Reasoning", "Target"):
        field = page.get_by_role("textbox", name=name)
        field.fill("")
        page.keyboard.type("exzjk12345 EXZJK")
        page.keyboard.press("Enter")
        expect(field).to_have_value(re.compile("^exzjk12345 EXZJK\n?$"))
    # An input method has the key: neither Enter with Control nor Escape is the page's then.
    page.get_by_role("textbox", name="Reasoning").evaluate(
        """field => { for (const key of ["Enter", "Escape", "x"]) field.dispatchEvent(
            new KeyboardEvent("keydown", {key, ctrlKey: key === "Enter", isComposing: true,
                                          keyCode: 229, bubbles: true})) }"""
    )
    expect(page.get_by_role("textbox", name="Reasoning")).to_be_visible()
    assert read_review_log(world.store.root / "long", "vlm") == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("alert")).to_contain_text("What you typed is not saved.")
    expect(page.get_by_role("textbox", name="Reasoning")).to_be_visible()
    page.get_by_role("button", name="Close without it").click()
    at_step(page, 0)


@pytest.mark.slow
def test_where_words_come_from_is_shown(page: Page, own: tuple[World, str]) -> None:
    """Check 20."""
    page.goto(f"{own[1]}/review?episode=long&step=2&annotator=vlm")
    at_step(page, 2)
    expect(page.get_by_text("REASONING_EMPTY", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="Provenance")).to_contain_text("vlm 1")
    page.keyboard.press("e")
    page.wait_for_load_state("networkidle")
    assert axe_findings(page) == []


@pytest.mark.slow
def test_a_step_is_reviewed_among_its_neighbours_and_what_others_wrote(
    page: Page, own: tuple[World, str]
) -> None:
    world, address = own
    recorded = world.store.read("long")
    said = [Reasoning(number, f"I tap row {number}.", "") for number in range(len(recorded.steps))]
    directory = world.store.root / "long"
    write_annotations(directory, recorded, said, "other", "1", "2026-01-01T00:00:00+00:00")
    page.goto(f"{address}/review?annotator=vlm")
    at_step(page, 0)
    expect(page.get_by_role("img", name="The screen after step 1")).to_be_visible()
    others = page.get_by_role("region", name="All annotators")
    expect(others.locator("ins")).to_contain_text("row")
    page.get_by_role("group", name="Film strip").get_by_role("button", name="Step 4:").click()
    at_step(page, 3)
    page.keyboard.press("Enter")
    at_step(page, 4)
    page.get_by_role("combobox", name="State").select_option("accept")
    at_step(page, 3)
    expect(page).to_have_url(re.compile("show=accept"))
    page.get_by_role("combobox", name="State").select_option("reject")
    expect(page.get_by_text("No step matches the filter.")).to_be_visible()
    assert axe_findings(page) == []


@pytest.mark.slow
def test_annotators_are_decided_between_and_the_rest_is_accepted_and_taken_back(
    page: Page, own: tuple[World, str]
) -> None:
    world, address = own
    annotate(world.store, as_="anna", words=lambda number: f"I open row {number}.")
    page.goto(f"{address}/review?annotator=vlm&differs=true")
    at_step(page, 0)
    page.keyboard.press("c")
    page.get_by_role("textbox", name="Comment").fill("Which list?")
    page.get_by_role("button", name="Decide").click()  # which adds what was typed
    expect(page.get_by_role("region", name="Whose words hold?")).to_be_focused()
    page.keyboard.press("2")
    at_step(page, 1)
    page.get_by_role("button", name="Accept all shown").click()
    page.get_by_role("button", name="Accept 4").click()  # one is decided, one is invalid
    expect(page.get_by_text("4 steps accepted.")).to_be_visible()
    expect(page.get_by_text("No step matches the filter.")).to_be_visible()
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(page.get_by_text("1 of 6 reviewed")).to_be_visible()
    at_step(page, 1)
    directory = world.store.root / "long"
    assert [one.text for one in read_comments(directory, "vlm")] == ["Which list?"]
    for name, state in (("vlm", "edit"), ("anna", "accept")):
        held = read_reviews(directory, name)
        assert {step: (one.state, one.chosen) for step, one in held.items()} == {0: (state, "anna")}


@pytest.mark.slow
def test_a_decision_is_taken_back_where_it_was_made_and_what_is_open_is_counted(
    page: Page, own: tuple[World, str]
) -> None:
    world, address = own
    annotate(world.store, as_="anna", words=lambda number: f"I open row {number}.")
    page.goto(f"{address}/review?annotator=vlm")
    at_step(page, 0)
    whose = page.get_by_role("combobox", name="Annotator")
    page.keyboard.press("d")
    page.keyboard.press("2")
    at_step(page, 1)
    expect(whose.get_by_role("option", selected=True)).to_have_text("vlm (5 open)")
    page.keyboard.press("z")
    at_step(page, 0)
    expect(whose.get_by_role("option", selected=True)).to_have_text("vlm (6 open)")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1440, 900), (1024, 768), (768, 1024), (390, 844)])
@pytest.mark.parametrize("address", ["review?annotator=vlm&episode=low", "review/recordings/low"])
def test_a_tap_at_the_foot_of_a_phone_is_seen_at_once_beside_the_keys(
    address: str, size: tuple[int, int], page: Page, own: tuple[World, str]
) -> None:
    world, server = own
    low = [(scene, Tap(at=Point(0.5, 0.95))) for scene in (SETTINGS, NOTES)]
    recorded = episode("low", "Tap at the foot", low)
    world.store.write(recorded)
    said = [Reasoning(step, "It is at the foot.", "the foot") for step in range(2)]
    write_annotations(world.store.root / "low", recorded, said, "vlm", "1", "2026-01-01T00:00:00Z")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{server}/{address}")
    mark = page.locator(".mark.point").first
    expect(mark).to_be_in_viewport(ratio=1)
    marked, keys = (
        mark.bounding_box(),
        page.get_by_role("button", name="Accept", exact=True).bounding_box(),
    )
    assert marked is not None
    assert keys is not None
    assert keys["y"] + keys["height"] <= size[1]
    assert keys["x"] > size[0] / 2 or marked["y"] + marked["height"] <= keys["y"]
    # Whoever has scrolled on sees the next step's.
    page.get_by_role("textbox", name="Comment").scroll_into_view_if_needed()
    if "recordings" in address:
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("heading", name="Step 2 of 2")).to_be_visible()
    else:
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Step 2 of 2")).to_be_focused()
    expect(page.locator(".mark.point").first).to_be_in_viewport(ratio=1)
