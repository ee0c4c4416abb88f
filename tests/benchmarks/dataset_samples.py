"""The published layouts of grounding benchmarks, each with a few rows, for tests."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tapwright.core.geometry import Size
from tapwright.devices.fake import painted_scene

SIZE = Size(100, 200)
SCREENSPOT_ROW = {
    "img_filename": "one.png",
    "bbox": [10, 20, 30, 40],
    "instruction": "open settings",
    "data_type": "icon",
    "data_source": "ios",
}
PRO_ROW = {
    "id": "word_0",
    "img_filename": "office/one.png",
    "bbox": [10, 20, 40, 60],
    "img_size": [100, 200],
    "instruction": "make it bold",
    "instruction_cn": "加粗",
    "application": "word",
    "platform": "windows",
    "ui_type": "icon",
    "group": "Office",
}
OSWORLD_ROW = {
    "id": "a-0",
    "image_path": "one.png",
    "image_size": [100, 200],
    "instruction": "click Save",
    "box_type": "bbox",
    "box_coordinates": [10, 20, 30, 40],
    "GUI_types": ["Button"],
}
POLYGON_ROW = {
    **OSWORLD_ROW,
    "id": "a-1",
    "box_type": "polygon",
    "box_coordinates": [0, 0, 100, 0, 0, 200],
}
REFUSAL_ROW = {**OSWORLD_ROW, "id": "a-2", "box_type": "refusal", "box_coordinates": [-1] * 4}
UI_VISION_ROW = {
    "image_path": "element_grounding/one.png",
    "image_size": [100, 200],
    "bbox": [40, 20, 10, 60],
    "prompt_to_evaluate": "Undo",
    "platform": "GIMP",
    "element_type": "icon",
}


def write(root: Path, pictures: tuple[str, ...], files: Mapping[str, list[Any]]) -> Path:
    """Annotation files by their paths below `root`, with the pictures that they name."""
    for name in pictures:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(painted_scene(1, SIZE).picture)
    for name, rows in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(json.dumps(rows), "utf-8")
    return root


def screenspot(root: Path, *rows: Any) -> Path:
    files = {f"screenspot_{kind}.json": list(rows) for kind in ("mobile", "desktop", "web")}
    return write(root, ("screenspot_imgs/one.png",), files)


def screenspot_v2(root: Path, *rows: Any) -> Path:
    files = {f"screenspot_{kind}_v2.json": list(rows) for kind in ("mobile", "desktop", "web")}
    return write(root, ("screenspotv2_image/one.png",), files)


def screenspot_pro(root: Path, *rows: Any) -> Path:
    return write(root, ("images/office/one.png",), {"annotations/word_windows.json": list(rows)})


def osworld_g(root: Path, *rows: Any) -> Path:
    files = {f"benchmark/OSWorld-G{end}.json": list(rows) for end in ("", "_refined")}
    return write(root, ("benchmark/images/one.png",), files)


def ui_vision(root: Path, *rows: Any) -> Path:
    folder = "annotations/element_grounding/element_grounding"
    files = {f"{folder}_{kind}.json": list(rows) for kind in ("basic", "functional", "spatial")}
    return write(root, ("images/element_grounding/one.png",), files)


LAYOUTS: Mapping[str, tuple[Callable[..., Path], Mapping[str, Any]]] = {
    "osworld-g": (osworld_g, OSWORLD_ROW),
    "osworld-g-refined": (osworld_g, OSWORLD_ROW),
    "screenspot": (screenspot, SCREENSPOT_ROW),
    "screenspot-pro": (screenspot_pro, PRO_ROW),
    "screenspot-pro-cn": (screenspot_pro, PRO_ROW),
    "screenspot-v2": (screenspot_v2, SCREENSPOT_ROW),
    "ui-vision": (ui_vision, UI_VISION_ROW),
}
"""For each benchmark who writes its layout, and one row of it."""
