import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from tapwright.core.actions import Action, Finish, LongPress, PressKey, Swipe, Tap, TypeText
from tapwright.core.geometry import Box, Point
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.gui_odyssey import GUI_ODYSSEY
from tests.formats.foreign import picture, read_all, read_and_listen

Step = dict[str, JsonValue]


def lay_out(root: Path, *steps: Step, name: str = "0001", **other: JsonValue) -> Path:
    for folder in ("annotations", "screenshots"):
        (root / folder).mkdir(exist_ok=True, parents=True)
    told: list[JsonValue] = []
    for number, step in enumerate(steps):
        shot = f"{name}_{number}.png"
        (root / "screenshots" / shot).write_bytes(picture(number))
        told.append({"step": number, "screenshot": shot, "intention": f"why {number}", **step})
    annotation: dict[str, JsonValue] = {
        "episode_id": name,
        "device_info": {"device_name": "Pixel Fold", "w": 100, "h": 200},
        "task_info": {"meta_task": "Search for {}", "instruction": "Search for cats"},
        "step_length": len(steps),
        "steps": told,
    }
    file = root / "annotations" / f"{name}.json"
    file.write_text(json.dumps(annotation | other), encoding="utf-8")
    return file


def test_an_annotation_is_read_with_its_screens(tmp_path: Path) -> None:
    file = lay_out(
        tmp_path,
        {
            "action": "CLICK",
            "info": [[250, 1000], [250, 1000]],
            "low_level_instruction": "Tap the cats.",
        },
        {"action": "COMPLETE", "info": "", "ps": "done"},
    )
    assert GUI_ODYSSEY.recognizes(file)
    [episode], bad = read_all(GUI_ODYSSEY, tmp_path)
    assert not bad
    assert (episode.id, episode.task_id) == ("gui-odyssey-0001", "Search for {}")
    assert (episode.instruction, episode.device) == ("Search for cats", "Pixel Fold")
    assert [step.decision.action for step in episode.steps] == [
        Tap(at=Point(0.25, 1.0)),
        Finish(reason="done"),
    ]
    assert [step.decision.reasoning for step in episode.steps] == ["why 0", "why 1"]
    assert [step.step_instruction for step in episode.steps] == ["Tap the cats.", ""]
    assert episode.steps[1].observation.screenshot.data == picture(1)


@pytest.mark.parametrize(
    ("step", "action"),
    [
        ({"action": "CLICK", "info": "KEY_HOME"}, PressKey(key="home")),
        ({"action": "CLICK", "info": "KEY_BACK"}, PressKey(key="back")),
        ({"action": "CLICK", "info": "KEY_APPSELECT"}, PressKey(key="recents")),
        ({"action": "BACK", "info": ""}, PressKey(key="back")),
        ({"action": "LONG_PRESS", "info": [[0, 500]]}, LongPress(at=Point(0.0, 0.5))),
        (
            {"action": "SCROLL", "info": [[500, 800], [500, 200]]},
            Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)),
        ),
        ({"action": "TEXT", "info": "cats"}, TypeText(text="cats")),
        ({"action": "TYPE", "info": "cats"}, TypeText(text="cats")),
        ({"action": "INCOMPLETE", "info": ""}, Finish(outcome="infeasible")),
        ({"action": "IMPOSSIBLE", "info": ""}, Finish(outcome="infeasible")),
    ],
)
def test_every_action_has_its_word(step: Step, action: Action, tmp_path: Path) -> None:
    lay_out(tmp_path, step)
    [episode], _ = read_all(GUI_ODYSSEY, tmp_path)
    assert [one.decision.action for one in episode.steps] == [action]


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ({"action": "FLY", "info": ""}, "unknown action 'FLY'"),
        ({"action": "CLICK", "info": "KEY_POWER"}, "KEY_POWER: not a list of places"),
        ({"action": "CLICK", "info": [[1001, 0]]}, "off the screen"),
        ({"action": "CLICK", "info": [[float("nan"), 0]]}, "off the screen"),
        ({"action": "SCROLL", "info": [[1, 2]]}, "1 places; expected 2"),
        ({"action": "TEXT", "info": [[1, 2]]}, "unknown action 'TEXT'"),
        ({"action": "COMPLETE", "screenshot": "../secret.png"}, "is not the name of a file below"),
        ({"action": "COMPLETE", "screenshot": "/etc/passwd"}, "is not the name of a file below"),
        ({"action": "COMPLETE", "screenshot": "other.png"}, "other.png is not in"),
        ({"action": "COMPLETE", "step": 3}, "has the steps 3; expected 1"),
    ],
)
def test_what_is_bad_is_told_and_the_rest_is_kept(step: Step, problem: str, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(picture())
    lay_out(tmp_path, step)
    lay_out(tmp_path, {"action": "COMPLETE", "info": ""}, name="0002")
    episodes, [told] = read_and_listen(GUI_ODYSSEY, tmp_path)
    assert episodes[-1].id == "gui-odyssey-0002"
    assert not any(step.refused or step.log for step in episodes[-1].steps)
    assert problem in told


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ForeignDataError, match=r"no \.json file in it"):
        list(GUI_ODYSSEY.read(tmp_path))


def test_the_segmented_element_is_the_one_element_of_the_screen(tmp_path: Path) -> None:
    click: Step = {"action": "CLICK", "info": [[250, 500]]}
    lay_out(tmp_path, {**click, "sam2_bbox": [200, 400, 300, 600]}, {**click, "sam2_bbox": []})
    [episode], _ = read_all(GUI_ODYSSEY, tmp_path)
    tree = episode.steps[0].observation.ui_tree
    assert tree is not None
    assert [node.box for node in tree.nodes] == [Box(0.2, 0.4, 0.3, 0.6)]
    assert episode.steps[1].observation.ui_tree is None


def test_a_segmented_element_off_the_screen_is_left_out(tmp_path: Path) -> None:
    lay_out(tmp_path, {"action": "CLICK", "info": [[1, 1]], "sam2_bbox": [0, 0, 1001, 5]})
    [episode], [told] = read_and_listen(GUI_ODYSSEY, tmp_path)
    assert "sam2_bbox" in told
    assert episode.steps[0].observation.ui_tree is None
    assert "sam2_bbox" in episode.steps[0].log[0]


@pytest.mark.parametrize(
    ("last", "outcome"),
    [("COMPLETE", "success"), ("INCOMPLETE", "infeasible"), ("CLICK", "unknown")],
)
def test_the_annotator_says_what_became_of_the_task(
    last: str, outcome: str, tmp_path: Path
) -> None:
    info: JsonValue = [[250, 1000]] if last == "CLICK" else ""
    lay_out(tmp_path, {"action": "CLICK", "info": [[1, 1]]}, {"action": last, "info": info})
    [episode], _ = read_all(GUI_ODYSSEY, tmp_path)
    assert episode.outcome == outcome
