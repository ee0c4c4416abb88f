import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from tapwright.core.actions import (
    Action,
    ButtonDown,
    ButtonUp,
    DoubleTap,
    Drag,
    Hotkey,
    Hover,
    PressKey,
    Scroll,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.geometry import Size, from_pixel
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.screenagent import SCREENAGENT
from tests.formats.foreign import picture, read_all, read_and_listen

SCREEN = Size(100, 200)
AT = from_pixel(9, 19, SCREEN)
Item = dict[str, JsonValue]


def mouse(kind: str, x: float = 9, y: float = 19, **other: JsonValue) -> Item:
    place: JsonValue = {"width": x, "height": y}
    return {
        "action_type": "MouseAction",
        "mouse_action_type": kind,
        "mouse_button": "left",
        "mouse_position": place,
        **other,
    }


def key(name: JsonValue) -> Item:
    return {
        "action_type": "KeyboardAction",
        "keyboard_action_type": "press",
        "keyboard_key": name,
    }


def lay_out(root: Path, *steps: list[Item], session: str = "s1", other: Item | None = None) -> Path:
    folder = root / session
    (folder / "images").mkdir(parents=True)
    for number, actions in enumerate(steps):
        name = f"2024-01-0{number + 1}"
        (folder / "images" / f"{name}.jpg").write_bytes(picture(number, kind="JPEG"))
        said: dict[str, JsonValue] = {
            "task_prompt": "分区",
            "send_prompt": "…",
            "LLM_response_editer": 'I click.\n```json\n[{"x": 1}]\n```\n',
            "video_width": SCREEN.width,
            "video_height": SCREEN.height,
            "saved_image_name": f"{name}.jpg",
            "session_id": session,
            "actions": list(actions),
        }
        (folder / f"{name}_translate.json").write_text(
            json.dumps(said | (other or {})), encoding="utf-8"
        )
    return folder


def test_a_session_is_read_in_the_order_of_its_times(tmp_path: Path) -> None:
    wait: Item = {"action_type": "WaitAction", "wait_time": 1.5}
    folder = lay_out(tmp_path, [mouse("click"), wait], [mouse("double_click")])
    assert SCREENAGENT.recognizes(folder)
    assert not SCREENAGENT.recognizes(tmp_path)
    [episode], bad = read_all(SCREENAGENT, tmp_path)
    assert not bad
    assert (episode.id, episode.instruction) == ("screenagent-s1", "分区")
    assert [step.decision.actions for step in episode.steps] == [
        (Tap(at=AT), Wait(duration_s=1.5)),
        (DoubleTap(at=AT),),
    ]
    assert [step.decision.reasoning for step in episode.steps] == ["I click.", "I click."]
    assert not any(step.observation.stale for step in episode.steps)


def test_more_actions_than_a_step_has_are_several_steps_and_told(tmp_path: Path) -> None:
    lay_out(tmp_path, [mouse("click")] * 500)
    [episode], _ = read_all(SCREENAGENT, tmp_path)
    assert [len(step.decision.actions) for step in episode.steps] == [100] * 5
    assert episode.steps[0].log == ("one answer had 500 actions; a step has at most 100",)
    assert [step.observation.stale for step in episode.steps] == [False, *[True] * 4]


END = from_pixel(50, 60, SCREEN)


@pytest.mark.parametrize(
    ("items", "actions"),
    [
        ([mouse("click", mouse_button="right")], [Tap(at=AT, button="right")]),
        ([mouse("move"), mouse("drag", 50, 60)], [Hover(at=AT), Drag(start=AT, end=END)]),
        ([mouse("down"), mouse("up", 50, 60)], [Drag(start=AT, end=END)]),
        (
            [mouse("move"), {**mouse("scroll_down", scroll_repeat=10), "mouse_position": None}],
            [Hover(at=AT), Scroll(at=AT, dy=1.0)],
        ),
        ([mouse("down"), mouse("move", 50, 60)], [ButtonDown(at=AT), Hover(at=END)]),
        ([mouse("up", mouse_button="right")], [ButtonUp(at=AT, button="right")]),
        ([mouse("double_click", mouse_button="right")], [DoubleTap(at=AT, button="right")]),
        ([mouse("scroll_up", scroll_repeat=5)], [Scroll(at=AT, dy=-0.5)]),
        ([key("Return")], [PressKey(key="enter")]),
        ([key("Ctrl+A")], [Hotkey(keys=("control", "a"))]),
        ([key(["Control_L", "s"])], [Hotkey(keys=("control", "s"))]),
        ([key("Super_L")], [Hotkey(keys=("meta",))]),
        (
            [{"action_type": "KeyboardAction", "keyboard_action_type": "text",
              "keyboard_text": "hi"}],
            [TypeText(text="hi")],
        ),
    ],
)  # fmt: skip
def test_every_action_has_its_word(
    items: list[Item], actions: list[Action], tmp_path: Path
) -> None:
    lay_out(tmp_path, items)
    [episode], _ = read_all(SCREENAGENT, tmp_path)
    assert [one for step in episode.steps for one in step.decision.actions] == actions


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ([{"action_type": "OtherAction"}], "Input tag 'OtherAction'"),
        ([{"action_type": "PlanAction", "element": "x"}], "has no actions"),
        ([mouse("hover")], "mouse_action_type: Input should be"),
        ([mouse("click", 100, 5)], "pixel (100, 5) is off"),
        ([mouse("drag")], "acts at the pointer, whose place is still unknown"),
        ([key("")], "presses no key"),
        ([key(None)], "presses no key"),
        ([{"action_type": "WaitAction", "wait_time": -1}], "greater than or equal to 0"),
        ([], "has no actions"),
    ],
)
def test_what_is_bad_of_a_session_is_told_and_the_rest_is_kept(
    items: list[Item], problem: str, tmp_path: Path
) -> None:
    lay_out(tmp_path, items)
    lay_out(tmp_path, [mouse("click")], session="s2")
    episodes, told = read_and_listen(SCREENAGENT, tmp_path)
    assert episodes[-1].id == "screenagent-s2"
    assert not any(step.refused or step.log for step in episodes[-1].steps)
    assert any(problem in one for one in told)


