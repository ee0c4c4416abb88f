"""The keys of a page, the command palette, and the link of a view."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.tasks.phone import tasks
from tapwright.web.app import WebConfig
from tests.conftest import painted
from tests.web.browsing import axe_findings, serving, watched
from tests.web.library.world import annotate, make_world

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    world = make_world(tmp_path_factory.mktemp("site"), painted(), runs=False)
    annotate(world.store)
    config = WebConfig(
        episodes=world.store.root,
        suites={"phone": tasks},
        devices={"fake": lambda: FakeDevice(EndlessScenes())},
    )
    with serving(config) as address:
        yield address


def search(page: Page, words: str) -> None:
    expect(page.get_by_role("banner")).to_be_visible()  # words come before the page does
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="A page, task, episode or action")
    expect(field).to_be_focused()
    field.fill(words)


def test_the_keys_of_a_page_are_listed_and_are_those_that_work(
    browser_process: Browser, site: str
) -> None:
    with watched(browser_process) as found:
        page = found.page
        page.goto(f"{site}/episodes/long")
        heading = page.get_by_role("heading", name=re.compile("^Step"))
        expect(heading).to_have_text("Step 1")
        page.keyboard.press("?")
        dialog = page.get_by_role("dialog", name="Keys of this page")
        keys = dialog.get_by_role("term")
        for key, label in (("J", "Next"), ("End", "Last step"), ("?", "Show the keys")):
            expect(keys.filter(has_text=re.compile(f"^{re.escape(key)}$"))).to_have_count(1)
            expect(dialog.get_by_role("definition").filter(has_text=label).first).to_be_visible()
        # There is nothing before the first step, and nothing to undo: their keys do nothing.
        for key in ("K", "U"):
            expect(keys.filter(has_text=re.compile(f"^{key}$"))).to_have_count(0)
        page.keyboard.press("j")
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(heading).to_have_text("Step 1")
        page.keyboard.press("j")
        expect(heading).to_have_text("Step 2")


def test_the_palette_finds_pages_tasks_episodes_and_actions(
    browser_process: Browser, site: str
) -> None:
    with watched(browser_process) as found:
        page = found.page
        page.goto(f"{site}/episodes")
        search(page, "review")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Review reasoning")
        search(page, "look around")
        option = page.get_by_role("option", name="Look around long")
        expect(option).to_have_attribute("aria-selected", "true")
        assert axe_findings(page) == []
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Look around")
        search(page, "last step")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Step 6", exact=True)).to_be_visible()
        search(page, "wifi_off")
        page.get_by_role("option", name=re.compile("wifi_off")).first.click()
        expect(page.get_by_role("radio", name=re.compile("Wi-Fi")).first).to_be_checked()


def test_the_palette_says_that_it_searches_and_what_it_could_not(
    browser_process: Browser, site: str
) -> None:
    waiting: list[Route] = []
    with watched(browser_process, allow="500") as found:
        page = found.page
        page.goto(f"{site}/episodes")
        page.route("**/api/tasks?*", lambda route: waiting.append(route))
        with page.expect_request("**/api/tasks?*"):
            search(page, "nothing is called so")
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_text("Searching")).to_be_visible()
        expect(dialog.get_by_text("Nothing matches.")).to_have_count(0)
        for route in waiting:
            route.fulfill(status=500, json={"code": "TW000", "message": "", "hint": ""})
        expect(dialog.get_by_text("Not everything could be searched")).to_be_visible()


def test_the_palette_copies_the_link_of_the_view(browser_process: Browser, site: str) -> None:
    with watched(browser_process) as found:
        page = found.page
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto(f"{site}/episodes/long?step=3&overlay=tree")
        expect(page.get_by_role("heading", name="Step 4", exact=True)).to_be_visible()
        search(page, "copy the link")
        page.keyboard.press("Enter")
        expect(page.get_by_text("The link is copied.")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == f"{site}/episodes/long?step=3&overlay=tree"
