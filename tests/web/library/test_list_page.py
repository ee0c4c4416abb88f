"""The list of episodes in a real browser."""

import re
from pathlib import Path
from threading import Event, Thread

import pytest
from playwright.sync_api import Page, expect

from tapwright.annotate.comments import StepComment, write_comment
from tapwright.store.tags import read_tags
from tapwright.web.app import WebConfig
from tests.store.many import make_many, while_reading
from tests.web.browsing import serving
from tests.web.library.world import World

LIMIT_S = 120


@pytest.mark.slow
def test_episodes_are_tagged_together_undone_and_looked_at_beside_the_list(
    page: Page, own: tuple[World, str]
) -> None:
    world, address = own
    page.goto(f"{address}/episodes?app=org.example.notes&sort=-steps")
    page.get_by_role("checkbox", name="Choose all of this page").check()
    page.get_by_role("button", name="Tags…").click()
    dialog = page.get_by_role("dialog", name="Tag 4 episodes")
    dialog.get_by_label("Add").fill("good")
    dialog.get_by_role("button", name="Change tags").click()
    expect(page.get_by_text("The tags of 4 episodes were changed.")).to_be_visible()
    assert read_tags(world.store.root / "long") == ("good",)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("4 episodes are as before.")).to_be_visible()
    assert read_tags(world.store.root / "long") == ()

    page.get_by_role("button", name="Look at long", exact=True).click()
    expect(page.get_by_role("region", name="Episode long", exact=True)).to_be_visible()
    page.keyboard.press("j")
    beside = page.get_by_role("region", name="Episode b", exact=True)
    expect(beside).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/episodes/b$"))
    page.go_back()
    expect(beside).to_be_visible()
    page.keyboard.press("Escape")
    expect(beside).to_have_count(0)
    expect(page).to_have_url(re.compile(r"episodes\?app=org.example.notes&sort=-steps$"))


@pytest.mark.slow
def test_what_people_wrote_is_a_column_and_a_filter(page: Page, own: tuple[World, str]) -> None:
    world, address = own
    said = StepComment(step=0, frame="", text="The wrong list", who="rita", time="2026-01-01")
    write_comment(world.store.root / "long", "vlm", said)
    page.goto(f"{address}/episodes?columns=instruction,comments&sort=-comments")
    rows = page.get_by_role("table").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("1 The wrong list")
    page.get_by_role("checkbox", name="With comments").check()
    expect(rows).to_have_count(2)
    expect(page).to_have_url(re.compile("commented=yes"))
    page.get_by_role("searchbox", name="Search").fill('"other" in comment')
    expect(rows).to_have_count(0)


@pytest.mark.slow
def test_a_large_store_is_shown_while_it_is_read_for_the_first_time(
    page: Page, tmp_path: Path
) -> None:
    store, begun, enough = make_many(tmp_path), Event(), Event()

    def hold() -> None:
        begun.set()
        assert enough.wait(LIMIT_S)

    reading = Thread(target=while_reading, args=(store, hold))
    reading.start()
    try:
        assert begun.wait(LIMIT_S)
        with serving(WebConfig(episodes=store.root)) as address:
            page.goto(f"{address}/episodes")
            expect(page.get_by_text("500 of 1600 so far")).to_be_visible()
            expect(page.get_by_role("link", name="Tap the buttons").first).to_be_visible()
            enough.set()
            expect(page.get_by_text("1600 of 1600 episodes")).to_be_visible()
            expect(page.get_by_role("progressbar", name="Episodes read")).to_have_count(0)
    finally:
        enough.set()
        reading.join()
