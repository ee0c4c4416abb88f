"""Rollouts of trainers: conversations of verifiers and OpenEnv become episodes."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from tapwright.conventions import conventions
from tapwright.core.actions import (
    Action,
    Answer,
    DoubleTap,
    Finish,
    Goto,
    Hotkey,
    Hover,
    PressKey,
    Scroll,
    Swipe,
    Tap,
    TypeText,
)
from tapwright.core.episode import Decision, Episode
from tapwright.core.geometry import Point, Size, from_pixel, to_pixel
from tapwright.devices.fake import painted_scene
from tapwright.errors import TapwrightError
from tapwright.formats.format import EpisodeImporter, UnreadableEpisode
from tapwright.formats.importers.account import KINDS, OpenedFiles, keep_account
from tapwright.formats.importers.openenv import OPENENV
from tapwright.formats.importers.tool_calls import CallReader
from tapwright.formats.importers.verifiers import VERIFIERS

SIZE = Size(200, 100)
AT = from_pixel(20, 30, SIZE)


def url(number: int) -> str:
    data = b64encode(painted_scene(number, SIZE).picture).decode()
    return f"data:image/png;base64,{data}"


def user(words: str, number: int) -> dict[str, Any]:
    part = {"type": "image_url", "image_url": {"url": url(number)}}
    return {"role": "user", "content": [{"type": "text", "text": words}, part]}


def calling(name: str, arguments: Any, words: str = "") -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": "c", "type": "function", "function": function}
    return {"role": "assistant", "content": words, "tool_calls": [call]}


def trace(*messages: tuple[int | None, bool, dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """A trace of verifiers 0.4.0: nodes by their parent, whether they were sampled, and message."""
    nodes = [
        {"parent": parent, "sampled": sampled, "message": message, "timestamp": 1.0}
        for parent, sampled, message in messages
    ]
    harness = {"id": "tapwright-verifiers", "convention": "json"}
    return {
        "id": "t1", "version": 1, "nodes": nodes, "calls": [{"node": 1, "model": "tiny"}],
        "task": {"data": {"id": "wifi_off", "prompt": "Wi-Fi off", "seed": 3}},
        "agent": {"config": {"harness": harness}, "name": "agent"},
        "rewards": {"success": {"score": 1.0, "weight": 1.0}}, "ok": True, **fields,
    }  # fmt: skip


def verifiers(folder: Path, *traces: dict[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    lines = [{"id": "e", "task": {}, "traces": [one], "ok": True} for one in traces]
    (folder / "traces.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return folder


def played(folder: Path) -> Path:
    """Two answers of a model, each to a prompt of its own: the second begins a branch."""
    tap = conventions.get("json").render(Decision(Tap(at=AT), "There."), SIZE)
    says = [{"role": "assistant", "content": text} for text in (tap, "I see a shop.")]
    return verifiers(
        folder,
        trace((None, False, user("Do", 1)), (0, True, says[0]), (None, False, user("Do", 2)),
              (2, True, says[1])),
    )  # fmt: skip


def openenv(folder: Path, **fields: Any) -> Path:
    """What `openenv collect` keeps of an environment whose observation has the picture."""
    folder.mkdir(exist_ok=True)
    seen = {"observation": {"picture": url(2), "instruction": "Buy tea"}, "reward": 0.5}
    ended = {"observation": {"picture": url(3)}, "reward": 1.0}
    taps = {"at": {"x": 0.5, "y": 0.25}}
    result = {"done": False, "metadata": {}, "error": None}
    record = {
        "episode_id": "ep-000001", "reward": 1.0, "done": True, "task": "tea", "metrics": {},
        "verify_metrics": {}, "artifacts": {}, "extra": {},
        "messages": [
            user("Shop", 1), calling("tap", taps, "I tap"),
            {"role": "tool", "tool_call_id": "c", "content": json.dumps(seen)},
            calling("finish", {}), {"role": "tool", "content": json.dumps(ended)},
        ],
        "tool_trace": [
            {"tool_name": "tap", "arguments": taps, "result": {"data": seen, **result}},
            {"tool_name": "finish", "arguments": {}, "result": {"data": ended, **result}},
        ],
        **fields,
    }  # fmt: skip
    (folder / "results.jsonl").write_text(f"{json.dumps(record)}\n")
    return folder


def read(importer: EpisodeImporter, folder: Path) -> Episode:
    (found,) = importer.read(folder)
    assert isinstance(found, Episode), found
    return found


def test_a_trace_of_verifiers_is_read_by_its_convention(tmp_path: Path) -> None:
    got = read(VERIFIERS, played(tmp_path))
    first, second = got.steps
    (tap,) = first.decision.actions
    assert isinstance(tap, Tap)
    assert to_pixel(tap.at, SIZE) == (20, 30)
    assert first.decision.reasoning == "There."
    assert [one.observation.screenshot.data for one in got.steps] == [
        painted_scene(number, SIZE).picture for number in (1, 2)
    ]
    assert second.refused
    assert "recorded: I see a shop." in second.log
    assert (got.task_id, got.instruction, got.outcome) == ("wifi_off", "Wi-Fi off", "success")
    assert (got.agent, got.extra["seed"], got.steps[-1].reward) == ("tiny", "3", 1.0)


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"rewards": {"success": {"score": 0.0}}}, "failure"),
        ({"rewards": {}}, "unknown"),
        ({"rewards": {}, "stop_condition": "max_turns"}, "truncated"),
        ({"errors": [{"type": "E", "message": "the server is gone"}]}, "interrupted"),
        ({"is_timeout": True}, "interrupted"),
    ],
)
def test_how_a_trace_ended_is_its_outcome(
    fields: dict[str, Any], outcome: str, tmp_path: Path
) -> None:
    nodes = ((None, False, user("Do", 1)), (0, True, calling("finish", {})))
    assert read(VERIFIERS, verifiers(tmp_path, trace(*nodes, **fields))).outcome == outcome


def test_a_sampled_node_is_an_answer_whatever_its_role(tmp_path: Path) -> None:
    odd = {"role": "model", "content": "I tap", "tool_calls": calling("finish", {})["tool_calls"]}
    nodes = ((None, False, user("Do", 1)), (0, True, odd))
    assert read(VERIFIERS, verifiers(tmp_path, trace(*nodes))).steps[0].decision.alone == Finish()


def test_results_of_earlier_verifiers_are_read(tmp_path: Path) -> None:
    call = {"name": "tap", "arguments": '{"x": 20, "y": 30}'}
    completion = [
        {"role": "assistant", "content": "", "tool_calls": [json.dumps(call)]},
        {"role": "tool", "content": [user("", 2)["content"][1]], "tool_call_id": "c"},
        {"role": "assistant", "content": "It is 42."},
    ]
    line = {
        "example_id": 7, "task": "gui", "prompt": [user("Find it", 1)], "completion": completion,
        "reward": 0.0, "is_completed": True, "my_metric": 3.0,
    }  # fmt: skip
    (tmp_path / "results.jsonl").write_text(f"{json.dumps(line)}\n")
    with keep_account(OpenedFiles()) as account:
        got = read(VERIFIERS, tmp_path)
    assert [step.decision.action for step in got.steps] == [
        Tap(at=from_pixel(20, 30, SIZE)), Answer(text="It is 42."),
    ]  # fmt: skip
    assert (got.task_id, got.instruction, got.outcome) == ("gui/7", "Find it", "failure")
    assert "result.my_metric" in [one.where for one in account.left_out()]


def test_what_openenv_collects_is_read(tmp_path: Path) -> None:
    got = read(OPENENV, openenv(tmp_path))
    assert [step.decision.action for step in got.steps] == [Tap(at=Point(0.5, 0.25)), Finish()]
    assert [step.reward for step in got.steps] == [0.5, 1.0]
    assert [step.observation.screenshot.data for step in got.steps] == [
        painted_scene(number, SIZE).picture for number in (1, 2)
    ]
    assert got.final is not None
    assert got.final.screenshot.data == painted_scene(3, SIZE).picture
    assert (got.instruction, got.task_id, got.outcome) == ("Buy tea", "tea", "success")
    assert read(OPENENV, openenv(tmp_path, reward=0.0, done=False)).outcome == "truncated"


def test_a_picture_that_only_the_trace_has_is_newer_than_that_of_the_prompt(
    tmp_path: Path,
) -> None:
    folder = openenv(tmp_path)
    record = json.loads((folder / "results.jsonl").read_text())
    for message in record["messages"][2::2]:
        message["content"] = "done"
    (folder / "results.jsonl").write_text(json.dumps(record))
    got = read(OPENENV, folder)
    assert [step.observation.screenshot.data for step in got.steps] == [
        painted_scene(number, SIZE).picture for number in (1, 2)
    ]


@pytest.mark.parametrize("importer", [VERIFIERS, OPENENV], ids=lambda one: one.name)
@pytest.mark.parametrize(
    "line", ["{}", "[1]", '{"traces": [], "nodes": 1}', '{"tool_trace": 3, "messages": 1}', "…"]
)
def test_what_is_no_rollout_is_reported(
    importer: EpisodeImporter, line: str, tmp_path: Path
) -> None:
    (tmp_path / "traces.jsonl").write_text(line)
    (found,) = importer.read(tmp_path)
    assert isinstance(found, UnreadableEpisode)
    assert "\n" not in found.reason


def test_all_that_was_seen_is_accounted_for(tmp_path: Path) -> None:
    for importer, folder in ((VERIFIERS, played), (OPENENV, openenv)):
        with keep_account(OpenedFiles()) as account:
            read(importer, folder(tmp_path / importer.name))
        assert all(account.seen[kind] >= account.left[kind] for kind in KINDS)
        assert not [one for one in account.left_out() if "does not know" in one.reason]


CALLS: list[tuple[str, dict[str, Any], list[Action]]] = [
    ("tap", {"at": {"x": 0.5, "y": 0.25}}, [Tap(at=Point(0.5, 0.25))]),
    ("tap", {"at": {"x": 20, "y": 30}, "reasoning": "there"}, [Tap(at=AT)]),
    ("tap", {"x": 0.5, "y": 0.25}, [Tap(at=Point(0.5, 0.25))]),
    ("swipe", {"start_x": 0.5, "start_y": 0.75, "end_x": 0.5, "end_y": 0.25},
     [Swipe(start=Point(0.5, 0.75), end=Point(0.5, 0.25))]),
    ("final_step", {}, [Finish()]),
    ("computer", {"action": "left_click", "coordinate": [20, 30]}, [Tap(at=AT)]),
    ("computer", {"action": "screenshot"}, []),
    ("click", {"x": 20, "y": 30, "num_clicks": 2}, [DoubleTap(at=AT)]),
    ("move_to", {"x": 20, "y": 30}, [Hover(at=AT)]),
    ("typing", {"text": "tea"}, [TypeText(text="tea")]),
    ("hotkey", {"keys": "ctrl+c"}, [Hotkey(keys=("control", "c"))]),
    ("run_pyautogui", {"code": "pyautogui.click(20, 30)"}, [Tap(at=AT)]),
    ("browser_mouse_click_xy", {"x": 20, "y": 30}, [Tap(at=AT)]),
    ("browser_press_key", {"key": "Enter"}, [PressKey(key="enter")]),
    ("goto", {"url": "https://example.org"}, [Goto(url="https://example.org")]),
    ("mouse_click", {"x": 20, "y": 30}, [Tap(at=Point(0.1, 0.3))]),
]  # fmt: skip
"""As ours, Harbor's, Anthropic's, CUBE's and BrowserGym's tools are called."""


@pytest.mark.parametrize(("name", "arguments", "actions"), CALLS, ids=lambda one: str(one)[:40])
def test_a_call_of_a_tool_is_read(
    name: str, arguments: dict[str, Any], actions: list[Action]
) -> None:
    assert list(CallReader().read(name, arguments, SIZE)) == actions


def test_a_click_without_a_place_is_where_the_pointer_is() -> None:
    reader = CallReader()
    reader.read("move_to", {"x": 20, "y": 30}, SIZE)
    assert list(reader.read("click", {"x": -1, "y": -1}, SIZE)) == [Tap(at=AT)]
    (wheel,) = reader.read("scroll", {"dx": 0, "dy": 3}, SIZE)
    assert isinstance(wheel, Scroll)
    assert wheel.at == AT


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("fly", {}), ("a b", {"x": 1}), ("click", {"bid": "12"}), ("tap", {"x": "left"}),
        ("tap", {"at": {"x": 5000, "y": 1}}), ("browser_click", {"selector": "#a"}),
        ("run_pyautogui", {"code": "import os; os.system('id')"}), ("bash", {"command": "ls"}),
        ("computer", {"action": "left_click", "coordinate": [1e9, 3]}), ("computer_action", {}),
    ],
)  # fmt: skip
def test_a_call_that_is_no_action_is_refused(name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(TapwrightError) as refused:
        CallReader().read(name, arguments, SIZE)
    assert "\n" not in str(refused.value)
    assert not refused.value.fatal  # of all that is imported
