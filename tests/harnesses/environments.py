"""The Pythons that have published suites, for slow tests of what those do themselves.

`TAPWRIGHT_ANDROIDWORLD`, `TAPWRIGHT_OSWORLD`, `TAPWRIGHT_BROWSERGYM` and, with all of its packages,
`TAPWRIGHT_BROWSERGYM_ALL` name them; else OSWorld and the small part of BrowserGym are what
`make test-all` installs from locks/suites/.
"""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / ".make" / "suites"


def suite_python(name: str) -> Path:
    """The Python that has a suite's packages; the test is skipped where there is none."""
    variable = f"TAPWRIGHT_{name.upper()}"
    python = Path(os.environ.get(variable) or ROOT / name / "bin" / "python")
    if not python.exists():
        pytest.skip(f"{name} is not installed; {variable} names no Python that has it")
    return python
