import subprocess
import sys
from pathlib import Path

import pytest

from tapwright.store.store import EpisodeStore

EXAMPLES = Path(__file__).parents[1] / "examples"
# As little of everything as shows that each step works.
TEACH = "teach_a_model.py --recordings 2 --tasks 2 --samples 16 --items 8 --batch 8"
LEARN = "rl_with_trl.py --updates 1 --envs 2 --asked 2"


def test_every_example_is_run() -> None:
    commands = {
        command.split()[0] for command in ("measure_a_model.py", "own_agent.py", LEARN, TEACH)
    }
    assert commands == {path.name for path in EXAMPLES.glob("*.py")}


@pytest.mark.slow
@pytest.mark.parametrize("example", ["measure_a_model.py", "own_agent.py"])
def test_an_example_runs_without_a_warning_and_says_something(example: str, tmp_path: Path) -> None:
    assert run("-W", "error", EXAMPLES / example, cwd=tmp_path)


@pytest.mark.slow
def test_the_teaching_ends_with_what_its_first_failed_command_says(tmp_path: Path) -> None:
    example = str(EXAMPLES / "teach_a_model.py")
    command = [sys.executable, example, "--train", "no", "--held-out", "no"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 5
    assert "no: no episodes" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.long
def test_a_model_is_taught_and_measured_beside_its_controls(tmp_path: Path) -> None:
    example, *options = TEACH.split()
    said = run(EXAMPLES / example, *options, cwd=tmp_path)
    told, _, report = said.partition("screens not in training")[2].partition("\n\n")
    table = told.splitlines()[1:]
    assert [line.partition("  ")[0] for line in map(str.strip, table)] == [
        "the model",
        "with blank pictures",
        "with pictures of other screens",
        "the words alone, looked up in training",
        "rules that read the tree",
        "a random place",
    ]
    assert all("% (" in line for line in table)
    assert (tmp_path / "teach/report.html").is_file(), report


@pytest.mark.slow
@pytest.mark.long
def test_a_policy_is_rewarded_and_measured_before_and_after(tmp_path: Path) -> None:
    example, *options = LEARN.split()
    lines = run(EXAMPLES / example, *options, cwd=tmp_path).splitlines()
    told = [line for line in lines if not line.startswith("{")]
    assert [line.split(":")[0].split(" in ")[0] for line in told] == [
        "untaught", "2 attempts", "taught",
    ]  # fmt: skip
    assert len(list(EpisodeStore(tmp_path / "rl/rollouts"))) == 2


def run(*words: object, cwd: Path) -> str:
    command = [sys.executable, *map(str, words)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
