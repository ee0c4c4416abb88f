"""What the page about scale says is what its script computes from what was measured."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_page_shows_what_the_script_prints() -> None:
    run = subprocess.run(
        [sys.executable, ROOT / "bench/scale.py"], capture_output=True, text=True, check=True
    )
    page = (ROOT / "docs/concepts/scale.md").read_text(encoding="utf-8")
    shown = page.partition("<!-- scale -->\n")[2].partition("\n<!-- /scale -->")[0]
    assert shown == run.stdout.rstrip("\n")


def test_sizes_are_told_with_the_unit_that_fits() -> None:
    size = runpy.run_path(str(ROOT / "bench/scale.py"))["size"]
    assert [size(999), size(43_867), size(1.23e12), size(4.5e16)] == [
        "999 B", "43.9 kB", "1.23 TB", "45 PB",
    ]  # fmt: skip
