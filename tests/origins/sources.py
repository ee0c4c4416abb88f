"""What each importer reads, small and as its makers lay it out, for what comes after an import."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.formats import (
    test_agentnet,
    test_android_control,
    test_dual_point,
    test_gui_odyssey,
)
from tests.formats import test_atif as atif_files
from tests.formats import test_conversations as rollouts
from tests.formats import test_cube as cube_files
from tests.formats import test_published_sets as published
from tests.formats import test_screenagent as screenagent
from tests.formats import test_weblinx as weblinx_files
from tests.formats.foreign import picture, write_records

GOLDEN = Path(__file__).parents[1] / "golden"
IN_GOLDEN = {
    "agentlab": "agentlab",
    "agentnetbench": "agentnetbench",
    "inspect": "inspect/notes.eval",
    "mobiagent": "mobiagent/data",
    "mobile-env": "mobile_env_pickles/resaved",
    "osworld": "osworld",
}
"""Recorded by the originals, or as they do; each has its ORIGIN.md."""


def android_control(folder: Path) -> None:
    tap = test_android_control.record({"action_type": "click", "x": 9, "y": 19})
    write_records(folder / "android_control.tfrecord", tap)


def aitw(folder: Path) -> None:
    steps = (test_dual_point.aitw_step(number, 2) for number in range(2))
    write_records(folder / "general-00000-of-00001", *steps)


def aitz(folder: Path) -> None:
    ends = test_dual_point.aitz_step(1, 2, result_action_type=10)
    test_dual_point.lay_out(folder / "GENERAL-7", test_dual_point.aitz_step(0, 2), ends)


def gui_odyssey(folder: Path) -> None:
    tap: dict[str, Any] = {"action": "CLICK", "info": [[250, 500]]}
    end: dict[str, Any] = {"action": "COMPLETE", "info": ""}
    test_gui_odyssey.lay_out(folder, tap, end)


def agentnet(folder: Path) -> None:
    codes = ("pyautogui.click(x=0.5, y=0.25)", "computer.terminate(status='success')")
    test_agentnet.lay_out(folder, *codes, task_completed=True)


def atif(folder: Path) -> None:
    click: dict[str, object] = {"type": "click", "x": 20, "y": 30}
    atif_files.trajectory(folder, [{"function_name": "computer_action", "arguments": click}])


def multimodal_mind2web(folder: Path) -> None:
    rows = [
        published.mind2web_row(number, {"original_op": kind, "value": "tea"}, action_reprs=["", ""])
        for number, kind in enumerate(("CLICK", "TYPE"))
    ]
    published.write_parquet(folder / "data/train-00000-of-00001-ab.parquet", *rows)


def guiact(folder: Path) -> None:
    steps = [
        published.guiact("uid_episode_7_step_00", {"name": "tap", "point": published.AT}),
        published.guiact("uid_episode_7_step_01", {"name": "task_complete"}),
    ]
    (folder / "smartphone_test_data.json").write_text(json.dumps(steps))
    for number, step in enumerate(steps):
        (folder / f"{step['uid']}.png").write_bytes(picture(number))


def amex(folder: Path) -> None:
    steps = [
        {"image_path": "x-0.png", "action": "TAP", "touch_coord": [10, 20],
         "package_name": "com.shop"},
        {"image_path": "x-1.png", "action": "TASK_COMPLETE", "package_name": "com.shop"},
    ]  # fmt: skip
    for name in ("instruction_anno", "screenshot", "element_anno"):
        (folder / name).mkdir()
    for number in range(len(steps)):
        (folder / f"screenshot/x-{number}.png").write_bytes(picture(number))
    read = {"episode_id": "e", "instruction": "Buy tea", "steps": steps}
    (folder / "instruction_anno/x.json").write_text(json.dumps(read))
    element = {"bbox": [0, 0, 50, 50], "xml_desc": ["Search"], "functionality": "finds"}
    elements = {"clickable_elements": [element], "scrollable_elements": []}
    (folder / "element_anno/x-0.json").write_text(json.dumps(elements))


def omniact(folder: Path) -> None:
    places = {
        "task": Path("data/tasks/web/clock/task_1.1.txt"),
        "image": Path("data/data/web/clock/screen1.png"),
        "box": Path("data/metadata/web/boxes/clock/screen1_boxes.json"),
    }
    for place in places.values():
        (folder / place).parent.mkdir(parents=True)
    script = "Task: Record a lap\nOutput Script:\npyautogui.click(50.5,100.5)"
    (folder / places["task"]).write_text(script)
    (folder / places["image"]).write_bytes(picture())
    box = {"top_left": [40, 90], "bottom_right": [60, 110], "label": "lap_button"}
    (folder / places["box"]).write_text(json.dumps({"0": box}))
    listed = {"0": {name: place.as_posix() for name, place in places.items()}}
    (folder / "train.json").write_text(json.dumps(listed))


def gui_360(folder: Path) -> None:
    data = folder / "train/data/excel/search/success"
    shots = folder / "train/image/excel/search/success/e_1"
    data.mkdir(parents=True)
    shots.mkdir(parents=True)
    place = {"coordinate_x": 10.0, "coordinate_y": 20.5}
    lines = [
        ({"function": "click", "args": {"button": "left"}, **place}, "CONTINUE"),
        ({"function": "", "args": {}}, "OVERALL_FINISH"),
    ]
    told = [
        json.dumps({
            "execution_id": "e_1", "app_domain": "excel", "request": "Use ATAN", "step_id": number,
            "total_steps": 2, "evaluation": {"complete": "yes", "reason": "…"},
            "step": {"screenshot_clean": f"success/e_1/action_step{number}.png",
                     "subtask": "Open it", "thought": "I see it.", "action": action,
                     "status": status, "ui_tree": "…"},
        })
        for number, (action, status) in enumerate(lines, start=1)
    ]  # fmt: skip
    (data / "e_1.jsonl").write_text("\n".join(told))
    for number in (1, 2):
        (shots / f"action_step{number}.png").write_bytes(picture(number))


def weblinx(folder: Path) -> None:
    load = weblinx_files.do("load", "s-0.png", properties={"url": "https://example.org/"})
    asked, click = weblinx_files.say("instructor", "Go"), weblinx_files.do("click", "s-1.png")
    weblinx_files.lay_out(folder, asked, load, click)


MADE: Mapping[str, Callable[[Path], object]] = {
    "agentnet": agentnet,
    "aitw": aitw,
    "aitz": aitz,
    "amex": amex,
    "android-control": android_control,
    "atif": atif,
    "cube": cube_files.played,
    "gui-360": gui_360,
    "gui-odyssey": gui_odyssey,
    "guiact": guiact,
    "multimodal-mind2web": multimodal_mind2web,
    "omniact": omniact,
    "openenv": rollouts.openenv,
    "screenagent": lambda folder: screenagent.lay_out(folder, [screenagent.mouse("click")]),
    "verifiers": rollouts.played,
    "weblinx": weblinx,
}


def make_source(origin: str, folder: Path) -> Path:
    """The files of an origin; those that are made are made in the new directory `folder`."""
    if origin in IN_GOLDEN:
        return GOLDEN / IN_GOLDEN[origin]
    folder.mkdir()
    MADE[origin](folder)
    return folder
