"""From MobiAgent's folders and back: what its own checker and trainer script ask is there.

`compare_actions` of https://github.com/IPADS-SAI/MobiAgent/blob/fd5aa72/collect/annotate.py is told
here by its rules, in its order: one item for each action, of the same type, and for a swipe the
direction of `actions.json` in both, first named so in the reasoning. `construct_sft.py` of the same
commit needs react.json beside actions.json, and a target_element for every click.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import tapwright

GOLDEN = Path(__file__).parents[1] / "golden/mobiagent/data"
PHRASES = {
    "向上滑动": "UP", "向下滑动": "DOWN", "向左滑动": "LEFT", "向右滑动": "RIGHT",
    "从下往上滑动": "UP", "从上往下滑动": "DOWN", "从右往左滑动": "LEFT", "从左往右滑动": "RIGHT",
    "向上滚动": "UP", "向下滚动": "DOWN", "向左滚动": "LEFT", "向右滚动": "RIGHT",
    "从下往上滚动": "UP", "从上往下滚动": "DOWN", "从右往左滚动": "LEFT", "从左往右滚动": "RIGHT",
}  # fmt: skip


def compare_actions(actions: list[Any], reacts: list[Any]) -> None:
    assert len(actions) == len(reacts)
    for action, react in zip(actions, reacts, strict=True):
        assert action["type"] == react["function"]["name"]
        if action["type"] == "swipe":
            direction = react["function"]["parameters"]["direction"]
            assert direction == action["direction"].upper()
            said = [way for phrase, way in PHRASES.items() if phrase in react["reasoning"]]
            assert said[:1] == [direction]
        if action["type"] == "click":
            assert react["function"]["parameters"]["target_element"]


@pytest.mark.slow
def test_folders_come_back_under_their_names_with_reasoning_that_the_original_takes(
    tmp_path: Path,
) -> None:
    given = tmp_path / "given"
    shutil.copytree(GOLDEN, given)
    for file in given.rglob("react.json"):
        file.unlink()
    for words in (
        ("episodes", "import", "given", "-o", "store"),
        ("annotate", "run", "store", "--with", "rules"),
        ("episodes", "export", "store", "--to", "mobiagent", "-o", "back"),
        ("annotate", "export", "store", "--with", "rules", "-o", "alone"),
    ):
        run = tapwright(*words, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
    folders = sorted(file.parent.relative_to(given) for file in given.rglob("actions.json"))
    assert [path.as_posix() for path in folders] == ["Notes/type2/7", "商城/type1/1"]
    for folder in folders:
        before = json.loads((given / folder / "actions.json").read_text(encoding="utf-8"))
        after = json.loads((tmp_path / "back" / folder / "actions.json").read_text("utf-8"))
        assert (after["app_name"], after["task_type"]) == (before["app_name"], before["task_type"])
        reacts = json.loads((tmp_path / "back" / folder / "react.json").read_text("utf-8"))
        compare_actions(after["actions"], reacts)
        alone = json.loads((tmp_path / "alone" / folder / "react.json").read_text("utf-8"))
        assert [one["reasoning"] for one in alone] == [one["reasoning"] for one in reacts]


@pytest.mark.slow
def test_of_two_annotators_one_is_to_be_named(tmp_path: Path) -> None:
    assert tapwright("episodes", "import", str(GOLDEN), "-o", "store", cwd=tmp_path).returncode == 0
    run = tapwright("episodes", "export", "store", "--to", "mobiagent", "-o", "own", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    before = json.loads((GOLDEN / "商城/type1/1/react.json").read_text(encoding="utf-8"))
    after = json.loads((tmp_path / "own/商城/type1/1/react.json").read_text(encoding="utf-8"))
    assert [one["reasoning"] for one in after] == [one["reasoning"] for one in before]
    words = ("--to", "mobiagent", "--annotator", "nobody", "-o", "none")
    run = tapwright("episodes", "export", "store", *words, cwd=tmp_path)
    assert run.returncode == 1
    assert "nobody" in run.stderr
