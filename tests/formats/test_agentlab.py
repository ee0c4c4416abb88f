"""BrowserGym's experiments, as its own classes have written one."""

import json
import shutil
from pathlib import Path

import pytest

from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.episode import Episode
from tapwright.core.geometry import Point, Size
from tapwright.errors import BadAnswerError
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.agentlab import AGENTLAB
from tapwright.formats.importers.agentlab_actions import read_browsergym_actions
from tests.cli.running import tapwright
from tests.formats.foreign import read_all, read_and_listen

GOLDEN = Path(__file__).parents[1] / "golden" / "agentlab"
EXPERIMENT = "2026-01-01_demo_on_miniwob.buy_7"
SIZE = Size(320, 200)
PLACES = {"a1": Point(0.25, 0.5), "b": Point(0.75, 0.5)}


def golden() -> Episode:
    episodes, bad = read_all(AGENTLAB, GOLDEN)
    assert not bad
    return episodes[0]


def actions_of(text: str) -> list[Action]:
    return [*read_browsergym_actions(text, SIZE, PLACES)]


def test_an_experiment_that_browsergym_wrote_is_read() -> None:
    episode = golden()
    assert (episode.task_id, episode.instruction, episode.agent) == (
        "miniwob.buy", "Buy it.", "demo",
    )  # fmt: skip
    assert episode.outcome == "success"
    assert episode.extra == {"seed": "7", "reward": "1"}
    kinds = [step.decision.action.type for step in episode.steps]
    assert kinds == ["tap", "type_text", "wait", "tap", "press_key", "wait", "answer"]
    assert episode.final is not None


def test_an_element_is_where_the_page_showed_it() -> None:
    step = golden().steps[0]
    action, tree = step.decision.action, step.observation.ui_tree
    assert isinstance(action, actions.Tap)
    assert tree is not None
    button = next(node for node in tree.nodes if node.text == "Buy")
    assert button.class_name == "button"
    assert button.box is not None
    assert button.box.center == action.at


def test_the_thoughts_of_the_agent_are_its_reasoning() -> None:
    assert golden().steps[1].decision.reasoning == "Step 1: because."


def test_what_no_action_stands_for_is_kept_and_refused() -> None:
    step = golden().steps[2]
    assert step.decision.action == actions.Wait(duration_s=0)
    assert "select_option" in step.refused
    assert step.log[0].startswith("browsergym: select_option(")


