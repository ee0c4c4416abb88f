"""AITW in its TFRecord files, and AITZ, which has the same steps as JSON."""

import json
import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from pydantic import JsonValue

from tapwright.core.actions import Action, Finish, Lift, PressKey, Swipe, Tap, Touch, TypeText
from tapwright.core.geometry import Point
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.aitw import AITW
from tapwright.formats.importers.aitz import AITZ
from tapwright.formats.importers.dual_point import parse_action
from tests.formats.foreign import Values, example, picture, read_all, read_and_listen, write_records
from tests.strategies import FRACTIONS

HEIGHT, WIDTH = 20, 10


@given(touch=st.tuples(FRACTIONS, FRACTIONS), lift=st.tuples(FRACTIONS, FRACTIONS))
@pytest.mark.slow
def test_a_touch_and_a_lift_are_a_tap_when_near_and_are_kept(
    touch: tuple[float, float], lift: tuple[float, float]
) -> None:
    action, raw = parse_action(4, "", touch, lift, "here")
    start, end = Point(x=touch[1], y=touch[0]), Point(x=lift[1], y=lift[0])
    near = start.distance(end) <= 0.04
    assert action == (Tap(at=start) if near else Swipe(start=start, end=end))
    assert raw == (Touch(at=start), Lift(at=end))


@pytest.mark.parametrize(
    ("number", "action"),
    [
        (3, TypeText(text="hi")),
        (5, PressKey(key="back")),
        (6, PressKey(key="home")),
        (7, PressKey(key="enter")),
        (10, Finish()),
        (11, Finish(outcome="infeasible")),
    ],
)
def test_other_actions_are_numbers(number: int, action: Action) -> None:
    assert parse_action(number, "hi", (-1, -1), (-1, -1), "here") == (action, ())


def test_an_unknown_number_is_refused() -> None:
    with pytest.raises(ForeignDataError, match="here: no action has the number 8"):
        parse_action(8, "", (0, 0), (0, 0), "here")


def aitw_step(number: int = 0, of: int = 1, other: Mapping[str, Values] | None = None) -> bytes:
    pixels = bytes([number, 2, 3] * (WIDTH * HEIGHT))
    features: dict[str, Values] = {
        "episode_id": ["e1"],
        "step_id": [number],
        "episode_length": [of],
        "goal_info": ["open the clock"],
        "device_type": ["pixel_4a"],
        "current_activity": ["com.android.deskclock"],
        "image/encoded": [pixels],
        "image/width": [WIDTH],
        "image/height": [HEIGHT],
        "image/channels": [3],
        "image/ui_annotations_positions": [0.25, 0.5, 0.25, 0.5],
        "image/ui_annotations_text": ["Clock"],
        "image/ui_annotations_ui_types": ["TEXT"],
        "results/action_type": [4],
        "results/type_action": [""],
        "results/yx_touch": [0.75, 0.25],
        "results/yx_lift": [0.75, 0.25],
    }
    return example({**features, **(other or {})})


def test_aitw_is_read_with_its_pixels_and_elements(tmp_path: Path) -> None:
    done = aitw_step(1, 2, {"results/action_type": [10]})
    write_records(tmp_path / "general-00000-of-00321", aitw_step(0, 2), done)
    assert AITW.recognizes(tmp_path / "general-00000-of-00321")
    [episode], bad = read_all(AITW, tmp_path)
    assert not bad
    assert (episode.id, episode.instruction, episode.device) == (
        "aitw-e1", "open the clock", "pixel_4a",
    )  # fmt: skip
    first, last = episode.steps
    assert first.decision.action == Tap(at=Point(x=0.25, y=0.75))
    assert last.decision.action == Finish()
    assert first.observation.app == "com.android.deskclock"
    picture = first.observation.screenshot.image()
    assert picture.size == (WIDTH, HEIGHT)
    assert picture.tobytes() == bytes([0, 2, 3] * (WIDTH * HEIGHT))
    tree = first.observation.ui_tree
    assert tree is not None
    assert dict(tree.nodes[0].attributes) == {
        "text": "Clock", "class": "TEXT", "bounds": "[5,5][10,10]",
    }  # fmt: skip


