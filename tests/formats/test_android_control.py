import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from tapwright.benchmarks.stepwise import judge_step
from tapwright.core.actions import (
    Action,
    Finish,
    LongPress,
    OpenApp,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.directions import swipe_toward
from tapwright.core.geometry import Size, from_pixel
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.accessibility_forest import read_forest
from tapwright.formats.importers.android_control import ANDROID_CONTROL
from tapwright.formats.importers.records_pb2 import (
    AccessibilityForest,
    AccessibilityNode,
    AccessibilityTree,
    AccessibilityWindow,
    Rect,
)
from tests.formats.foreign import Values, example, picture, read_all, read_and_listen, write_records

SCREEN = Size(100, 200)


def record(*actions: JsonValue, **other: Values) -> bytes:
    many = len(actions)
    features: dict[str, Values] = {
        "episode_id": [12],
        "goal": ["write a note"],
        "screenshots": [picture(number) for number in range(many + 1)],
        "accessibility_trees": [b""] * (many + 1),
        "screenshot_widths": [SCREEN.width] * (many + 1),
        "screenshot_heights": [SCREEN.height] * (many + 1),
        "actions": [json.dumps(action) for action in actions],
        "step_instructions": [f"do {number}" for number in range(many)],
    }
    return example(features | other)


def test_an_episode_is_screens_and_what_was_done_between(tmp_path: Path) -> None:
    file = write_records(
        tmp_path / "android_control-00000-of-00020",
        record({"action_type": "click", "x": 9, "y": 19}, {"action_type": "navigate_back"}),
    )
    assert ANDROID_CONTROL.recognizes(file)
    [episode], bad = read_all(ANDROID_CONTROL, tmp_path)
    assert not bad
    assert (episode.id, episode.instruction) == ("android-control-12", "write a note")
    assert episode.outcome == "success"
    assert [step.decision.action for step in episode.steps] == [
        Tap(at=from_pixel(9, 19, SCREEN)),
        PressKey(key="back"),
    ]
    assert [step.step_instruction for step in episode.steps] == ["do 0", "do 1"]
    assert [step.decision.reasoning for step in episode.steps] == ["", ""]
    assert [step.observation.screenshot.data for step in episode.steps] == [picture(0), picture(1)]
    assert episode.final is not None
    assert episode.final.screenshot.data == picture(2)


@pytest.mark.parametrize(
    ("told", "actions"),
    [
        ({"action_type": "long_press", "x": 0, "y": 0}, [LongPress(at=from_pixel(0, 0, SCREEN))]),
        ({"action_type": "scroll", "direction": "down"}, [swipe_toward("up")]),
        ({"action_type": "scroll", "direction": "left"}, [swipe_toward("right")]),
        ({"action_type": "open_app", "app_name": "Keep"}, [OpenApp(app="Keep")]),
        ({"action_type": "input_text", "text": "hi"}, [TypeText(text="hi")]),
        ({"action_type": "navigate_home"}, [PressKey(key="home")]),
        ({"action_type": "wait"}, [Wait()]),
        (
            {"action_type": "type", "x": 0, "y": 0, "text": "hi"},
            [Tap(at=from_pixel(0, 0, SCREEN)), TypeText(text="hi"), PressKey(key="enter")],
        ),
    ],
)
def test_every_action_has_its_word(told: JsonValue, actions: list[Action], tmp_path: Path) -> None:
    write_records(tmp_path / "a.tfrecord", record(told))
    [episode], _ = read_all(ANDROID_CONTROL, tmp_path)
    assert [step.decision.action for step in episode.steps] == actions
    # Only the first of several was chosen on what the picture shows.
    assert [step.observation.stale for step in episode.steps] == [False, True, True][: len(actions)]
    assert all(bool(step.log) == (step.decision.action.type == "swipe") for step in episode.steps)


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (record({"action_type": "fly"}), "Input tag 'fly'"),
        (record({"action_type": "click", "x": 100, "y": 0}), r"pixel (100, 0) is off"),
        (record({"action_type": "click", "x": 1}), "y: Field required"),
        (record({"action_type": "scroll", "direction": "in"}), "direction: Input should be 'up'"),
        (record(), "1 heights, 0 actions and 0 instructions"),
        (record({"action_type": "wait"}, screenshots=[picture()]), "1 screens, 2 widths"),
        (record({"action_type": "wait"}, screenshot_widths=[50, 50]), "its record has 50x200"),
        (record({"action_type": "wait"}, screenshots=[b"x", b"y"]), "not a readable image"),
        (record({"action_type": "wait"}, actions=["{"]), "Invalid JSON"),
        (record({"action_type": "wait"}, goal=[]), "goal has 0 values; expected one"),
    ],
)
def test_what_is_bad_of_a_record_is_told_and_the_rest_is_kept(
    bad: bytes, problem: str, tmp_path: Path
) -> None:
    write_records(tmp_path / "a.tfrecord", bad, record({"action_type": "wait"}))
    episodes, told = read_and_listen(ANDROID_CONTROL, tmp_path)
    assert not any(step.refused or step.log for step in episodes[-1].steps)
    assert any(problem in one for one in told)
    assert all("a.tfrecord, record 0" in one or "pixel" in one for one in told)


