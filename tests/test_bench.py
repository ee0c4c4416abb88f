"""What the page of figures calls slower, and what it makes of a bench's JSON."""

import json
import runpy
from pathlib import Path

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


def test_the_page_escapes_what_it_shows_and_is_written_beside_its_numbers(tmp_path: Path) -> None:
    found = bench["BenchRun"](
        "", "abc", "2 cores", "2026-11-24", 0.5, {"a: <b>_ms": 3.0}, {"c": "<i>broke</i>"}
    )
    before = bench["BenchRun"]("0.1", "old", "2 cores", "2026-11-01", 0.5, {"a: <b>_ms": 2.0})
    bench["write_page"](found, before, tmp_path)
    page = (tmp_path / "bench.html").read_text()
    assert "&lt;b&gt;_ms" in page
    assert "<i>broke" not in page
    assert 'class="worse">+50% cost' in page
    assert json.loads((tmp_path / "bench.json").read_text())["figures"] == {"a: <b>_ms": 3.0}
