"""The pages by the keyboard alone: Tab comes to every control, and shows where it is."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.acceptance.looking import SIZES, TABLET
from tests.web.acceptance.routes import PAGES, REFUSED, show
from tests.web.acceptance.site import Site, queue_work, sign_in, team_site
from tests.web.browsing import watched

pytestmark = pytest.mark.slow

MOST_STOPS = 400

CONTROLS = """() => {
    const shown = [...document.querySelectorAll(
            "a[href], button, input, select, textarea, summary, [tabindex]")]
        .filter(one => !one.disabled && one.tabIndex >= 0 && !one.closest("[inert]"))
        .filter(one => one.checkVisibility({visibilityProperty: true}))
        .filter(one => !one.matches("details:not([open]) > :not(summary) *"));
    const groups = new Set();
    const wanted = shown.filter(one => {
        if (one.type !== "radio") return true;
        const key = one.name;
        const checked = document.querySelector(`input[type=radio][name="${key}"]:checked`);
        if (groups.has(key) || (checked && checked !== one)) return false;
        groups.add(key);
        return true;
    });
    wanted.forEach((one, number) => { one.dataset.stop = number; });
    document.activeElement?.blur();
    return wanted.map(one => one.outerHTML.slice(0, 120));
}"""
"""Marks what Tab has to reach: of a group of radio buttons one, as arrows go to the others."""

STOP = """() => {
    const one = document.activeElement;
    if (one === document.body || one === document.documentElement) return null;
    const hidden = one.matches(".visually-hidden, .visually-hidden *");
    const shown = hidden ? one.closest("label") ?? one : one;
    const box = shown.getBoundingClientRect(), style = getComputedStyle(one);
    const middle = (from, to, end) => (Math.max(from, 0) + Math.min(to, end)) / 2;
    const top = document.elementFromPoint(
        middle(box.left, box.right, innerWidth), middle(box.top, box.bottom, innerHeight));
    const faults = [];
    if (style.outlineStyle === "none" && !one.matches("main, iframe"))
        faults.push("has no ring");
    if (box.right <= 0 || box.bottom <= 0 || box.x >= innerWidth || box.y >= innerHeight)
        faults.push("is off the screen");
    else if (top && !shown.contains(top) && !top.contains(shown) && !one.labels?.[0]?.contains(top))
        faults.push(`is covered by ${top.outerHTML.slice(0, 80)}`);
    return {stop: one.dataset.stop ?? "", what: one.outerHTML.slice(0, 120), faults};
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with team_site(tmp_path_factory.mktemp("site")) as site:
        queue_work(site)
        yield site


def walk(page: Page) -> list[str]:
    """What is wrong with the way of Tab through a page, one line each."""
    controls = page.evaluate(CONTROLS)
    page.evaluate("() => { document.body.tabIndex = -1; document.body.focus(); scrollTo(0, 0) }")
    wrong, reached, before = [], set[str](), ""
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is not None and stop["stop"] == before:
            continue  # a date has several places
        if stop is None or stop["stop"] in reached:
            break
        wrong += [f"{stop['what']} {fault}" for fault in stop["faults"]]
        reached.add(before := stop["stop"])
    missed = [what for number, what in enumerate(controls) if str(number) not in reached]
    return [*wrong, *(f"{what} is not reached" for what in missed)]


@pytest.mark.parametrize("width", [390, 1024])
@pytest.mark.long
def test_tab_reaches_everything_and_shows_where_it_is(
    width: int, browser_process: Browser, site: Site
) -> None:
    wrong: list[str] = []
    size = (SIZES | TABLET)[width]
    with watched(browser_process, size=size, allow=f"{REFUSED}|401") as found:
        page = found.page
        sign_in(page, site)
        for name, path in PAGES.items():
            show(page, site, path)
            expect(page.get_by_role("heading", level=1)).to_be_attached()
            expect(page.get_by_text(re.compile("^Loading …$"))).to_have_count(0)
            page.wait_for_load_state("networkidle")
            wrong += [f"{name}: {one}" for one in walk(page)]
    assert not wrong, "\n".join(wrong)
