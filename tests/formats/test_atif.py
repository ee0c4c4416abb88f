"""ATIF: what is written is read as it was, and trajectories of Harbor's own agent are read."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.core.actions import (
    Action,
    Answer,
    ButtonDown,
    Drag,
    Finish,
    Goto,
    Hotkey,
    PressKey,
    Scroll,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size, from_pixel
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.formats.atif import ATIF
from tapwright.formats.cube import CUBE
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.account import OpenedFiles, keep_account
from tapwright.formats.performed import FolderFormat
from tests.cli.running import tapwright

SIZE = Size(200, 100)


def screen(number: int) -> Observation:
    picture = Screenshot(painted_scene(number, SIZE).picture)
    return Observation(picture, SIZE, app=f"app{number}", time_s=float(number))


def episode() -> Episode:
    several = Decision([Tap(at=Point(0.1, 0.2)), TypeText(text="鞋 \ud83d")], "Search", "the field")
    steps = (
        Step(screen(1), several, between=(screen(2),), reward=0.5),
        Step(screen(3), Decision(Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)))),
        Step(screen(4), Decision(Drag(start=Point(0, 0), end=Point(1, 1), path=(Point(0.5, 0),)))),
        Step(
            replace(screen(4), stale=True),
            Decision(Hotkey(keys=("control", "c"))),
            refused="no keyboard",
        ),
        Step(screen(5), Decision(Finish())),
    )
    return Episode(
        "shop/1", "shop", "买鞋", steps, final=screen(6), outcome="success", agent="script",
        device="phone", created="2026-11-28T07:00:00.000+00:00",
    )  # fmt: skip


@pytest.mark.parametrize("agent", ["script", ""])
def test_what_is_written_is_read_as_it_was(tmp_path: Path, agent: str) -> None:
    written = replace(episode(), agent=agent)
    assert ATIF.write([written], tmp_path / "out") == 1
    (read,) = ATIF.read(tmp_path / "out")
    assert isinstance(read, Episode)
    assert read.final is not None
    assert read.final.screenshot == screen(6).screenshot
    for step, one in zip(read.steps, written.steps, strict=True):
        assert step.decision == one.decision
        assert (step.reward, step.refused) == (one.reward, one.refused)
        seen, was = [[s.screenshot for s in given.screens] for given in (step, one)]
        assert seen == was
        assert step.observation.app == one.observation.app
        assert step.observation.stale == one.observation.stale
    bare = replace(written, steps=(), final=None)
    assert replace(read, steps=(), final=None) == bare


@pytest.mark.parametrize(
    ("created", "time_s", "told"),
    [
        ("2026-11-28T07:00:00Z", 5.0, "2026-11-28T07:00:05+00:00"),
        ("yesterday", 5.0, "2000-01-01T00:00:05+00:00"),
        ("", 1e300, "2000-01-01T00:00:00+00:00"),
    ],
)
def test_a_time_that_is_none_is_written_as_one(
    created: str, time_s: float, told: str, tmp_path: Path
) -> None:
    step = Step(replace(screen(1), time_s=time_s), Decision(Finish()))
    ATIF.write([replace(episode(), created=created, steps=(step,))], tmp_path / "out")
    (file,) = tmp_path.rglob("trajectory.json")
    assert json.loads(file.read_text("utf-8"))["steps"][1]["timestamp"] == told


def test_it_is_what_the_schema_asks_for(tmp_path: Path) -> None:
    ATIF.write([episode()], tmp_path / "out")
    (file,) = tmp_path.rglob("trajectory.json")
    told = json.loads(file.read_text("utf-8"))
    assert told["schema_version"] == "ATIF-v1.6"
    assert [step["step_id"] for step in told["steps"]] == [1, 2, 3, 4, 5, 6]
    for step in told["steps"][1:]:
        calls = {call["tool_call_id"] for call in step["tool_calls"]}
        assert {one["source_call_id"] for one in step["observation"]["results"]} == calls
        for result in step["observation"]["results"]:
            for part in result["content"]:
                assert set(part) == {"type", "text" if part["type"] == "text" else "source"}
                if part["type"] == "image":
                    assert (file.parent / part["source"]["path"]).is_file()


AT = from_pixel(20, 30, SIZE)
HARBOR: list[tuple[dict[str, object], list[Action]]] = [
    ({"type": "click", "x": 20, "y": 30}, [Tap(at=AT)]),
    ({"type": "click", "x": 20, "y": 30, "button": "middle", "modifier": "ctrl"},
     [Tap(at=AT, button="middle", held=("control",))]),
    ({"type": "right_click", "x": 20, "y": 30}, [Tap(at=AT, button="right")]),
    ({"type": "mouse_down", "x": 20, "y": 30}, [ButtonDown(at=AT, button="left")]),
    ({"type": "drag", "x": 20, "y": 30, "end_x": 60, "end_y": 70},
     [Drag(start=AT, end=from_pixel(60, 70, SIZE))]),
    ({"type": "scroll", "x": 20, "y": 30, "scroll_y": 50}, [Scroll(at=AT, dy=0.5)]),
    ({"type": "type", "text": "hi", "press_enter": True},
     [TypeText(text="hi"), PressKey(key="enter")]),
    ({"type": "keypress", "keys": ["ctrl", "l"]}, [Hotkey(keys=("control", "l"))]),
    ({"type": "hold_key", "keys": ["shift"], "duration": 2},
     [Hotkey(keys=("shift",), duration_s=2)]),
    ({"type": "navigate", "url": "https://example.org"}, [Goto(url="https://example.org")]),
    ({"type": "zoom", "zoom_region": [0, 0, 9, 9]}, [Wait(duration_s=0)]),
    ({"type": "answer", "result": "42"}, [Answer(text="42"), Finish()]),
]  # fmt: skip
"""What Harbor's agent for computers records, in pixels: harbor 0.25.0, computer_1/runtime.py."""


