import json
import shutil
from pathlib import Path

import pytest
from pydantic import JsonValue

from tapwright.core.actions import (
    Action,
    Drag,
    Finish,
    Hotkey,
    PressKey,
    Scroll,
    Tap,
    TripleTap,
    TypeText,
)
from tapwright.core.geometry import Point
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.agentnetbench import AGENTNETBENCH
from tests.formats.foreign import picture, read_all, read_and_listen

AT = Point(0.5, 0.25)
Truth = dict[str, JsonValue]


def truth(kind: str, x: float = 0.5, y: float = 0.25, **params: JsonValue) -> Truth:
    place: JsonValue = {"x": x, "y": y}
    return {"type": kind, "params": {"position": place, **params}, "metadata": {}}


def lay_out(root: Path, *steps: list[Truth], other: Truth | None = None, name: str = "s_1") -> Path:
    (root / "images").mkdir(parents=True, exist_ok=True)
    made: list[JsonValue] = []
    for number, actions in enumerate(steps):
        image = f"{name}_{number}.png"
        (root / "images" / image).write_bytes(picture(number))
        made.append({
            "step_num": 2 * number,
            "image": image,
            "inner_monologue": {"thought": f"why {number}"},
            "ground_truth_actions": list(actions),
        })  # fmt: skip
    record: Truth = {"task_id": name, "high_level_task_description": "g", "steps": made}
    file = root / f"{name}.json"
    file.write_text(json.dumps(record | (other or {})), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ([truth("click")], [Tap(at=AT)]),
        ([truth("rightClick")], [Tap(at=AT, button="right")]),
        ([truth("tripleClick")], [TripleTap(at=AT)]),
        ([truth("moveTo"), truth("dragTo", 0.75, 0.5)], [Drag(start=AT, end=Point(0.75, 0.5))]),
        ([truth("moveTo"), truth("scroll", amount=-3)], [Scroll(at=AT, dy=3 * 0.1)]),
        ([{"type": "write", "params": {"text": "tea\n"}}], [TypeText(text="tea\n")]),
        ([{"type": "press", "params": {"keys": ["enter"]}}], [PressKey(key="enter")]),
        ([{"type": "hotkey", "params": {"keys": ["ctrl", "c"]}}], [Hotkey(keys=("control", "c"))]),
        ([{"type": "terminate", "params": {"status": "failure"}}], [Finish(outcome="failure")]),
    ],
)
def test_every_true_action_has_its_word(
    actions: list[Truth], expected: list[Action], tmp_path: Path
) -> None:
    file = lay_out(tmp_path, actions)
    assert AGENTNETBENCH.recognizes(file)
    [episode], bad = read_all(AGENTNETBENCH, tmp_path)
    assert not bad
    assert [step.decision.action for step in episode.steps] == expected
    assert (episode.id, episode.instruction) == ("agentnetbench-s_1", "g")
    assert episode.steps[0].decision.reasoning == "why 0"


def test_boxes_that_may_be_touched_become_elements(tmp_path: Path) -> None:
    boxes: JsonValue = {"bboxes": [{"rel_bbox": [0.25, 0.125, 0.5, 0.25], "area": 3}]}
    lay_out(tmp_path, [{**truth("click"), "metadata": boxes}], [truth("click")])
    [episode], _ = read_all(AGENTNETBENCH, tmp_path)
    tree = episode.steps[0].observation.ui_tree
    assert tree is not None
    [node] = tree.nodes
    assert node.attributes["bounds"] == "[25,25][75,75]"
    assert episode.steps[1].observation.ui_tree is None


def test_the_code_is_read_where_there_are_no_true_actions(tmp_path: Path) -> None:
    file = lay_out(tmp_path, [])
    record = json.loads(file.read_text(encoding="utf-8"))
    record["steps"][0]["action"] = "pyautogui.click(x=0.5, y=0.25)"
    file.write_text(json.dumps(record), encoding="utf-8")
    [episode], _ = read_all(AGENTNETBENCH, tmp_path)
    assert episode.steps[0].decision.action == Tap(at=AT)


@pytest.mark.parametrize(
    ("actions", "other", "problem"),
    [
        ([truth("fly")], {}, "step 0, action 0: pyautogui.fly is no action"),
        ([truth("click", 1.5)], {}, "step 0, action 0"),
        ([], {}, "step 0: has no actions"),
        ([truth("click")], {"steps": []}, "steps"),
        ([truth("click")], {"task_id": {}}, "Input should be a valid string"),
    ],
)
def test_what_is_bad_is_told_and_the_rest_is_kept(
    actions: list[Truth], other: Truth, problem: str, tmp_path: Path
) -> None:
    lay_out(tmp_path, actions, other=other)
    lay_out(tmp_path, [truth("click")], name="s_2")
    episodes, [told] = read_and_listen(AGENTNETBENCH, tmp_path)
    assert episodes[-1].task_id == "s_2"
    assert not any(step.refused for step in episodes[-1].steps)
    assert problem in told


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ForeignDataError, match=r"no \.json file in it"):
        list(AGENTNETBENCH.read(tmp_path))


def test_a_published_trajectory_is_read_by_its_true_actions(tmp_path: Path) -> None:
    golden = Path(__file__).parents[1] / "golden/agentnetbench/s_7f27a11115e596eb.json"
    shutil.copy(golden, tmp_path)
    for number in (0, 1, 7, 13):
        (tmp_path / f"s_7f27a11115e596eb_{number}.png").write_bytes(picture(number))
    assert AGENTNETBENCH.recognizes(golden)
    [episode], bad = read_all(AGENTNETBENCH, tmp_path)
    assert not bad
    assert [step.decision.action for step in episode.steps] == [
        Tap(at=Point(0.3395, 0.6307)),
        TypeText(text="SPOTIFY\n"),
        Scroll(at=Point(0.4496, 0.7349), dy=54 * 0.1),
        Finish(),
    ]
    tree = episode.steps[0].observation.ui_tree
    assert tree is not None
    assert tree.at(Point(0.3395, 0.6307)) is tree.nodes[0]
