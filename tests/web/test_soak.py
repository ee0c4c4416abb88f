"""A minute of `make soak`: nothing is lost, nothing goes wrong, and the memory stays."""

import json
import subprocess
import sys

import pytest

from tests.scripts import ROOT
from tests.tries import alone


@pytest.mark.slow
@alone
def test_a_server_in_long_use_loses_nothing_and_does_not_grow() -> None:
    ended = subprocess.run(
        [sys.executable, str(ROOT / "bench/soak.py"), "--seconds", "60"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode in (0, 1), f"{ended.stdout}\n{ended.stderr[-2000:]}"
    told = json.loads(ended.stdout)  # how much, and how fast, is for a machine at rest
    assert told["steps"] > 0
    assert (told["lost"], told["wrong"]) == ([], [])
    assert told["growth"] <= 1.2