def line(*contents: dict[str, JsonValue], boxes: JsonValue = None, **other: JsonValue) -> str:
    steps: list[JsonValue] = [
        {
            "action_content": content,
            "screenshot": f"/datasets/AndroidControl/images/8193_{number}.png",
            "step_instruction": f"do {number}",
            "check_options": {"action": content["action"], "candidate_bbox": boxes},
        }
        for number, content in enumerate(contents)
    ]
    said = {"episode_id": 8193, "goal": "g", "is_successful": True, "steps": steps, **other}
    return json.dumps(said) + "\n"


CLICK: dict[str, JsonValue] = {"action": "click", "coordinate": [540, 2273]}


def test_lines_without_pictures_are_read_with_stand_ins_that_say_so(tmp_path: Path) -> None:
    file = tmp_path / "std.jsonl"
    file.write_text(line(CLICK, {"action": "wait", "time": 2}), encoding="utf-8")
    assert ANDROID_CONTROL.recognizes(file)
    [episode], _ = read_all(ANDROID_CONTROL, file)
    assert (episode.id, episode.outcome) == ("android-control-8193", "success")
    size = Size(1080, 2400)
    first, second = episode.steps
    assert first.decision.action == Tap(at=from_pixel(540, 2273, size))
    assert second.decision.action == Wait(duration_s=2)
    assert first.observation.size == first.observation.screenshot.size == size
    assert not first.observation.screenshot.recorded
    assert "no picture 8193_0.png" in first.log[0]


def test_lines_with_pictures_have_their_size(tmp_path: Path) -> None:
    file = tmp_path / "std.jsonl"
    file.write_text(line({"action": "click", "coordinate": [9, 9]}), encoding="utf-8")
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "8193_0.png").write_bytes(picture())
    [episode], _ = read_all(ANDROID_CONTROL, file)
    [step] = episode.steps
    assert step.decision.action == Tap(at=from_pixel(9, 9, SCREEN))
    assert step.observation.screenshot.recorded
    assert step.log == ()


def test_a_line_without_an_id_is_the_episode_of_its_pictures_and_terminates(tmp_path: Path) -> None:
    """UI-S1's training lines: no episode_id, no step_instruction, no check_options."""
    contents: list[JsonValue] = [
        {**CLICK, "bbox": [456, 2211, 624, 2337]},
        {"action": "terminate", "status": "success"},
    ]
    steps: list[JsonValue] = [
        {"action_content": content, "screenshot": f"/datasets/images/20_{number}.png"}
        for number, content in enumerate(contents)
    ]
    other = [{**step, "screenshot": "/datasets/a.png"} for step in steps if isinstance(step, dict)]
    file = tmp_path / "train.jsonl"
    lines = [{"goal": "g", "is_successful": True, "steps": one} for one in (steps, other)]
    file.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    [episode], [told] = read_all(ANDROID_CONTROL, file)
    assert episode.id == "android-control-20"
    assert episode.steps[-1].decision.action == Finish()
    assert "has no episode_id" in told.reason


