"""The page about the house is drawn from its contract, and names files that there are."""

import re
import runpy

from tests.scripts import ROOT

PAGE = ROOT / "docs/concepts/architecture.md"


def test_the_picture_is_that_of_the_contract() -> None:
    script = runpy.run_path(str(ROOT / "scripts/write_architecture.py"))
    drawn = script["draw"](script["read_layers"]())
    assert script["PICTURE"].read_text("utf-8") == drawn, (
        "run: python scripts/write_architecture.py"
    )


def test_the_walks_name_files_that_there_are() -> None:
    walks = PAGE.read_text("utf-8").partition("## Three walks")[2].partition("\n## ")[0]
    paths = re.findall(r"`([a-z_]+/[\w/]+\.(?:py|ts))`", walks)
    assert len(paths) > 25
    missing = [
        path
        for path in paths
        if not any((ROOT / top / path).exists() for top in ("", "src/tapwright"))
    ]
    assert not missing
