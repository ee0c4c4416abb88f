"""Every page on a phone and on a wide screen, in both languages: sound, and with a picture."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web.acceptance.looking import LANGUAGES, SIZES, Language, Look, album
from tests.web.acceptance.site import Site, begun, queue_work, sign_in, team_site
from tests.web.browsing import watched

pytestmark = pytest.mark.slow

PAGES = {
    "login": "login",
    "home": "",
    "record": "record/{session}",
    "gone": "record/nothing",
    "queue": "queue",
    "team": "team",
    "episodes": "episodes",
    "episodes-beside": "episodes?open=long",
    "episodes-cards": "episodes?view=cards",
    "episodes-none": "episodes?q=nothing+like+it",
    "episode": "episodes/long?step=3&overlay=point,box,tree",
    "episode-slider": "episodes/long?step=1&view=slider",
    "review": "review?episode=long&annotator=vlm",
    "recordings": "review/recordings?show=any",
    "recording": "review/recordings/long?show=any",
    "runs": "runs",
    "run": "runs/random",
    "run-table": "runs/random?view=table",
    "run-sample": "runs/random?sample=0",
    "compare": "compare?a=random&b=tree",
    "matrix": "matrix?runs=%5B%22random%22%2C%22tree%22%2C%22group%2Ffar%22%5D",
    "watch": "watch",
    "takes": "takes?task=long",
    "nowhere": "nowhere",
}

REFUSED = "40[134]|closed before the connection"
"""What a browser says of a demonstration that is gone, and before one has signed in."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with team_site(tmp_path_factory.mktemp("site")) as site:
        queue_work(site)
        yield site


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", SIZES)
@pytest.mark.long
def test_every_page_is_sound(
    width: int, language: Language, browser_process: Browser, site: Site, tmp_path: Path
) -> None:
    look = Look(width, language, album(tmp_path))
    wrong: list[str] = []
    with watched(
        browser_process, locale=look.locale, size=SIZES[width], touch=look.is_phone, allow=REFUSED
    ) as found:
        page = found.page
        for name, path in PAGES.items():
            at = path
            if name != "login" and "login" in page.url:
                sign_in(page, site)
            if "{session}" in path:
                at = path.format(session=begun(page, site, "fake"))
            page.goto(f"{site.address}/{at}")
            expect(page.get_by_role("heading", level=1)).to_be_attached()
            expect(page.get_by_text(look.word("loading"))).to_have_count(0)
            if name == "record":
                expect(page.get_by_text(look.word("status.saved"))).to_be_visible()
            try:
                look.at(page, name)
            except AssertionError as error:
                wrong.append(f"{name}: {error}")
    assert not wrong, "\n".join(wrong)


def test_on_a_phone_a_list_begins_high_and_its_filter_is_behind_one_button(
    browser_process: Browser, site: Site
) -> None:
    lists = {
        "episodes?outcome=success": "table.entries tbody tr",
        "review/recordings?show=any": ".recordings .card",
        "runs/random?verdict=miss": ".gallery li, .gallery a",
    }
    with watched(browser_process, size=SIZES[390], touch=True, allow="401") as found:
        page = found.page
        sign_in(page, site)
        for path, row in lists.items():
            page.goto(f"{site.address}/{path}")
            expect(page.locator(row).first).to_be_in_viewport()
            assert page.locator(row).first.evaluate("one => one.getBoundingClientRect().top") < 480
            asked = page.get_by_role("search")
            expect(asked.get_by_role("combobox").first).to_be_hidden()
            asked.get_by_role("button", name="Filter (1)").click()
            expect(asked.get_by_role("combobox").first).to_be_visible()


def test_on_a_phone_the_team_is_read_without_scrolling_sideways(
    browser_process: Browser, site: Site
) -> None:
    with watched(browser_process, size=SIZES[390], touch=True, allow="401") as found:
        page = found.page
        sign_in(page, site)
        page.goto(f"{site.address}/team")
        page.get_by_role("button", name="phone", exact=True).click()
        for said in ("wifi_off phone", "rita", "fake of anna"):
            expect(page.get_by_role("rowheader", name=said, exact=True).first).to_be_attached()
        # A cell says what it is, as there are no headings.
        expect(page.get_by_role("cell", name="Being recorded root").first).to_be_attached()
        wide = page.evaluate(
            "() => [...document.querySelectorAll('main *')]"
            ".filter(one => one.clientWidth > 0 && one.scrollWidth > one.clientWidth)"
            ".filter(one => getComputedStyle(one).overflowX !== 'visible')"
            ".map(one => one.outerHTML.slice(0, 80))"
        )
        assert wide == []


def test_a_promotion_that_is_not_meant_leaves_role_and_focus(
    browser_process: Browser, site: Site
) -> None:
    with watched(browser_process, allow="401") as found:
        page = found.page
        sign_in(page, site)
        page.goto(f"{site.address}/team")
        role = page.get_by_role("combobox", name="Role of rita")
        role.focus()
        page.keyboard.press("ArrowDown")  # which chooses the next role
        expect(page.get_by_role("dialog", name="Make rita an administrator?")).to_be_visible()
        page.keyboard.press("Escape")
        expect(role).to_be_focused()
        expect(role).to_have_value("reviewer")


def test_a_new_token_is_given_only_when_it_is_meant(browser_process: Browser, site: Site) -> None:
    with watched(browser_process, allow="401") as found:
        page = found.page
        sign_in(page, site)
        page.goto(f"{site.address}/team")
        renew = page.get_by_role("row", name="rita").get_by_role("button", name="New token")
        renew.click()
        asked = page.get_by_role("dialog", name="Give rita a new token?")
        expect(asked.get_by_role("button", name="New token")).to_be_visible()
        page.keyboard.press("Escape")
        expect(asked).to_have_count(0)
        expect(page.get_by_text("It is shown only once")).to_have_count(0)
        renew.click()
        asked.get_by_role("button", name="New token").click()
        expect(page.get_by_role("dialog", name="The token of rita")).to_be_visible()
