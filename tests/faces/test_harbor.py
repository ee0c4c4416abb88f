"""Tasks of Harbor: what its models ask for, and a judge that reads the recording."""

import os
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.core.episode import Episode
from tapwright.faces.harbor import write_harbor_tasks
from tapwright.faces.session import make_free_task
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.faces.environments import with_sources
from tests.faces.test_openenv import DEFINITION


@pytest.fixture
def task(tmp_path: Path) -> Path:
    run = tapwright("tasks", "export", "--task", "wifi_off", "-o", str(tmp_path / "out"))
    assert run.returncode == 0, run.stderr
    (folder,) = (tmp_path / "out").iterdir()
    return folder


def test_a_task_starts_the_device_and_says_what_is_asked(task: Path) -> None:
    config = tomllib.loads((task / "task.toml").read_text())
    assert config["task"]["name"] == "tapwright/phone__wifi_off"
    (server,) = config["environment"]["mcp_servers"]
    assert [server["transport"], server["command"], *server["args"][:2]] == [
        "stdio", "tapwright", "mcp", "phone:jpeg",
    ]  # fmt: skip
    assert server["args"][2:] == ["--suite", "phone", "--task", "wifi_off", "--record", "/episodes"]
    assert config["verifier"]["environment_mode"] == "separate"
    assert config["artifacts"] == ["/episodes"]
    assert (task / "instruction.md").read_text().startswith("Turn off Wi-Fi.")
    assert "--agent script" in (task / "solution/solve.sh").read_text()
    for name in ("solution/solve.sh", "tests/test.sh"):
        assert os.access(task / name, os.X_OK)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("outcomes", "reward"),
    [([], "0"), (["success", "failure"], "0"), (["truncated", "success"], "1")],
)
def test_the_last_attempt_is_the_reward(
    outcomes: list[str], reward: str, task: Path, tmp_path: Path
) -> None:
    store = EpisodeStore(tmp_path / "episodes")
    for number, outcome in enumerate(outcomes):
        store.write(
            Episode(f"e{number}", "t", "Go", (), outcome=outcome, created=f"2026-01-0{number + 1}")  # type: ignore[arg-type]
        )
    logs = tmp_path / "verifier"
    script = (task / "tests/test.sh").read_text()
    script = script.replace("/episodes", str(store.root)).replace("/logs/verifier", str(logs))
    here = Path(sys.executable).parent
    environ = {**with_sources(), "PATH": f"{here}:{os.environ['PATH']}"}
    subprocess.run(["sh", "-c", script], check=True, env=environ)
    assert (logs / "reward.txt").read_text().strip() == reward


def test_own_definitions_come_along(tmp_path: Path) -> None:
    path = tmp_path / "pay.textproto"
    path.write_text(DEFINITION)
    words = ("tasks", "export", "--suite", str(path), "-o", str(tmp_path / "out"))
    refused = tapwright(*words)
    assert (refused.returncode, "does not say which device" in refused.stderr) == (2, True)
    assert tapwright(*words, "--device", "phone").returncode == 0
    (folder,) = (tmp_path / "out").iterdir()
    assert (folder / "environment/pay.textproto").read_text() == DEFINITION
    assert (
        'COPY ["pay.textproto", "/suite/pay.textproto"]'
        in (folder / "environment/Dockerfile").read_text()
    )
    assert not (folder / "solution").exists()
    again = tapwright(*words, "--device", "phone")
    assert (again.returncode, "exists" in again.stderr) == (2, True)


def test_what_is_asked_may_have_any_letter(tmp_path: Path) -> None:
    asked = "Say 😀 to \x7f and \ud83d"
    task = replace(make_free_task(asked), id="a 😀")
    write_harbor_tasks([task], "phone", "phone", tmp_path / "out")
    (folder,) = (tmp_path / "out").iterdir()
    config = tomllib.loads((folder / "task.toml").read_text("utf-8"))
    assert config["task"]["description"] == "Say 😀 to \x7f and ?"
    assert "a 😀" in config["environment"]["mcp_servers"][0]["args"]


def test_a_suite_goes_by_its_name_though_a_folder_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "phone").mkdir()
    write_harbor_tasks([make_free_task()], "phone", "phone", tmp_path / "out")
    assert "COPY" not in (tmp_path / "out/free/environment/Dockerfile").read_text()


def test_the_folder_one_stands_in_comes_along_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/pay.textproto").write_text(DEFINITION)
    (tmp_path / "secret").write_text("mine")
    (tmp_path / "own/link").symlink_to(tmp_path / "secret")
    monkeypatch.chdir(tmp_path / "own")
    write_harbor_tasks([make_free_task()], ".", "phone", tmp_path / "out")
    folder = tmp_path / "out/free"
    assert (folder / "environment/own/pay.textproto").read_text() == DEFINITION
    assert (folder / "environment/own/link").is_symlink()
    assert '"/suite/own"' in (folder / "task.toml").read_text()
