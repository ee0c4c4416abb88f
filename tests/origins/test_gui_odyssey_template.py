"""Others' recordings become text by the template of gui-odyssey-1k, and are judged by it again.

What `artifacts/acp_vlora_v7.jinja` writes was recorded in tests/golden/chat_template; its fixed
sentences are those of every prompt here. The recordings are MobiAgent's (tests/golden/mobiagent).
"""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tapwright.conventions.android_tools import ANDROID_TOOLS_CONVENTION
from tapwright.core.geometry import Size
from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright

GOLDEN = Path(__file__).parents[1] / "golden"
CASES = json.loads((GOLDEN / "chat_template/cases.json").read_text("utf-8"))["cases"]
ENDS = "<|eot_id|>\n"
OWN = """
import json
from base64 import b64decode
from pathlib import Path

def generate(messages):
    parts = [part for one in messages for part in one["content"]]
    shown = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"][-1]
    picture = b64decode(shown.partition(",")[2])
    rows = map(json.loads, Path("set/train.jsonl").read_text("utf-8").splitlines())
    row = next(row for row in rows if Path("set", row["images"][-1]).read_bytes() == picture)
    return row["completion"].partition("<|eot_id|>")[0]
"""
CONFIG = """
[plan]
convention = "android-tools"
[benchmarks.steps-odyssey]
data = "store"
[models."scripted/never asked"]
generate = "own.generate"
"""


def fixed_head() -> str:
    """What the template writes before the tools, without the first token."""
    case = next(one for one in CASES if one["expect"]["ok"])
    text: str = case["expect"]["text"].removeprefix(case["kwargs"].get("bos_token") or "")
    return text.partition("## Available actions")[0]


@pytest.mark.slow
def test_what_is_taught_in_the_template_s_text_is_read_and_scored_as_recorded(
    tmp_path: Path,
) -> None:
    words = ("--to", "rendered", "--convention", "android-tools", "--val-share", "0", "-o", "set")
    for command in (
        ("episodes", "import", str(GOLDEN / "mobiagent/data"), "-o", "store"),
        ("sft", "export", "store", *words),
    ):
        run = tapwright(*command, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
    rows: list[dict[str, Any]] = [
        json.loads(line) for line in (tmp_path / "set/train.jsonl").read_text("utf-8").splitlines()
    ]
    store = EpisodeStore(tmp_path / "store")
    assert len(rows) == sum(len(episode.steps) for episode in store)
    for row in rows:
        recorded = store.read(row["episode"]).steps[row["step"]].decision
        assert row["prompt"].startswith(fixed_head())
        ((start, end),) = row["spans"]
        assert (row["prompt"] + row["completion"])[start:end] == row["completion"]
        with Image.open(tmp_path / "set" / row["images"][-1]) as shot:
            size = Size(*shot.size)
        read = ANDROID_TOOLS_CONVENTION.parse(row["completion"].removesuffix(ENDS), size)
        assert read.reasoning == recorded.reasoning
        assert read.action.type == recorded.action.type
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "eval.toml").write_text(CONFIG)
    run = tapwright("eval", "run", "--config", "eval.toml", "-o", "run", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "100.0 %" in run.stderr
