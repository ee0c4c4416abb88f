"""The environments of `make` in which the faces' own libraries are: locks/faces/*.txt."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def face_python(name: str) -> str:
    """The Python that has a library; a test is skipped where `make` has not installed it."""
    found = ROOT / ".make" / "faces" / name / "bin" / "python"
    if not found.exists():
        pytest.skip(f"{name} is not installed: make .make/faces/{name}/tried")
    return str(found)


def with_sources() -> dict[str, str]:
    """The variables with which such a Python imports tapwright, and the tests' clients, from here.

    What those libraries warn of is theirs.
    """
    return {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PYTHONWARNINGS": "default"}
