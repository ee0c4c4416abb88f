"""Recordings that others made, through every command that a store goes through afterwards."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import tapwright
from tests.formats import test_agentnet, test_android_control, test_dual_point, test_gui_odyssey
from tests.formats import test_screenagent as screenagent
from tests.formats.foreign import write_records

GOLDEN = Path(__file__).parents[1] / "golden"
IN_GOLDEN = {
    "agentlab": "agentlab",
    "agentnetbench": "agentnetbench",
    "inspect": "inspect/notes.eval",
    "mobiagent": "mobiagent/data",
    "mobile-env": "mobile_env_pickles/resaved",
    "osworld": "osworld",
}


def android_control(folder: Path) -> None:
    folder.mkdir()
    tap = test_android_control.record({"action_type": "click", "x": 9, "y": 19})
    write_records(folder / "android_control.tfrecord", tap)


def aitz(folder: Path) -> None:
    ends = test_dual_point.aitz_step(1, 2, result_action_type=10)
    test_dual_point.lay_out(folder / "GENERAL-7", test_dual_point.aitz_step(0, 2), ends)


def gui_odyssey(folder: Path) -> None:
    tap: dict[str, Any] = {"action": "CLICK", "info": [[250, 500]]}
    end: dict[str, Any] = {"action": "COMPLETE", "info": ""}
    test_gui_odyssey.lay_out(folder, tap, end)


def agentnet(folder: Path) -> None:
    folder.mkdir()
    codes = ("pyautogui.click(x=0.5, y=0.25)", "computer.terminate(status='success')")
    test_agentnet.lay_out(folder, *codes, task_completed=True)


MADE: Mapping[str, Callable[[Path], object]] = {
    "android-control": android_control,
    "aitz": aitz,
    "gui-odyssey": gui_odyssey,
    "agentnet": agentnet,
    "screenagent": lambda folder: screenagent.lay_out(folder, [screenagent.mouse("click")]),
}
COMMANDS = (
    ("episodes", "check", "store"),
    ("episodes", "stats", "store", "--format", "json"),
    ("episodes", "card", "store", "-o", "card"),
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
SAYS = {
    "card": "card/README.md",
    "rejudge": "outcomes are not what the steps prove",
    "dedupe": "episodes",
    "run": "steps explained",
}
"""What stands in the output of a command, whatever the origin is."""
WHY_NOT = {"export": " times: ", "make": " screens: ", "split": "error: "}
"""What one that had nothing to write says, each with its count."""


@pytest.mark.slow
@pytest.mark.parametrize("origin", sorted([*IN_GOLDEN, *MADE]))
def test_an_imported_store_goes_through_every_command(origin: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    if origin in MADE:
        MADE[origin](source)
    else:
        source = GOLDEN / IN_GOLDEN[origin]
    run = tapwright("episodes", "import", str(source), "-o", "store", cwd=tmp_path)
    assert run.returncode in (0, 1), run.stderr
    for words in COMMANDS:
        run = tapwright(*words, cwd=tmp_path)
        said, verb = run.stdout + run.stderr, words[1]
        assert "Traceback" not in said, words
        assert run.returncode in MAY_FIND.get(verb, (0,)), (words, run.stderr)
        assert SAYS.get(verb, "") in said, words
        if run.returncode not in (0, 1):
            assert WHY_NOT[verb] in said, words
        if verb == "stats":
            assert_claimed(json.loads(run.stdout))
    assert (tmp_path / "card/README.md").is_file()


def assert_claimed(rows: list[dict[str, Any]]) -> None:
    """Nothing that was imported is proved, and what was not judged is no claim."""
    counts = {(row["by"], row["name"]): row["episodes"] for row in rows}
    unknown = counts.get(("outcome", "unknown"), 0)
    assert ("evidence", "proved") not in counts
    assert counts.get(("evidence", "not told"), 0) == unknown
