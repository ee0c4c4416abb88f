"""The pages of episodes in a real browser; found by role and name, so that names are right, too."""

import re
import shlex
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect

from tapwright.cli.main import cli
from tapwright.core.actions import ButtonDown, ButtonUp, Drag
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point
from tapwright.store.store import EpisodeStore
from tests.web.browsing import watched
from tests.web.library.world import NASTY, STRANGE, World


def mark(page: Page, name: str) -> dict[str, float]:
    """Where a mark is painted, in fractions of the picture below it."""
    found: dict[str, float] = page.evaluate(
        """name => {
            const shape = document.querySelector(`[data-mark="${name}"]`);
            const screen = shape.closest(".screen").querySelector("img").getBoundingClientRect();
            const box = (shape.querySelector("circle:not(.rim)") ?? shape).getBoundingClientRect();
            return {
                left: (box.left - screen.left) / screen.width,
                right: (box.right - screen.left) / screen.width,
                top: (box.top - screen.top) / screen.height,
                bottom: (box.bottom - screen.top) / screen.height,
            };
        }""",
        name,
    )
    return found


@pytest.mark.slow
def test_the_list_is_filtered_by_what_the_address_says(page: Page, site: str, kept: World) -> None:
    page.goto(f"{site}/episodes")
    expect(page.get_by_role("status").filter(has_text="7 of 7 episodes")).to_be_visible()
    page.get_by_role("combobox", name="App").select_option("org.example.notes")
    expect(page.get_by_text("4 of 7 episodes")).to_be_visible()
    page.get_by_role("searchbox", name="Search").fill("milk")
    expect(page.get_by_text("1 of 7 episodes")).to_be_visible()
    command = f"tapwright episodes ls {kept.store.root} --text milk --app org.example.notes"
    expect(page.get_by_text(command)).to_be_visible()
    page.reload()
    expect(page.get_by_text("1 of 7 episodes")).to_be_visible()
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("milk")
    page.get_by_role("link", name=re.compile("^Write a note")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text('Write a note called "Milk"')


@pytest.mark.slow
def test_a_link_restores_the_step_and_what_is_drawn(page: Page, site: str) -> None:
    """Check 16; the id has a blank, "/", "#", "%" and Chinese."""
    page.goto(f"{site}/episodes/{quote(STRANGE, safe='')}?step=1&overlay=tree")
    expect(page.get_by_role("heading", level=1)).to_have_text(NASTY)
    expect(page.get_by_role("heading", name="Step 2")).to_be_visible()
    expect(page.get_by_role("button", name="Tree")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Box")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("k")
    expect(page.get_by_role("heading", name="Step 1")).to_be_visible()
    page.keyboard.press("2")
    expect(page).to_have_url(re.compile(r"/episodes/[^/]+\?overlay=box%2Ctree$"))
    page.reload()
    expect(page.get_by_role("heading", name="Step 1")).to_be_visible()
    expect(page.get_by_role("button", name="Box")).to_have_attribute("aria-pressed", "true")


@pytest.mark.slow
def test_keys_walk_through_the_steps_and_stop_at_the_ends(page: Page, site: str) -> None:
    """Check 15, of which `bench/bench_viewer.py` measures the times."""
    page.goto(f"{site}/episodes/long")
    current = page.get_by_role("group", name="Film strip").locator("[aria-current=step]")
    expect(current).to_have_accessible_name(re.compile("^Step 1:"))
    for key, step in (("j", 1), ("j", 2), ("k", 1), ("End", 5), ("j", 5), ("Home", 0), ("k", 0)):
        page.keyboard.press(key)
        expect(current).to_have_accessible_name(re.compile(f"^Step {step + 1}:"))
    page.get_by_role("button", name=re.compile("^Step 5: tap")).click()
    expect(page.get_by_role("img", name=re.compile("^The screen before step 5"))).to_be_visible()


@pytest.mark.slow
def test_marks_lie_where_the_action_was_and_the_screen_stays_what_it_was(
    page: Page, site: str, kept: World
) -> None:
    """Check 18."""
    step = kept.store.read("b").steps[0]
    page.goto(f"{site}/episodes/b")
    screen = page.get_by_role("img", name=re.compile("^The screen before step 1"))
    expect(screen).to_be_visible()
    page.wait_for_selector("[data-mark=box]")
    width = screen.bounding_box()["width"]  # type: ignore[index]
    within = 1 / width  # one pixel of the page
    point, box = mark(page, "point"), mark(page, "box")
    at = step.decision.action.at  # type: ignore[union-attr]
    assert at is not None
    assert (point["left"] + point["right"]) / 2 == pytest.approx(at.x, abs=within)
    assert (point["top"] + point["bottom"]) / 2 == pytest.approx(at.y, abs=within)
    assert box["left"] == pytest.approx(0, abs=2 * within)
    assert box["top"] == pytest.approx(70 / 600, abs=2 * within)
    assert box["bottom"] == pytest.approx(122 / 600, abs=2 * within)
    for key in ("1", "2", "3"):
        page.keyboard.press(key)
    expect(page.locator("[data-mark]")).to_have_count(0)
    source = screen.get_attribute("src")
    assert source is not None
    assert page.request.get(source).body() == step.observation.screenshot.data


def test_an_arrow_goes_from_the_start_of_a_swipe_to_its_end(page: Page, site: str) -> None:
    page.goto(f"{site}/episodes/long?step=3&overlay=arrow")
    line = page.locator("[data-mark=arrow] polyline:not(.rim)")
    expect(line).to_have_attribute("points", "135,450 67.5,300")


@pytest.mark.slow
def test_a_path_is_drawn_as_one_and_held_keys_are_named_and_press_and_release_differ(
    page: Page, own: tuple[World, str]
) -> None:
    world, address = own
    seen = world.store.read("b").steps[0].observation
    start, corner, end = Point(0.5, 0.25), Point(0.5, 0.5), Point(1, 0.5)
    hand = [
        Decision(Drag(start=start, end=end, path=(corner,), held=("control",))),
        Decision([ButtonDown(at=start), ButtonUp(at=end)]),
    ]
    store = world.store
    with store.create(task_id="", instruction="", agent="a", device="d", id="hand") as writer:
        for decision in hand:
            writer.append(Step(seen, decision))
        writer.finish("success")
    page.goto(f"{address}/episodes/hand?step=0")
    line = page.locator("[data-mark=arrow] polyline:not(.rim)")
    expect(line).to_have_attribute("points", "135,150 135,300 270,300")
    expect(page.locator("[data-mark=held]")).to_have_text("control")
    expect(
        page.get_by_text("control+drag from (50 %, 25 %) to (100 %, 50 %) through 1 place").first
    ).to_be_visible()
    page.goto(f"{address}/episodes/hand?step=1")
    rings = page.locator("[data-mark=point]")
    expect(rings).to_have_count(2)
    expect(rings.nth(0).locator(".down")).to_have_count(1)
    expect(rings.nth(1).locator(".down, path")).to_have_count(0)


@pytest.mark.slow
def test_an_edit_in_the_page_is_the_command_that_it_shows(
    page: Page, own: tuple[World, str], tmp_path: Path
) -> None:
    """Check 17."""
    world, address = own
    copy = tmp_path / "copy"
    shutil.copytree(world.store.root, copy)

    def apply(button: str, **fields: str) -> None:
        page.get_by_role("button", name=button, exact=True).click()
        dialog = page.get_by_role("dialog", name=button)
        for label, text in fields.items():
            dialog.get_by_label(label.replace("_", " "), exact=True).fill(text)
        expect(dialog.get_by_role("group", name="What changes")).to_be_visible()
        command = dialog.get_by_text(re.compile("^tapwright episodes edit")).text_content()
        dialog.get_by_role("button", name="Apply").click()
        expect(dialog).to_be_hidden()
        words = shlex.split(command or "")
        words = [str(copy) if word == str(world.store.root) else word for word in words]
        assert CliRunner().invoke(cli, words[1:]).exit_code == 0

    page.goto(f"{address}/episodes/long?step=2")
    apply("Delete steps", First_step="3", Last_step="4")
    apply("Target", Target='the "second": 目标, bell')
    apply("Reward", **{"Add to 0": "1.5"})
    expect(page.get_by_text("+1.5", exact=True)).to_be_visible()
    kept, by_command = world.store.read("long"), EpisodeStore(copy).read("long")
    assert kept == by_command
    assert (len(kept.steps), kept.version) == (4, 4)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Version 3 is shown now.")).to_be_visible()
    assert world.store.read("long").steps[2].reward == 0
    page.get_by_role("button", name="Redo").click()
    expect(page.get_by_text("+1.5", exact=True)).to_be_visible()
    page.get_by_role("button", name="Version 1", exact=True).click()
    expect(page.get_by_text("This is version 1")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Step 6:"))).to_be_visible()


@pytest.mark.slow
def test_an_edit_of_what_another_tab_has_changed_is_refused_with_a_way_out(
    browser_process: Browser, own: tuple[World, str]
) -> None:
    """Check 17: the second of two tabs."""
    world, address = own
    with watched(browser_process) as one, watched(browser_process) as other:
        for tab in (one, other):
            tab.page.goto(f"{address}/episodes/long?step=1")
            tab.page.get_by_role("button", name="Reasoning", exact=True).click()
            dialog = tab.page.get_by_role("dialog")
            dialog.get_by_role("textbox", name="Reasoning").fill(f"from tab {tab is one}")
            expect(dialog.get_by_role("button", name="Apply")).to_be_enabled()
        for tab in (one, other):
            tab.page.get_by_role("button", name="Apply").click()
        expect(one.page.get_by_role("dialog")).to_be_hidden()
        alert = other.page.get_by_role("dialog").get_by_role("alert")
        expect(alert).to_contain_text("The current version is 2")
        assert world.store.read("long").steps[1].decision.reasoning == "from tab True"
        other.page.get_by_role("button", name="Load the current version").click()
        expect(other.page.get_by_role("group", name="What changes")).to_contain_text("tab True")
        other.page.get_by_role("button", name="Apply").click()
        expect(other.page.get_by_role("dialog")).to_be_hidden()
        assert world.store.read("long").steps[1].decision.reasoning == "from tab False"
        assert world.store.read("long").version == 3


@pytest.mark.slow
def test_a_removed_episode_leaves_the_list_and_can_be_brought_back_there(
    browser_process: Browser, own: tuple[World, str]
) -> None:
    world, address = own
    # Pictures that are still being loaded when the episode goes are not found.
    with watched(browser_process, allow="404") as found:
        page = found.page
        page.goto(f"{address}/episodes/b")
        page.get_by_role("button", name="Remove").click()
        page.get_by_role("dialog").get_by_role("button", name="Apply").click()
        expect(page.get_by_text("6 of 6 episodes")).to_be_visible()
        expect(page.get_by_role("region", name="Messages").get_by_text("Undo")).to_be_visible()
    assert "b" not in world.store
    world.store.undo("b")
    assert len(world.store.read("b").steps) == 3
