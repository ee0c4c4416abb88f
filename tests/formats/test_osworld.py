"""OSWorld's results: read, and written so that they are read alike."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tapwright.conventions.pyautogui import CallPointer
from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.episode import Decision, Episode, join_steps
from tapwright.core.geometry import Point, Size, from_pixel
from tapwright.devices.osworld.code import write_code
from tapwright.errors import UsageError
from tapwright.formats import formats
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.fitting import FittingEpisodes
from tapwright.formats.importers.account import OpenedFiles, keep_account
from tapwright.formats.osworld.actions import read_osworld_action
from tapwright.formats.osworld.importer import OSWORLD
from tests.cli.running import tapwright
from tests.formats.foreign import read_all, read_and_listen

GOLDEN = Path(__file__).parents[1] / "golden" / "osworld" / "results"
ATTEMPT = "pyautogui/screenshot/gpt-4o/libreoffice_calc/0bf05a7d-b28b-44d2-955a-50b41e24012a"
SIZE = Size(192, 108)
FULL = Size(1920, 1080)


def at(x: int, y: int, size: Size = SIZE) -> Point:
    return from_pixel(x, y, size)


def actions_of(code: object, size: Size = FULL) -> list[Action]:
    made = json.loads(json.dumps(code))
    return read_osworld_action(made, CallPointer(size, "pixel"), "here")


def golden() -> Episode:
    episodes, bad = read_all(OSWORLD, GOLDEN)
    assert not bad
    return episodes[0]


@given(
    st.one_of(
        st.builds(
            lambda x, y: actions.Tap(at=at(x, y, FULL)), st.integers(0, 1919), st.integers(0, 1079)
        ),
        st.builds(
            lambda x, y: actions.Drag(start=at(x, y, FULL), end=at(7, 9, FULL), duration_s=0.8),
            st.integers(20, 1919),
            st.integers(20, 1079),
        ),
        st.builds(
            lambda n: actions.Scroll(at=at(5, 5, FULL), dy=n * 0.1),
            st.integers(-20, 20).filter(bool),
        ),
        st.builds(lambda text: actions.TypeText(text=text), st.text("aZ 9<'\"\\é世", min_size=1)),
        st.just(actions.Hotkey(keys=("control", "shift", "t"))),
        st.just(actions.LongPress(at=at(3, 4, FULL), duration_s=0.8)),
    )
)
def test_code_that_is_written_is_read_as_the_same_action(action: Action) -> None:
    assert actions_of(write_code(action, FULL)) == [action]


def test_what_osworld_itself_wrote_is_read() -> None:
    episode = golden()
    assert episode.task_id == "libreoffice_calc/0bf05a7d-b28b-44d2-955a-50b41e24012a"
    assert (episode.outcome, episode.agent, episode.device) == ("success", "gpt-4o", "osworld")
    assert [step.decision.action for step in episode.steps] == [
        actions.Tap(at=at(96, 54)),
        actions.TypeText(text="total\n"),
        actions.Hotkey(keys=("control", "s")),
        actions.Wait(duration_s=2),
        actions.Drag(start=at(10, 20), end=at(100, 20), duration_s=0.8),
        actions.Wait(duration_s=0),
        actions.Finish(outcome="success"),
    ]


def test_the_screen_of_a_step_is_the_one_before_its_action() -> None:
    steps = golden().steps
    assert steps[0].observation.stale  # the first screen is not kept
    assert steps[1].observation.screenshot == steps[0].after.screenshot  # type: ignore[union-attr]
    assert not steps[1].observation.stale


def test_code_that_no_action_stands_for_is_kept_and_teaches_nothing() -> None:
    step = golden().steps[5]
    assert "no action of ours" in step.refused
    assert step.log == ("osworld: for i in range(3):\n    pyautogui.press('down')",)


def test_the_instruction_comes_from_the_task_in_the_checkout(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path / "results")
    task = tmp_path / "evaluation_examples/examples/libreoffice_calc"
    task.mkdir(parents=True)
    name = "0bf05a7d-b28b-44d2-955a-50b41e24012a.json"
    (task / name).write_text(json.dumps({"id": "x", "instruction": "Add up the column."}))
    episodes, _ = read_all(OSWORLD, tmp_path / "results")
    assert episodes[0].instruction == "Add up the column."


def attempt(folder: Path, *lines: Mapping[str, object]) -> Episode:
    """An attempt that a runner of OSWorld's wrote, each picture of a shade of its own."""
    folder.mkdir(parents=True)
    for shade, line in enumerate(lines):
        if name := line.get("screenshot_file"):
            Image.new("L", (192, 108), shade).save(folder / str(name))
    (folder / "traj.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (episode,), bad = read_all(OSWORLD, folder)
    assert not bad
    return episode


def test_a_runner_that_keeps_the_screen_before_an_action_is_read_so(tmp_path: Path) -> None:
    plan = {"plan": "click on it", "coordinates": [5, 6]}
    one, two = (
        {"instruction": "Open it", "action": action, "response": plan, "screenshot_file": file}
        for action, file in (("pyautogui.click(5, 6)", "step_1.png"), ("DONE", "step_2.png"))
    )
    episode = attempt(tmp_path / "os" / "x", one, two)
    assert episode.instruction == "Open it"
    assert episode.final is None
    first, last = episode.steps
    assert not first.observation.stale
    assert first.after is not None
    assert first.after.screenshot == last.observation.screenshot != first.observation.screenshot
    assert json.loads(first.log[0].removeprefix("response: ")) == plan


def test_a_drag_off_the_screen_is_one_refused_step(tmp_path: Path) -> None:
    codes = ("pyautogui.mouseDown(5, 6); pyautogui.mouseUp(5000, 3)", "pyautogui.click(5, 6)")
    lines = [
        {"action": code, "screenshot_file": f"step_{number}_9.png"}
        for number, code in enumerate(codes)
    ]
    first, second = attempt(tmp_path / "os" / "x", *lines).steps
    assert "5000" in first.refused
    assert second.decision.action == actions.Tap(at=at(5, 6))


@pytest.mark.parametrize(
    "told", [{}, {"instruction": "Open it"}, {"response": {"plan": "click"}},
             {"instruction": "Open it", "response": "click"}],
)  # fmt: skip
def test_a_picture_without_a_time_is_of_the_screen_after_in_all_other_runners(
    told: Mapping[str, object], tmp_path: Path
) -> None:
    one, two = (
        {**told, "action": action, "screenshot_file": file}
        for action, file in (("pyautogui.click(5, 6)", "step_1.png"), ("DONE", "step_2.png"))
    )
    episode = attempt(tmp_path / "os" / "x", one, two)
    first, last = episode.steps
    assert first.observation.stale
    assert first.after is not None
    assert first.after.screenshot == last.observation.screenshot == first.observation.screenshot
    assert last.after == episode.final


def test_the_end_is_the_last_screen_that_is_known(tmp_path: Path) -> None:
    one = {"action": "pyautogui.click(5, 6)", "screenshot_file": "step_1_9.png"}
    episode = attempt(
        tmp_path / "os" / "x", one, {"action": "pyautogui.click(7, 8)"}, {"action": "DONE"}
    )
    first, second, third = episode.steps
    assert (second.after, third.after) == (None, None)
    assert episode.final == first.after == second.observation
    assert third.observation.stale  # as nobody knows what the second click did


def test_code_without_a_call_is_a_step_that_does_nothing(tmp_path: Path) -> None:
    code = "import pyautogui\n'''Thought: wait'''\n# Unrecognized action type: wait"
    episode = attempt(tmp_path / "os" / "x", {"action": code, "screenshot_file": "step_1_9.png"})
    assert (episode.steps[0].refused, episode.steps[0].decision.action) == (
        "the code does nothing", actions.Wait(duration_s=0),
    )  # fmt: skip


def test_what_claude_thought_is_the_reasoning(tmp_path: Path) -> None:
    action = {"action_type": "tool_use", "command": "pyautogui.click(5, 6)\n",
              "raw_response": "[THINKING] There it is"}  # fmt: skip
    episode = attempt(
        tmp_path / "os" / "x",
        {"action": action, "response": "", "screenshot_file": "step_1_20260101@000000.png"},
    )
    assert episode.steps[0].decision == Decision(actions.Tap(at=at(5, 6)), "There it is")
    assert not episode.steps[0].log


def test_what_is_written_is_read_as_the_same_attempt(tmp_path: Path) -> None:
    first = golden()
    assert OSWORLD.write([first], tmp_path / "out") == 1
    (again,), _ = read_all(OSWORLD, tmp_path / "out")
    assert [step.decision for step in again.steps] == [step.decision for step in first.steps]
    assert [step.refused for step in again.steps] == [step.refused for step in first.steps]
    assert (again.id, again.task_id, again.outcome) == (first.id, first.task_id, first.outcome)
    assert (tmp_path / "out" / ATTEMPT / "result.txt").read_text() == "1\n"


def test_the_actions_of_one_answer_are_one_step_there_and_back(tmp_path: Path) -> None:
    first = golden()
    said = [replace(step.decision, reasoning="Both.", target="") for step in first.steps[:2]]
    two = [
        replace(step, decision=decision, after=None, refused="", log=())
        for step, decision in zip(first.steps, said, strict=False)
    ]
    both = replace(first, steps=(join_steps(two), *first.steps[2:]))
    OSWORLD.write([both], tmp_path / "out")
    lines = (tmp_path / "out" / ATTEMPT / "traj.jsonl").read_text().splitlines()
    assert [json.loads(line)["step_num"] for line in lines[:3]] == [1, 1, 2]
    (again,), _ = read_all(OSWORLD, tmp_path / "out")
    assert again.steps[0].decision == both.steps[0].decision
    [between] = again.steps[0].between
    assert between.screenshot.image().size == two[1].observation.screenshot.image().size


def test_of_several_attempts_at_a_task_the_first_is_exported(tmp_path: Path) -> None:
    one = golden()
    others = replace(one, id="again"), replace(one, id="other", task_id="os/other")
    given = FittingEpisodes([one, *others], OSWORLD)
    assert OSWORLD.write(given, tmp_path / "out") == 2
    (left,) = given.left_out
    assert (left.episode, left.step) == ("again", None)
    assert one.task_id in left.reason


def test_a_second_attempt_at_a_task_has_no_place(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="second attempt"):
        OSWORLD.write([golden(), golden()], tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("FAIL", [actions.Finish(outcome="infeasible")]),
        ({"action_type": "DONE"}, [actions.Finish(outcome="success")]),
        (
            {"action_type": "CLICK", "parameters": {"x": 10, "y": 20, "button": "right"}},
            [actions.Tap(at=at(10, 20, FULL), button="right")],
        ),
        ({"action_type": "TYPING", "text": "hi"}, [actions.TypeText(text="hi")]),
        ({"action_type": "HOTKEY", "parameters": {"keys": ["ctrl", "c"]}},
         [actions.Hotkey(keys=("control", "c"))]),
        ({"name": "computer", "command": "pyautogui.click(1, 2)"},
         [actions.Tap(at=at(1, 2, FULL))]),
        ("pyautogui.keyDown('ctrl')\npyautogui.press('a')\npyautogui.keyUp('ctrl')",
         [actions.Hotkey(keys=("control", "a"))]),
        ("pyautogui.keyDown('ctrl'); pyautogui.keyDown('l'); pyautogui.keyUp('l'); "
         "pyautogui.keyUp('ctrl')", [actions.Hotkey(keys=("control", "l"))]),
        ("pyautogui.mouseDown(5, 6)\npyautogui.moveTo(50, 60)\npyautogui.mouseUp()",
         [actions.Drag(start=at(5, 6, FULL), end=at(50, 60, FULL), duration_s=0.8)]),
        ("import pyperclip\npyperclip.copy('世界')\npyautogui.hotkey('ctrl', 'v')",
         [actions.TypeText(text="世界")]),
        ("'''Thought: open it'''\npyautogui.click(1, 2, button='left')",
         [actions.Tap(at=at(1, 2, FULL))]),
        ("time.sleep(3)", [actions.Wait(duration_s=3)]),
        # Claude's agent has a type, types key by key, and gives the wheel its place by position.
        ({"name": "computer", "action_type": "tool_use", "command": "pyautogui.click(1, 2)\n"},
         [actions.Tap(at=at(1, 2, FULL))]),
        ("pyautogui.press('I')\npyautogui.press('t')\npyautogui.press(\"'\")\npyautogui.press('s')\n"
         "pyautogui.press(' ')\npyautogui.press('4')\npyautogui.press('enter')\n",
         [actions.TypeText(text="It's 4\n")]),
        ("pyautogui.press('a')", [actions.Hotkey(keys=("a",))]),
        ("pyautogui.scroll(-5, 5, 6)", [actions.Scroll(at=at(5, 6, FULL), dy=0.5)]),
        ("pyautogui.mouseDown(5, 6, button='right')\npyautogui.mouseUp(5, 6, 'right')",
         [actions.Tap(at=at(5, 6, FULL), button="right")]),
        ("pyautogui.moveTo(5, 6)\npyautogui.mouseDown()\npyautogui.mouseUp(5, 6)",
         [actions.Tap(at=at(5, 6, FULL))]),
        ("pyautogui.moveTo(5, 6)\npyautogui.mouseDown()\npyautogui.mouseUp(50, 60)",
         [actions.Drag(start=at(5, 6, FULL), end=at(50, 60, FULL), duration_s=0.8)]),
        ("pyautogui.mouseDown(5, 6)\ntime.sleep(1)\npyautogui.mouseUp(5, 6)",
         [actions.LongPress(at=at(5, 6, FULL), duration_s=1)]),
        ("pyautogui.keyDown('ctrl')", [actions.KeyDown(key="control")]),
        ("pyautogui.keyDown('ctrl'); pyautogui.mouseDown(5, 6); pyautogui.mouseUp(5, 6); "
         "pyautogui.keyUp('ctrl')", [actions.Tap(at=at(5, 6, FULL), held=("control",))]),
        ("pyautogui.keyDown('ctrl'); pyautogui.click(5, 6); pyautogui.click(9, 9); "
         "pyautogui.keyUp('ctrl')", [actions.KeyDown(key="control"), actions.Tap(at=at(5, 6, FULL)),
                                     actions.Tap(at=at(9, 9, FULL)), actions.KeyUp(key="control")]),
        ("pyautogui.keyDown('ctrl'); pyautogui.keyDown('shift'); pyautogui.press('t'); "
         "pyautogui.keyUp('ctrl'); pyautogui.keyUp('shift')",
         [actions.Hotkey(keys=("control", "shift", "t"))]),
        ("pyautogui.mouseDown(5, 6, 'right'); pyautogui.mouseUp(9, 9, 'right')",
         [actions.Drag(start=at(5, 6, FULL), end=at(9, 9, FULL), button="right")]),
        ("pyautogui.mouseDown(5, 6); pyautogui.moveTo(50, 6); pyautogui.dragTo(50, 60); "
         "pyautogui.mouseUp()", [actions.Drag(start=at(5, 6, FULL), path=(at(50, 6, FULL),),
                                      end=at(50, 60, FULL))]),
        ("pyautogui.mouseDown(5, 6, button='right'); pyautogui.mouseUp(button='left')",
         [actions.ButtonDown(at=at(5, 6, FULL), button="right"),
          actions.ButtonUp(at=at(5, 6, FULL))]),
        # OpenAI's: the code is the action of an action, and a text has a call for each line.
        ({"action_space": "pyautogui", "call_id": "c",
          "action": "import pyautogui\npyautogui.moveTo(1, 2)\npyautogui.click(button='left')"},
         [actions.Tap(at=at(1, 2, FULL))]),
        ("pyautogui.typewrite('a', interval=0.03)\npyautogui.press('tab')\n"
         "pyautogui.typewrite('b', interval=0.03)", [actions.TypeText(text="a\tb")]),
        ("import base64, time, pyautogui, pyperclip\n"
         "_text = base64.b64decode('w6k=').decode('utf-8')\npyperclip.copy(_text)\n"
         "time.sleep(0.1)\npyautogui.hotkey('ctrl', 'v')\ntime.sleep(0.1)",
          [actions.TypeText(text="é")]),
    ],
)  # fmt: skip
def test_every_form_of_an_action_is_read(action: object, expected: list[Action]) -> None:
    assert actions_of(action) == expected


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("import os; os.system('rm -rf /')", "not a call of pyautogui"),
        ("pyautogui.click(x, 3)", "not a constant"),
        ({"action_type": "JUMP"}, "JUMP"),
        (7, "unknown form"),
        ("x = base64.b64decode('w6').decode()", "not a call of pyautogui"),
        ("pyautogui.click(", "not Python"),
        ("pyautogui.click(5000, 3)", "5000"),
        ("pyautogui.mouseDown(5, 6); pyautogui.mouseUp(5000, 3)", "5000"),
        ("pyautogui.mouseDown(5, 6); pyautogui.mouseUp(x=5)", "y is missing"),
        ("pyautogui.mouseDown(5, 6); pyautogui.mouseUp(y=5)", "x is missing"),
        ("pyautogui.mouseDown(5, 6); pyautogui.moveTo(5000, 3); pyautogui.mouseUp()", "5000"),
        ("pyautogui.mouseDown(5, 6); time.sleep('long'); pyautogui.mouseUp()", "seconds"),
        ("pyautogui.mouseDown(5, 6); time.sleep(1000000000); pyautogui.mouseUp()", "Wait"),
        ("pyautogui.mouseDown(5, 6, 'up'); pyautogui.mouseUp(5, 6, 'up')", "button"),
    ],
)  # fmt: skip
def test_what_no_action_stands_for_is_named(action: object, words: str) -> None:
    with pytest.raises(ForeignDataError, match=words):
        actions_of(action)