def test_an_encoded_picture_is_left_as_it_is(tmp_path: Path) -> None:
    encoded = BytesIO()
    Image.new("RGB", (WIDTH, HEIGHT)).save(encoded, "JPEG")
    write_records(tmp_path / "a.tfrecord", aitw_step(other={"image/encoded": [encoded.getvalue()]}))
    [episode], _ = read_all(AITW, tmp_path)
    assert episode.steps[0].observation.screenshot.data == encoded.getvalue()


@pytest.mark.parametrize(
    ("other", "problem"),
    [
        ({"results/action_type": [99]}, "no action has the number 99"),
        ({"results/yx_touch": [float("nan"), 0.5]}, "off the screen"),
        ({"results/yx_touch": [0.5, 1.5]}, "off the screen"),
        ({"results/yx_touch": [0.5]}, r"the place \[0.5\] is not y, x"),
        ({"image/encoded": [b"x"]}, "not a readable image"),
        ({"image/width": [0]}, "no pixel"),
        ({"step_id": [1]}, "has the steps 1; expected 1 of them"),
        ({"image/ui_annotations_text": []}, "1 boxes, 0 texts and 1 kinds"),
        ({"image/ui_annotations_text": ["a", "b"]}, "1 boxes, 2 texts and 1 kinds"),
        ({"image/ui_annotations_positions": [float("inf")] * 4}, "is not y, x, height, width"),
        ({"goal_info": [b"\xff"]}, "goal_info is no text"),
    ],
)
def test_what_is_bad_of_aitw_is_told_and_the_rest_is_kept(
    other: Mapping[str, Values], problem: str, tmp_path: Path
) -> None:
    good = aitw_step(other={"episode_id": ["e2"]})
    write_records(tmp_path / "a.tfrecord", aitw_step(other=other), b"\xff", good)
    episodes, told = read_and_listen(AITW, tmp_path)
    assert episodes[-1].id == "aitw-e2"
    assert not any(step.refused for step in episodes[-1].steps)
    assert len(told) == 2
    assert any(re.search(problem, one) for one in told)
    assert any("not a tf.train.Example" in one for one in told)


def aitz_step(number: int = 0, of: int = 1, **other: JsonValue) -> dict[str, JsonValue]:
    return {
        "episode_id": "7",
        "episode_length": of,
        "step_id": number,
        "instruction": "open the clock",
        "ui_positions": "[[50, 10, 20, 30]]",
        "ui_text": '["Clock"]',
        "ui_types": '["ICON_CLOCK"]',
        "result_action_type": 4,
        "result_action_text": "",
        "result_touch_yx": "[0.5, 0.25]",
        "result_lift_yx": "[0.1, 0.25]",
        "image_path": f"general/GENERAL-7/GENERAL-7_{number}.png",
        "coat_action_think": "The clock is below.",
        "coat_action_desc": "scroll up to see the clock",
        **other,
    }


def lay_out(folder: Path, *steps: JsonValue) -> Path:
    folder.mkdir(parents=True)
    for number in range(len(steps)):
        (folder / f"GENERAL-7_{number}.png").write_bytes(picture(number))
    file = folder / "GENERAL-7.json"
    file.write_text(json.dumps(list(steps)), encoding="utf-8")
    return file


def test_aitz_is_read_with_its_thoughts_and_elements(tmp_path: Path) -> None:
    typed = aitz_step(1, 2, result_action_type=3, result_action_text="hi", coat_action_think="so")
    file = lay_out(tmp_path / "general" / "GENERAL-7", aitz_step(0, 2), typed)
    assert AITZ.recognizes(file)
    [episode], bad = read_all(AITZ, tmp_path)
    assert not bad
    assert (episode.id, episode.instruction) == ("aitz-7", "open the clock")
    first, second = episode.steps
    assert first.decision.action == Swipe(start=Point(0.25, 0.5), end=Point(0.25, 0.1))
    assert first.decision.reasoning == "The clock is below."
    assert first.step_instruction == "scroll up to see the clock"
    assert second.decision.action == TypeText(text="hi")
    assert second.observation.screenshot.data == picture(1)
    tree = first.observation.ui_tree
    assert tree is not None
    assert tree.nodes[0].attributes["bounds"] == "[10,50][40,70]"


