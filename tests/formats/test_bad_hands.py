"""What people's hands cannot have done, in recordings of others: told, and the rest is kept."""

import json
from pathlib import Path

import pytest

from tapwright.core.actions import (
    Action,
    ButtonUp,
    Drag,
    Finish,
    Hotkey,
    KeyUp,
    Tap,
)
from tapwright.core.episode import MAX_ACTIONS, Episode
from tapwright.core.geometry import Point
from tapwright.formats.importers.agentnet import AGENTNET
from tests.formats.foreign import picture, read_and_listen

AT, END = Point(0.25, 0.25), Point(0.75, 0.5)
PLACE = "x=0.25, y=0.25"


def recorded(root: Path, code: str) -> tuple[Episode, list[str]]:
    """An AgentNet recording whose second of three steps has the code, and what is told of it."""
    (root / "images").mkdir()
    steps = []
    click = f"pyautogui.click({PLACE})"
    for number, one in enumerate((click, code, click)):
        (root / "images" / f"{number}.png").write_bytes(picture(number))
        steps.append({"index": number, "image": f"{number}.png", "value": {"code": one}})
    line = json.dumps({"task_id": "t", "instruction": "do", "traj": steps})
    (root / "recorded.jsonl").write_text(f"{line}\n", "utf-8")
    (episode,), told = read_and_listen(AGENTNET, root)
    return episode, told


@pytest.mark.parametrize(
    ("code", "actions"),
    [
        ("pyautogui.keyUp('shift')", [KeyUp(key="shift")]),
        ("pyautogui.mouseUp()", [ButtonUp()]),
        (
            f"pyautogui.keyDown('ctrl')\npyautogui.click({PLACE})\npyautogui.keyUp('ctrl')",
            [Tap(at=AT, held=("control",))],
        ),
        (
            f"pyautogui.mouseDown({PLACE})\npyautogui.moveTo(0.75, 0.25)\n"
            "pyautogui.mouseUp(0.75, 0.5)",
            [Drag(start=AT, path=(Point(0.75, 0.25),), end=END)],
        ),
        ("pyautogui.press('playpause')", [Hotkey(keys=("playpause",))]),
        (
            f"computer.terminate(status='success')\npyautogui.click({PLACE})",
            [Finish(), Tap(at=AT)],
        ),
    ],
)
def test_what_a_hand_may_have_done_is_kept_as_it_was_recorded(
    tmp_path: Path, code: str, actions: list[Action]
) -> None:
    episode, told = recorded(tmp_path, code)
    assert list(episode.steps[1].decision.actions) == actions
    assert (len(episode.steps), told) == (3, [])


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("pyautogui.keyDown('foo')", "a keyboard has no key 'foo'"),
        (
            "\n".join(f"pyautogui.moveTo(0.{at:06}, 0.5)" for at in range(100_000)),
            "characters of code; at most 100000",
        ),
    ],
)
def test_what_no_hand_can_have_done_is_told_in_one_line_and_the_rest_is_kept(
    tmp_path: Path, code: str, why: str
) -> None:
    episode, told = recorded(tmp_path, code)
    first, second, third = episode.steps
    assert (first.refused, third.refused) == ("", "")
    assert second.refused.endswith(why)
    assert told == [second.refused]


def test_more_actions_than_a_step_holds_are_several_steps_and_it_is_said(tmp_path: Path) -> None:
    episode, _ = recorded(tmp_path, "\n".join([f"pyautogui.click({PLACE})"] * 500))
    counts = [len(step.decision.actions) for step in episode.steps]
    assert counts == [1, *[MAX_ACTIONS] * 5, 1]
    assert episode.steps[1].log == ("one answer had 500 actions; a step has at most 100",)
