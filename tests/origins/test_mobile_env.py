"""Mobile-Env's pickles are taken as they are, and get back what they can hold."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.core.actions import Finish, OpenApp, PressKey, Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.devices.fake import FakeDevice
from tapwright.formats.mobile_env.records import view_records
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright

GOLDEN = Path(__file__).parents[1] / "golden/mobile_env_pickles"
PICKLE = GOLDEN / "resaved/note-open.pkl"
FOLDERS = {"note-open:0%2#9": 8, "note-open:1%2#4": 3}
"""Those that visualize_pickle.py of Mobile-Env@976145e writes, and how many frames."""


def test_trajectories_and_records_are_counted_as_the_original_does() -> None:
    found = [one for one in view_records(PICKLE) if isinstance(one, Episode)]
    assert {one.id: len(one.steps) for one in found} == FOLDERS
    records = pickle.loads(PICKLE.read_bytes())["trajectories"][0]
    assert [step.reward for step in found[0].steps] == [one["reward"] for one in records[1:]]
    assert [step.instructions for step in found[0].steps] == [
        tuple(one.get("instruction", ())) for one in records[1:]
    ]


@pytest.mark.slow
def test_frames_of_a_pickle_have_the_original_s_names(tmp_path: Path) -> None:
    run = tapwright("episodes", "frames", str(PICKLE), "-o", "out", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [f"out/{name}" for name in FOLDERS]
    for name, count in FOLDERS.items():
        drawn = {file.name for file in (tmp_path / "out" / name).iterdir()}
        assert drawn == {f"{number}.jpg" for number in range(1, count + 1)}


@pytest.mark.slow
def test_a_pickle_is_shown_record_by_record_and_one_trajectory_by_its_number() -> None:
    run = tapwright("episodes", "show", str(PICKLE), "1", "--format", "json")
    rows = json.loads(run.stdout)
    assert [(row["record"], row["event"]) for row in rows][:1] == [(0, "head")]
    assert [row["record"] for row in rows] == [0, 1, 2, 3]
    assert rows[-1]["event"] == "lift"
    run = tapwright("episodes", "show", str(PICKLE), "2")
    assert run.returncode == 2
    assert "numbers 0 to 1" in run.stderr


@pytest.mark.slow
def test_a_trajectory_that_is_a_head_alone_costs_the_others_nothing(tmp_path: Path) -> None:
    kept = pickle.loads(PICKLE.read_bytes())
    begun = {**kept, "trajectories": [kept["trajectories"][0][:1], *kept["trajectories"]]}
    (tmp_path / "三.x.pkl").write_bytes(pickle.dumps(begun))
    (tmp_path / "none.pkl").write_bytes(pickle.dumps({**kept, "trajectories": []}))
    run = tapwright("episodes", "frames", "三.x.pkl", "-o", "out", cwd=tmp_path)
    assert [(tmp_path / line).is_dir() for line in run.stdout.splitlines()] == [True] * 3
    run = tapwright("episodes", "video", "三.x.pkl", "-o", "videos", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "note-open:0%3#1: has its head alone" in run.stderr
    assert len(run.stdout.splitlines()) == 2
    run = tapwright("episodes", "show", "none.pkl", cwd=tmp_path)
    assert run.returncode == 5
    assert "none.pkl has no trajectory" in run.stderr


@pytest.mark.slow
def test_what_has_no_form_there_is_left_out_by_name_and_the_rest_is_written(
    tmp_path: Path,
) -> None:
    seen = FakeDevice().observe()
    tap = Step(seen, Decision(Tap(at=Point(0.5, 0.5))))
    opens = Step(seen, Decision(OpenApp(app="notes")))
    home = Step(seen, Decision(PressKey(key="home")))
    begin = Episode("begin", "三.x", "Go", (opens, tap, Step(seen, Decision(Finish()))), seen)
    store = EpisodeStore(tmp_path / "store")
    store.write(begin)
    store.write(replace(begin, id="middle", steps=(tap, home, tap)))
    store.write(replace(begin, id="whole", steps=(tap, tap)))
    run = tapwright("episodes", "export", "store", "--to", "mobile-env", "-o", "o", cwd=tmp_path)
    assert run.returncode == 1
    assert "left out: begin, step 0: touches and text cannot express 'open_app'" in run.stderr
    assert "left out: middle: step 1: touches and text cannot express 'press_key'" in run.stderr
    (file,) = (tmp_path / "o").iterdir()
    assert file.name == "三.x.pkl"
    kept = [one for one in view_records(file) if isinstance(one, Episode)]
    assert [len(one.steps) for one in kept] == [2, 4]
    run = tapwright("episodes", "frames", "store", "whole", "-o", "f", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
