"""A day of an annotator, a reviewer and a lead: on a phone and a wide screen, in both languages."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Locator, Page, Position, expect

from tests.web.acceptance.looking import LANGUAGES, SIZES, Language, Look, album
from tests.web.acceptance.recording import Recorder
from tests.web.acceptance.site import Site, sign_in, team_site
from tests.web.browsing import watched

pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize("language", LANGUAGES),
    pytest.mark.parametrize("width", SIZES),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with team_site(tmp_path_factory.mktemp("site")) as site:
        yield site


@contextmanager
def signed_in(browser: Browser, site: Site, look: Look, name: str) -> Iterator[Page]:
    with watched(
        browser, locale=look.locale, size=SIZES[look.width], touch=look.is_phone, allow="401"
    ) as found:
        sign_in(found.page, site, name)
        yield found.page


def button(where: Page | Locator, name: str) -> Locator:
    return where.get_by_role("button", name=name, exact=True)


def heading(page: Page, name: str) -> Locator:
    return page.get_by_role("heading", name=name, exact=True)


@pytest.mark.long
def test_an_annotator_records_what_is_asked_and_resumes_what_was_left(
    width: int, language: Language, browser_process: Browser, site: Site
) -> None:
    look = Look(width, language, album())
    word = look.word
    site.team.queue.assign("buttons", ["press"], only="anna")
    with signed_in(browser_process, site, look, "anna") as page:
        recorder = Recorder(page, site.address, site.world.store)
        screen = page.get_by_role("img", name=word("screen.label", device="fake"))

        def tap(count: int) -> None:
            steps = page.get_by_role("list", name=word("steps.title")).get_by_role("listitem")
            expect(steps).to_have_count(count - 1)
            expect(button(page, word("act.back"))).to_be_enabled()
            box = screen.bounding_box()
            assert box is not None
            at: Position = {"x": box["width"] / 2, "y": 0.4 * box["height"]}
            # Where the screen stands once the page has come to rest.
            screen.tap(position=at) if look.is_phone else screen.click(position=at)
            expect(steps).to_have_count(count)
            expect(page.get_by_text(word("status.saved"))).to_be_attached()

        asked = page.get_by_role("region", name=word("home.queue.title"))
        start = button(asked, word("home.queue.start"))
        expect(start).to_be_enabled()
        look.at(page, "annotator-1-asked", main=start)
        start.click()
        expect(page.get_by_text(re.compile(word("screen.waiting", device="fake")))).to_have_count(0)
        expect(button(page, word("act.back"))).to_be_enabled()
        look.at(page, "annotator-2-begun", main=screen)
        tap(1)
        tap(2)
        expect(page.get_by_text(word("record.reached"))).to_be_in_viewport()
        look.at(page, "annotator-3-reached", main=screen)
        finishes = button(page, word("flow.finish")).first
        expect(finishes).to_be_in_viewport(ratio=1)
        undo = button(page, word("steps.undo"))
        expect(undo).to_be_in_viewport(ratio=1)
        if look.is_phone:
            shown, foot = screen.bounding_box(), undo.bounding_box()
            assert shown is not None
            assert foot is not None
            assert shown["y"] + shown["height"] <= foot["y"], "the foot covers the screen"
        finishes.click()
        expect(page.get_by_text(word("finished.title"))).to_be_visible()
        opens = page.get_by_role("link", name=word("finished.look"), exact=True)
        look.at(page, "annotator-4-saved", main=opens)
        opens.click()
        expect(heading(page, word("episode.step", step=1))).to_be_attached()
        marked = page.locator(".mark.point").first
        expect(marked).to_be_in_viewport()
        look.at(page, "annotator-5-looked-at")

        recorder.page.goto(site.address)
        page.get_by_role("radio", name=word("home.what.typed"), exact=True).check()
        page.get_by_role("textbox", name=word("home.instruction"), exact=True).fill("Look around")
        button(page, word("home.start")).click()
        expect(button(page, word("act.back"))).to_be_enabled()
        tap(1)
        page.goto(site.address)
        left = page.get_by_role("region", name=word("home.resume.title"))
        resumes = left.get_by_role("link", name=word("home.resume"), exact=True)
        look.at(page, "annotator-6-left", main=resumes)
        resumes.click()
        tap(2)
        button(page, word("flow.discard")).click()
        dialog = page.get_by_role("dialog", name=word("flow.discard.title"))
        look.at(page, "annotator-7-discards", main=dialog)
        button(dialog, word("flow.discard.confirm")).click()
        expect(page.get_by_text(word("finished.discarded"))).to_be_visible()


@pytest.mark.long
def test_a_reviewer_decides_on_steps_and_on_recordings(
    width: int, language: Language, browser_process: Browser, site: Site
) -> None:
    look = Look(width, language, album())
    word = look.word
    with signed_in(browser_process, site, look, "rita") as page:
        nav = page.get_by_role("navigation", name=word("nav.label"))
        nav.get_by_role("link", name=word("nav.review"), exact=True).click()
        accept = button(page, word("review.accept"))
        look.at(page, "reviewer-1-step", main=accept)
        expect(page.locator(".mark.point").first).to_be_in_viewport(ratio=1)
        for fact in ("fact.action", "fact.target", "fact.reasoning"):  # beside what judges them
            term = page.locator("dt").get_by_text(word(fact), exact=True)
            expect(term).to_be_in_viewport(ratio=1)
        accept.click()
        undo = button(page, word("review.undo"))
        expect(undo).to_be_enabled()
        button(page, word("review.reject")).click()
        why = page.get_by_role("group", name=word("review.why"))
        look.at(page, "reviewer-2-rejects", main=button(why, word("reason.WRONG_TARGET")))
        button(why, word("reason.WRONG_TARGET")).click()
        expect(why).to_have_count(0)
        undo.click()
        expect(accept).to_be_enabled()
        look.at(page, "reviewer-3-undone", main=accept)
        undo.click()  # the other looks find the steps open, too
        expect(undo).to_be_disabled()

        tabs = page.get_by_role("navigation", name=word("review.tabs"))
        tabs.get_by_role("link", name=word("review.tabs.recordings")).click()
        expect(heading(page, word("recordings.title"))).to_be_attached()
        page.get_by_role("link", name=re.compile("Read the mail from Anna")).first.click()
        look.at(page, "reviewer-4-recording", main=button(page, word("review.reject")))
        button(page, word("review.reject")).click()
        form = page.get_by_role("region", name=word("review.reject"), exact=True)
        form.get_by_role("textbox").fill("Stops before the mail")
        rejects = button(form, word("review.reject"))
        look.at(page, "reviewer-5-why", main=rejects)
        rejects.click()
        expect(form).to_have_count(0)
        expect(undo).to_be_enabled()
        undo.click()
        expect(undo).to_be_disabled()


def test_a_lead_asks_for_tasks_and_compares_runs(
    width: int, language: Language, browser_process: Browser, site: Site
) -> None:
    look = Look(width, language, album())
    word = look.word
    with signed_in(browser_process, site, look, "root") as page:
        nav = page.get_by_role("navigation", name=word("nav.label"))
        nav.get_by_role("link", name=word("nav.team"), exact=True).click()
        queue = page.get_by_role("region", name=word("team.queue")).first
        adds = button(queue, word("team.assign"))
        expect(adds).to_be_visible()
        look.at(page, "lead-1-team")
        adds.click()
        title = word("team.whole.title", count=2, suite="buttons")
        dialog = page.get_by_role("dialog", name=title)
        look.at(page, "lead-2-whole-suite", main=dialog)
        button(dialog, word("cancel")).click()
        queue.get_by_label(word("team.tasks")).fill("press_on")
        adds.click()
        told = page.get_by_text(word("team.assigned", count=1))
        expect(told).to_be_in_viewport()
        look.at(page, "lead-3-asked", main=told)
        withdraws = button(queue, word("team.withdraw")).last
        withdraws.click()
        expect(queue.get_by_text("press_on")).to_have_count(0)
        button(page, word("team.withdrawn.undo")).click()
        expect(queue.get_by_text("press_on")).to_have_count(1)
        withdraws.click()
        expect(queue.get_by_text("press_on")).to_have_count(0)

        nav.get_by_role("link", name=word("nav.runs"), exact=True).click()
        for name in ("random", "tree"):
            page.get_by_role("checkbox", name=word("runs.pick.one", name=name)).check()
        compares = button(page, word("runs.compare"))
        look.at(page, "lead-4-runs", main=compares)
        compares.click()
        difference = heading(page, word("compare.difference"))
        look.at(page, "lead-5-compared", main=difference)
        page.goto(f"{site.address}/runs/tree")
        sample = page.get_by_role("listitem").filter(has=page.get_by_role("button")).first
        expect(sample).to_be_visible()
        look.at(page, "lead-6-run")