def trajectory(folder: Path, calls: list[dict[str, object]]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "1.png").write_bytes(painted_scene(1, SIZE).picture)
    image = {"type": "image", "source": {"media_type": "image/png", "path": "1.png"}}
    user = {"step_id": 1, "source": "user", "message": "Do it"}
    begun = {
        "step_id": 2, "source": "system", "message": "started",
        "observation": {"results": [{"content": [image]}]},
    }  # fmt: skip
    steps: list[object] = [user, begun]
    seen = [{"type": "text", "text": "ok"}, image]
    for number, call in enumerate(calls, start=3):
        steps.append(
            {
                "step_id": number, "source": "agent", "message": "I act", "llm_call_count": 1,
                "tool_calls": [{"tool_call_id": f"c{number}", **call}],
                "observation": {"results": [
                    {"source_call_id": f"c{number}", "content": seen}
                ]},
            }
        )  # fmt: skip
    agent = {"name": "computer-1", "version": "1", "model_name": "anthropic/x"}
    told = {"schema_version": "ATIF-v1.8", "session_id": "s", "agent": agent, "steps": steps}
    file = folder / "trajectory.json"
    file.write_text(json.dumps(told))
    return file


@pytest.mark.parametrize(("told", "actions"), HARBOR, ids=lambda one: str(one)[:40])
def test_an_action_of_harbors_agent_is_read(
    told: dict[str, object], actions: list[Action], tmp_path: Path
) -> None:
    call: dict[str, object] = {"function_name": "computer_action", "arguments": told}
    (read,) = ATIF.read(trajectory(tmp_path, [call]))
    assert isinstance(read, Episode)
    (step,) = read.steps
    assert list(step.decision.actions) == actions
    assert (step.refused, step.decision.reasoning) == ("", "I act")
    assert (read.instruction, read.agent) == ("Do it", "anthropic/x")


def test_a_call_that_is_no_action_is_a_refused_step_and_told(tmp_path: Path) -> None:
    calls: list[dict[str, object]] = [
        {"function_name": "bash", "arguments": {"command": "ls"}},
        {"function_name": "computer_action", "arguments": {"type": "click", "x": 5000, "y": 1}},
        {"function_name": "computer_action", "arguments": {"type": "click", "x": "a", "y": 1}},
        {"function_name": "tap", "arguments": {}},
        {"function_name": "computer_action", "arguments": {"type": "click", "x": 10**400, "y": 1}},
        {"function_name": "scroll", "arguments": {"clicks": 10**400}},
        {"function_name": "mark_task_complete", "arguments": {"result": None}},
    ]
    file = trajectory(tmp_path, calls)
    with keep_account(OpenedFiles()) as account:
        (read,) = ATIF.read(file)
    assert isinstance(read, Episode)
    assert [bool(step.refused) for step in read.steps] == [True] * 6 + [False]
    assert "'bash' is no action on a screen" in read.steps[0].refused
    assert any("ls" in line for line in read.steps[0].log)
    assert account.broken