@pytest.mark.parametrize(
    ("other", "problem"),
    [
        ({"saved_image_name": "../../secret.jpg"}, "is not the name of a file below"),
        ({"saved_image_name": "2.jpg"}, "2.jpg is not in"),
        ({"video_width": 50}, "its picture is 100x200; its record has 50x200"),
    ],
)
def test_a_picture_that_is_not_the_one_told_has_a_stand_in(
    other: dict[str, JsonValue], problem: str, tmp_path: Path
) -> None:
    lay_out(tmp_path, [mouse("click")], other=other)
    [episode], told = read_and_listen(SCREENAGENT, tmp_path)
    assert problem in told[-1]
    assert not episode.steps[0].observation.screenshot.recorded


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ForeignDataError, match=r"no \.json file in it"):
        list(SCREENAGENT.read(tmp_path))


PLAN: Item = {"action_type": "PlanAction", "element": "Click"}
JUDGED: Item = {"action_type": "EvaluateSubTaskAction", "situation": "sub_task_success"}


def test_plans_and_judgements_make_no_step_and_the_last_shows_the_end(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, [PLAN, PLAN], [mouse("click")], [JUDGED])
    made_up = json.loads((folder / "2024-01-02_translate.json").read_text(encoding="utf-8"))
    name = folder / "2024-01-02_translate_neg_eval.json"
    name.write_text(json.dumps(made_up | {"actions": [mouse("click", 1, 1)]}), encoding="utf-8")
    [episode], bad = read_all(SCREENAGENT, tmp_path)
    assert not bad
    assert [step.decision.action for step in episode.steps] == [Tap(at=AT)]
    assert episode.steps[0].log == ("screenagent: plan: Click",) * 2
    assert episode.steps[0].observation.screenshot.data == picture(1, kind="JPEG")
    assert episode.final is not None
    assert episode.final.screenshot.data == picture(2, kind="JPEG")


def test_a_second_task_of_a_session_is_an_episode_of_its_own_if_it_was_played(
    tmp_path: Path,
) -> None:
    folder = lay_out(tmp_path, [mouse("click")], [PLAN], [mouse("double_click")], [PLAN])
    for number, task in enumerate(["a", "b", "b", "c"], 1):
        file = folder / f"2024-01-0{number}_translate.json"
        read = json.loads(file.read_text(encoding="utf-8"))
        file.write_text(json.dumps(read | {"task_prompt": task}), encoding="utf-8")
    episodes, bad = read_all(SCREENAGENT, tmp_path)
    assert not bad
    assert [(one.id, one.instruction) for one in episodes] == [
        ("screenagent-s1", "a"),
        ("screenagent-s1-2", "b"),
    ]
    assert [len(one.steps) for one in episodes] == [1, 1]


@pytest.mark.parametrize(
    ("situation", "outcome"), [("sub_task_success", "success"), ("need_retry", "unknown")]
)
def test_the_last_judgement_of_a_session_says_what_became_of_it(
    situation: str, outcome: str, tmp_path: Path
) -> None:
    judged: Item = {"action_type": "EvaluateSubTaskAction", "situation": situation}
    lay_out(tmp_path, [mouse("click")], [judged])
    [episode], _ = read_all(SCREENAGENT, tmp_path)
    assert episode.outcome == outcome
    lay_out(tmp_path / "cut", [judged], [mouse("click")])
    [episode], _ = read_all(SCREENAGENT, tmp_path / "cut")
    assert episode.outcome == "unknown"


@pytest.mark.parametrize(
    ("odd", "problem", "recorded"),
    [
        ("{", "Invalid JSON", ""),
        ({"actions": [mouse("click"), mouse("hover")]}, "action 1: ", "hover"),
        ({"actions": "odd"}, "has no list of actions", ""),
        ({"actions": ["odd"]}, "action 0: ", "odd"),
        ({"actions": None, "session_id": None, "task_prompt": None}, "has no list of actions", ""),
    ],
)
def test_a_broken_record_is_refused_in_its_place(
    odd: str | Item, problem: str, recorded: str, tmp_path: Path
) -> None:
    folder = lay_out(tmp_path, *[[mouse("click")]] * 3)
    for name, expected in [("2024-01-01", 0), ("2024-01-02", 1), ("2024-01-03", 2)]:
        file = folder / f"{name}_translate.json"
        was = file.read_text(encoding="utf-8")
        broken = odd if isinstance(odd, str) else json.dumps(json.loads(was) | odd)
        file.write_text(broken, encoding="utf-8")
        [episode], told = read_and_listen(SCREENAGENT, tmp_path)
        file.write_text(was, encoding="utf-8")
        assert episode.id == "screenagent-s1"
        assert episode.instruction == "分区"
        assert [number for number, step in enumerate(episode.steps) if step.refused] == [expected]
        assert len(episode.steps) == 3
        step = episode.steps[expected]
        assert problem in step.refused
        assert not recorded or any(recorded in line for line in step.log)
        assert told


def test_json_of_something_else_is_no_step_and_told(tmp_path: Path) -> None:
    folder = lay_out(tmp_path, [mouse("click")])
    (folder / "settings.json").write_text('{"fps": 3}', encoding="utf-8")
    [episode], told = read_and_listen(SCREENAGENT, tmp_path)
    assert len(episode.steps) == 1
    assert any("settings.json: is no record of a step" in one for one in told)