def test_a_picture_that_is_missing_has_a_stand_in_and_is_told(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path / "results")
    other = tmp_path / "results" / Path(ATTEMPT).parent / "other"
    shutil.copytree(tmp_path / "results" / ATTEMPT, other)
    next(other.glob("step_1_*.png")).unlink()
    episodes, told = read_and_listen(OSWORLD, tmp_path / "results")
    assert len(episodes) == 2
    assert any("step_1_" in one for one in told)
    screens = [step.after for one in episodes for step in one.steps if step.after]
    assert sum(not one.screenshot.recorded for one in screens) == 1


def test_a_line_without_an_action_is_refused_or_told(tmp_path: Path) -> None:
    done = {"action": "DONE", "screenshot_file": "step_2_20260101@000000.png"}
    bare = {"step_num": 1, "action": None, "screenshot_file": "step_1_20260101@000000.png"}
    episode = attempt(tmp_path / "os" / "x", bare, {}, done)
    assert [step.refused for step in episode.steps] == ["its line names no action", ""]
    with keep_account(OpenedFiles()) as account:
        list(OSWORLD.read(tmp_path / "os" / "x"))
    assert account.left["steps"] == 1  # the refused one is counted where it is stored


def test_a_line_that_a_kill_cut_ends_the_attempt_and_what_came_before_is_kept(
    tmp_path: Path,
) -> None:
    shutil.copytree(GOLDEN, tmp_path / "results")
    whole, _ = read_all(OSWORLD, tmp_path / "results")
    file = tmp_path / "results" / ATTEMPT / "traj.jsonl"
    file.write_bytes(file.read_bytes()[:-30])
    [episode], told = read_and_listen(OSWORLD, tmp_path / "results")
    assert episode.outcome == "interrupted"
    assert 0 < len(episode.steps) < len(whole[0].steps)
    assert "Invalid JSON" in told[-1]


def test_the_instruction_is_that_of_its_file_and_never_an_id(tmp_path: Path) -> None:
    line = {"action": "DONE", "screenshot_file": "step_1_20260101@000000.png"}
    assert attempt(tmp_path / "os" / "x", line).instruction == ""
    (tmp_path / "os/x/instruction.txt").write_text("Turn on the light\n")
    [episode], _ = read_all(OSWORLD, tmp_path)
    assert episode.instruction == "Turn on the light"


def test_a_score_that_is_none_is_told(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path / "results")
    (tmp_path / "results" / ATTEMPT / "result.txt").write_text("good\n")
    [episode], told = read_and_listen(OSWORLD, tmp_path / "results")
    assert "no score" in told[-1]
    assert episode.outcome == "unknown"


def test_results_are_recognized_and_imported_by_the_command(tmp_path: Path) -> None:
    assert formats.get("osworld") is OSWORLD
    done = tapwright("episodes", "import", str(GOLDEN), "-o", str(tmp_path / "eps"))
    assert done.returncode == 0
    assert json.loads(done.stdout)[0]["new"] == 1