def test_a_broken_trajectory_is_told_with_its_place(tmp_path: Path) -> None:
    file = trajectory(tmp_path, [{"function_name": "wait", "arguments": {}}])
    told = json.loads(file.read_text())
    file.write_text(json.dumps(told | {"steps": "odd"}))
    (read,) = ATIF.read(file)
    assert isinstance(read, UnreadableEpisode)
    assert "steps: Input should be a valid array" in read.reason
    file.write_text(json.dumps(told | {"agent": 3}))
    (kept,) = ATIF.read(file)
    assert isinstance(kept, Episode)
    assert kept.agent == ""


@pytest.mark.parametrize(
    ("odd", "seen"),
    [
        ({"tool_calls": "odd"}, [1, 2, 3]),
        ({"tool_calls": ["odd"]}, [1, 2, 3]),
        ({"tool_calls": [{"function_name": "wait", "arguments": [1]}]}, [1, 2, 3]),
        ({"tool_calls": "odd", "observation": {"results": ["odd"]}}, [1, 2, None]),
        (None, [1, 2, None]),
    ],
)
def test_a_broken_step_is_refused_in_its_place_and_no_picture_is_anothers(
    odd: dict[str, object] | None, seen: list[int | None], tmp_path: Path
) -> None:
    """`seen` are the pictures that the three steps were decided on; None for a stand-in."""
    file = trajectory(tmp_path, [{"function_name": "wait", "arguments": {"duration_s": 1}}] * 3)
    told = json.loads(file.read_text())
    for number, step in enumerate(told["steps"][2:], start=2):
        (tmp_path / f"{number}.png").write_bytes(painted_scene(number, SIZE).picture)
        step["observation"]["results"][0]["content"][1]["source"] = {"path": f"{number}.png"}
    told["steps"][3] = odd and told["steps"][3] | odd
    file.write_text(json.dumps(told))
    (read,) = ATIF.read(file)
    assert isinstance(read, Episode)
    assert [bool(step.refused) for step in read.steps] == [False, True, False]
    shots = [step.observation.screenshot for step in read.steps]
    assert [shot.data if shot.recorded else None for shot in shots] == [
        number and painted_scene(number, SIZE).picture for number in seen
    ]


def test_other_files_of_a_harness_are_no_trajectories(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ForeignDataError, match="no trajectory in it"):
        list(ATIF.read(tmp_path))
    trajectory(tmp_path, [{"function_name": "wait", "arguments": {}}])
    assert [type(one) for one in ATIF.read(tmp_path)] == [Episode]


def test_it_goes_out_and_comes_in_by_the_commands(tmp_path: Path) -> None:
    trajectory(tmp_path / "run", [{"function_name": "computer_action", "arguments": HARBOR[0][0]}])
    into = tapwright("episodes", "import", "run", "-o", "store", cwd=tmp_path)
    assert into.returncode == 0, into.stdout + into.stderr
    out = tapwright("episodes", "export", "store", "--to", "atif", "-o", "out", cwd=tmp_path)
    assert out.returncode == 0, out.stderr
    again = tapwright("episodes", "import", "out", "-o", "again", cwd=tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr


@pytest.mark.parametrize("format_", [ATIF, CUBE])
def test_ids_that_no_disk_tells_apart_have_folders_of_their_own(
    tmp_path: Path, format_: FolderFormat
) -> None:
    bare = replace(episode(), steps=episode().steps[1:2])
    ids = ["a/b", "a_b", "a:b", "三/1"]
    assert format_.write([replace(bare, id=one) for one in ids], tmp_path / "out") == len(ids)
    found = [one.id for one in format_.read(tmp_path / "out") if isinstance(one, Episode)]
    assert sorted(found) == sorted(ids)
