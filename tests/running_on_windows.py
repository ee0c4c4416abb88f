"""Runs a program, or a command, in a process of its own on the stand-in of Windows."""

import os
import subprocess
import sys
from pathlib import Path

from tests import as_on_windows

ROOT = Path(__file__).parents[1]
PYTHON = (sys.executable, "-X", "warn_default_encoding")
COMMAND = (*PYTHON, "-m", as_on_windows.__name__)
_BEGIN = f"from {as_on_windows.__name__} import become_windows\nbecome_windows()\n"


def environment() -> dict[str, str]:
    """That of this process, with the tests among what can be imported."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path}


def run_on_windows(program: str, *words: str | Path, cwd: Path | None = None) -> str:
    """What a program prints."""
    done = subprocess.run(
        [*PYTHON, "-c", _BEGIN + program, *map(str, words)],
        cwd=cwd, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def start_on_windows(program: str, *words: str | Path) -> "subprocess.Popen[str]":
    """A program that runs; it is a context manager."""
    return subprocess.Popen(
        [*PYTHON, "-c", _BEGIN + program, *map(str, words)],
        env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
