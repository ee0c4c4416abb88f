"""CUBE: what is written is read as it was, and events and steps of its harness are read."""

import json
from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.core.actions import Finish, Tap, Wait
from tapwright.core.episode import Episode
from tapwright.core.geometry import from_pixel
from tapwright.devices.fake import painted_scene
from tapwright.errors import TapwrightError
from tapwright.formats.cube import CUBE
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.msgpack import pack, unpack
from tapwright.store.states import compress
from tests.formats.test_atif import SIZE, episode

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc"), inner), max_leaves=20,
)  # fmt: skip


@given(VALUES)
def test_what_json_says_survives_message_pack(value: JsonValue) -> None:
    assert unpack(pack(value), "here") == value


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"\x05", 5), (b"\xff", -1), (b"\xa3abc", "abc"), (b"\x92\x01\xc3", [1, True]),
        (b"\x81\xa1a\xc0", {"a": None}), (b"\xcd\x01\x00", 256), (b"\xd1\xff\x00", -256),
        (b"\xd9\x01x", "x"), (b"\xdc\x00\x01\x02", [2]), (b"\xca?\x80\x00\x00", 1.0),
    ],
)  # fmt: skip
def test_the_short_forms_of_others_are_read(data: bytes, value: JsonValue) -> None:
    assert unpack(data, "here") == value


@pytest.mark.parametrize(
    "data", [b"", b"\xc1", b"\xc4\x01x", b"\xa3ab", b"\x05\x05", b"\xdf\xff\xff\xff\xff",
             b"\x91" * 900, b"\xa1\xff"],
)  # fmt: skip
def test_what_is_no_message_pack_of_json_is_refused(data: bytes) -> None:
    with pytest.raises(TapwrightError, match="here: "):
        unpack(data, "here")


@pytest.mark.parametrize("agent", ["script", ""])
def test_what_is_written_is_read_as_it_was(tmp_path: Path, agent: str) -> None:
    # The text of the first step has half an emoji.
    written = replace(episode(), steps=episode().steps[1:], agent=agent)
    assert CUBE.write([written], tmp_path / "out") == 1
    (read,) = CUBE.read(tmp_path / "out")
    assert isinstance(read, Episode)
    for step, one in zip(read.steps, written.steps, strict=True):
        assert step.decision == one.decision
        assert (step.reward, step.refused) == (one.reward, one.refused)
        assert [s.screenshot for s in step.screens] == [s.screenshot for s in one.screens]
        assert step.observation.stale == one.observation.stale
    assert read.final is not None
    assert written.final is not None
    assert read.final.screenshot == written.final.screenshot
    assert replace(read, steps=(), final=None) == replace(written, steps=(), final=None)


def test_an_episode_without_an_id_has_its_folder_s_name(tmp_path: Path) -> None:
    folder = played(tmp_path)
    file = next(folder.rglob("episode.metadata.json"))
    told = json.loads(file.read_text())
    del told["id"]
    file.write_text(json.dumps(told))
    (read,) = CUBE.read(folder)
    assert isinstance(read, Episode)
    assert read.id == f"cube-{file.parent.name}"


def test_several_actions_of_an_answer_stay_one_step(tmp_path: Path) -> None:
    CUBE.write([episode()], tmp_path / "out")
    (read,) = CUBE.read(tmp_path / "out")
    assert isinstance(read, Episode)
    first, was = read.steps[0], episode().steps[0]
    assert len(first.decision.actions) == 2
    assert [s.screenshot for s in first.screens] == [s.screenshot for s in was.screens]
    assert (first.reward, first.decision.target) == (0.5, "the field")


def observed(*contents: object) -> dict[str, Any]:
    """An observation: texts, and pictures by their number."""
    parts: list[dict[str, Any]] = []
    for one in contents:
        if isinstance(one, str):
            parts.append({"data": one, "_type": "cube.core.TextContent"})
            continue
        assert isinstance(one, int)
        data = b64encode(painted_scene(one, SIZE).picture).decode()
        parts.append({"name": "screenshot", "data": f"data:image/png;base64,{data}"})
    return {"contents": parts, "_type": "cube.core.Observation"}


def lay_out(folder: Path, kind: str, *files: tuple[str, dict[str, Any]], **meta: Any) -> Path:
    """An episode as cube-harness keeps it; `kind` is "events" or "steps"."""
    (folder / kind).mkdir(parents=True, exist_ok=True)
    told = {"id": "t_ep0", "metadata": {"task_id": "t"}, "end_time": 2.0,
            "reward_info": {"reward": 1.0}, **meta}  # fmt: skip
    (folder / "episode.metadata.json").write_bytes(json.dumps(told).encode())
    for number, (name, output) in enumerate(files):
        written: dict[str, JsonValue] = {"output": output, "start_time": 1.0, "end_time": 2.0}
        (folder / kind / f"{number:03d}_{name}.msgpack.zst").write_bytes(compress(pack(written)))
    return folder


