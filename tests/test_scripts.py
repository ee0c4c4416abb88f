"""The programs of scripts/ say what they do when they are asked, and do nothing else."""

import importlib.util
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scripts import ROOT

SCRIPTS = ROOT / "scripts"
PYTHON = [
    path for path in sorted(SCRIPTS.glob("*.py")) if "if __name__ ==" in path.read_text("utf-8")
]
_PARTS = {"debian_packages.sh"}
"""What the others read, and nobody runs."""
SHELL = [path for path in sorted(SCRIPTS.glob("*.sh")) if path.name not in _PARTS]


def squeezed(text: str) -> str:
    return "".join(text.replace("$ ", "").split())


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.name)
def test_a_program_in_python_answers_help_with_its_docstring(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if path.stem == "write_site" and importlib.util.find_spec("mkdocs") is None:
        pytest.skip("locks/docs.txt is not installed")
    monkeypatch.setattr(sys, "argv", [str(path), "--help"])
    monkeypatch.syspath_prepend(str(SCRIPTS))
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(path), run_name="__main__")
    assert not end.value.code
    about = path.read_text("utf-8").split('"""')[1]
    assert squeezed(about).replace("-", "") in squeezed(capsys.readouterr().out).replace("-", "")


@pytest.mark.parametrize("path", SHELL, ids=lambda path: path.name)
def test_a_shell_program_answers_help(path: Path) -> None:
    run = subprocess.run([path, "--help"], capture_output=True, text=True, timeout=60, check=True)
    assert len(run.stdout.splitlines()) >= 2
    assert not run.stderr