def test_an_action_that_failed_on_the_page_is_refused_with_what_the_page_said() -> None:
    step = golden().steps[5]
    assert "zz9" in step.refused


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("click('a1', 'right')", [actions.Tap(at=PLACES["a1"], button="right")]),
        ("dblclick('b')", [actions.DoubleTap(at=PLACES["b"])]),
        ("hover('b')\ncheck('a1')", [actions.Hover(at=PLACES["b"]), actions.Tap(at=PLACES["a1"])]),
        ("click('a1', 'left', ['Shift', 'ControlOrMeta'])",
         [actions.Tap(at=PLACES["a1"], held=("shift", "control"))]),
        ("mouse_down(80, 50)\nmouse_up(160, 100, 'right')",
         [actions.ButtonDown(at=Point(0.25, 0.25)), actions.ButtonUp(at=Point(0.5, 0.5),
          button="right")]),
        ("keyboard_down('Shift')\nkeyboard_up('Shift')",
         [actions.KeyDown(key="shift"), actions.KeyUp(key="shift")]),
        ("fill('a1', 'x')", [actions.TypeText(text="x", at=PLACES["a1"], clear=True)]),
        ("clear('a1')", [actions.TypeText(text="", at=PLACES["a1"], clear=True)]),
        ("drag_and_drop('a1', 'b')", [actions.Drag(start=PLACES["a1"], end=PLACES["b"])]),
        ("mouse_drag_and_drop(0, 0, 160, 100)",
         [actions.Drag(start=Point(0, 0), end=Point(0.5, 0.5))]),
        ("scroll(0, 100)", [actions.Scroll(at=Point(0.5, 0.5), dy=0.5)]),
        ("mouse_click(80, 50)", [actions.Tap(at=Point(0.25, 0.25))]),
        ("press('a1', 'Control+a')", [actions.Hotkey(keys=("control", "a"))]),
        ("keyboard_press('ControlOrMeta+a')", [actions.Hotkey(keys=("control", "a"))]),
        ("keyboard_press('Enter')", [actions.PressKey(key="enter")]),
        ("keyboard_type('é')", [actions.TypeText(text="é")]),
        ("goto('http://x/')", [actions.Goto(url="http://x/")]),
        ("go_back()\ngo_forward()", [actions.PressKey(key="back"),
         actions.PressKey(key="forward")]),
        ("new_tab()\ntab_focus(1)\ntab_close()", [actions.NewTab(), actions.SwitchTab(tab=1),
         actions.CloseTab()]),
        ("noop(500)", [actions.Wait(duration_s=0.5)]),
        ("send_msg_to_user('42')", [actions.Answer(text="42")]),
        ("report_infeasible('no')", [actions.Finish(outcome="infeasible", reason="no")]),
    ],
)  # fmt: skip
def test_every_action_of_browsergym_is_read(text: str, expected: list[Action]) -> None:
    assert actions_of(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("__import__('os').system('id')", "no action of BrowserGym"),
        ("click('c')", "not shown"),
        ("click('a1', 'left', ['Hyper'])", "no key 'hyper'"),
        ("click('a1', 'left', 'Shift')", "expected a list of keys"),
        ("mouse_click(9999, 1)", "off a page"),
        ("upload_file('a1', 'x')", "nothing that an action stands for"),
    ],
)
def test_what_no_action_stands_for_is_named(text: str, words: str) -> None:
    with pytest.raises(BadAnswerError, match=words):
        actions_of(text)


def test_a_step_that_is_missing_is_told(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path / "study")
    (tmp_path / "study" / EXPERIMENT / "step_3.pkl.gz").unlink()
    [episode], told = read_and_listen(AGENTLAB, tmp_path / "study")
    assert "step 3 is missing" in told[-1]
    assert (len(episode.steps), episode.outcome) == (3, "interrupted")


def test_a_run_without_pictures_has_its_elements_on_stand_ins(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path / "study")
    [whole], _ = read_all(AGENTLAB, tmp_path / "study")
    for file in (tmp_path / "study" / EXPERIMENT).glob("screenshot_*"):
        file.unlink()
    [episode], _ = read_all(AGENTLAB, tmp_path / "study")
    assert len(episode.steps) == len(whole.steps)
    assert not any(step.observation.screenshot.recorded for step in episode.steps)
    assert all("save_screenshot=True" in step.log[-1] for step in episode.steps)
    trees = [step.observation.ui_tree for step in episode.steps]
    assert all(tree is not None and tree.nodes for tree in trees)


def test_a_run_that_crashed_before_its_first_step_is_told(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path / "study")
    for file in (tmp_path / "study" / EXPERIMENT).glob("step_*"):
        file.unlink()
    assert AGENTLAB.recognizes(tmp_path / "study" / EXPERIMENT)
    _, [told] = read_and_listen(AGENTLAB, tmp_path / "study")
    assert "ended before its first step" in told


def test_an_experiment_that_broke_off_is_interrupted(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path / "study")
    summary = tmp_path / "study" / EXPERIMENT / "summary_info.json"
    summary.write_text(json.dumps({**json.loads(summary.read_text()), "err_msg": "Timeout"}))
    episodes, _ = read_all(AGENTLAB, tmp_path / "study")
    assert episodes[0].outcome == "interrupted"
    assert episodes[0].extra["error"] == "Timeout"


def test_a_folder_without_steps_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ForeignDataError, match=r"no step_0\.pkl\.gz"):
        read_all(AGENTLAB, tmp_path)


def test_the_command_finds_out_the_format(tmp_path: Path) -> None:
    done = tapwright("episodes", "import", str(GOLDEN), "-o", str(tmp_path / "eps"))
    assert done.returncode == 0
    assert json.loads(done.stdout)[0]["new"] == 1
