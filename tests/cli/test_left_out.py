"""Rows of a benchmark's data that cannot be used, from the command line."""

import json
from dataclasses import replace
from pathlib import Path

from tapwright.store.store import EpisodeStore
from tests.benchmarks.dataset_samples import OSWORLD_ROW, REFUSAL_ROW, osworld_g
from tests.benchmarks.test_stepwise import episode
from tests.cli.running import tapwright


def test_rows_that_cannot_be_used_are_told_logged_and_refused_under_strict(tmp_path: Path) -> None:
    bad = {**OSWORLD_ROW, "id": "a-9", "instruction": ""}
    data = str(osworld_g(tmp_path / "data", OSWORLD_ROW, bad, REFUSAL_ROW))
    words = ("eval", "run", "osworld-g", "--data", data, "-m", "random")
    run = tapwright(*words, "-o", str(tmp_path / "run"))
    assert run.returncode == 0, run.stderr
    assert "1 row of the data is left out" in run.stderr
    assert "OSWorld-G.json, row 1: instruction" in run.stderr
    header = json.loads((tmp_path / "run/run.jsonl").read_text().splitlines()[0])["config"]
    assert header["samples"] == 2
    assert header["config"]["left_out"]["rows"] == 1
    page = tapwright("report", str(tmp_path / "run"), "-o", str(tmp_path / "report.html"))
    assert page.returncode == 0, page.stderr
    assert "the score is without 1 rows of the data" in (tmp_path / "report.html").read_text()
    run = tapwright(*words, "--plan", "strict=true", "-o", str(tmp_path / "strict"))
    assert run.returncode == 1
    assert "OSWorld-G.json, row 1: instruction" in run.stderr
    assert not (tmp_path / "strict").exists()


def test_a_corrupt_episode_is_told_and_refused_under_strict(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path / "store")
    for id_ in ("good", "bad"):
        store.write(replace(episode(), id=id_))
    (tmp_path / "store" / "bad" / "steps.jsonl").write_bytes(b"no step\nnor this\n")
    words = ("eval", "run", "steps-aitw", "--data", str(tmp_path / "store"), "-m", "random")
    run = tapwright(*words, "-o", str(tmp_path / "run"))
    assert run.returncode == 0, run.stderr
    assert "1 row of the data is left out" in run.stderr
    assert "bad/steps.jsonl, line 1" in run.stderr
    run = tapwright(*words, "--plan", "strict=true", "-o", str(tmp_path / "strict"))
    assert run.returncode == 1
    assert "bad/steps.jsonl, line 1" in run.stderr
    assert not (tmp_path / "strict").exists()
