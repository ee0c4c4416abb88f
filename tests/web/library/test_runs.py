import csv
import io
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tapwright.core.episode import Episode
from tapwright.evaluate.compare import compare, compare_all
from tapwright.evaluate.error_analysis import answered_point, target_box
from tapwright.evaluate.report_data import report_data
from tapwright.evaluate.run_log import read_run
from tapwright.web.app import WebConfig, create_app
from tests.cli.running import tapwright
from tests.web.asking import client
from tests.web.library.world import World, make_world

NAMES = {"tree", "random", "group/far"}


def _all_rows(browser: TestClient, name: str, **wanted: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    pages = 1
    while len(found) < (told := _page(browser, name, pages - 1, wanted))["found"]:
        found += told["rows"]
        pages += 1
    return found


def _page(browser: TestClient, name: str, page: int, wanted: dict[str, str]) -> dict[str, Any]:
    answer = browser.get("/api/run/rows", params={"name": name, "page": page, **wanted})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def _keys(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [row["key"] for row in rows]


@pytest.fixture
def world(episodes: list[Episode], tmp_path: Path) -> World:
    return make_world(tmp_path, episodes)


@pytest.fixture
def browser(world: World) -> TestClient:
    return client(create_app(WebConfig(episodes=world.store.root, runs=(world.runs,))))


def test_a_run_counts_what_the_report_counts_and_draws_what_the_log_says(
    world: World, browser: TestClient
) -> None:
    for name in NAMES:
        log = read_run(world.runs / name)
        told = browser.get("/api/run", params={"name": name}).json()
        figures = report_data([log], ())["runs"]
        assert isinstance(figures, list)
        figure = figures[0]
        assert isinstance(figure, dict)
        assert told["mistakes"] == figure["mistakes"]
        rows = _all_rows(browser, name)
        counted = Counter(row["mistake"] for row in rows if row["mistake"])
        assert counted == told["mistakes"]
        assert told["summary"]["score"] == figure["score"]["value"]  # type: ignore[call-overload,index]
        for row, shown in zip(log.rows, rows, strict=True):
            box, point = target_box(row), answered_point(row)
            assert box is not None
            assert shown["box"] == [box.left, box.top, box.right, box.bottom]
            assert shown["point"] == (None if point is None else [point.x, point.y])


@pytest.mark.parametrize("benchmark", ["l1", "steps-qwen"])
def test_a_row_says_in_words_what_was_answered_and_what_was_right(
    world: World, browser: TestClient, benchmark: str
) -> None:
    data = world.store.root if benchmark == "steps-qwen" else world.root / "own"
    out = world.runs / benchmark
    words = ("--data", str(data), "-m", "random", "-o", str(out))
    assert tapwright("eval", "run", benchmark, *words).returncode == 0
    rows = _all_rows(browser, benchmark)
    for row in rows:
        if benchmark == "l1":
            assert row["right"] == f"{row['truth']}. {row['options'][row['truth']]}"
            assert row["given"] == f"{row['chosen']}. {row['options'][row['chosen']]}"
        else:
            assert re.match(r"(tap|swipe|finish|press|type|double tap|answer|wait)", row["given"])
    assert any(row["right"].startswith("tap at (") for row in rows) == (benchmark != "l1")


@pytest.mark.slow
def test_the_pictures_of_a_run_are_those_that_it_was_made_on(
    world: World, browser: TestClient
) -> None:
    row = _all_rows(browser, "tree")[0]
    asked = {"name": "tree", "key": row["key"]}
    whole = browser.get("/api/run/picture", params=asked)
    files = [path.read_bytes() for path in (world.root / "own" / "offline_images").rglob("*.png")]
    assert whole.content in files
    assert browser.get("/api/run/picture", params={**asked, "w": 100}).content[:2] == b"\xff\xd8"
    (world.root / "own").rename(world.root / "moved")
    fresh = client(create_app(WebConfig(episodes=world.store.root, runs=(world.runs,))))
    assert fresh.get("/api/run/picture", params=asked).status_code == 404
    assert _all_rows(fresh, "tree")[0]["picture"] is None


def test_two_runs_are_compared_as_the_command_compares_them(
    world: World, browser: TestClient
) -> None:
    told = browser.get("/api/compare", params={"a": "random", "b": "tree"}).json()
    found = compare(read_run(world.runs / "random"), read_run(world.runs / "tree"))
    assert (told["gained"], told["lost"], told["n"]) == (
        len(found.gained), len(found.lost), found.n,
    )  # fmt: skip
    assert told["difference"] == found.difference
    assert told["ties"] == found.n - len(found.gained) - len(found.lost)
    assert {flip["key"] for flip in told["flips"]} == {
        flip.key for flip in (*found.gained, *found.lost)
    }


def test_a_broken_run_is_told_and_hides_no_other(world: World, browser: TestClient) -> None:
    (world.runs / "broken").mkdir()
    (world.runs / "broken" / "run.jsonl").write_text("{}\n")
    told = browser.get("/api/runs").json()
    assert {run["name"] for run in told["runs"]} == NAMES
    assert len(told["unreadable"]) == 1
    assert browser.get("/api/run", params={"name": "broken"}).status_code == 422


@pytest.mark.slow
def test_the_whole_log_of_a_sample_can_be_asked_for(browser: TestClient) -> None:
    told = browser.get("/api/run/sample", params={"name": "group/far", "key": "0"})
    assert told.json()["log"]["answer"] == "(999, 999)"
    missing = browser.get("/api/run/sample", params={"name": "tree", "key": "none"})
    assert missing.status_code == 404


def test_rows_are_filtered_by_each_part_and_counted_under_the_others(browser: TestClient) -> None:
    every = _all_rows(browser, "random")
    value = every[0]["labels"]["app"]
    wanted = {"verdict": "miss", "label": f"app:{value}"}
    fitting = [row for row in every if row["verdict"] == "miss" and row["labels"]["app"] == value]
    assert fitting
    assert _keys(_all_rows(browser, "random", **wanted)) == _keys(fitting)
    told = _page(browser, "random", 0, wanted)
    assert (told["found"], told["total"]) == (len(fitting), len(every))
    assert told["facets"]["verdict"] == Counter(
        row["verdict"] for row in every if row["labels"]["app"] == value
    )
    assert told["facets"]["labels"]["app"] == Counter(
        row["labels"]["app"] for row in every if row["verdict"] == "miss"
    )
    word = every[3]["instruction"].upper()
    assert every[3]["key"] in _keys(_all_rows(browser, "random", q=word))
    assert _all_rows(browser, "random", label="app:no such app") == []


def test_rows_are_sorted_by_a_column_with_those_without_a_value_last(browser: TestClient) -> None:
    every = _all_rows(browser, "random")
    assert _keys(_all_rows(browser, "random", sort="key")) == sorted(_keys(every), key=int)
    scores = [row["score"] for row in _all_rows(browser, "random", sort="-score")]
    assert scores == sorted((row["score"] for row in every), reverse=True)
    apps = [row["labels"]["app"] for row in _all_rows(browser, "random", sort="app")]
    assert apps == sorted(apps)
    mistakes = [row["mistake"] for row in _all_rows(browser, "random", sort="-mistake")]
    assert None in mistakes
    assert mistakes.index(None) == sum(mistake is not None for mistake in mistakes)
    refused = browser.get("/api/run/rows", params={"name": "random", "sort": "colour"})
    assert refused.status_code == 422
    assert "latency" in refused.json()["hint"]


def test_a_sample_names_its_neighbours_among_the_rows_that_fit(browser: TestClient) -> None:
    missed = _keys(_all_rows(browser, "random", verdict="miss", sort="-key"))
    asked = {"name": "random", "key": missed[1], "verdict": "miss", "sort": "-key"}
    told = browser.get("/api/run/sample", params=asked).json()
    assert (told["place"], told["found"]) == (1, len(missed))
    assert (told["before"], told["after"]) == (missed[0], missed[2])
    assert _keys(told["attempts"]) == [missed[1]]
    unfit = browser.get("/api/run/sample", params={**asked, "verdict": "failed"}).json()
    assert (unfit["place"], unfit["before"], unfit["after"]) == (None, None, None)


def test_what_is_filtered_is_exported_in_its_order(world: World, browser: TestClient) -> None:
    wanted = {"name": "random", "verdict": "miss", "sort": "-key"}
    keys = _keys(_all_rows(browser, **wanted))
    table = browser.get("/api/run/export", params={**wanted, "format": "csv"})
    assert table.headers["content-disposition"].endswith("random.csv")
    read = list(csv.DictReader(io.StringIO(table.text)))
    assert [row["key"] for row in read] == keys
    assert {"instruction", "mistake", "app", "latency_s"} <= set(read[0])
    whole = browser.get("/api/run/export", params={**wanted, "format": "json"}).json()
    logged = {row.key: row.answer for row in read_run(world.runs / "random").rows}
    assert [(row["id"], row["answer"]) for row in whole] == [(key, logged[key]) for key in keys]


def test_a_table_program_takes_no_answer_for_a_formula(world: World, browser: TestClient) -> None:
    log = world.runs / "group" / "far" / "run.jsonl"
    lines = log.read_text().splitlines()
    entry = json.loads(lines[1])
    entry["value"]["answer"] = "=1+1"
    log.write_text("\n".join([lines[0], json.dumps(entry), *lines[2:]]) + "\n")
    table = browser.get("/api/run/export", params={"name": "group/far"})
    assert next(csv.DictReader(io.StringIO(table.text)))["answer"] == "'=1+1"


@pytest.mark.slow
def test_rows_that_a_run_appends_are_shown(world: World, browser: TestClient) -> None:
    log = world.runs / "tree" / "run.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:5]))
    assert len(_all_rows(browser, "tree")) == 4
    with log.open("ab") as file:
        file.writelines(lines[5:9])
    assert len(_all_rows(browser, "tree")) == 8
    assert browser.get("/api/run", params={"name": "tree"}).json()["summary"]["answered"] == 8


def test_several_runs_are_compared_pair_by_pair_with_holms_correction(
    world: World, browser: TestClient
) -> None:
    names = ["tree", "random", "group/far"]
    told = browser.get("/api/matrix", params={"runs": json.dumps(names)}).json()
    assert [run["name"] for run in told["runs"]] == names
    found = compare_all([read_run(world.runs / name) for name in names])
    assert [(one["p_value"], one["holm_p"], one["difference"]) for one in told["pairs"]] == [
        (one.comparison.p_value, one.holm_p, one.comparison.difference) for one in found
    ]
    assert browser.get("/api/matrix", params={"runs": '["tree"]'}).status_code == 422
    assert browser.get("/api/matrix", params={"runs": "tree"}).status_code == 422
