from collections.abc import Mapping, Sequence

import pytest

from tapwright.evaluate.paper_tables import PaperTable, paper_tables
from tapwright.evaluate.run_log import RunLog, SampleInfo, SampleRow
from tapwright.evaluate.tables import csv_table, latex_table, markdown_table
from tests.run_logs import run_log


def run(
    benchmark: str,
    rows: Sequence[tuple[Mapping[str, str], float]],
    subject: str = "openai/a_b",
    **plan: str,
) -> RunLog:
    made = tuple(
        SampleRow(
            id=str(number),
            about=SampleInfo(labels=dict(labels), cluster=str(number)),
            status="ok",
            score=score,
            detail={"type_match": True},
        )
        for number, (labels, score) in enumerate(rows)
    )
    return run_log(made, benchmark=benchmark, subject=subject, config={"plan": dict(plan)})


def values(table: PaperTable, row: int = 0) -> dict[tuple[str, str], float | None]:
    return dict(zip(table.columns, table.rows[row][1], strict=True))


def test_screenspot_pro_has_six_groups_by_text_and_icon() -> None:
    rows = [
        ({"group": "Dev", "data_type": "text"}, 1.0),
        ({"group": "Dev", "data_type": "icon"}, 0.0),
        ({"group": "OS", "data_type": "icon"}, 1.0),
    ]
    (table,) = paper_tables([run("screenspot-pro", rows, rules="screenspot-pro")])
    assert len(table.columns) == 21
    found = values(table)
    assert (found["Dev", "Text"], found["Dev", "Icon"], found["Dev", "Avg"]) == (100, 0, 50)
    assert found["CAD", "Avg"] is None
    assert found["Overall", "Icon"] == 50
    assert table.rules == ("screenspot-pro",)


def test_the_two_levels_of_android_control_share_a_row() -> None:
    steps = [({"episode": "e", "step": "0", "action": "tap"}, 1.0)]
    high = run("steps-android-control", steps, rules="qwen")
    low = run("steps-android-control", steps, rules="qwen", level="low")
    (table,) = paper_tables([high, low])
    assert [who for who, _ in table.rows] == ["openai/a_b"]
    assert {group for group, _ in table.columns} == {"High", "Low"}
    (twice,) = paper_tables([high, high])
    assert len(twice.rows) == 2


def test_ams_is_the_mean_of_the_categories_and_not_of_the_steps() -> None:
    def step(category: str, episode: str, number: int) -> dict[str, str]:
        labels = {"category": category, "episode": episode, "step": str(number)}
        return {**labels, "action": "tap"}

    rows = [
        (step("Multi_Apps", "a", 0), 1.0),
        (step("General_Tool", "b", 0), 0.0),
        (step("General_Tool", "b", 1), 1.0),
        (step("General_Tool", "c", 0), 1.0),
    ]
    (table,) = paper_tables([run("steps-odyssey", rows, rules="odyssey")])
    found = values(table)
    assert found["AMS", "Tool"] == pytest.approx(100 * 2 / 3)
    assert found["Overall", "AMS"] == pytest.approx((100 + 100 * 2 / 3) / 2)
    assert found["Overall", "SR"] == (100 + 50) / 2


def test_a_subject_under_two_rules_has_two_rows() -> None:
    one = run("screenspot", [({"platform": "web", "data_type": "text"}, 1.0)], rules="seeclick")
    old = run("screenspot", [({"platform": "web", "data_type": "text"}, 0.0)])
    (table,) = paper_tables([one, old])
    assert [who for who, _ in table.rows] == ["openai/a_b (seeclick)", "openai/a_b (tapwright)"]


def test_the_formats_are_escaped_and_have_the_shared_headings() -> None:
    rows = [({"group": "Dev", "data_type": "text"}, 1.0)]
    (table,) = paper_tables([run("screenspot-pro", rows, "=a_b & $c|", rules="screenspot-pro")])
    tex = latex_table(table)
    assert r"=a\_b \& \$c| & 100.0 & -- &" in tex
    assert r"\multicolumn{3}{c}{Dev}" in tex
    assert r"\cmidrule(lr){2-4}" in tex
    assert tex.index(r"\toprule") < tex.index(r"\midrule") < tex.index(r"\bottomrule")
    lines = [line.removesuffix(r" \\") for line in tex.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in lines[1:]} <= {21, 22}
    assert r"=a\_b \& $c\|" in markdown_table(table)
    assert "'=a_b & $c|,100" in csv_table(table)


def test_mmbench_gui_has_what_its_code_gives() -> None:
    """Numbers by hand, after level2_calculate_scores and level1_calculate_scores_weighted."""
    about = {"platform": "os_web", "grounding_type": "basic"}
    rows = [
        ({**about, "data_type": "icon"}, 1.0),
        ({**about, "data_type": "icon"}, 1.0),
        ({**about, "data_type": "text"}, 0.0),
        ({**about, "grounding_type": "advanced", "data_type": "text"}, 0.0),
    ]
    plain, kinds = paper_tables([run("l2", rows, rules="mmbench-gui")])
    assert values(plain)["Overall", "Avg"] == pytest.approx(100 * (2 / 3 + 0) / 2)
    found = values(kinds)
    assert (found["Web, basic", "Text"], found["Web, basic", "Icon"]) == (0, 100)
    assert found["Web, advanced", "Icon"] is None
    assert found["Overall", "No place"] == 0
    assert '"l2, text and icon",mmbench-gui' in csv_table(kinds)
    assert "Overall No place" in markdown_table(kinds)

    asked = [({"platform": "os_ios", "difficulty": "easy"}, score) for score in (1.0, 0.0)]
    plain, weighted = paper_tables([run("l1", asked)])
    assert values(plain)["iOS", "Easy"] == 50
    assert weighted.benchmark == "l1, weighted by options"
    assert values(weighted)["Overall", "Easy"] is None
