"""Many runs are read at a glance, and one that is not whole says so in every form."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

from tapwright.evaluate.paper_tables import paper_tables
from tapwright.evaluate.report import write_report
from tapwright.evaluate.run_log import RowError, RunHeader, RunLog, SampleInfo, SampleRow
from tapwright.evaluate.tables import (
    MATRIX_WRITERS,
    TABLE_WRITERS,
    WRITERS,
    leaderboard,
    run_matrix,
)


def run_of(subject: str, suite: str, scores: list[float], *, samples: int = 4) -> RunLog:
    rows = tuple(
        SampleRow(
            str(number),
            SampleInfo({"platform": "web", "data_type": "text"}, str(number)),
            "ok",
            answer="(1, 1)",
            score=score,
        )
        for number, score in enumerate(scores)
    )
    header = RunHeader(
        tapwright="0", benchmark=suite, source="", data_sha256=suite, subject=subject,
        prompt_sha256="", samples=samples, config={},
    )  # fmt: skip
    return RunLog(Path("run"), header, "2026-01-01T00:00:00", rows)


WHOLE, PART = [1.0, 1.0, 0.0, 0.0], [1.0, 0.0]
RUNS = [
    run_of("a", "screenspot-v2", WHOLE),
    run_of("b", "screenspot-v2", PART),
    run_of("a", "screenspot-pro", WHOLE),
]


def test_subjects_go_down_and_suites_across() -> None:
    matrix = run_matrix([*RUNS, run_of("a", "screenspot-v2", [1.0] * 4)])
    assert matrix.suites == ("screenspot-v2", "screenspot-pro")
    found = [
        (who, [None if one is None else one.score.value for one in cells])
        for who, cells in matrix.rows
    ]
    assert found == [("a", [0.5, 0.5]), ("b", [0.5, None]), ("a", [1.0, None])]


def test_the_matrix_marks_a_run_that_is_not_whole_in_every_form() -> None:
    matrix = run_matrix(RUNS)
    for target, mark in (("md", "2 of 4"), ("tex", "2 of 4"), ("csv-long", ",2,2,2,4")):
        assert mark in MATRIX_WRITERS[target](matrix)
    rows = list(csv.reader(io.StringIO(MATRIX_WRITERS["csv"](matrix))))
    assert rows == [
        ["subject", *matrix.suites, *(f"{suite} {count}" for suite in matrix.suites
                                      for count in ("answered", "has_answer", "samples"))],
        ["a", "50", "50", *["4"] * 6],
        ["b", "50", "", "2", "2", "4", "", "", ""],
    ]  # fmt: skip


def test_a_run_that_is_not_whole_looks_like_no_other_in_any_form(tmp_path: Path) -> None:
    unread = [replace(row, answer="?", status="none", score=0.0) for row in RUNS[0].rows[2:]]
    whole = replace(RUNS[0], rows=[*RUNS[0].rows[:2], *unread])
    part = replace(RUNS[0], rows=[*RUNS[0].rows[:2]])  # as many are read
    for target, write in MATRIX_WRITERS.items():
        assert _counts_in(write(run_matrix([whole])), target) == {"2", "4"}
        assert _counts_in(write(run_matrix([part])), target) == {"2"}
    for target, tell in TABLE_WRITERS.items():
        assert _counts_in(tell(paper_tables([whole])[0]), target) == {"2", "4"}
        assert _counts_in(tell(paper_tables([part])[0]), target) == {"2"}
    write_report([whole, part], tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.count("answered 2 of 4") == 2
    assert page.count("answered 2 of 4, 2 without an answer") == 1
    assert page.count("<dt>not asked</dt><dd>2</dd>") == 1


def _counts_in(text: str, target: str) -> set[str]:
    """How many were read and how many have an answer, as a form tells it."""
    if target.startswith("csv"):
        return {count for row in csv.DictReader(io.StringIO(text)) for name, count in row.items()
                if name.endswith(("answered", "has_answer"))}  # fmt: skip
    return {"2"} if "2 of 4" in text else {"2", "4"}


def test_the_tables_of_papers_mark_it_too() -> None:
    table = paper_tables(RUNS[:2])[0]
    assert table.names == ("a", "b (2 of 4)")
    for target in ("md", "tex"):
        assert "b (2 of 4)" in TABLE_WRITERS[target](table)
    assert TABLE_WRITERS["csv"](table).splitlines()[0].endswith(",answered,has_answer,samples")
    assert TABLE_WRITERS["csv"](table).splitlines()[2].endswith(",2,2,4")


def test_the_leaderboard_counts_every_ending_and_shows_those_that_occurred() -> None:
    lost = replace(RUNS[0].rows[0], answer=None, status="failed", score=None,
                   error=RowError("TW402", "away"))  # fmt: skip
    cut = replace(RUNS[0].rows[1], finish="length")
    board = leaderboard([replace(RUNS[0], rows=[lost, cut, *RUNS[0].rows[2:]])])
    row = next(csv.DictReader(io.StringIO(WRITERS[".csv"](board))))
    assert (row["samples"], row["answered"], row["cut"], row["unavailable"]) == ("4", "2", "1", "1")
    assert row["malformed"] == "0"
    head = WRITERS[".md"](board).splitlines()[0]
    assert "unavailable" in head
    assert "malformed" not in head


def test_a_report_of_many_runs_begins_with_the_matrix_and_has_no_cards(tmp_path: Path) -> None:
    many = [run_of(f"m{number}", "screenspot-v2", WHOLE) for number in range(7)]
    write_report(many, tmp_path / "many.html")
    write_report(RUNS, tmp_path / "few.html")
    pages = [(tmp_path / name).read_text("utf-8") for name in ("many.html", "few.html")]
    assert [len(re.findall('class="run"', page)) for page in pages] == [0, 3]
    assert ['id="matrix"' in page for page in pages] == [True, True]
    assert "answered 2 of 4" in pages[1]
