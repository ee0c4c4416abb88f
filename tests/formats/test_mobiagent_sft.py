import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tapwright.conventions import conventions
from tapwright.core.actions import Action, Finish, Swipe, Tap, TypeText, Wait
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, from_pixel
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.errors import UsageError
from tapwright.formats.exporters.mobiagent_sft import MOBIAGENT_SFT
from tapwright.formats.exporters.training_set import SftSettings
from tapwright.formats.exporters.weights import WeightRule
from tests.formats.training_sets import SETTINGS, TAP, episode, export, rows, step

GOLDEN = Path(__file__).parents[1] / "golden" / "mobiagent_sft"
SHOP = GOLDEN / "data/商城/type1/1"
SPEAKING = SftSettings(
    conventions.get("mobimind-decider"), val_share=0.0, scale=0.5, jpeg_quality=75
)
RULES = (
    WeightRule("action.type", "^swipe$", {"weight": 5, "grounder": 1}),
    WeightRule("action.type", "^wait$", {"weight": 12, "grounder": 1}),
)


def trajectory(directory: Path) -> Episode:
    told = json.loads((directory / "actions.json").read_text())
    reacts = json.loads((directory / "react.json").read_text())
    steps = []
    for number, (item, react) in enumerate(zip(told["actions"], reacts, strict=True), start=1):
        shot = Screenshot((directory / f"{number}.jpg").read_bytes())
        tree = None
        if item.get("bounds"):
            bounds = "[{},{}][{},{}]".format(*item["bounds"])
            xml = f'<hierarchy><node clickable="true" bounds="{bounds}"/></hierarchy>'
            tree = UiTree(xml, shot.size)
        target = react["function"]["parameters"].get("target_element", "")
        decision = Decision(action(item, shot), react["reasoning"], target)
        steps.append(Step(Observation(shot, shot.size, tree), decision))
    asked = told["task_description"]
    instruction = asked if isinstance(asked, str) else asked[0]
    return Episode(id=str(directory), task_id="t", instruction=instruction, steps=tuple(steps))


def action(item: dict[str, Any], shot: Screenshot) -> Action:
    match item["type"]:
        case "click":
            return Tap(at=from_pixel(item["position_x"], item["position_y"], shot.size))
        case "input":
            return TypeText(text=item["text"])
        case "swipe":
            start = item["press_position_x"], item["press_position_y"]
            end = item["release_position_x"], item["release_position_y"]
            return Swipe(start=from_pixel(*start, shot.size), end=from_pixel(*end, shot.size))
        case "done":
            return Finish()
    return Wait()


def theirs() -> dict[str, dict[tuple[str, ...], dict[str, Any]]]:
    found = json.loads((GOLDEN / "decider_grounder_abs.support.json").read_text())["files"]
    return {
        name: {
            (one["entry"]["instruction"], one["entry"]["output"]): one
            for one in found[f"{name}_train.json"]
        }
        for name in ("mobimind_decider", "mobimind_grounder")
    }


def plainly(row: dict[str, Any]) -> tuple[str, ...]:
    """An entry of ours with the prompts that stand in for MobiAgent's in the golden data."""
    words = row["instruction"].removeprefix("<image>\n")
    task = re.search(r'Now your task is "(.*)"', words)
    if task is not None:
        history = re.search(r"Your action history is:\n(.*)\nPlease provide", words, re.DOTALL)
        if history is None:
            return f"[DECIDE/nohist] task={task[1]}", row["output"]
        return f"[DECIDE] task={task[1]}\nhistory:\n{history[1]}", row["output"]
    intent = re.search(r"User's intent: (.*)\n", words)
    element = re.search(r"description: (.*)\n", words)
    assert intent is not None
    assert element is not None
    kind = "bbox" if '"bbox"' in words else "point"
    return f"[GROUND/{kind}-abs] intent={intent[1]} element={element[1]}", row["output"]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    settings = replace(SPEAKING, weights=RULES)
    notes = trajectory(GOLDEN / "data/Notes/type2/7")
    export(MOBIAGENT_SFT, [trajectory(SHOP), notes], tmp_path / "set", settings)
    return tmp_path / "set"


def test_the_entries_are_mobiagent_s_own(written: Path) -> None:
    for name, golden in theirs().items():
        ours = {plainly(row): row for row in rows(written / f"{name}_train.json")}
        assert set(ours) <= set(golden)
        missing = [
            key
            for key, one in golden.items()
            if one["in_every_seed"] and key not in ours and "我已经完成了目标任务" not in key[1]
        ]
        assert missing == []


def test_a_weight_is_how_often_mobiagent_repeats_an_entry(written: Path) -> None:
    """But at the end, where it repeats the last step and means the one before."""
    golden = theirs()["mobimind_decider"]
    compared = 0
    for row in rows(written / "mobimind_decider_train.json"):
        least, most = golden[plainly(row)]["repeat_min_max_when_present"]
        late = row["step"] >= (3 if "商城" in row["episode"] else 1)
        if not late:
            assert row["weight"] == least == most
            compared += 1
        else:
            assert row["weight"] in (least, 2 * least, least / 2)
    assert compared > 5


def test_boxes_are_scaled_with_the_picture_everywhere(written: Path) -> None:
    first = rows(written / "mobimind_e2e_train.json")
    boxes = [json.loads(row["output"])["parameters"].get("bbox") for row in first]
    assert [30, 90, 510, 145] in boxes
    assert not any(box and box[2] > 540 for box in boxes)


def test_no_entry_is_there_twice(written: Path) -> None:
    for path in written.glob("mobimind_*.json"):
        found = [(row["instruction"], row["output"], row["images"][0]) for row in rows(path)]
        assert len(set(found)) == len(found)


def test_one_bad_step_is_left_out_and_the_rest_is_written(tmp_path: Path) -> None:
    unnamed = step(Tap(at=Point(0.5, 0.5)))
    given = episode("a", unnamed, TAP)
    report = export(MOBIAGENT_SFT, [given], tmp_path / "set", SPEAKING)
    assert [one.step for one in report.dropped] == [0]
    assert report.samples["train"] == 1


def test_another_convention_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="are not written in json"):
        export(MOBIAGENT_SFT, [episode("a", TAP)], tmp_path / "set", SETTINGS)