@pytest.mark.parametrize(
    ("contents", "boxes", "width"),
    [
        ([CLICK], None, 1080),
        ([{"action": "click", "coordinate": [1293, 500]}], None, 1440),
        ([{"action": "click", "coordinate": [5, 2952]}], None, 1440),
        ([CLICK], [[1084, 201, 1364, 564]], 1440),
        ([CLICK], [[0, 0, 1084, 2402]], 1080),
        ([CLICK], [[-2493, 136, 1454, 2339]], 1080),
        ([CLICK], [[42, 528, 1038, 4553]], 1080),
        (
            [{"action": "swipe", "coordinate": [720, 2340], "coordinate2": [720, 780]}],
            None,
            1440,
        ),
        (
            [{"action": "swipe", "coordinate": [270, 1200], "coordinate2": [810, 1200]}],
            [[28, 453, 1412, 1055]],
            1080,
        ),
    ],
)
def test_the_size_of_a_screen_that_was_not_kept_follows_from_places(
    contents: list[dict[str, JsonValue]], boxes: JsonValue, width: int, tmp_path: Path
) -> None:
    file = tmp_path / "std.jsonl"
    file.write_text(line(*contents, boxes=boxes), encoding="utf-8")
    [episode], _ = read_all(ANDROID_CONTROL, file)
    assert {step.observation.size.width for step in episode.steps} == {width}


def test_steps_of_lines_are_in_the_app_that_was_opened_last(tmp_path: Path) -> None:
    contents: list[dict[str, JsonValue]] = [
        {"action": "open", "text": "Keep"},
        {"action": "wait", "time": 1.0},
        {"action": "system_button", "button": "Home"},
        {"action": "wait", "time": 1.0},
    ]
    file = tmp_path / "std.jsonl"
    file.write_text(line(*contents), encoding="utf-8")
    [episode], _ = read_all(ANDROID_CONTROL, file)
    assert [step.observation.app for step in episode.steps] == ["", "Keep", "Keep", ""]


def test_every_word_of_the_lines_is_read(tmp_path: Path) -> None:
    file = tmp_path / "std.jsonl"
    contents: list[dict[str, JsonValue]] = [
        {"action": "long_press", "coordinate": [1, 2], "time": 2},
        {"action": "swipe", "coordinate": [540.0, 1800.0], "coordinate2": [540.0, 600.0]},
        {"action": "type", "text": "hi"},
        {"action": "open", "text": "Keep"},
        {"action": "system_button", "button": "Back"},
    ]
    file.write_text(line(*contents), encoding="utf-8")
    [episode], _ = read_all(ANDROID_CONTROL, file)
    size = Size(1080, 2400)
    assert [step.decision.action for step in episode.steps] == [
        LongPress(at=from_pixel(1, 2, size), duration_s=2),
        Swipe(start=from_pixel(540, 1800, size), end=from_pixel(540, 600, size)),
        TypeText(text="hi"),
        OpenApp(app="Keep"),
        PressKey(key="back"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (line({"action": "fly"}), "Input tag 'fly'"),
        (line({"action": "click", "coordinate": [1]}), "coordinate: List should have at least 2"),
        (line({"action": "click", "coordinate": [9999, 1]}), "is off a 1440x3120 screen"),
        (line(CLICK, steps=[]), "steps: List should have at least 1"),
        ("not JSON\n", "Invalid JSON"),
        (line(CLICK, goal={}), "Input should be a valid string"),
    ],
)
def test_what_is_bad_of_a_line_is_told_and_the_rest_is_kept(
    text: str, problem: str, tmp_path: Path
) -> None:
    file = tmp_path / "std.jsonl"
    file.write_text(text + line(CLICK), encoding="utf-8")
    episodes, [told] = read_and_listen(ANDROID_CONTROL, file)
    assert not any(step.refused for step in episodes[-1].steps)
    assert problem in told


def test_a_wait_of_years_is_told(tmp_path: Path) -> None:
    file = tmp_path / "std.jsonl"
    file.write_text(line({"action": "wait", "time": 1e18}), encoding="utf-8")
    [episode], [told] = read_and_listen(ANDROID_CONTROL, file)
    assert "less than or equal to 3600" in told
    assert episode.steps[0].refused == told


def test_a_picture_that_is_missing_among_others_is_told(tmp_path: Path) -> None:
    file = tmp_path / "std.jsonl"
    file.write_text(line(CLICK, CLICK), encoding="utf-8")
    (tmp_path / "8193_0.png").write_bytes(picture())
    [episode], told = read_and_listen(ANDROID_CONTROL, file)
    assert "8193_1.png is not in" in told[-1]
    assert [step.observation.screenshot.recorded for step in episode.steps] == [True, False]
    assert [bool(step.refused) for step in episode.steps] == [True, True]


