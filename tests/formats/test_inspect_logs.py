"""Logs of inspect_ai, as it has written them itself."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.episode import Episode
from tapwright.core.geometry import Size, from_pixel
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.inspect_logs import INSPECT
from tests.formats.foreign import read_all, read_and_listen

GOLDEN = Path(__file__).parents[1] / "golden" / "inspect"
SIZE = Size(160, 100)


def changed(tmp_path: Path, **fields: Any) -> Path:
    """The golden log with other fields of its sample."""
    log = json.loads((GOLDEN / "notes.json").read_text())
    log["samples"][0].update(fields)
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    return path


def read_one(path: Path) -> Episode:
    episodes, bad = read_all(INSPECT, path)
    assert not bad
    return episodes[0]


@pytest.mark.parametrize("name", ["notes.eval", "notes.json"])
def test_a_log_that_inspect_wrote_is_read(name: str) -> None:
    episode = read_one(GOLDEN / name)
    assert episode.task_id == "notes/note-1"
    assert episode.instruction == "Write hello and save."
    assert (episode.agent, episode.outcome) == ("mockllm/model", "success")
    assert episode.created.startswith("2026-11-24T12:40")
    assert [step.decision.action for step in episode.steps] == [
        actions.Tap(at=from_pixel(80, 50, SIZE)),
        actions.TypeText(text="hello"),
        actions.Hotkey(keys=("control", "s")),
        actions.Scroll(at=from_pixel(80, 50, SIZE), dy=episode_scroll(episode)),
        actions.Drag(start=from_pixel(10, 10, SIZE), end=from_pixel(90, 60, SIZE)),
        actions.Answer(text="The note is saved."),
    ]
    assert episode.steps[0].decision.reasoning == "Click the field."


def episode_scroll(episode: Episode) -> float:
    action = episode.steps[3].decision.action
    assert isinstance(action, actions.Scroll)
    assert action.dy == pytest.approx(0.3)
    return action.dy


def test_the_screen_of_a_step_is_the_last_one_that_was_seen() -> None:
    steps = read_one(GOLDEN / "notes.json").steps
    assert len({step.observation.screenshot.sha256 for step in steps}) == len(steps)
    assert not any(step.observation.stale for step in steps)


def test_a_call_that_no_action_stands_for_is_kept_and_refused(tmp_path: Path) -> None:
    log = json.loads((GOLDEN / "notes.json").read_text())
    messages = log["samples"][0]["messages"]
    messages[3]["tool_calls"][0]["arguments"] = {"action": "left_click"}
    step = read_one(changed(tmp_path, messages=messages)).steps[0]
    assert step.decision.action == actions.Wait(duration_s=0)
    assert "at the pointer" in step.refused
    assert step.log == ('recorded: {"action": "left_click"}',)


def test_the_calls_of_one_message_are_one_step(tmp_path: Path) -> None:
    log = json.loads((GOLDEN / "notes.json").read_text())
    messages = log["samples"][0]["messages"]
    call = messages[3]["tool_calls"][0]
    typed = {**call, "arguments": {"action": "type", "text": "a"}}
    messages[3]["tool_calls"] = [{**call, "arguments": {"action": "left_mouse_down"}}, typed]
    step = read_one(changed(tmp_path, messages=messages)).steps[0]
    assert step.decision.actions == (actions.ButtonDown(), actions.TypeText(text="a"))
    assert step.between == ()


@pytest.mark.parametrize(
    ("arguments", "action"),
    [
        ({"action": "type", "text": "hi", "press_enter": True}, actions.TypeText(text="hi\n")),
        ({"action": "type", "text": "hi", "coordinate": [8, 9]},
         actions.TypeText(text="hi", at=from_pixel(8, 9, SIZE))),
        ({"action": "type", "text": "hi", "coordinate": [8, 9], "press_enter": True},
         actions.TypeText(text="hi\n", at=from_pixel(8, 9, SIZE))),
        ({"action": "back_click", "coordinate": [8, 9]}, actions.PressKey(key="back")),
        ({"action": "navigate", "text": "https://example.com"}, actions.Goto(url="https://example.com")),
    ],
)  # fmt: skip
def test_what_only_inspect_s_tool_takes_is_read(
    arguments: dict[str, Any], action: Action, tmp_path: Path
) -> None:
    log = json.loads((GOLDEN / "notes.json").read_text())
    messages = log["samples"][0]["messages"]
    messages[3]["tool_calls"][0]["arguments"] = arguments
    assert read_one(changed(tmp_path, messages=messages)).steps[0].decision.action == action


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({"scores": {"done": {"value": "I"}}}, "failure"),
        ({"scores": {"done": {"value": 1}}}, "success"),
        ({"scores": {"done": {"value": 0}}, "limit": {"type": "message"}}, "truncated"),
        ({"scores": None}, "unknown"),
        ({"error": {"message": "boom"}}, "interrupted"),
    ],
)
def test_the_score_decides_the_outcome(
    fields: dict[str, Any], outcome: str, tmp_path: Path
) -> None:
    assert read_one(changed(tmp_path, **fields)).outcome == outcome


def test_a_sample_that_is_broken_leaves_those_after_it(tmp_path: Path) -> None:
    log = json.loads((GOLDEN / "notes.json").read_text())
    log["samples"].insert(0, {"messages": "odd"})
    (tmp_path / "log.json").write_text(json.dumps(log))
    episodes, bad = read_all(INSPECT, tmp_path / "log.json")
    assert [one.task_id for one in episodes] == ["notes/note-1"]
    assert "sample 0" in bad[0].where


def test_a_log_without_pictures_says_so(tmp_path: Path) -> None:
    episodes, told = read_and_listen(INSPECT, changed(tmp_path, attachments={}))
    assert any("the picture 'attachment://" in one for one in told)
    assert not any(step.observation.screenshot.recorded for step in episodes[0].steps)


def test_a_log_without_computer_use_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ForeignDataError, match="'computer'"):
        read_all(INSPECT, changed(tmp_path, messages=[]))


def test_an_archive_whose_member_is_broken_is_told(tmp_path: Path) -> None:
    data = bytearray((GOLDEN / "notes.eval").read_bytes())
    with zipfile.ZipFile(GOLDEN / "notes.eval") as archive:
        member = archive.getinfo("samples/note-1_epoch_1.json")
    data[member.header_offset + 200] ^= 0xFF
    (tmp_path / "broken.eval").write_bytes(data)
    with pytest.raises(ForeignDataError, match="broken"):
        read_all(INSPECT, tmp_path / "broken.eval")


def test_logs_are_recognized_by_what_they_hold(tmp_path: Path) -> None:
    assert INSPECT.recognizes(GOLDEN / "notes.eval")
    assert INSPECT.recognizes(GOLDEN / "notes.json")
    (tmp_path / "other.json").write_text("{}")
    assert not INSPECT.recognizes(tmp_path / "other.json")
