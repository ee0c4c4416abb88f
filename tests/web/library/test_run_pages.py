"""The pages of runs in a real browser."""

import json
import re
from collections import Counter
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tapwright.evaluate.error_analysis import answered_point, diagnose, target_box
from tapwright.evaluate.run_log import read_run
from tests.web.library.world import NASTY, World

DRAWN = """() => [...document.querySelectorAll(".gallery .screen")].map(screen => {
    const picture = screen.querySelector("img").getBoundingClientRect();
    const place = shape => {
        if (!shape) return null;
        const box = shape.getBoundingClientRect();
        return [(box.left - picture.left) / picture.width, (box.top - picture.top) / picture.height,
                (box.right - picture.left) / picture.width,
                (box.bottom - picture.top) / picture.height];
    };
    return {
        truth: place(screen.querySelector("[data-mark=truth]")),
        point: place(screen.querySelector("[data-mark=hit] circle, [data-mark=miss] circle")),
        width: picture.width,
    };
})"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["random", "group/far"])
def test_boxes_and_points_are_drawn_where_the_log_has_them(
    name: str, page: Page, site: str, kept: World
) -> None:
    """Check 22."""
    log = read_run(kept.runs / name)
    page.goto(f"{site}/runs/{quote(name, safe='')}")
    expect(page.get_by_text(f"{len(log.rows)} of {len(log.rows)} samples")).to_be_visible()
    drawn = page.evaluate(DRAWN)
    assert len(drawn) == len(log.rows) >= 30
    for row, shown in zip(log.rows, drawn, strict=True):
        box, point, within = target_box(row), answered_point(row), 1.6 / shown["width"]
        assert box is not None
        assert shown["truth"] == pytest.approx(
            [box.left, box.top, box.right, box.bottom], abs=within
        )
        if point is None:
            assert shown["point"] is None
        else:
            left, top, right, bottom = shown["point"]
            middle = [(left + right) / 2, (top + bottom) / 2]
            assert middle == pytest.approx([point.x, point.y], abs=within)


@pytest.mark.slow
def test_badges_count_what_the_log_has_and_filter_through_a_reload(
    page: Page, site: str, kept: World
) -> None:
    """Check 22."""
    log = read_run(kept.runs / "random")
    counts: Counter[str] = Counter()
    for row in log.rows:
        if (why := diagnose(row)) is not None:
            counts[why] += 1
    page.goto(f"{site}/runs/random")
    badges = page.get_by_role("group", name="Results")
    for name, count in counts.items():
        expect(badges.get_by_role("button", name=f"{name} {count}")).to_be_visible()
    name, count = next(iter(counts.items()))
    badges.get_by_role("button", name=f"{name} {count}").click()
    expect(page.get_by_text(f"{count} of {len(log.rows)} samples")).to_be_visible()
    page.reload()
    expect(page.get_by_text(f"{count} of {len(log.rows)} samples")).to_be_visible()
    expect(badges.get_by_role("button", name=f"{name} {count}")).to_have_attribute(
        "aria-pressed", "true"
    )


@pytest.mark.slow
def test_what_a_model_said_is_text(page: Page, site: str) -> None:
    page.goto(f"{site}/runs/group%2Ffar")
    page.get_by_role("button", name=re.compile("^1: ")).click()
    expect(page.get_by_role("region", name="Sample 1").get_by_text(NASTY)).to_be_visible()
    assert page.locator("img[src=x]").count() == 0


@pytest.mark.slow
def test_two_runs_are_chosen_and_compared(page: Page, site: str) -> None:
    page.goto(f"{site}/runs")
    page.get_by_role("checkbox", name="Choose random").check()
    page.get_by_role("checkbox", name="Choose tree").check()
    page.get_by_role("button", name="Compare").click()
    told = json.loads(page.request.get(f"{site}/api/compare?a=random&b=tree").text())
    flips = page.get_by_role("group", name="Samples that differ")
    expect(flips.get_by_role("button", name=f"gained {told['gained']}")).to_be_visible()
    flips.get_by_role("button", name=f"lost {told['lost']}").click()
    found = re.compile(rf"^{told['lost']} samples? that only one run answers")
    expect(page.get_by_text(found)).to_be_visible()
    expect(page).to_have_url(re.compile("change=lost$"))
    page.get_by_role("button", name="Swap sides").click()
    expect(page).to_have_url(re.compile(r"a=tree&b=random&change=gained$"))
    expect(flips.get_by_role("button", name=f"gained {told['lost']}")).to_be_visible()
    page.get_by_role("button", name="Swap sides").click()
    expect(flips.get_by_role("button", name=f"gained {told['gained']}")).to_be_visible()
    flips.get_by_role("button", name=f"gained {told['gained']}").click()
    expect(page).to_have_url(re.compile("change=gained$"))
    picture = page.locator(".gallery .screen").first
    expect(picture.locator("[data-mark=one], [data-mark=other]").first).to_be_visible()
