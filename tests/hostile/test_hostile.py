"""Damaged inputs of every reader: only our own errors, nothing run, nothing written outside.

The inputs are made anew from a seed; `make fuzz` goes on with other seeds.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tapwright.store.store import EpisodeStore
from tests.hostile.readers import READERS
from tests.tries import ALL

ROOT = Path(__file__).parents[2]
SEED = "tapwright"
IMPORTED = [
    "aitw", "aitz", "android-control", "gui-odyssey", "screenagent", "agentnet", "mobile-env",
    "mobiagent", "archive", "pack",
]  # fmt: skip
PARTS = 4
COUNT = 80 if ALL else 35


def test_the_campaign_has_thousands_of_inputs() -> None:
    assert COUNT * len(READERS) >= (4_000 if ALL else 2_000)


@pytest.mark.parametrize("name", READERS)
def test_what_the_campaign_damages_was_good(name: str, tmp_path: Path) -> None:
    READERS[name].build(tmp_path)
    READERS[name].read(tmp_path, tmp_path / "out")
    if name in IMPORTED:
        assert EpisodeStore(tmp_path / "out").ids() != []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_no_reader_does_more_than_to_refuse_a_damaged_input(part: int) -> None:
    command = [sys.executable, "-m", "tests.hostile.campaign", SEED]
    ended = subprocess.run(
        [*command, "--count", str(COUNT), "--part", f"{part}/{PARTS}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    last = ended.stderr.splitlines()[-3:]
    assert ended.returncode in (0, 1), f"ended by {ended.returncode} at {last}"
    *misdeeds, told = map(json.loads, ended.stdout.splitlines())
    assert misdeeds == []
    assert told["inputs"] == COUNT * len(list(READERS)[part::PARTS])
