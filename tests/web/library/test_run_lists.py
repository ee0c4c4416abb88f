"""Long runs, played runs and runs on other data in a real browser."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect
from pydantic import JsonValue

from tapwright.evaluate.run_log import (
    EPISODES,
    SampleInfo,
    SampleRow,
    write_run,
)
from tapwright.store.store import EpisodeStore
from tapwright.web.app import WebConfig
from tests.run_logs import run_log
from tests.web.browsing import axe_findings, serving, watched
from tests.web.library.world import long

ROWS = 100


def _write(root: Path, name: str, rows: list[SampleRow], *, data: str = "one") -> None:
    run = run_log(
        rows,
        created="2026-01-01T00:00:00+00:00",
        benchmark="l3",
        data_sha256=data * 20,
        subject=f"model-{name}",
    )
    write_run(run, root / name)


def _row(number: int, right: bool) -> SampleRow:
    labels = {"app": "Notes" if number % 4 else "Mail", "difficulty": "easy"}
    about = SampleInfo(labels, str(number), instruction=f"Do thing {number}")
    score = float(right)
    return SampleRow(f"t{number}", about, "ok", answer=f"said {number}", score=score, latency_s=1)


def _attempt(epoch: int, episode: str) -> SampleRow:
    about = SampleInfo({"app": "Mail"}, "look", instruction="Look around", epoch=epoch)
    detail: dict[str, JsonValue] = {"episode": episode, "steps": 6}
    return SampleRow("look", about, "ok", answer="", score=float(epoch == 1), detail=detail)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("runs")
    _write(root, "many", [_row(number, number % 3 == 0) for number in range(ROWS)])
    _write(root, "again", [_row(number, number % 2 == 0) for number in range(ROWS)])
    _write(root, "best", [_row(number, number != 7) for number in range(ROWS)])
    _write(root, "played", [_attempt(1, "long"), _attempt(2, "long")], data="two")
    EpisodeStore(root / "played" / EPISODES).write(long())
    return root


@pytest.fixture(scope="module")
def lists(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    store = tmp_path_factory.mktemp("episodes")
    with serving(WebConfig(episodes=store, runs=(runs,))) as address:
        yield address


@pytest.mark.slow
def test_a_long_run_is_read_page_by_page_with_the_place_in_the_address(
    page: Page, lists: str
) -> None:
    page.goto(f"{lists}/runs/many?sort=-key")
    cards = page.locator(".gallery > li")
    expect(cards).to_have_count(48)
    expect(cards.first).to_contain_text("t99: Do thing 99")
    page.get_by_role("button", name="Next page").first.click()
    expect(cards.first).to_contain_text("t51: Do thing 51")
    expect(page).to_have_url(re.compile("page=1"))
    page.get_by_role("searchbox", name="Search").fill("THING 9")
    expect(page.get_by_text(f"11 of {ROWS} samples")).to_be_visible()
    expect(page).to_have_url(re.compile("q=THING"))
    page.reload()
    expect(cards).to_have_count(11)
    expect(cards.first).to_contain_text("t99: Do thing 99")


@pytest.mark.slow
def test_a_bar_of_a_chart_says_its_figures_and_shows_its_samples_alone(
    page: Page, lists: str
) -> None:
    page.goto(f"{lists}/runs/many")
    bar = page.get_by_role("button", name=re.compile(r"^Mail ?36\.0 %"))
    bar.focus()
    expect(page.get_by_text(re.compile(r"^Mail: 36\.0 % \(.*\) of 25$"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"25 of {ROWS} samples")).to_be_visible()
    expect(bar).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="hit 9")).to_be_visible()
    page.get_by_role("button", name="Clear filter").click()
    expect(page.get_by_text(f"{ROWS} of {ROWS} samples")).to_be_visible()


@pytest.mark.slow
def test_a_sample_opens_beside_the_list_and_the_keys_go_on_past_the_page(
    page: Page, lists: str
) -> None:
    page.goto(f"{lists}/runs/many?view=table")
    page.get_by_role("button", name="t47: Do thing 47", exact=True).click()
    expect(page.get_by_role("heading", name="Sample t47")).to_be_focused()
    expect(page.get_by_text(f"48 of {ROWS}", exact=True)).to_be_visible()
    page.keyboard.press("j")
    expect(page.get_by_role("heading", name="Sample t48")).to_be_visible()
    expect(page.get_by_role("button", name="t48: Do thing 48", exact=True)).to_be_visible()
    expect(page.get_by_text(f"49 of {ROWS}", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Sample t48")).to_be_hidden()
    expect(page).to_have_url(re.compile(r"/runs/many\?view=table$"))


@pytest.mark.slow
def test_back_closes_a_sample_and_closing_gives_the_card_the_focus(page: Page, lists: str) -> None:
    page.goto(f"{lists}/runs/many")
    card = page.get_by_role("button", name="t3: Do thing 3", exact=True)
    heading = page.get_by_role("heading", name="Sample t3")
    card.click()
    expect(heading).to_be_visible()
    page.go_back()
    expect(heading).to_be_hidden()
    expect(card).to_be_focused()
    page.keyboard.press("Enter")
    expect(heading).to_be_visible()
    page.get_by_role("button", name="Close").click()
    expect(heading).to_be_hidden()
    expect(card).to_be_focused()


@pytest.mark.slow
def test_attempts_at_a_task_are_film_strips_whose_screens_open_their_steps(
    page: Page, lists: str
) -> None:
    page.goto(f"{lists}/runs/played")
    strip = page.get_by_role("group", name="The steps of attempt look", exact=True)
    expect(strip.locator("img")).to_have_count(7)
    marked = strip.locator("[data-mark=point], [data-mark=arrow]")
    expect(marked.first).to_be_visible()
    page.get_by_role("button", name="look#2: Look around", exact=True).click()
    panel = page.get_by_role("region", name="Sample look#2")
    expect(panel.get_by_role("group", name=re.compile("^The steps of attempt"))).to_have_count(2)
    panel.get_by_role("link", name=re.compile("^2\\.")).first.click()
    expect(page).to_have_url(re.compile(r"/episodes/long\?run=played&step=1"))
    expect(page.get_by_role("heading", name="Look around")).to_be_visible()


@pytest.mark.slow
def test_runs_on_other_data_cannot_be_chosen_beside_each_other(page: Page, lists: str) -> None:
    page.goto(f"{lists}/runs")
    choose = {
        name: page.get_by_role("checkbox", name=f"Choose {name}", exact=True)
        for name in ("many", "again", "best", "played")
    }
    choose["many"].check()
    expect(choose["played"]).to_be_disabled()
    expect(page.get_by_text("other data")).to_be_visible()
    choose["again"].check()
    choose["best"].check()
    page.get_by_role("button", name="Compare 3 runs").click()
    told = json.loads(
        page.request.get(f"{lists}/api/matrix?runs={quote(json.dumps(['many', 'best']))}").text()
    )
    assert told["pairs"][0]["difference"] == pytest.approx(0.65)
    cell = page.get_by_role("link", name=re.compile(r"^best less many: \+65\.0 points"))
    expect(cell).to_have_class(re.compile("up"))
    near = page.get_by_role("link", name=re.compile(r"^again less many: \+16\.0 points"))
    expect(near).to_be_visible()
    page.get_by_role("button", name="Copy command").click(trial=True)  # the table's room is below
    cell.click()
    expect(page).to_have_url(re.compile(r"/compare\?a=many&b=best"))


@pytest.mark.slow
def test_what_is_filtered_is_downloaded(page: Page, lists: str, tmp_path: Path) -> None:
    page.goto(f"{lists}/runs/many?verdict=hit&sort=-key")
    expect(page.get_by_text(f"34 of {ROWS} samples")).to_be_visible()
    files = page.get_by_role("group", name="What is filtered as a file")
    for kind in ("CSV", "JSON"):
        with page.expect_download() as found:
            files.get_by_role("link", name=kind).click()
        found.value.save_as(tmp_path / kind)
        assert found.value.suggested_filename == f"many.{kind.lower()}"
    table = list(csv.DictReader((tmp_path / "CSV").read_text("utf-8").splitlines()))
    assert [row["key"] for row in table] == [f"t{number}" for number in range(99, -1, -3)]
    assert [row["id"] for row in json.loads((tmp_path / "JSON").read_text())] == [
        row["key"] for row in table
    ]


@pytest.mark.slow
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_pages_of_runs_fit_their_width_and_bar_nobody(
    browser_process: Browser, lists: str, locale: str, width: int
) -> None:
    names = quote(json.dumps(["many", "again", "best"]))
    with watched(browser_process, locale=locale) as found:
        page = found.page
        page.set_viewport_size({"width": width, "height": 900 if width > 400 else 844})
        for place in (
            "runs",
            "runs/many",
            "runs/many?view=table",
            "runs/played?sample=look",
            "compare?a=many&b=again",
            f"matrix?runs={names}",
        ):
            page.goto(f"{lists}/{place}")
            expect(page.locator("main .panel").first).to_be_visible()
            page.wait_for_load_state("networkidle")
            main = page.locator("main")
            assert main.evaluate("main => main.scrollWidth <= main.clientWidth"), place
            assert axe_findings(page, "main") == [], place
