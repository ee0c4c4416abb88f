"""The pages for everybody: in both languages, without a mouse, and nobody else's business."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.web.acceptance.recording import Recorder
from tests.web.acceptance.site import Site, begun, queue_work, sign_in, team_site
from tests.web.acceptance.words import KEEPS_DATA, untranslated
from tests.web.browsing import watched

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with team_site(tmp_path_factory.mktemp("site")) as site:
        queue_work(site)
        yield site


def test_the_language_is_changed_on_the_spot_and_kept(browser_process: Browser, site: Site) -> None:
    with watched(browser_process) as found:
        page = found.page
        page.add_init_script(KEEPS_DATA)
        sign_in(page, site)
        page.goto(f"{site.address}/episodes")
        page.get_by_role("banner").get_by_role("combobox", name="Language").select_option("中文")
        expect(page.get_by_role("heading", level=1)).to_have_text("轨迹")
        assert untranslated(page) == set()
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("轨迹")
        page.get_by_role("banner").get_by_role("combobox", name="语言").select_option("English")
        expect(page.get_by_role("heading", level=1)).to_have_text("Episodes")


def test_two_people_on_two_devices_do_not_see_each_other(
    browser_process: Browser, site: Site
) -> None:
    with watched(browser_process) as one, watched(browser_process, allow="WebSocket") as other:
        recorders = []
        for found, name, device in ((one, "anna", "fake of anna"), (other, "ben", "fake of ben")):
            sign_in(found.page, site, name)
            session = begun(found.page, site, device, f"{name} looks around")
            found.page.goto(f"{site.address}/record/{session}")
            recorders.append(Recorder(found.page, site.address, site.world.store))
        anna, ben = recorders
        for recorder in recorders:
            recorder.ready()
        for count in (1, 2, 3):
            anna.tap()
            anna.saved(count)
        ben.tap()
        ben.saved(1)
        expect(ben.steps).to_contain_text("Button 0")
        expect(anna.steps).to_have_count(3)
        ben.page.goto(anna.page.url)
        expect(ben.page.get_by_text("This demonstration is no longer open")).to_be_visible()
        ben.page.goto(site.address)
        expect(ben.page.get_by_role("radio", name="in use by anna")).to_be_disabled()
        recent = ben.page.get_by_role("complementary")
        expect(recent).to_contain_text("ben looks around")
        expect(recent).not_to_contain_text("anna looks around")


def test_a_new_member_signs_in_and_records_what_the_queue_has(
    browser_process: Browser, site: Site
) -> None:
    with (
        watched(browser_process, allow="401") as admin,
        watched(browser_process, allow="401") as new,
    ):
        sign_in(admin.page, site)
        admin.page.get_by_role("link", name="Team").click()
        members = admin.page.get_by_role("region", name="Members")
        members.get_by_label("New member's name").fill("cleo")
        members.get_by_role("button", name="Add").click()
        dialog = admin.page.get_by_role("dialog", name="The token of cleo")
        token = dialog.get_by_role("code").inner_text()
        dialog.get_by_role("button", name="I have kept it").click()
        expect(members.get_by_role("row", name=re.compile("^cleo"))).to_be_visible()
        new.page.goto(f"{site.address}/queue")
        field = new.page.get_by_label("Your token")
        field.fill("tapwright_wrong")
        new.page.get_by_role("button", name="Sign in").click()
        expect(new.page.get_by_role("alert")).to_be_visible()
        field.fill(token)
        new.page.get_by_role("button", name="Sign in").click()
        expect(new.page.get_by_role("heading", level=1)).to_have_text("My queue")
        expect(new.page.get_by_role("link", name="Team")).to_have_count(0)
        new.page.get_by_role("region", name="Next").get_by_role("button", name="Record").click()
        expect(new.page.get_by_text("Turn off Wi-Fi.").first).to_be_visible()
        admin.page.reload()
        row = members.get_by_role("row", name=re.compile("^cleo"))
        expect(row.get_by_role("cell").nth(2)).to_have_text("1")
        row.get_by_role("button", name="Remove").click()
        admin.page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        expect(row).to_have_count(0)
        new.page.goto(f"{site.address}/queue")
        expect(new.page.get_by_role("heading", level=1)).to_have_text("Sign in")


def to(page: Page, target: Locator) -> None:
    """Go to a control by the Tab key, and see that the focus is to be seen there."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            ring = target.evaluate("element => getComputedStyle(element).outlineStyle")
            assert ring != "none"
            return
    raise AssertionError(f"Tab does not reach {target}")


