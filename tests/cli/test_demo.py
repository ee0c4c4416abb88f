"""The whole loop, once, on the real built-in phone; then what a second call makes of it."""

import json
import os
import re
from pathlib import Path

import pytest

from tapwright.evaluate.run_log import read_run
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright

pytestmark = pytest.mark.slow  # `make demo` in an empty Debian is the quick proof
LOOP = ("demo", "--tasks", "2", "--out", "out")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("demo")
    run = tapwright(*LOOP, cwd=directory)
    assert run.returncode == 0, run.stderr
    return directory / "out"


def test_the_demo_leaves_what_its_readme_names(demo: Path) -> None:
    named = re.findall(r"^([\w.]+)/? {2,}", (demo / "README.txt").read_text(), re.MULTILINE)
    assert len(named) >= 7
    assert [name for name in named if not (demo / name).exists()] == []


def test_the_recordings_are_successes_on_chromiums_own_pictures(demo: Path) -> None:
    episodes = list(EpisodeStore(demo / "episodes"))
    assert [episode.outcome for episode in episodes] == ["success", "success"]
    shots = [step.observation.screenshot for episode in episodes for step in episode.steps]
    assert {str(shot.size) for shot in shots} == {"1080x2400"}
    assert len({shot.sha256 for shot in shots}) > 4


def test_every_step_is_drawn_explained_and_taught(demo: Path) -> None:
    steps = sum(len(episode.steps) for episode in EpisodeStore(demo / "episodes"))
    assert len(list((demo / "frames").rglob("0*.jpg"))) == steps
    manifest = json.loads((demo / "sft/manifest.json").read_text())
    assert sum(manifest["samples"].values()) + len(manifest["dropped"]) == steps


def test_two_baselines_are_measured_on_three_levels(demo: Path) -> None:
    run = tapwright("eval", "ls", str(demo / "runs"), "--format", "json")
    rows = json.loads(run.stdout)
    assert {(row["benchmark"], row["subject"]) for row in rows} == {
        (level, subject) for level in ("l1", "l2", "l3") for subject in ("random", "tree")
    }
    assert all(row["done"].split("/")[0] == row["done"].split("/")[1] for row in rows)


@pytest.mark.skipif((os.cpu_count() or 1) > 3, reason="cores for more devices at once")
def test_on_few_cores_baselines_wait_until_the_demonstrations_are_recorded(demo: Path) -> None:
    recorded = (demo / "episodes/record.jsonl").stat().st_mtime
    played = {name: read_run(demo / "runs" / name).rows for name in ("l3-random", "l3-tree")}
    began = [row.started for rows in played.values() for row in rows]
    assert recorded <= min(began)


def test_the_report_opens_from_disk_and_asks_the_network_for_nothing(demo: Path) -> None:
    page = (demo / "report.html").read_text(encoding="utf-8")
    assert re.findall(r"""(?:src|href)=["'](?!data:|#)[^"']+""", page) == []
    assert "data:image/jpeg;base64," in page
    numbers = json.loads((demo / "report.json").read_text())
    assert json.dumps(numbers, allow_nan=False)


def test_a_second_demo_records_and_asks_nothing_again(demo: Path) -> None:
    def written() -> dict[Path, bytes]:
        files = [*demo.rglob("steps.jsonl"), *demo.rglob("run.jsonl"), *demo.rglob("record.jsonl")]
        return {path: path.read_bytes() for path in files}

    before = written()
    run = tapwright(*LOOP, cwd=demo.parent)
    assert run.returncode == 0, run.stderr
    assert written() == before


def test_a_demo_of_other_tasks_wants_a_directory_of_its_own(demo: Path) -> None:
    run = tapwright("demo", "--tasks", "1", "--out", "out", cwd=demo.parent)
    assert run.returncode == 2
    assert "holds a demo of other tasks" in run.stderr


def test_a_directory_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    run = tapwright("demo", "--out", ".", cwd=tmp_path)
    assert run.returncode == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
