import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.conventions.pyautogui import CallPointer
from tapwright.core.actions import (
    Action,
    DoubleTap,
    Drag,
    Finish,
    Hotkey,
    Hover,
    PressKey,
    Scroll,
    Tap,
    TripleTap,
    TypeText,
    Wait,
)
from tapwright.core.geometry import Point, Size
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.agentnet import AGENTNET
from tapwright.formats.importers.pyautogui import parse_code
from tests.formats.foreign import picture, read_all, read_and_listen
from tests.strategies import FRACTIONS

AT = Point(0.5, 0.25)


def read(code: str) -> list[Action]:
    return parse_code(code, CallPointer(Size(1, 1), "fraction"), "here")[0]


@given(x=FRACTIONS, y=FRACTIONS)
def test_places_are_fractions_as_they_stand(x: float, y: float) -> None:
    assert read(f"pyautogui.click(x={x!r}, y={y!r})") == [Tap(at=Point(x, y))]


@given(text=st.text())
def test_any_text_is_written_as_it_stands(text: str) -> None:
    assert read(f"pyautogui.write(message={text!r})") == [TypeText(text=text)]


@pytest.mark.parametrize(
    ("code", "actions"),
    [
        ("pyautogui.click(0.5, 0.25)", [Tap(at=AT)]),
        ("pyautogui.click(x=0.5, y=0.25, button='right')", [Tap(at=AT, button="right")]),
        ("pyautogui.click(x=0.5, y=0.25, clicks=2)", [DoubleTap(at=AT)]),
        ("pyautogui.rightClick(x=0.5, y=0.25)", [Tap(at=AT, button="right")]),
        ("pyautogui.middleClick(x=0.5, y=0.25)", [Tap(at=AT, button="middle")]),
        ("pyautogui.doubleClick(x=0.5, y=0.25)", [DoubleTap(at=AT)]),
        ("computer.tripleClick(x=0.5, y=0.25)", [TripleTap(at=AT)]),
        ("pyautogui.tripleClick(0.5, 0.25)", [TripleTap(at=AT)]),
        ("pyautogui.click(x=0.5, y=0.25, clicks=3)", [TripleTap(at=AT)]),
        ("pyautogui.moveTo(x=0.5, y=0.25)\npyautogui.click()", [Hover(at=AT), Tap(at=AT)]),
        (
            "pyautogui.moveTo(0.5, 0.25)\npyautogui.dragTo(0.75, 0.5, button='left')",
            [Hover(at=AT), Drag(start=AT, end=Point(0.75, 0.5))],
        ),
        (r"pyautogui.write(message='C:\dir')", [TypeText(text=r"C:\dir")]),
        ("pyautogui.press('enter')", [PressKey(key="enter")]),
        ("pyautogui.press(keys=['down', 'f5'])", [PressKey(key="down"), Hotkey(keys=("f5",))]),
        ("pyautogui.press('tab', presses=2)", [PressKey(key="tab")] * 2),
        ("pyautogui.hotkey(['ctrl', 'c'])", [Hotkey(keys=("control", "c"))]),
        ("pyautogui.hotkey('ctrl', 'shift', 'Esc')", [Hotkey(keys=("control", "shift", "escape"))]),
        ("import time\ntime.sleep(3)", [Wait(duration_s=3)]),
        ("computer.wait()", [Wait()]),
        ("computer.terminate(status='failure')", [Finish(outcome="failure")]),
    ],
)
def test_every_call_has_its_action(code: str, actions: list[Action]) -> None:
    assert read(code) == actions