def test_recording_reviewing_and_reading_figures_take_no_mouse(
    browser_process: Browser, site: Site
) -> None:
    with watched(browser_process) as found:
        page = found.page
        sign_in(page, site)
        recorder = Recorder(page, site.address, site.world.store)
        to(page, page.get_by_role("radio", name="A task from a suite"))
        page.keyboard.press("ArrowRight")
        to(page, page.get_by_role("textbox", name="Instruction"))
        page.keyboard.type("No mouse")
        to(page, page.get_by_role("button", name="Start recording"))
        page.keyboard.press("Enter")
        recorder.ready()
        page.keyboard.press("b")
        recorder.saved(1)
        to(page, page.get_by_text("Tap by name"))
        page.keyboard.press("Enter")
        to(page, page.get_by_role("button", name=re.compile("^Button 1")))
        page.keyboard.press("Enter")
        recorder.saved(2)
        page.keyboard.press("Shift+S")
        page.keyboard.type("Sure")
        page.keyboard.press("Control+Enter")
        expect(recorder.steps.last).to_contain_text("Sure")
        page.keyboard.press("f")
        to(page, page.get_by_role("dialog").get_by_role("button", name="Finish", exact=True))
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Demonstration saved")).to_be_visible()
        page.keyboard.press("4")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Saved")).to_be_visible()
        to(page, page.get_by_role("link", name="Open the episode"))
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Step 1")).to_be_visible()
        page.keyboard.press("j")
        expect(page.get_by_role("heading", name="Step 2")).to_be_visible()
        page.reload()
        to(page, page.get_by_role("link", name="Review"))
        page.keyboard.press("Enter")
        # The step takes the focus when it is there; a key before that would be lost to it.
        expect(page.get_by_role("heading", name=re.compile("^Step "))).to_be_focused()
        to(page, page.get_by_role("link", name="Runs"))
        page.keyboard.press("Enter")
        to(page, page.get_by_role("link", name="random"))
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("random")


def test_nothing_moves_for_who_wants_no_motion(browser_process: Browser, site: Site) -> None:
    with watched(browser_process) as found:
        page = found.page
        page.emulate_media(reduced_motion="reduce")
        sign_in(page, site)
        session = begun(page, site, "fake")
        page.goto(f"{site.address}/record/{session}")
        recorder = Recorder(page, site.address, site.world.store)
        recorder.ready()
        recorder.tap()
        recorder.saved(1)
        moving = """() => document.getAnimations().filter(one =>
            one.effect.getComputedTiming().duration > 1).length"""
        assert page.evaluate(moving) == 0


def test_a_view_that_one_member_shares_is_another_ones_too(
    browser_process: Browser, site: Site
) -> None:
    with watched(browser_process) as lead, watched(browser_process) as other:
        sign_in(lead.page, site, "rita")
        lead.page.goto(f"{site.address}/episodes?outcome=failure&sort=-steps")
        lead.page.get_by_text("Views", exact=True).click()
        lead.page.get_by_label("Save this view as").fill("What failed")
        lead.page.get_by_label("The whole team sees it").check()
        lead.page.get_by_role("button", name="Save", exact=True).click()
        expect(lead.page.get_by_role("link", name="What failed")).to_be_visible()
        sign_in(other.page, site, "anna")
        other.page.goto(f"{site.address}/episodes")
        other.page.get_by_text("Views", exact=True).click()
        expect(other.page.get_by_text("of rita")).to_be_visible()
        expect(other.page.get_by_role("button", name="Delete the view What failed")).to_have_count(
            0
        )
        other.page.get_by_role("link", name="What failed").click()
        expect(other.page).to_have_url(re.compile("outcome=failure&sort=-steps"))
        lead.page.reload()
        lead.page.get_by_text("Views", exact=True).click()
        lead.page.get_by_role("button", name="Delete the view What failed").click()
        expect(lead.page.get_by_role("link", name="What failed")).to_have_count(0)


def test_a_team_s_pages_fit_a_tablet_and_say_whose_they_are(
    browser_process: Browser, site: Site
) -> None:
    with watched(browser_process, size=(768, 1024)) as found:
        page = found.page
        sign_in(page, site)
        for path in ("team", "queue", ""):
            page.goto(f"{site.address}/{path}")
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            expect(page.get_by_text("Loading …")).to_have_count(0)
            wide = page.evaluate(
                "[document.documentElement, document.querySelector('main')]"
                ".map(one => one.scrollWidth - one.clientWidth)"
            )
            assert wide == [0, 0], path
    with watched(browser_process) as found:
        page = found.page
        sign_in(page, site, "anna")
        page.goto(f"{site.address}/team")
        expect(page.get_by_text("This is for people with the role “admin”.")).to_be_visible()
