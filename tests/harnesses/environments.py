"""The Pythons that have published suites, for slow tests: `make .make/suites/stamp`."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / ".make" / "suites"


def suite_python(name: str) -> Path:
    """The Python that has a suite's packages; the test is skipped where there is none."""
    python = ROOT / name / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{name} is not installed; with PyPI: make .make/suites/stamp")
    return python