def test_an_episode_of_number_0_is_its_own(tmp_path: Path) -> None:
    lay_out(tmp_path / "a", aitz_step(), aitz_step(episode_id=0))
    episodes, _ = read_all(AITZ, tmp_path)
    assert [episode.id for episode in episodes] == ["aitz-7", "aitz-0"]


def test_lists_of_the_same_steps_without_thoughts_are_read_as_aitw(tmp_path: Path) -> None:
    step = aitz_step()
    del step["coat_action_think"]
    lay_out(tmp_path / "a", step)
    [episode], _ = read_all(AITW, tmp_path)
    assert episode.steps[0].decision.reasoning == ""


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        (aitz_step(result_touch_yx="[NaN, 0.5]"), "off the screen"),
        (aitz_step(result_touch_yx="nothing"), "result_touch_yx: Invalid JSON"),
        (
            aitz_step(result_action_type="four"),
            "Input should be a valid integer",
        ),
        (aitz_step(step_id=1), "has the steps 1; expected 1"),
        (aitz_step(image_path="../../../../etc/passwd"), "passwd is not in"),
        (aitz_step(image_path=""), "'' is not the name of a file"),
        (aitz_step(ui_positions="[[1, 2, 3]]"), "is not y, x, height, width"),
        (aitz_step(ui_positions="\ud83d"), "ui_positions: Invalid JSON"),
        (aitz_step(result_action_type=None), "names no action"),
        (3, "an object"),
    ],
)
def test_what_is_bad_of_aitz_is_told_and_the_rest_is_kept(
    step: JsonValue, problem: str, tmp_path: Path
) -> None:
    lay_out(tmp_path / "a", step)
    lay_out(tmp_path / "b", aitz_step())
    episodes, told = read_and_listen(AITZ, tmp_path)
    assert episodes[-1].id == "aitz-7"
    assert not any(step.refused or step.log for step in episodes[-1].steps)
    assert any(problem in one for one in told)


def test_an_episode_of_aitz_with_a_gap_is_kept_up_to_it(tmp_path: Path) -> None:
    lay_out(tmp_path / "a", *(aitz_step(number, 5) for number in (0, 1, 3, 4)))
    [episode], told = read_and_listen(AITZ, tmp_path)
    assert (len(episode.steps), episode.outcome) == (2, "interrupted")
    assert "has the steps 0, 1, 3, 4; expected 5" in told[-1]


def test_a_list_that_was_cut_short_is_kept_up_to_there_and_told_once(tmp_path: Path) -> None:
    file = lay_out(tmp_path / "a", aitz_step(0, 2), aitz_step(1, 2))
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole[:-20], encoding="utf-8")
    [episode], [bad] = read_all(AITZ, tmp_path)
    assert (len(episode.steps), episode.outcome) == (1, "interrupted")
    assert "not a JSON list" in bad.reason
    file.write_text(f"{whole}\0", encoding="utf-8")
    [episode], [bad] = read_all(AITZ, tmp_path)
    assert (len(episode.steps), episode.outcome) == (2, "unknown")


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    for importer in (AITW, AITZ):
        with pytest.raises(ForeignDataError, match="in it"):
            list(importer.read(tmp_path))


@pytest.mark.parametrize(
    ("number", "outcome"), [(10, "success"), (11, "infeasible"), (4, "unknown")]
)
def test_a_rater_says_what_became_of_the_task(number: int, outcome: str, tmp_path: Path) -> None:
    last = aitz_step(1, 2, result_action_type=number)
    lay_out(tmp_path / "general" / "GENERAL-7", aitz_step(0, 2), last)
    [episode], _ = read_all(AITZ, tmp_path)
    assert episode.outcome == outcome


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0)])
def test_steps_are_in_the_order_of_their_numbers(order: Sequence[int], tmp_path: Path) -> None:
    steps = [aitz_step(number, 3, coat_action_think=f"thought {number}") for number in order]
    (read,), told = read_and_listen(AITZ, lay_out(tmp_path / "GENERAL-7", *steps))
    assert [step.decision.reasoning for step in read.steps] == [f"thought {n}" for n in range(3)]
    assert not told
