"""The Pythons that have published suites, for slow tests of what those do themselves.

They are not locked, so nothing installs them by itself. By hand, from PyPI:

    python3.11 -m venv .make/suites/osworld
    .make/suites/osworld/bin/python -m pip install -r tests/harnesses/osworld.txt
    .make/suites/osworld/bin/python -m pip install --no-deps desktop-env==1.0.2
    python3.11 -m venv .make/suites/browsergym
    .make/suites/browsergym/bin/python -m pip install -r tests/harnesses/browsergym.txt
"""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / ".make" / "suites"


def suite_python(name: str) -> Path:
    """The Python that has a suite's packages; the test is skipped where there is none."""
    python = ROOT / name / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{name} is not installed; tests/harnesses/environments.py says how it is")
    return python
