"""Data sets that models are trained on, in the layout in which they are published."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from tapwright.core.actions import (
    Action,
    Answer,
    Drag,
    Finish,
    Hotkey,
    Hover,
    LongPress,
    PressKey,
    Scroll,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.geometry import Point, Size, from_pixel
from tapwright.formats import formats
from tapwright.formats.format import EpisodeImporter
from tapwright.formats.importers.aitz import AITZ
from tapwright.formats.importers.amex import AMEX
from tapwright.formats.importers.gui360 import GUI_360
from tapwright.formats.importers.guiact import GUIACT
from tapwright.formats.importers.multimodal_mind2web import MULTIMODAL_MIND2WEB
from tapwright.formats.importers.omniact import OMNIACT
from tapwright.formats.importers.sources import find_sources
from tests.formats.foreign import picture, read_and_listen

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

SIZE = Size(100, 200)


def recognized(root: Path) -> set[tuple[str, str]]:
    """The files and directories below a root that a format recognizes, and which does."""
    members = [one for _, one in formats.installed()]
    importers = [one for one in members if isinstance(one, EpisodeImporter)]
    found = find_sources([root], importers)
    return {(one.path.name, one.reader.name) for one in found if one.reader in importers}


def mind2web_row(number: int, operation: dict[str, str], **other: Any) -> dict[str, Any]:
    attributes = json.dumps({"bounding_box_rect": "10,20,30,40", "class": "button"})
    return {
        "annotation_id": "a1",
        "target_action_index": str(number),
        "confirmed_task": "Book a table",
        "website": "opentable",
        "domain": "Travel",
        "subdomain": "Restaurant",
        "operation": json.dumps(operation),
        "pos_candidates": [json.dumps({"tag": "a", "attributes": attributes})],
        "target_action_reprs": f"[link] {number} -> CLICK",
        "screenshot": {"bytes": picture(number, kind="JPEG"), "path": f"{number}.jpg"},
        "raw_html": "<html>",
        **other,
    }


def write_parquet(path: Path, *rows: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), path)


def test_an_episode_of_mind2web_goes_on_from_one_file_to_the_next(tmp_path: Path) -> None:
    names = [tmp_path / f"data/train-0000{number}-of-00002-ab.parquet" for number in (0, 1)]
    other = mind2web_row(0, {"original_op": "ENTER"}, annotation_id="a2", confirmed_task="Go")
    write_parquet(
        names[0],
        mind2web_row(0, {"original_op": "CLICK", "value": ""}),
        mind2web_row(1, {"original_op": "TYPE", "value": "tea"}),
    )
    write_parquet(
        names[1],
        mind2web_row(2, {"original_op": "HOVER", "value": ""}),
        mind2web_row(3, {"original_op": "SELECT", "value": "two"}),
        other,
    )
    assert recognized(tmp_path) == {("data", "multimodal-mind2web")}
    (one, two), [told] = read_and_listen(MULTIMODAL_MIND2WEB, tmp_path / "data")
    at = from_pixel(25, 40, SIZE)
    assert [step.decision.action for step in one.steps] == [
        Tap(at=at),
        TypeText(text="tea", at=at),
        Hover(at=at),
        Wait(duration_s=0),
    ]
    assert "no action of ours stands for SELECT 'two'" in told
    assert (one.instruction, one.extra["apps"]) == ("Book a table", "opentable")
    assert one.steps[0].step_instruction == "[link] 0 -> CLICK"
    assert one.steps[0].observation.ui_tree is not None
    assert [step.decision.action for step in two.steps] == [PressKey(key="enter")]


def test_a_picture_that_is_an_address_is_not_fetched(tmp_path: Path) -> None:
    cell = {"bytes": None, "path": "https://example.org/a.png"}
    write_parquet(tmp_path / "a.parquet", mind2web_row(0, {"op": "CLICK"}, screenshot=cell))
    [episode], told = read_and_listen(MULTIMODAL_MIND2WEB, tmp_path)
    assert "is an address, not fetched: https://example.org" in told[0]
    assert not episode.steps[0].observation.screenshot.recorded


@pytest.mark.parametrize(
    "cell",
    [
        picture(1),
        [{"bytes": picture(1), "path": None}],
        {"bytes": None, "path": "shots/a.png"},
        "shots/a.png",
        b64encode(picture(1)).decode(),
        f"data:image/png;base64,{b64encode(picture(1)).decode()}",
    ],
)
def test_a_picture_of_a_table_may_be_bytes_a_file_or_a_text(tmp_path: Path, cell: object) -> None:
    (tmp_path / "shots").mkdir()
    (tmp_path / "shots/a.png").write_bytes(picture(1))
    operation = {"original_op": "CLICK", "value": ""}
    candidate = {"attributes": {"bounding_box_rect": "10,20,30,40"}}
    row = mind2web_row(0, operation, screenshot=cell, pos_candidates=[candidate])
    row["operation"] = operation
    write_parquet(tmp_path / "a.parquet", row, {**row, "target_action_index": None})
    [episode], told = read_and_listen(MULTIMODAL_MIND2WEB, tmp_path)
    (step,) = episode.steps
    assert (step.observation.screenshot.data, step.refused) == (picture(1), "")
    assert any("has the steps 0, 1000000000" in one for one in told)


def guiact(uid: str, actions: JsonValue, **other: JsonValue) -> dict[str, JsonValue]:
    size: JsonValue = {"width": 100, "height": 200}
    record: dict[str, JsonValue] = {
        "uid": uid, "image_id": uid, "image_size": size, "question": "Find it", "thoughts": "",
        "actions_history": [], "logs": [], "actions_label": actions, **other,
    }  # fmt: skip
    return record


def related(text: str) -> JsonValue:
    return {"related": text, "absolute": ""}


AT: JsonValue = related("<point>0.25, 0.5</point>")
BOX: JsonValue = related("<box>0.2, 0.4, 0.3, 0.6</box>")
PAIR: JsonValue = {"related": {"from": "<point>0.1, 0.2</point>", "to": "<point>0.3, 0.4</point>"}}
TURN: JsonValue = {"related": {"down": "0.50", "right": "0.00"}, "absolute": {"down": 1}}
START, END = Point(0.1, 0.2), Point(0.3, 0.4)
MIDDLE = Point(0.25, 0.5)


@pytest.mark.parametrize(
    ("label", "action"),
    [
        ([{"name": "Click", "element": BOX}], Tap(at=MIDDLE)),
        ([{"name": "click", "point": AT, "element": BOX}], Tap(at=MIDDLE)),
        ([{"name": "hover", "point": AT}], Hover(at=MIDDLE)),
        ([{"name": "input", "point": AT, "text": "x"}], TypeText(text="x", at=MIDDLE)),
        ([{"name": "input", "text": "x"}], TypeText(text="x")),
        ([{"name": "scroll", "scroll": TURN}], Scroll(at=Point(0.5, 0.5), dy=0.5)),
        ([{"name": "select_text", "dual_point": PAIR}], Drag(start=START, end=END)),
        ([{"name": "copy", "text": "x"}], Hotkey(keys=("control", "c"))),
        ([{"name": "answer", "text": "task complete"}], Answer(text="task complete")),
        ({"name": "tap", "point": AT}, Tap(at=MIDDLE)),
        ({"name": "swipe", "dual_point": PAIR}, Swipe(start=START, end=END)),
        ({"name": "enter"}, PressKey(key="enter")),
        ({"name": "go_back"}, PressKey(key="back")),
        ({"name": "task_complete"}, Finish()),
        ({"name": "answer", "text": "task impossible"}, Finish(outcome="infeasible")),
    ],
)
def test_every_action_of_guiact_has_its_word(
    tmp_path: Path, label: JsonValue, action: Action
) -> None:
    file = tmp_path / "web-single_train_data.json"
    file.write_text(json.dumps([guiact("uid_image_a_qa_01", label, thoughts="why")]))
    (tmp_path / "images/web-single").mkdir(parents=True)
    (tmp_path / "images/web-single/uid_image_a_qa_01.png").write_bytes(picture())
    assert recognized(tmp_path) == {(file.name, "guiact")}
    [episode], told = read_and_listen(GUIACT, file)
    assert not told
    (step,) = episode.steps
    found = step.decision.action
    if isinstance(found, Tap):
        assert isinstance(action, Tap)
        assert found.at.distance(action.at) < 1e-9
    else:
        assert found == action
    assert step.decision.reasoning == "why"


def test_the_pictures_of_guiact_are_read_out_of_their_table(tmp_path: Path) -> None:
    ids = [f"uid_episode_7_step_0{number}" for number in range(3)]
    steps = [guiact(id_, {"name": "tap", "point": AT}) for id_ in ids]
    bad = guiact("uid_episode_7_step_03", {"name": "tap", "point": related("<point>2, 0</point>")})
    gap = guiact("uid_episode_7_step_05", {"name": "enter"})
    (tmp_path / "smartphone_test_data.json").write_text(json.dumps([*steps[::-1], bad, gap]))
    write_parquet(
        tmp_path / "smartphone_test_images.parquet",
        *({"image_id": id_, "base64": b64encode(picture(1)).decode()} for id_ in ids),
    )
    [episode], told = read_and_listen(GUIACT, tmp_path)
    assert [step.observation.screenshot.recorded for step in episode.steps] == [True] * 3 + [False]
    assert [bool(step.refused) for step in episode.steps] == [False] * 3 + [True]
    assert episode.outcome == "interrupted"
    assert any("step 4 is missing" in one for one in told)


def test_steps_of_guiact_are_in_the_order_of_their_histories(tmp_path: Path) -> None:
    histories = ["", "step 0: click", "step 0: click\nstep 1: click"]
    steps = [
        guiact(
            f"uid_record_00159_step_{number:02}",
            [{"name": "answer", "text": str(at)}],
            actions_history=history,
        )
        for at, (number, history) in enumerate(zip((0, 3, 5), histories, strict=True))
    ]
    file = tmp_path / "data/web-multi_train_data.json"
    file.parent.mkdir()
    file.write_text(json.dumps(steps))
    shots = tmp_path / "images/guiact/web-multi/record_00159"  # as GUICourse's converter has them
    shots.mkdir(parents=True)
    for number in (0, 3, 5):
        (shots / f"step_{number:02}.png").write_bytes(picture(number))
    [episode], told = read_and_listen(GUIACT, file)
    assert not told
    assert [step.decision.action for step in episode.steps] == [
        Answer(text="0"), Answer(text="1"), Answer(text="2"),
    ]  # fmt: skip


def test_a_name_of_guiact_that_comes_twice_is_two_episodes(tmp_path: Path) -> None:
    uid, other = "uid_record_1_step_00", "Find another"
    label: JsonValue = [{"name": "answer", "text": "a"}]
    better: JsonValue = [{"name": "answer", "text": "b"}]
    steps = [guiact(uid, label), guiact(uid, label, question=other), guiact(uid, better)]
    (tmp_path / "web-multi_test_data.json").write_text(json.dumps(steps))
    for part, number in (("train", 1), ("test", 2)):
        folder = tmp_path / "images/web-multi" / part
        folder.mkdir(parents=True)
        (folder / f"{uid}.png").write_bytes(picture(number))
    episodes, told = read_and_listen(GUIACT, tmp_path)
    assert not told
    assert [(one.instruction, one.steps[0].decision.action) for one in episodes] == [
        ("Find it", Answer(text="a")),
        ("Find it", Answer(text="b")),
        ("Find another", Answer(text="a")),
    ]
    assert {one.steps[0].observation.screenshot.data for one in episodes} == {picture(2)}


def test_a_turn_of_guiact_by_nothing_is_refused(tmp_path: Path) -> None:
    nothing: JsonValue = {"related": {"down": "0.00", "right": "0.00"}}
    step = guiact("uid_image_a_qa_01", [{"name": "scroll", "scroll": nothing}])
    (tmp_path / "web-single_train_data.json").write_text(json.dumps([step]))
    (tmp_path / "uid_image_a_qa_01.png").write_bytes(picture())
    [_], [told] = read_and_listen(GUIACT, tmp_path)
    assert "no action of ours stands for 'scroll'" in told


def test_an_element_that_is_not_on_the_page_is_not_touched(tmp_path: Path) -> None:
    def candidate(box: str) -> str:
        attributes = json.dumps({"bounding_box_rect": box})
        return json.dumps({"tag": "a", "attributes": attributes})

    places = [candidate("-1,-1,-1,-1"), candidate("10,20,30,40")]
    rows = [
        mind2web_row(0, {"original_op": "CLICK", "value": ""}, pos_candidates=places),
        mind2web_row(1, {"original_op": "CLICK", "value": ""}, pos_candidates=places[:1]),
    ]
    write_parquet(tmp_path / "a.parquet", *rows)
    [episode], [told] = read_and_listen(MULTIMODAL_MIND2WEB, tmp_path)
    assert episode.steps[0].decision.action == Tap(at=from_pixel(25, 40, SIZE))
    assert "touches an element that is not in the page" in told


def test_a_demonstration_of_learn_gui_is_amex_one_folder_deeper(tmp_path: Path) -> None:
    step = {"image_path": "x.png", "action": "TAP", "touch_coord": [10, 20]}
    for name in ("instruction_anno/instruction_anno", "screenshots", "element_anno/element_anno"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "screenshots/x.png").write_bytes(picture())
    read = {"episode_id": "e", "instruction": "Go", "steps": [step]}
    (tmp_path / "instruction_anno/instruction_anno/x.json").write_text(json.dumps(read))
    element = {"bbox": [0, 0, 50, 50], "xml_desc": ["Search"]}
    elements = {"clickable_elements": [element], "scrollable_elements": []}
    (tmp_path / "element_anno/element_anno/x.json").write_text(json.dumps(elements))
    [episode], told = read_and_listen(AMEX, tmp_path / "instruction_anno")
    assert not told
    assert episode.steps[0].observation.screenshot.data == picture()
    assert episode.steps[0].observation.ui_tree is not None


def test_a_demonstration_of_amex_has_its_elements_and_its_app(tmp_path: Path) -> None:
    actions: list[dict[str, JsonValue]] = [
        {"action": "TAP", "touch_coord": [10, 20], "lift_coord": [10, 20]},
        {"action": "SWIPE", "touch_coord": [10, 150], "lift_coord": [10, 50]},
        {"action": "TYPE", "type_text": "tea"},
        {"action": "PRESS_ENTER"},
        {"action": "FLY"},
        {"action": "TASK_COMPLETE"},
    ]
    shared: dict[str, JsonValue] = {"package_name": "com.shop", "device_dim": [100, 200]}
    steps: list[JsonValue] = [
        {"step_id": n, "image_path": f"x-{n}.png", "touch_coord": None, **shared, **one}
        for n, one in enumerate(actions)
    ]
    for name in ("instruction_anno", "screenshot", "element_anno"):
        (tmp_path / name).mkdir()
    for number in range(len(steps)):
        (tmp_path / f"screenshot/x-{number}.png").write_bytes(picture(number))
    read = {"episode_id": "e", "instruction": "Buy tea", "steps": steps}
    (tmp_path / "instruction_anno/x.json").write_text(json.dumps(read))
    element = {"bbox": [0, 0, 50, 50], "xml_desc": ["Search"], "functionality": "finds"}
    elements = {"clickable_elements": [element], "scrollable_elements": []}
    (tmp_path / "element_anno/x-0.json").write_text(json.dumps(elements))
    assert recognized(tmp_path) == {("x.json", "amex")}
    [episode], [told] = read_and_listen(AMEX, tmp_path / "instruction_anno")
    assert [step.decision.action for step in episode.steps] == [
        Tap(at=from_pixel(10, 20, SIZE)),
        Swipe(start=from_pixel(10, 150, SIZE), end=from_pixel(10, 50, SIZE)),
        TypeText(text="tea"),
        PressKey(key="enter"),
        Wait(duration_s=0),
        Finish(),
    ]
    assert "unknown action 'FLY'" in told
    seen = episode.steps[0].observation
    assert (seen.app, episode.instruction) == ("com.shop", "Buy tea")
    assert episode.outcome == "success"
    assert seen.ui_tree is not None
    assert seen.ui_tree.nodes[0].text == "Search"


def test_a_chinese_phone_of_cagui_is_read_as_aitz_is(tmp_path: Path) -> None:
    def step(number: int, kind: int, episode: JsonValue = "c") -> dict[str, JsonValue]:
        return {
            "episode_id": episode, "episode_length": 2, "step_id": number, "instruction": "找茶",
            "image_path": f"domestic/c/c_{number}.jpeg", "image_width": 100, "image_height": 200,
            "ui_positions": "[[0.1, 0.2, 0.3, 0.4]]", "result_action_type": kind,
            "result_action_text": "", "result_touch_yx": "[0.5, 0.25]",
            "result_lift_yx": "[0.5, 0.25]", "duration": 1500,
        }  # fmt: skip

    folder = tmp_path / "domestic/c"
    folder.mkdir(parents=True)
    for number in range(2):
        (folder / f"c_{number}.jpeg").write_bytes(picture(number, kind="JPEG"))
    (folder / "c.json").write_text(json.dumps([step(0, 0), step(1, 1)]))
    assert recognized(tmp_path) == {("c.json", "aitz")}
    [episode], told = read_and_listen(AITZ, tmp_path)
    assert not told
    assert [step.decision.action for step in episode.steps] == [
        LongPress(at=MIDDLE, duration_s=1.5),
        Wait(duration_s=1.5),
    ]
    assert episode.steps[0].observation.ui_tree is not None
    assert episode.steps[0].observation.ui_tree.nodes[0].attributes["bounds"] == "[20,20][60,80]"

    more: JsonValue = {"low_instruction": "Tap it", "subset": "android_control"}
    assert isinstance(more, dict)
    (folder / "c.json").write_text(json.dumps([step(0, 4, 17) | more, step(1, 10, 17) | more]))
    [episode], told = read_and_listen(AITZ, tmp_path)  # as AgentCPM-GUI makes AndroidControl
    assert not told
    assert (episode.id, episode.steps[0].step_instruction) == ("aitz-17", "Tap it")


@pytest.mark.parametrize(
    ("kind", "screen", "boxes"),
    [("web", "screen1.png", "screen1_boxes.json"), ("desktop", "screen_1.png", "screen_1.json")],
)
def test_a_task_of_omniact_is_done_by_its_script(
    tmp_path: Path, kind: str, screen: str, boxes: str
) -> None:
    places = {
        "task": Path(f"data/tasks/{kind}/clock/task_1.1.txt"),
        "image": Path(f"data/data/{kind}/clock/screen_1.png"),
        "box": Path(f"data/metadata/{kind}/boxes/clock/screen_1.json"),
    }
    for place in places.values():
        (tmp_path / place).parent.mkdir(parents=True)
    script = (
        "Task: Record a lap\nOutput Script:\npyautogui.click(50.5,100.5)\npyautogui.hotKey('a')"
    )
    (tmp_path / places["task"]).write_text(script)
    (tmp_path / places["image"].with_name(screen)).write_bytes(picture())
    corners = {"top_left": [40, 90], "bottom_right": [60, 110]}
    box = {"0": {**corners, "label": "lap_button"}, "1": {**corners, "label": 7}}
    (tmp_path / places["box"].with_name(boxes)).write_text(json.dumps(box))
    listed = {"0": {name: place.as_posix() for name, place in places.items()}}
    (tmp_path / "train.json").write_text(json.dumps(listed))
    assert recognized(tmp_path) == {("train.json", "omniact")}
    [episode], told = read_and_listen(OMNIACT, tmp_path)
    assert not told
    (first,) = episode.steps
    assert first.decision.actions[0] == Tap(at=from_pixel(50, 100, SIZE))
    assert len(first.decision.actions) == 2
    assert (episode.instruction, episode.extra["apps"]) == ("Record a lap", "clock")
    assert first.observation.ui_tree is not None
    assert first.observation.ui_tree.nodes[0].text == "lap button"


def test_a_run_of_gui_360_keeps_what_a_hand_can_do(tmp_path: Path) -> None:
    def line(number: int, action: dict[str, JsonValue], status: str = "CONTINUE") -> str:
        turn = {
            "screenshot_clean": f"success/e_1/action_step{number}.png", "subtask": "Open it",
            "thought": "I see it.", "action": action, "status": status, "ui_tree": "…",
        }  # fmt: skip
        return json.dumps(
            {
                "execution_id": "e_1", "app_domain": "excel", "request": "Use ATAN",
                "step_id": number, "total_steps": 5, "step": turn,
                "evaluation": {"complete": "yes", "reason": "…"},
            }
        )  # fmt: skip

    place: dict[str, JsonValue] = {"coordinate_x": 10.0, "coordinate_y": 20.5}
    box: JsonValue = {"left": 0, "top": 10, "right": 20, "bottom": 30}
    drag: JsonValue = {
        "start_x": 10, "start_y": 20, "end_x": 30, "end_y": 40, "key_hold": "shift",
    }  # fmt: skip
    lines = [
        line(1, {"function": "click", "args": {"button": "left"}, "rectangle": box, **place}),
        line(2, {"function": "type", "args": {"text": "=1", "clear_current_text": True}, **place}),
        line(3, {"function": "set_font", "args": {"font": "Arial"}}),
        line(3, {"function": "type", "args": {"keys": "{VK_CONTROL}s{ENTER}"}, **place}),
        line(3, {"function": "drag", "args": drag}),
        line(3, {"function": "summary", "args": {"text": "…"}}),
        line(4, {"function": "", "args": {}}, "FINISH"),
        line(5, {"function": "", "args": {}}, "OVERALL_FINISH"),
    ]
    data = tmp_path / "train/data/excel/search/success"
    shots = tmp_path / "train/image/excel/search/success/e_1"
    data.mkdir(parents=True)
    shots.mkdir(parents=True)
    (data / "e_1.jsonl").write_text("\n".join(lines))
    for number in range(1, 6):
        (shots / f"action_step{number}.png").write_bytes(picture(number))
    assert recognized(tmp_path) == {("e_1.jsonl", "gui-360")}
    [episode], [told] = read_and_listen(GUI_360, tmp_path)
    at = from_pixel(10, 20, SIZE)
    assert [step.decision.actions for step in episode.steps] == [
        (Tap(at=at),),
        (TypeText(text="=1", at=at, clear=True),),
        (Wait(duration_s=0),),
        (Tap(at=at), Hotkey(keys=("control", "s")), PressKey(key="enter")),
        (Drag(start=from_pixel(10, 20, SIZE), end=from_pixel(30, 40, SIZE), held=("shift",)),),
        (Finish(),),
    ]
    assert "no action of ours stands for 'set_font'" in told
    assert (episode.outcome, episode.extra["apps"]) == ("success", "excel")
    assert episode.steps[0].decision.reasoning == "I see it."
    assert episode.steps[0].observation.ui_tree is not None
