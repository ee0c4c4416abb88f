"""The line that adds an extra runs where tapwright runs, whatever the shell would find first."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tapwright.errors import install_command, own_program


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The programs of an environment whose folder has a space in its name; tapwright runs there."""
    programs = tmp_path / "my lab" / "bin"
    programs.mkdir(parents=True)
    for name in ("python", "pip"):
        (programs / name).symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    return programs


def test_the_shells_own_pip_is_called_by_its_name(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(environment))
    assert install_command("video") == "pip install 'tapwright[video]'"


def test_a_pip_that_the_shell_does_not_find_is_called_by_the_environments_python(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = environment.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "pip").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(elsewhere))
    words = [str(environment / "python"), "-m", "pip", "install", "tapwright[video]"]
    assert shlex.split(install_command("video")) == words
    assert shlex.split(own_program("playwright")) == [*words[:2], "playwright"]


def test_where_there_is_no_pip_uv_is_told_the_environment(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tapwright.errors.find_spec", lambda name: None)
    python = str(environment / "python")
    assert shlex.split(install_command("video")) == [
        "uv", "pip", "install", "--python", python, "tapwright[video]",
    ]  # fmt: skip


@pytest.mark.slow
def test_pip_takes_the_tapwright_that_is_installed_and_asks_no_index_for_it() -> None:
    pytest.importorskip("av", reason="the extra that is asked for is here")
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--disable-pip-version-check"]
    run = subprocess.run(
        [*pip, "--dry-run", "tapwright[video]"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "Would install" not in run.stdout
