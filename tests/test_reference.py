import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_reference_says_what_the_code_says() -> None:
    # In a process of its own: other tests admit members by their path.
    code = (
        "import runpy, sys\n"
        "script = runpy.run_path('scripts/write_reference.py')\n"
        "sys.stdout.reconfigure(encoding='utf-8')\n"
        "sys.stdout.write(script['reference']())\n"
    )
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    written = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    assert found.stdout.decode() == written, "run: python scripts/write_reference.py"


@pytest.mark.slow
def test_every_public_name_can_be_imported() -> None:
    code = (
        "import pkgutil, importlib, tapwright\n"
        "for info in pkgutil.walk_packages(tapwright.__path__, 'tapwright.'):\n"
        "    if info.name != 'tapwright.__main__':\n"
        "        exec(f'from {info.name} import *')\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
