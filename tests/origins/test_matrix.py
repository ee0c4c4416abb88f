"""Recordings that others made, through every command that a store goes through afterwards."""

from pathlib import Path

import pytest

from tests.cli.running import tapwright

GOLDEN = Path(__file__).parents[1] / "golden"
SOURCES = {
    "agentlab": GOLDEN / "agentlab",
    "agentnetbench": GOLDEN / "agentnetbench",
    "inspect": GOLDEN / "inspect/notes.eval",
    "mobiagent": GOLDEN / "mobiagent/data",
    "mobile-env": GOLDEN / "mobile_env_pickles/resaved",
    "osworld": GOLDEN / "osworld",
}
COMMANDS = (
    ("episodes", "check", "store"),
    ("episodes", "stats", "store"),
    ("episodes", "card", "store", "-o", "README.md"),
    ("episodes", "split", "store", "--by", "app"),
    ("episodes", "dedupe", "store"),
    ("episodes", "rejudge", "store"),
    ("episodes", "frames", "store", "-o", "frames"),
    ("annotate", "run", "store", "--with", "rules"),
    ("eval", "make", "store", "-o", "bench"),
    ("sft", "export", "store", "--to", "trl", "--convention", "json", "--annotator", "rules",
     "-o", "set"),
    ("episodes", "pack", "store", "-o", "packed"),
    ("episodes", "unpack", "packed", "-o", "again"),
    ("episodes", "diff", "store", "again"),
)  # fmt: skip
MAY_FIND = {"check": (0, 1), "make": (0, 5), "export": (0, 5), "split": (0, 1, 2, 5)}


@pytest.mark.slow
@pytest.mark.parametrize("origin", sorted(SOURCES))
def test_an_imported_store_goes_through_every_command(origin: str, tmp_path: Path) -> None:
    run = tapwright("episodes", "import", str(SOURCES[origin]), "-o", "store", cwd=tmp_path)
    assert run.returncode in (0, 1), run.stderr
    for words in COMMANDS:
        run = tapwright(*words, cwd=tmp_path)
        assert "Traceback" not in run.stderr, words
        assert run.returncode in MAY_FIND.get(words[1], (0,)), (words, run.stderr)
        if run.returncode == 5 and words[1] == "export":
            assert " times: " in run.stderr
        if run.returncode == 5 and words[1] == "make":
            assert " screens: " in run.stderr
