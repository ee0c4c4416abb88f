"""Every page, in both languages: for everybody, all of it translated, and nobody else's business."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect

from tapwright.devices.fake import EndlessScenes, FakeDevice
from tapwright.tasks.phone import tasks
from tapwright.web.app import WebConfig
from tapwright.web.team.team import Team
from tests.conftest import painted
from tests.web.acceptance.recording import Recorder
from tests.web.browsing import grave_findings, serving, watched
from tests.web.library.world import World, annotate, make_world

PAGES = [
    "login",
    "",
    "record/{session}",
    "queue",
    "team",
    "episodes",
    "episodes/long?step=3&overlay=point,box,tree",
    "review?episode=long&annotator=vlm",
    "runs",
    "runs/random?sample=0",
    "compare?a=random&b=tree",
    "nowhere",
]

SHOWN = """() => {
    const words = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode())
        if (!node.parentElement.closest("script, style, kbd, code, .mono, [lang=en]"))
            words.push(node.textContent);
    for (const element of document.querySelectorAll("[aria-label], [title], [placeholder], [alt]"))
        for (const name of ["aria-label", "title", "placeholder", "alt"])
            if (element.hasAttribute(name)) words.push(element.getAttribute(name));
    words.push(document.title);
    return words;
}"""
"""All that a person reads or hears, but for what is a key, code or English by its own word."""

NAMES = {"tapwright", "English", "Krippendorff", "McNemar", "id", "Wi", "Fi", "Shift", "fake"}
UNTRANSLATED = {"tap", "swipe", "success", "failure", "unknown", "infeasible", "hit", "miss"}
"""Words of our own that data has, too; a page says them in its language."""


@dataclass
class Site:
    address: str
    world: World
    tokens: dict[str, str]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A team of three with a queue, on a library."""
    world = make_world(tmp_path_factory.mktemp("site"), painted())
    annotate(world.store)
    team = Team(f"sqlite:///{world.root}/team.db")
    roles = {"root": "admin", "anna": "annotator", "ben": "annotator"}
    tokens = {name: team.accounts.add(name, role) for name, role in roles.items()}  # type: ignore[arg-type]
    first, *_ = team.queue.assign("phone", ["wifi_off"], copies=2)
    for name, episode in (("anna", "a"), ("ben", "b")):
        team.queue.lease(name, first)
        team.queue.complete(name, first, episode)
    team.queue.assign("phone", ["wifi_off", "dark_mode_on"], copies=2)
    team.queue.lease("root")
    config = WebConfig(
        episodes=world.store.root,
        runs=(world.runs,),
        suites={"phone": tasks},
        devices={name: lambda: FakeDevice(EndlessScenes()) for name in ("fake", "fake-2")},
        door=team.accounts,
        team=team,
    )
    with serving(config) as address:
        yield Site(address, world, tokens)
    team.close()


def sign_in(page: Page, site: Site, name: str = "root") -> None:
    page.goto(f"{site.address}/login")
    page.get_by_label(re.compile("^(Your token|你的令牌)$")).fill(site.tokens[name])
    page.keyboard.press("Enter")
    expect(page.get_by_text(name, exact=True)).to_be_visible()


KEEPS_DATA = """
    globalThis.told = [];
    const ask = globalThis.fetch;
    globalThis.fetch = async (...what) => {
        const answer = await ask(...what);
        answer.clone().text().then(text => told.push(text));
        return answer;
    };
"""
"""Keeps in `told` the JSON of all that the page was answered."""


def untranslated(page: Page) -> set[str]:
    """The English words that a person is shown, and that are neither names nor data."""
    data = {text for one in page.evaluate("told") for text in texts_in(json.loads(one))}
    sentences = sorted((text for text in data if " " in text), key=len, reverse=True)
    found: set[str] = set()
    for shown in page.evaluate(SHOWN):
        for sentence in sentences:
            shown = shown.replace(sentence, " ")
        found |= words_in(shown)
    known = {word for text in data for word in words_in(text)}
    return found - NAMES - (known - UNTRANSLATED)


def texts_in(said: object) -> Iterator[str]:
    """All strings of a JSON value; its keys too, as some are names of apps and the like."""
    if isinstance(said, str):
        yield said
    elif isinstance(said, dict):
        for key, value in said.items():
            yield from (key, *texts_in(value))
    elif isinstance(said, list):
        for value in said:
            yield from texts_in(value)


def words_in(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z]{2,}", text))


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_for_everybody_in_both_languages(
    path: str, browser_process: Browser, site: Site
) -> None:
    """Check 25; English on a light page, Chinese on a dark one."""
    for locale, dark in (("en-US", False), ("zh-CN", True)):
        refused = "401" if path == "login" else ""
        with watched(browser_process, locale=locale, dark=dark, allow=refused) as found:
            page = found.page
            page.add_init_script(KEEPS_DATA)
            if path != "login":
                sign_in(page, site)
            at = path
            if "{session}" in path:
                at = path.format(session=begun(page, site, "fake"))
            page.goto(f"{site.address}/{at}")
            page.wait_for_load_state("networkidle")
            expect(page.get_by_role("heading", level=1)).to_be_attached()
            assert grave_findings(page) == []
            if locale == "zh-CN":
                assert untranslated(page) == set()


def begun(page: Page, site: Site, device: str) -> str:
    """A demonstration of the one who has signed in."""
    answer = page.request.post(
        f"{site.address}/api/sessions",
        data={"device": device, "instruction": "看一看"},
        headers={"X-Tapwright": "1", "Origin": site.address},
    )
    session: str = answer.json()["session"]
    return session
