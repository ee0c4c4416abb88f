"""What every page of the library owes to whoever works on it: room, focus, a way back."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tapwright.core.actions import Action, TypeText
from tapwright.devices.fake import Scene
from tests.conftest import NOTES, SETTINGS, episode, touch
from tests.web.browsing import watched
from tests.web.library.world import World

SIZES = [(1440, 900), (1024, 768), (390, 844)]
LOWEST_MARK = """() => Math.max(...[...document.querySelectorAll('[data-mark="point"]')]
    .map(one => one.getBoundingClientRect().bottom))"""
SIDEWAYS = """() => [document.documentElement, document.querySelector("main")]
    .some(one => one.scrollWidth > one.clientWidth)"""


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.slow_but_one
def test_the_marked_tap_is_within_the_first_screen(
    page: Page, site: str, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{site}/episodes/long")
    picture = page.get_by_role("img", name=re.compile("^The screen before step 1"))
    expect(picture).to_have_js_property("complete", True)
    expect(page.locator("[data-mark]").first).to_be_visible()
    box = picture.bounding_box()
    assert box is not None
    assert box["width"] >= 80
    # Wherever on the picture a tap is: the whole picture is within the window.
    assert box["y"] + box["height"] <= height
    assert page.evaluate(LOWEST_MARK) <= height


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 768])
@pytest.mark.parametrize("path", ["", "episodes", "episodes/long", "review", "runs"])
def test_no_page_scrolls_sideways(
    own: tuple[World, str], page: Page, path: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{own[1]}/{path}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("Loading …")).to_have_count(0)
    assert not page.evaluate(SIDEWAYS)
    # One line each: a narrow bar breaks no word.
    for link in page.get_by_role("navigation", name="Main").get_by_role("link").all():
        box = link.bounding_box()
        assert box is not None
        assert box["height"] <= 48


@pytest.mark.slow
def test_escape_asks_before_typed_words_are_gone_and_the_focus_returns(
    own: tuple[World, str], page: Page
) -> None:
    page.goto(f"{own[1]}/episodes/long")
    opener = page.get_by_role("button", name="Instruction", exact=True)
    opener.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").first.fill("Other words")
    page.keyboard.press("Escape")
    expect(dialog.get_by_text("What you typed is not saved.")).to_be_visible()
    dialog.get_by_role("button", name="Close without it").click()
    expect(dialog).to_have_count(0)
    expect(opener).to_be_focused()


@pytest.mark.slow
def test_a_removal_is_undone_on_the_page(own: tuple[World, str], page: Page) -> None:
    world, address = own
    page.goto(f"{address}/episodes/long")
    page.get_by_role("button", name="Remove", exact=False).last.click()
    page.get_by_role("dialog").get_by_role("button", name="Apply").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    message = page.get_by_role("region", name="Messages")
    message.get_by_role("button", name="Undo").click()
    expect(page).to_have_url(re.compile("/episodes/long$"))
    expect(page.get_by_role("group", name="Film strip")).to_be_visible()
    assert "long" in world.store


@pytest.mark.slow
def test_back_closes_a_sample_and_leaves_the_run_open(page: Page, site: str, kept: World) -> None:
    page.goto(f"{site}/runs")
    page.get_by_role("row").nth(1).get_by_role("link").click()
    sample = page.locator("[data-sample]").first
    sample.click()
    opened = page.get_by_role("region", name=re.compile("^Sample"))
    expect(opened).to_be_visible()
    page.go_back()
    expect(opened).to_have_count(0)
    expect(sample).to_be_visible()
    sample.click()
    expect(opened).to_be_visible()
    page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
    expect(sample).to_be_focused()


@pytest.mark.slow
def test_a_long_text_is_folded(own: tuple[World, str], page: Page) -> None:
    world, address = own
    text = "lorem ipsum " * 1000
    moves: list[tuple[Scene, Action]] = [
        (SETTINGS, touch(SETTINGS, "Sound")),
        (NOTES, TypeText(text=text)),
    ]
    world.store.write(episode("written", "Write it", moves))
    page.goto(f"{address}/episodes/written?step=1")
    more = page.get_by_role("button", name=re.compile("^All 12"))
    expect(more).to_be_visible()
    height = page.evaluate("document.querySelector('main').scrollHeight")
    more.click()
    expect(page.get_by_role("button", name="Less", exact=True)).to_be_visible()
    assert page.evaluate("document.querySelector('main').scrollHeight") > 2 * height


@pytest.mark.slow
def test_a_missing_picture_is_told(browser_process: Browser, own: tuple[World, str]) -> None:
    world, address = own
    for picture in (world.store.root / "long" / "frames").iterdir():
        picture.unlink()
    with watched(browser_process, allow="422") as found:
        for path in ("episodes/long?step=0", "episodes?open=long"):
            found.page.goto(f"{address}/{path}")
            expect(found.page.get_by_text("The picture cannot be shown.").first).to_be_visible()
        found.page.goto(f"{address}/episodes/long")
        film = found.page.get_by_role("group", name="Film strip")
        expect(film.get_by_role("button").first).to_be_visible()
        expect(film.locator("img")).to_have_count(0)


@pytest.mark.slow
def test_a_server_without_a_team_has_no_queue(own: tuple[World, str], page: Page) -> None:
    page.goto(f"{own[1]}/queue")
    expect(page.get_by_text("This server has no team.")).to_be_visible()
    page.get_by_role("link", name="Go to the start page").click()
    expect(page).to_have_url(re.compile("^[^/]*//[^/]*/$"))