def played(folder: Path, **meta: Any) -> Path:
    click = {"id": "a", "name": "click", "arguments": {"x": 20, "y": 30}}
    call = {"llm_config": {"model_name": "openai/x"}, "prompt": {"messages": []},
            "output": {"role": "assistant", "content": "I click."}}  # fmt: skip
    return lay_out(
        folder,
        "events",
        ("tool_call", {"parent_event_id": "reset", "action": {"name": "_reset", "arguments": {}},
                       "obs": observed("Buy tea", 1)}),
        ("llm", {"id": "l1", "call": call}),
        ("tool_call", {"id": "c1", "parent_event_id": "l1", "action": click, "obs": observed(2)}),
        ("eval", {"reward": 0.5, "is_terminal": False, "parent_event_id": "c1"}),
        ("tool_call", {"id": "c2", "parent_event_id": "l2", "obs": observed(),
                       "action": {"name": "final_step", "arguments": {}}}),
        ("eval", {"reward": 1.0, "is_terminal": True}),
        **meta,
    )  # fmt: skip


def test_events_of_the_harness_are_read(tmp_path: Path) -> None:
    (read,) = CUBE.read(played(tmp_path))
    assert isinstance(read, Episode)
    first, last = read.steps
    assert first.decision.action == Tap(at=from_pixel(20, 30, SIZE))
    assert (first.decision.reasoning, first.reward) == ("I click.", 0.5)
    assert first.observation.screenshot.data == painted_scene(1, SIZE).picture
    assert last.decision.action == Finish()
    assert last.observation.screenshot.data == painted_scene(2, SIZE).picture
    assert (read.instruction, read.task_id, read.agent) == ("Buy tea", "t", "openai/x")
    assert (read.outcome, read.id) == ("success", "cube-t_ep0")


def test_steps_of_the_older_form_are_read(tmp_path: Path) -> None:
    acts = [{"name": "click", "arguments": {"x": 20, "y": 30}}, {"name": "browser_click"}]
    folder = lay_out(
        tmp_path, "steps", ("obs", {"obs": observed("Buy tea", 1), "reward": 0.0, "done": False}),
        *(("act", {"actions": [one], "llm_calls": [], "thoughts": "So."}) for one in acts),
        ("obs", {"obs": observed(2), "reward": 1.0, "done": True}),
    )  # fmt: skip
    (read,) = CUBE.read(folder)
    assert isinstance(read, Episode)
    assert [step.decision.action for step in read.steps] == [
        Tap(at=from_pixel(20, 30, SIZE)), Wait(duration_s=0),
    ]  # fmt: skip
    assert "names an element" in read.steps[1].refused
    assert read.steps[0].decision.reasoning == "So."


@pytest.mark.parametrize(
    ("meta", "outcome"),
    [({"reward_info": {"reward": 0.0}}, "failure"), ({"end_time": None}, "interrupted"),
     ({"reward_info": {}}, "unknown")],
)  # fmt: skip
def test_how_it_ended_is_its_outcome(meta: dict[str, Any], outcome: str, tmp_path: Path) -> None:
    (read,) = CUBE.read(played(tmp_path, **meta))
    assert isinstance(read, Episode)
    assert read.outcome == outcome


def test_nothing_but_broken_events_is_reported(tmp_path: Path) -> None:
    folder = played(tmp_path)
    for file in (folder / "events").iterdir():
        file.write_bytes(b"(\xb5/\xfd?")
    (read,) = CUBE.read(folder)
    assert isinstance(read, UnreadableEpisode)
    assert "000_tool_call.msgpack.zst" in read.reason


def test_more_than_a_thousand_events_are_read_in_their_order(tmp_path: Path) -> None:
    whole = replace(episode(), steps=episode().steps[1:])
    CUBE.write([whole], tmp_path / "out")
    for file in sorted(tmp_path.rglob("*.msgpack.zst"), reverse=True):
        number, _, kind = file.name.partition("_")
        file.rename(file.with_name(f"{int(number) + 996:03d}_{kind}"))
    (read,) = CUBE.read(tmp_path / "out")
    assert isinstance(read, Episode)
    assert [step.decision for step in read.steps] == [step.decision for step in whole.steps]


def test_a_broken_event_is_a_refused_step_in_its_place(tmp_path: Path) -> None:
    whole = replace(episode(), steps=episode().steps[1:4])
    CUBE.write([whole], tmp_path / "out")
    calls = sorted(tmp_path.rglob("*_tool_call.msgpack.zst"))
    calls[2].write_bytes(b"odd")
    (read,) = CUBE.read(tmp_path / "out")
    assert isinstance(read, Episode)
    assert [bool(step.refused) for step in read.steps] == [False, True, True]
    assert calls[2].name in read.steps[1].refused
    assert read.steps[1].observation.screenshot == whole.steps[1].observation.screenshot
    assert not read.steps[2].observation.screenshot.recorded
