"""Agents of several models, and replay, as options of `eval run`, `eval resume` and `record`."""

import base64
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import FakeDevice
from tapwright.testing import FakeChatServer
from tests.cli.running import tapwright

ANSWER = '{"action": {"type": "answer", "text": "It is 42"}}'
FINISH = '{"action": {"type": "finish", "outcome": "success"}}'
CLICK = '{"reasoning": "r", "action": "click", "parameters": {"target_element": "Pay"}}'
DONE = '{"reasoning": "r", "action": "done", "parameters": {"status": "success"}}'
BOX = '[{"bbox_2d": [400, 400, 600, 600]}]'
PLAN = """{"app_name": "The fake", "package_name": "com.example.fake",
"final_task_description": "Touch the button that pays"}"""
TASK = """
id: "pay" command: "Pay." max_num_steps: 9
event_sources { id: 1 finish_event {} }
event_slots { episode_end_listener { type: AND events { id: 1 } transformation: "y = True" }
  score_listener { type: AND events { id: 1 } transformation: "y = 1" } }
"""
KEY = "not-for-everybody"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks/pay.textproto").write_text(TASK)
    return tmp_path / "tasks"


def decides(body: Mapping[str, JsonValue]) -> str:
    return DONE if "1. {" in json.dumps(body["messages"]) else CLICK


def test_three_models_on_servers_of_their_own_play_a_task(suite: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with (
        FakeChatServer(decides) as decider,
        FakeChatServer([BOX]) as grounder,
        FakeChatServer([PLAN]) as planner,
    ):
        servers = {
            "TAPWRIGHT_BASE_URL": decider.base_url,
            "TAPWRIGHT_GROUNDER_URL": grounder.base_url,
            "TAPWRIGHT_PLANNER_URL": planner.base_url,
            "TAPWRIGHT_PLANNER_KEY": "the-planner-s-own",
            "OPENAI_API_KEY": KEY,
        }
        words = (
            "eval", "run", "l3", "--data", str(suite), "--device", "fake", "-o", str(out),
            "-m", "openai/decider", "--convention", "mobimind-decider",
            "--plan", "query_policy=mobiagent",
            "--plan", "grounder=openai/grounder", "--plan", "planner=openai/planner",
            "--plan", "loops=warn",
        )  # fmt: skip
        run = tapwright(*words, cwd=tmp_path, **servers)
        assert run.returncode == 0, run.stderr
        assert "4 model calls" in run.stderr
        again = tapwright("eval", "resume", str(out), cwd=tmp_path, **servers)
        assert again.returncode == 0, again.stderr
        asked = [len(one.received) for one in (planner, decider, grounder)]
        keys = [one.received[0].headers.get("authorization") for one in (decider, grounder)]
        planning = planner.received[0].headers.get("authorization")
    assert asked == [1, 2, 1]
    assert keys == [f"Bearer {KEY}", None]
    assert planning == "Bearer the-planner-s-own"
    answers = [json.loads(line) for line in (out / "answers.jsonl").read_text().splitlines()]
    assert [one["role"] for one in answers] == ["planner", "decider", "grounder", "decider"]
    assert KEY not in (out / "run.jsonl").read_text()


def test_a_model_that_plays_sees_screens_as_small_as_it_was_taught_on(
    suite: Path, tmp_path: Path
) -> None:
    with FakeChatServer([FINISH]) as server:
        run = tapwright(
            "eval", "run", "l3", "--data", str(suite), "--device", "fake", "-o", "run",
            "-m", "openai/any", "--convention", "json", "--max-pixels", "20000",
            cwd=tmp_path, TAPWRIGHT_BASE_URL=server.base_url,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        (asked,) = server.received
    (picture,) = re.findall(r"base64,([^\"]+)", json.dumps(asked.body))
    shown = Screenshot(base64.b64decode(picture)).size
    assert shown == FakeDevice().observe().size.shrink(max_pixels=20_000)


def test_a_second_recording_asks_nothing_where_the_first_went_well(
    suite: Path, tmp_path: Path
) -> None:
    words = (
        "record",
        "--suite",
        str(suite),
        "--device",
        "fake",
        "--plan",
        "replay=wins",
        "--agent",
    )
    with FakeChatServer([FINISH]) as server:
        url = {"TAPWRIGHT_BASE_URL": server.base_url}
        for number in range(2):
            run = tapwright(*words, "openai/any", "-o", f"out{number}", cwd=tmp_path, **url)
            assert run.returncode == 0, run.stderr
        assert len(server.received) == 1
    (episode,) = json.loads(
        tapwright("episodes", "ls", "out1", "--format", "json", cwd=tmp_path).stdout
    )
    assert episode["outcome"] == "success"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-m", "tree", "--plan", "grounder=openai/x"), "no model, so grounder has no effect"),
        (("-m", "scripted/x", "--plan", "grounder=tree"), "the grounder tree: expected a model"),
        (("-m", "scripted/x", "--convention", "mobimind-decider"), "and not where"),
        (
            ("-m", "scripted/x", "--plan", "grounder=scripted/y", "--plan",
             "grounder_convention=mobimind-decider"),
            "gives no places",
        ),
        (("-m", "scripted/x", "--plan", "history=some"), "no history policy is called"),
    ],
)  # fmt: skip
def test_parts_that_do_not_fit_are_refused(
    words: tuple[str, ...], said: str, suite: Path, tmp_path: Path
) -> None:
    run = tapwright("eval", "run", "l3", "--data", str(suite), *words, cwd=tmp_path)
    assert run.returncode == 2
    assert said in run.stderr
