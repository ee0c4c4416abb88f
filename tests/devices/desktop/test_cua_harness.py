"""A third party's harness finds that all arrives that it asks for: 100 entries of 100."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.devices.desktop.installed import need_desktop
from tests.harnesses.environments import suite_python
from tests.scripts import ROOT
from tests.tries import alone


@pytest.mark.slow
@pytest.mark.long
@alone
def test_every_entry_of_the_harness_passes(tmp_path: Path) -> None:
    need_desktop()
    pytest.importorskip("tkinter")
    environment = suite_python("cua_harness").parent.parent
    (packages,) = environment.glob("lib/python3*/site-packages")
    paths = [str(ROOT / "src"), str(ROOT), str(packages)]
    run = subprocess.run(
        [sys.executable, "-m", "tests.devices.desktop.cua_harness", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, cwd=ROOT, capture_output=True,
        text=True, check=False, timeout=1800,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-2000:]
    report = json.loads(run.stdout.splitlines()[-1])
    failed = [one for one in report["entries"] if one["final"] != "pass"]
    assert (failed, report["not_measurable"]) == ([], [])
    assert report["totals"]["pass"] == 100
