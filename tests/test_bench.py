"""What the page of figures calls slower, and what it makes of a bench's JSON."""

import json
import os
import runpy
import shutil
import signal
import subprocess
import sys
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
bench = runpy.run_path(str(ROOT / "bench/run.py"), run_name="bench_run")


@pytest.mark.parametrize(
    ("name", "before", "now", "change"),
    [
        ("store: durable_step_p50_ms", 2.0, 3.0, 0.5),
        ("store: durable_step_p50_ms", 2.0, 1.0, -0.5),
        ("catalog: reindex_per_s", 2000, 1000, 1.0),
        ("loading: pack: share of Pillow's speed", 0.9, 0.45, 1.0),
        ("cli: tapwright --help ms", 100, 130, 0.3),
        ("templates: from a table peak_mb", 50, 100, 1.0),
        ("web_list: tap_beside_the_list_ratio", 1.0, 1.5, 0.5),
        ("templates: tasks", 10, 20, None),
        ("store: durable_step_p50_ms", 0.0, 1.0, None),
    ],
)
def test_what_is_worse_follows_from_the_unit(
    name: str, before: float, now: float, change: float | None
) -> None:
    assert bench["worsening"](name, before, now) == pytest.approx(change)


def test_every_number_has_the_names_on_the_way_to_it() -> None:
    told = {"tasks": 3, "from a table": {"s": 1.5}, "rows": [{"form": "trl", "ms": 2}, {"ms": 3}]}
    assert dict(bench["flatten"](told)) == {
        "tasks": 3,
        "from a table s": 1.5,
        "rows trl ms": 2,
        "rows 1 ms": 3,
    }


def test_only_what_got_worse_by_more_than_a_fifth_is_named() -> None:
    def run(**figures: float) -> object:
        return bench["BenchRun"]("0.1", "abc", "2 cores", "2026-11-24", 0.5, figures)

    before = run(**{"a: x_ms": 100, "a: y_ms": 100, "a: z_ms": 100})
    now = run(**{"a: x_ms": 119, "a: y_ms": 121, "a: new_ms": 1})
    assert list(bench["slower"](now, before)) == [("a: y_ms", pytest.approx(0.21))]


def measured(commit: str, date: str, version: str = "", figure: str = "a: <b>_ms") -> Any:
    return bench["BenchRun"](version, commit, "2 cores", date, 0.5, {figure: 2.0})


def test_the_page_escapes_what_it_shows_and_is_written_beside_its_numbers(tmp_path: Path) -> None:
    found = bench["BenchRun"](
        "", "abc", "2 cores", "2026-11-24", 0.5, {"a: <b>_ms": 3.0}, {"c": "<i>broke</i>"}
    )
    old = measured("<old>", "2026-11-01")
    bench["write_page"](found, [old], old, tmp_path)
    page = (tmp_path / "bench.html").read_text()
    assert "&lt;b&gt;_ms" in page
    assert "<i>broke" not in page
    assert "2026-11-01 &lt;old&gt;: 2, load 0.5\n2026-11-24 abc: 3, load 0.5</title>" in page
    assert 'class="worse">+50% cost' in page
    assert json.loads((tmp_path / "bench.json").read_text())["figures"] == {"a: <b>_ms": 3.0}


def test_a_large_figure_has_all_of_its_digits(tmp_path: Path) -> None:
    found = replace(measured("abc", "2026-11-24"), figures={"a: rows": 19920.4})
    bench["write_page"](found, [], None, tmp_path)
    assert "<td>19,920</td>" in (tmp_path / "bench.html").read_text()


def test_a_page_without_a_past_compares_with_nothing(tmp_path: Path) -> None:
    bench["write_page"](measured("abc", "2026-11-24"), [], None, tmp_path)
    page = (tmp_path / "bench.html").read_text()
    assert "Nothing was measured on such a machine yet" in page
    assert "<svg" not in page


def test_figures_are_compared_with_the_last_release_and_else_with_the_run_before() -> None:
    release, later = measured("r", "2026-11-01", "0.1.0"), measured("l", "2026-11-02")
    other = measured("o", "2026-11-03", "0.2.0", "z_ms")
    now = measured("now", "2026-11-04")
    assert bench["compared_with"](now, [release, later, other]) == release
    assert bench["compared_with"](now, [later, other]) == later
    assert bench["compared_with"](now, [other]) is None


def test_the_history_is_of_such_machines_and_of_others_their_ratios(
    tmp_path: Path,
) -> None:
    releases, kept = tmp_path / "releases.jsonl", tmp_path / "kept.jsonl"
    old, new = measured("a", "2026-11-01"), measured("b", "2026-11-02", "0.1.0")
    elsewhere = replace(old, machine="64 cores")
    ratios = replace(elsewhere, commit="c", figures={"a: x ms": 9.0, "a: beside y ratio": 2.0})
    releases.write_text(json.dumps(asdict(new)) + "\n")
    kept.write_text("".join(json.dumps(asdict(run)) + "\n" for run in (old, elsewhere)))
    assert bench["read_history"]("2 cores", releases, kept) == [old, new]
    kept.write_text(json.dumps(asdict(ratios)) + "\n")
    (found,) = bench["read_history"]("2 cores", kept)
    assert found.figures == {"a: beside y ratio": 2.0}
    assert bench["read_history"]("2 cores", tmp_path / "none.jsonl") == []


def test_a_killed_run_keeps_the_benches_that_ended(tmp_path: Path) -> None:
    for name in ("run.py", "page.html.jinja"):
        shutil.copy(ROOT / "bench" / name, tmp_path)
    (tmp_path / "bench_quick.py").write_text("print('{\"x_ms\": 1}')")
    (tmp_path / "bench_stuck.py").write_text("import time\nprint('{}')\ntime.sleep(60)")
    run = subprocess.Popen(
        [sys.executable, "run.py", "--only", "quick,stuck", "--out", "out"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert run.stderr is not None
    assert [run.stderr.readline() for _ in range(2)] == ["quick …\n", "stuck …\n"]
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    kept = tmp_path / "out/history.jsonl"
    (found,) = bench["read_history"](json.loads(kept.read_text())["machine"], kept)
    assert found.figures == {"quick: x_ms": 1.0}
    # The runs of a day have an order, a release among them.
    assert datetime.fromisoformat(found.date).strftime("%Y-%m-%d %H:%M:%S") == found.date
    assert "x_ms" in (tmp_path / "out/bench.html").read_text()


def test_the_benches_of_a_run_are_one_run(tmp_path: Path) -> None:
    one = measured("a", "2026-11-02 08:00:00", figure="a: x_ms")
    other = measured("a", "2026-11-02 08:00:00", figure="b: y_ms")
    (tmp_path / "kept.jsonl").write_text(
        f"{json.dumps(asdict(one))}\n{json.dumps(asdict(other))}\n"
    )
    (found,) = bench["read_history"]("2 cores", tmp_path / "kept.jsonl")
    assert found.figures == {"a: x_ms": 2.0, "b: y_ms": 2.0}
