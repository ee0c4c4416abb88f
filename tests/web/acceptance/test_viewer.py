"""The episode viewer by pointing: places, elements, the two screens of a step, zoom, playback."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tapwright.core.actions import Tap
from tapwright.web.app import WebConfig
from tests.conftest import painted
from tests.web.browsing import axe_findings, serving, watched
from tests.web.library.world import World, long, make_world

pytestmark = pytest.mark.slow


@pytest.fixture
def own(tmp_path: Path) -> Iterator[tuple[World, str]]:
    world = make_world(tmp_path, painted(), runs=False)
    timed = long()
    times = (0, 1, 31, 32, 33, 34)
    steps = tuple(
        replace(step, observation=replace(step.observation, time_s=float(time_s)))
        for step, time_s in zip(timed.steps, times, strict=True)
    )
    world.store.write(replace(timed, id="timed", steps=steps))
    with serving(WebConfig(episodes=world.store.root)) as address:
        yield world, address


def pointed(picture: Locator, x: float, y: float) -> tuple[float, float]:
    """Where a fraction of a picture lies in the window."""
    box = picture.bounding_box()
    assert box is not None
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def editor(page: Page, name: str) -> tuple[Locator, Locator]:
    """The dialog of an edit, and the picture in it, once it is loaded and stands still."""
    dialog = page.get_by_role("dialog", name=name)
    picture = dialog.get_by_role("img")
    expect(picture).to_have_js_property("complete", True)
    expect(dialog.get_by_role("checkbox", name="Take the middle of the element")).to_be_visible()
    return dialog, picture


def test_a_place_is_set_by_click_drag_and_arrow_keys(
    browser_process: Browser, own: tuple[World, str]
) -> None:
    world, address = own
    with watched(browser_process) as found:
        page = found.page
        page.goto(f"{address}/episodes/long?step=1")
        expect(page.get_by_role("heading", name="Step 2", exact=True)).to_be_visible()
        page.keyboard.press("m")
        dialog, picture = editor(page, "Action")
        page.mouse.click(*pointed(picture, 0.25, 0.25))
        x, y = dialog.get_by_label("Place x"), dialog.get_by_label("Place y")
        expect(x).to_have_value(re.compile(r"^0\.2[45]"))
        before = picture.bounding_box()
        expect(dialog.get_by_role("group", name="What changes")).to_be_visible()
        assert picture.bounding_box() == before  # the preview moves nothing under the pointer
        page.mouse.move(*pointed(picture, 0.25, 0.25))
        page.mouse.down()
        page.mouse.move(*pointed(picture, 0.5, 0.75), steps=3)
        page.mouse.up()
        expect(y).to_have_value(re.compile(r"^0\.7[45]"))
        reached = float(x.input_value())
        page.keyboard.press("Shift+ArrowRight")
        expect(x).not_to_have_value(str(reached))
        assert float(x.input_value()) == pytest.approx(reached + 10 / 270)
        assert axe_findings(page) == []
        wanted = float(x.input_value()), float(y.input_value())
        expect(dialog.get_by_role("button", name="Apply")).to_be_enabled()
        dialog.get_by_role("button", name="Apply").click()
        expect(dialog).to_have_count(0)
    action = world.store.read("long").steps[1].decision.action
    assert isinstance(action, Tap)
    assert (action.at.x, action.at.y) == pytest.approx(wanted)


def test_a_step_is_inserted_on_an_element_and_another_deleted(
    browser_process: Browser, own: tuple[World, str]
) -> None:
    world, address = own
    with watched(browser_process) as found:
        page = found.page
        page.goto(f"{address}/episodes/long?step=2")
        expect(page.get_by_role("heading", name="Step 3", exact=True)).to_be_visible()
        page.keyboard.press("i")
        dialog, picture = editor(page, "Insert before")
        dialog.get_by_role("checkbox", name="Take the middle of the element").check()
        screen = world.store.read("long").steps[2].observation
        assert screen.ui_tree is not None
        node = next(one for one in screen.ui_tree.nodes if one.label.startswith("Bank"))
        box = node.box
        assert box is not None
        inside = box.left + 0.2 * (box.right - box.left), box.top + 0.3 * (box.bottom - box.top)
        page.mouse.click(*pointed(picture, *inside))
        expect(dialog.get_by_role("group", name="What changes")).to_be_visible()
        expect(dialog.get_by_role("button", name="Apply")).to_be_enabled()
        dialog.get_by_role("button", name="Apply").click()
        expect(dialog).to_have_count(0)
        expect(page.get_by_role("button", name=re.compile("^Step 7:"))).to_be_visible()
        page.keyboard.press("Delete")
        deletion = page.get_by_role("dialog", name="Delete steps")
        expect(deletion.get_by_role("button", name="Apply")).to_be_enabled()
    inserted = world.store.read("long").steps[2].decision.action
    assert isinstance(inserted, Tap)
    holding = [one.box for one in screen.ui_tree.nodes if one.box and one.box.contains(inserted.at)]
    middles = [((one.left + one.right) / 2, (one.top + one.bottom) / 2) for one in holding]
    assert (inserted.at.x, inserted.at.y) in [pytest.approx(middle) for middle in middles]


def test_elements_are_searched_shown_and_picked_in_the_picture(
    browser_process: Browser, own: tuple[World, str]
) -> None:
    with watched(browser_process) as found:
        page = found.page
        page.goto(f"{own[1]}/episodes/long?overlay=tree")
        inspector = page.get_by_role("region", name="Elements")
        nodes = inspector.get_by_role("listitem")
        inspector.get_by_role("searchbox").fill("sound")
        nodes.filter(has_text="Sound").last.hover()
        expect(page.locator("[data-mark=inspected]")).to_have_count(1)
        nodes.filter(has_text="Sound").last.get_by_role("button").click()
        attributes = inspector.locator(".attributes")
        expect(attributes).to_contain_text("Sound")
        expect(attributes).to_contain_text("bounds")
        inspector.get_by_role("searchbox").fill("")
        picture = page.get_by_role("img", name=re.compile("^The screen before"))
        picture.scroll_into_view_if_needed()
        page.mouse.click(*pointed(picture, 0.5, 0.02))
        expect(attributes).not_to_contain_text("Sound")
        assert axe_findings(page) == []


def test_the_screens_of_a_step_are_compared_in_one_picture(
    browser_process: Browser, own: tuple[World, str]
) -> None:
    with watched(browser_process) as found:
        page = found.page
        page.goto(f"{own[1]}/episodes/long")
        page.get_by_role("combobox", name="Screens").select_option("Slider")
        slider = page.get_by_role("slider", name="How much of the screen after is shown")
        slider.fill("80")
        expect(page.locator("img.slider")).to_have_css("clip-path", "inset(0px 0px 0px 20%)")
        expect(page).to_have_url(re.compile("view=slider"))
        page.get_by_role("combobox", name="Screens").select_option("Difference")
        expect(page.locator("img.difference")).to_have_css("mix-blend-mode", "difference")
        page.reload()
        expect(page.locator("img.difference")).to_be_visible()
        expect(page.get_by_role("combobox", name="Screens")).to_have_value("difference")


def test_a_picture_is_enlarged_and_its_marks_with_it(
    browser_process: Browser, own: tuple[World, str]
) -> None:
    with watched(browser_process) as found:
        page = found.page
        page.goto(f"{own[1]}/episodes/long")
        picture = page.get_by_role("img", name=re.compile("^The screen before"))
        mark = page.locator("[data-mark=box]")
        expect(mark).to_have_count(1)
        whole, marked = picture.bounding_box(), mark.bounding_box()
        assert whole is not None
        assert marked is not None
        page.keyboard.press("+")
        expect(page.locator(".enlarged")).to_have_count(1)
        larger, enlarged = picture.bounding_box(), mark.bounding_box()
        assert larger is not None
        assert enlarged is not None
        assert larger["width"] == pytest.approx(1.5 * whole["width"], rel=0.02)
        assert enlarged["height"] == pytest.approx(1.5 * marked["height"], rel=0.05)
        page.keyboard.press("0")
        expect(page.locator(".enlarged")).to_have_count(0)


def test_playback_goes_through_the_steps_and_shows_idle_time(
    browser_process: Browser, own: tuple[World, str]
) -> None:
    with watched(browser_process) as found:
        page = found.page
        page.goto(f"{own[1]}/episodes/timed")
        scrubber = page.get_by_role("slider", name="Time")
        expect(scrubber).to_have_attribute("aria-valuetext", "0:00, step 1 of 6")
        expect(page.locator(".spans .idle")).to_have_count(1)
        scrubber.fill("12")
        expect(page.get_by_text("0:01 / 0:34 · idle for 30 s")).to_be_visible()
        page.get_by_role("combobox", name="Speed").select_option("4×")
        page.get_by_role("button", name="Play").click()
        expect(page.get_by_role("heading", name="Step 6", exact=True)).to_be_visible()
        expect(page.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "false")