def test_a_line_with_thoughts_has_reasoning_and_describes_each_step(tmp_path: Path) -> None:
    read = json.loads(line(CLICK))
    read["steps"][0]["thought"] = "It is there."
    del read["steps"][0]["step_instruction"]
    read["steps"][0]["action_description"] = "Tap the lamp."
    (tmp_path / "thought.jsonl").write_text(json.dumps(read), encoding="utf-8")
    [episode], _ = read_all(ANDROID_CONTROL, tmp_path)
    assert episode.steps[0].decision.reasoning == "It is there."
    assert episode.steps[0].step_instruction == "Tap the lamp."


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ForeignDataError, match=r"no TFRecord or \.jsonl file in it"):
        list(ANDROID_CONTROL.read(tmp_path))


def forest(*boxes: tuple[int, int, int, int]) -> bytes:
    """One window with a root that holds a clickable node for each box."""
    nodes = [
        AccessibilityNode(unique_id=0, bounds_in_screen=Rect(right=100, bottom=200), child_ids=[])
    ]
    for number, (left, top, right, bottom) in enumerate(boxes, start=1):
        nodes[0].child_ids.append(number)
        bounds = Rect(left=left, top=top, right=right, bottom=bottom)
        nodes.append(
            AccessibilityNode(
                unique_id=number, bounds_in_screen=bounds, text=f"no {number}", is_clickable=True
            )
        )
    window = AccessibilityWindow(
        bounds_in_screen=Rect(right=100, bottom=200), tree=AccessibilityTree(nodes=nodes)
    )
    return AccessibilityForest(windows=[window]).SerializeToString()


def test_the_accessibility_trees_are_the_hierarchies_of_the_screens(tmp_path: Path) -> None:
    trees = [forest((10, 20, 30, 40), (-5, 190, 300, 260)), b"\xff", b""]
    tap: JsonValue = {"action_type": "click", "x": 12, "y": 22}
    write_records(tmp_path / "a.tfrecord", record(tap, tap, accessibility_trees=trees))
    [episode], bad = read_all(ANDROID_CONTROL, tmp_path)
    assert not bad
    tree = episode.steps[0].observation.ui_tree
    assert tree is not None
    assert [node.attributes["bounds"] for node in tree.nodes] == [
        "[0,0][100,200]",
        "[0,0][100,200]",
        "[10,20][30,40]",
        "[-5,190][300,260]",
    ]
    assert [node.depth for node in tree.nodes] == [0, 1, 2, 2]
    reached = tree.at(from_pixel(12, 22, SCREEN))
    assert reached is not None
    assert reached.text == "no 1"
    assert episode.steps[1].observation.ui_tree is None
    assert episode.steps[1].log == ("android-control: the accessibility tree is damaged",)


def test_a_tap_in_the_elements_of_an_imported_step_is_right_by_qwens_rule(tmp_path: Path) -> None:
    tap: JsonValue = {"action_type": "click", "x": 50, "y": 100}
    wide = forest((30, 80, 70, 120))
    write_records(
        tmp_path / "a.tfrecord",
        record(tap, tap, accessibility_trees=[wide, b"", b""]),
    )
    [episode], _ = read_all(ANDROID_CONTROL, tmp_path)
    near = Tap(at=from_pixel(60, 100, SCREEN))
    assert judge_step(near, episode.steps[0], rules="qwen").value == 1
    assert judge_step(near, episode.steps[1], rules="qwen").value == 0


def test_a_forest_whose_nodes_are_their_own_children_ends() -> None:
    nodes = [
        AccessibilityNode(unique_id=1, child_ids=[2]),
        AccessibilityNode(unique_id=2, child_ids=[1]),
    ]
    window = AccessibilityWindow(tree=AccessibilityTree(nodes=nodes))
    data = AccessibilityForest(windows=[window]).SerializeToString()
    tree = read_forest(data, SCREEN, "a forest")
    assert tree is not None
    assert len(tree.nodes) == 3


def test_an_app_that_was_opened_is_in_front_until_home(tmp_path: Path) -> None:
    opened: JsonValue = {"action_type": "open_app", "app_name": "Keep"}
    file = record(opened, {"action_type": "navigate_home"}, {"action_type": "wait"})
    write_records(tmp_path / "a.tfrecord", file)
    [episode], _ = read_all(ANDROID_CONTROL, tmp_path)
    assert [step.observation.app for step in episode.steps] == ["", "Keep", ""]
