"""MMBench-GUI's tables of levels 3 and 4, from runs of public suites."""

from collections.abc import Sequence

import pytest

from tapwright.evaluate.paper_tables import PaperTable
from tapwright.evaluate.platform_tables import platform_tables
from tapwright.evaluate.run_log import RunLog, SampleInfo, SampleRow
from tests.run_logs import run_log


def run(benchmark: str, rows: Sequence[tuple[dict[str, str], bool | None, int]]) -> RunLog:
    made = [
        SampleRow(
            id=str(number),
            about=SampleInfo(labels=labels, cluster=str(number)),
            status="ok" if success is not None else "failed",
            score=None if success is None else float(success),
            detail={
                "steps": steps, "max_steps": 15, "place": number,
                "outcome": "success" if success else "failure",
            },
        )
        for number, (labels, success, steps) in enumerate(rows)
    ]  # fmt: skip
    return run_log(made, benchmark=benchmark, subject="m")


def values(table: PaperTable) -> dict[tuple[str, str], float | None]:
    return dict(zip(table.columns, table.rows[0][1], strict=True))


ONE, SEVERAL = {"app": "Clock"}, {"app": "Clock + Notes"}


def test_the_columns_are_those_of_the_paper() -> None:
    (table,) = platform_tables([run("androidworld", [(ONE, True, 4)])])
    assert table.benchmark == "MMBench-GUI L3"
    headings = [platform for platform, measure in table.columns if measure == "SR"]
    assert headings == ["Windows", "MacOS", "Linux", "Android", "Web", "Avg"]
    assert table.rows[0][0] == "m (15 steps)"


def test_eqa_is_that_of_the_paper_s_example() -> None:
    tasks = [(ONE, True, 4), (ONE, False, 15), (ONE, True, 9), (ONE, False, 7), (ONE, True, 12)]
    (table,) = platform_tables([run("osworld", tasks)])
    found = values(table)
    assert found["Linux", "SR"] == pytest.approx(60)
    assert found["Linux", "EQA"] == pytest.approx(100 * 146 / 375)
    assert found["Android", "SR"] is None


def test_the_average_is_weighted_by_tasks() -> None:
    phone = run("androidworld", [(ONE, True, 3)] * 3)
    desktop = run("osworld", [(ONE, False, 15)])
    (table,) = platform_tables([phone, desktop])
    assert len(table.rows) == 1
    assert values(table)["Avg", "SR"] == pytest.approx(75)


def test_tasks_of_several_apps_are_level_four() -> None:
    rows = [(ONE, True, 3), (SEVERAL, False, 15), ({"app": "os", "domain": "multi_apps"}, True, 3)]
    single, several = platform_tables([run("osworld", rows)])
    assert values(single)["Linux", "SR"] == 100
    assert values(several)["Linux", "SR"] == 50


def test_what_could_not_be_played_and_other_packages_are_left_out() -> None:
    rows = [
        ({"app": "map", "package": "webarena"}, True, 3),
        ({"app": "map", "package": "webarena"}, None, 0),
        ({"app": "miniwob", "package": "miniwob"}, False, 10),
    ]
    (table,) = platform_tables([run("browsergym", rows)])
    assert values(table)["Web", "SR"] == 100


def test_other_benchmarks_make_no_table() -> None:
    assert platform_tables([run("l3", [(ONE, True, 3)])]) == []