def test_a_turn_of_the_wheel_is_told_in_clicks() -> None:
    actions, log = parse_code(
        "pyautogui.scroll(-5, x=0.5, y=0.25)", CallPointer(Size(1, 1), "fraction"), "here"
    )
    assert actions == [Scroll(at=AT, dy=0.5)]
    assert log == ["pyautogui.scroll(-5, x=0.5, y=0.25)"]
    assert read("pyautogui.hscroll(3)") == [Scroll(at=Point(0.5, 0.5), dx=3 * 0.1)]


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("__import__('os').system('touch /tmp/owned')", "unknown call"),
        ("pyautogui.click(x=open('/etc/passwd'), y=0)", "an argument is not a constant"),
        ("pyautogui.click(*[0.5, 0.5])", "an argument is not a constant"),
        ("pyautogui.click(**{'x': 0.5})", "the argument None twice"),
        ("x = 3", "not a call"),
        ("for i in range(3): pyautogui.click(0.5, 0.5)", "not a call"),
        ("computer.keyboard(x=0.5, y=0.5)", "unknown call 'computer.keyboard'"),
        ("computer.tripleClick(x=0.5)", "y is missing; expected a number"),
        ("pyautogui.click(x=0.5, y=0.5, clicks=4)", "4 clicks with the"),
        ("pyautogui.click(x=0.5, y=0.5, clicks=3, button='right')", "3 clicks with the"),
        ("pyautogui.click(x=1.5, y=0.5)", "off the screen"),
        ("pyautogui.click(x=0.5)", "y is missing; expected a number"),
        ("pyautogui.click(x='a', y=0.5)", 'x is "a"; expected a number'),
        ("pyautogui.click(x=0.5, y=0.5, z=1)", "unknown arguments z"),
        ("pyautogui.click()", "acts at the pointer, whose place is unknown"),
        ("pyautogui.dragTo(0.5, 0.5)", "acts at the pointer"),
        ("pyautogui.dragTo(0.5, 0.5, button='right')", "with the left button"),
        ("pyautogui.scroll(1e9)", "greater than or equal to -100"),
        ("pyautogui.press([])", "does nothing"),
        ("pyautogui.press('a', presses=10**9)", "not a constant"),
        ("pyautogui.press('a', presses=1000000)", "pressed 1e"),
        ("pyautogui.hotkey([])", "no key is named"),
        ("computer.terminate(status='maybe')", 'status is "maybe"'),
        ("time.sleep(-1)", "greater than or equal to 0"),
        ("pyautogui.click(", "not Python"),
        ("(" * 5000, "not Python"),
        ("", "does nothing"),
    ],
)
def test_any_other_code_is_refused_and_not_executed(
    code: str, problem: str, tmp_path: Path
) -> None:
    lay_out(tmp_path, code)
    [episode], [told] = read_and_listen(AGENTNET, tmp_path)
    assert problem in told
    (step,) = episode.steps
    assert step.decision.action == Wait(duration_s=0)
    assert step.log == ((f"recorded: {code}"[:2010],) if code else ())


def lay_out(root: Path, *codes: str, **other: JsonValue) -> Path:
    (root / "images").mkdir(exist_ok=True)
    traj: list[JsonValue] = []
    for number, code in enumerate(codes):
        (root / "images" / f"{number}.png").write_bytes(picture(number))
        value: JsonValue = {"code": code, "thought": f"why {number}"}
        traj.append({"index": number, "image": f"{number}.png", "value": value})
    file = root / "agentnet.jsonl"
    said: dict[str, JsonValue] = {"task_id": "t", "instruction": "g", "traj": traj}
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(said | other) + "\n")
    return file


def test_a_trajectory_is_read_with_its_screens(tmp_path: Path) -> None:
    drag = "pyautogui.moveTo(x=0.5, y=0.25)\npyautogui.dragTo(x=0.75, y=0.5)"
    file = lay_out(
        tmp_path,
        drag,
        "pyautogui.scroll(-1)\npyautogui.click(0.5, 0.25)",
        task_completed=True,
    )
    assert AGENTNET.recognizes(file)
    [episode], bad = read_all(AGENTNET, tmp_path)
    assert not bad
    assert (episode.id, episode.outcome) == ("agentnet-t", "success")
    end = Point(0.75, 0.5)
    assert [step.decision.actions for step in episode.steps] == [
        (Drag(start=AT, end=end),),
        (Scroll(at=end, dy=0.1), Tap(at=AT)),
    ]
    assert [step.decision.reasoning for step in episode.steps] == ["why 0", "why 1"]
    assert not any(step.observation.stale for step in episode.steps)
    assert [step.log for step in episode.steps] == [(), ("pyautogui.scroll(-1)",)]
    assert episode.steps[1].observation.screenshot.data == picture(1)


def test_a_picture_outside_is_not_read(tmp_path: Path) -> None:
    value: JsonValue = {"code": "computer.wait()"}
    step: JsonValue = {"index": 0, "image": "../secret.png", "value": value}
    (tmp_path / "secret.png").write_bytes(picture())
    (tmp_path / "data").mkdir()
    lay_out(tmp_path / "data", traj=[step])
    lay_out(tmp_path / "data", "computer.wait()", task_id="good")
    [episode, good], [told] = read_and_listen(AGENTNET, tmp_path / "data")
    assert good.id == "agentnet-good"
    assert not episode.steps[0].observation.screenshot.recorded
    assert "'../secret.png' is not the name of a file below" in told


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ForeignDataError, match=r"no \.jsonl file in it"):
        list(AGENTNET.read(tmp_path))


def test_lines_may_be_called_ndjson(tmp_path: Path) -> None:
    file = lay_out(tmp_path, "pyautogui.click(0.5, 0.25)")
    file = file.rename(file.with_suffix(".ndjson"))
    assert AGENTNET.recognizes(file)
    [found], bad = read_all(AGENTNET, tmp_path)
    assert found.id == "agentnet-t"
    assert not bad
