"""Every page and state, at three sizes, in both languages and themes: sound, with a picture."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tapwright.evaluate.report import write_report
from tapwright.evaluate.run_log import read_run
from tests.web.acceptance.looking import LANGUAGES, SIZES, TABLET, Language, Look, album
from tests.web.acceptance.routes import PAGES, REFUSED, STATES, routes, show, show_state
from tests.web.acceptance.site import Site, empty_site, queue_work, sign_in, team_site
from tests.web.acceptance.words import untranslated
from tests.web.browsing import axe_findings, watched

pytestmark = pytest.mark.slow

LOOKS: tuple[tuple[int, Language], ...] = ((390, "en"), (1024, "zh"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with team_site(tmp_path_factory.mktemp("site")) as site:
        queue_work(site)
        yield site


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with empty_site(tmp_path_factory.mktemp("bare")) as site:
        yield site


def test_every_route_is_among_the_pages() -> None:
    every = [*PAGES.values(), *(path for one in STATES.values() for path in one.pages.values())]
    opened = {re.sub(r"[?].*", "", path) for path in every}
    missed = [
        route
        for route in routes()
        if not any(re.fullmatch(re.sub(r":\w+", "[^/]+", route), path) for path in opened)
    ]
    assert missed == ["record"]  # another name of the start page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", SIZES | TABLET)
@pytest.mark.long
def test_every_page_is_sound(
    width: int, language: Language, browser_process: Browser, site: Site
) -> None:
    """At every size in both languages, and in both languages and themes at some size."""
    look = Look(width, language, album(), dark=(language == "zh") != (width in TABLET))
    wrong: list[str] = []
    with look.open(browser_process, allow=REFUSED) as found:
        for name, path in PAGES.items():
            show(found.page, site, path)
            expect(found.page.get_by_role("heading", level=1)).to_be_attached()
            if name == "record":
                expect(found.page.get_by_text(look.word("status.saved"))).to_be_visible()
            wrong += faults(look, found.page, name)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look[1]}-{look[0]}")
@pytest.mark.long
def test_every_state_of_a_page_is_sound(
    look: tuple[int, Language],
    state: str,
    browser_process: Browser,
    site: Site,
    bare: Site,
) -> None:
    looked = Look(*look, album(), dark=look[1] == "zh")
    of, at = STATES[state], bare if STATES[state].is_empty else site
    wrong: list[str] = []
    with looked.open(browser_process, allow=REFUSED) as found:
        sign_in(found.page, at, of.who)
        for name, path in of.pages.items():
            show_state(found.page, at, of, path)
            wrong += faults(looked, found.page, f"{name}-{state}", loading=of.is_loading)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_a_page_loads_at_most_150_kb_of_script(
    locale: str, browser_process: Browser, site: Site
) -> None:
    sizes = {}
    for name, path in PAGES.items():
        with watched(browser_process, locale=locale, allow=REFUSED) as found:
            page, answers = found.page, list[Response]()
            page.request.post(
                f"{site.address}/api/login",
                data={"token": site.tokens["root"]},
                headers={"X-Tapwright": "1", "Origin": site.address},
            )
            _keep(page, answers)
            show(page, site, path)
            expect(page.get_by_role("heading", level=1)).to_be_attached()
            page.wait_for_load_state("networkidle")
            sizes[name] = sum(len(one.body()) for one in answers if one.url.endswith(".js"))
    assert {name: size for name, size in sizes.items() if size > 150_000} == {}, sizes


def test_a_report_is_sound_in_both_themes_and_on_a_phone(
    browser_process: Browser, site: Site, tmp_path: Path
) -> None:
    report = tmp_path / "report.html"
    write_report([read_run(site.world.runs / name) for name in ("random", "tree")], report)
    for width, dark in ((1440, False), (1440, True), (390, False)):
        with watched(browser_process, size=SIZES[width], dark=dark) as found:
            found.page.goto(report.as_uri())
            assert axe_findings(found.page) == [], (width, dark)
            wide = found.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, (width, dark)


def _keep(page: Page, answers: list[Response]) -> None:
    page.on("response", lambda one: answers.append(one))


def faults(look: Look, page: Page, name: str, *, loading: bool = False) -> list[str]:
    """What is wrong with a page, one line each; in Chinese also the words that are not."""
    try:
        look.at(page, name, loading=loading)
    except AssertionError as error:
        return [f"{name}: {error}"]
    english = untranslated(page) if look.language == "zh" else set()
    return [f"{name} says {english}"] if english else []


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


@pytest.mark.parametrize("size", [SIZES[390], TABLET[1024]])
def test_a_form_of_the_review_is_covered_by_nothing(
    size: tuple[int, int], browser_process: Browser, site: Site
) -> None:
    with watched(browser_process, size=size, touch=True, allow="401") as found:
        page = found.page
        sign_in(page, site)
        page.goto(f"{site.address}/review")
        for name, form in (("Edit", "Edit"), ("Reject", "What is wrong?")):
            page.get_by_role("button", name=name, exact=True).click()
            expect(page.get_by_label(form, exact=True).first).to_be_in_viewport()
            assert page.evaluate(
                "() => { const one = document.activeElement, box = one.getBoundingClientRect();"
                "return one.contains(document.elementFromPoint("
                "box.x + box.width / 2, box.y + box.height / 2)) }"
            )
            cut = page.locator(".judge button").evaluate_all(
                "all => all.filter(one => one.scrollWidth > one.clientWidth)"
                ".map(one => one.textContent)"
            )
            assert cut == []
            page.keyboard.press("Escape")


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
