"""OmniACT: one task on one screen of a desktop or a web page, with the script that does it.

    train.json, test.json    a number for each task: the paths of task, image and box
    data/tasks/…/task_1.txt  "Task: …", and under "Output Script:" lines of PyAutoGUI
    data/data/…/screen_1.png
    data/metadata/…/boxes/…  the elements: top_left, bottom_right, label

https://huggingface.co/datasets/Writer/omniact; layout, calls and places (pixels of the image) as
ZJULiHongxin/UIPro at 8ea2b233 reads them, utils/data_utils/make_omniact_data. Of a web page the
image is called screen1.png where its list says screen_1.png, and its boxes screen1_boxes.json. A
task is an episode of one step: its script.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.conventions.pyautogui import CallPointer
from tapwright.core.episode import APPS, Episode, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import foreign_record, keeping
from tapwright.formats.importers.file_importer import FileImporter, FileKind
from tapwright.formats.importers.pyautogui import parse_code

__all__ = ["OMNIACT"]

_TASK, _SCRIPT = "Task:", "Output Script:"


class _Entry(foreign_record.ForeignRecord):
    UNUSED = frozenset({"ocr", "color", "icon"})

    task: str
    image: str
    box: str = ""


class _Box(foreign_record.ForeignRecord):
    UNUSED = frozenset({"valid", "coords"})

    top_left: list[float] = Field(min_length=2, max_length=2)
    bottom_right: list[float] = Field(min_length=2, max_length=2)
    label: JsonValue = ""


_ENTRY = TypeAdapter(_Entry)
_ENTRIES: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])
_BOXES: TypeAdapter[dict[str, _Box]] = TypeAdapter(dict[str, _Box])


def _read_file(file: Path) -> Iterator[Episode | UnreadableEpisode]:
    for number, entry in foreign_record.parse_json(
        _ENTRIES, foreign_record.read_bytes(file), str(file)
    ).items():
        where = f"{file}, {number}"
        yield foreign_record.read_or_report(
            where, partial(_build_episode, file.parent, entry, where)
        )


def _build_episode(root: Path, listed: JsonValue, where: str) -> Episode:
    entry = keeping.parse_value(_ENTRY, listed, where)
    told = foreign_record.read_bytes(foreign_record.resolve_file([root], entry.task)).decode(
        "utf-8", "replace"
    )
    task, script = _split(told)
    (seen,) = keeping.see_screens(
        [(where, partial(_find_screen, root, entry.image))], keeping.DESKTOP
    )
    if (boxes := _find([root], _names(entry.box, "_boxes"))) is not None:
        seen = seen.with_tree(partial(_build_tree, boxes), where)
    steps = keeping.keep_steps(seen, partial(_make_steps, script, where), recorded=script)
    parts = Path(entry.task).parts
    name = "-".join(parts[parts.index("tasks") + 1 :] if "tasks" in parts else parts)
    return Episode(
        id=f"omniact-{name.removesuffix('.txt')}",
        task_id=entry.task,
        instruction=task or keeping.note_no_instruction(where),
        steps=tuple(steps),
        agent="human",
        device=parts[-3] if len(parts) > 2 else "",
        outcome="success",
        extra={APPS: parts[-2]} if len(parts) > 1 else {},
    )


def _split(text: str) -> tuple[str, str]:
    """What is asked, and the script."""
    before, _, script = text.partition(_SCRIPT)
    return before.strip().removeprefix(_TASK).strip(), script.strip()


def _names(name: str, ending: str) -> Sequence[str]:
    """The names of a file in the list, and as a web page's is called on disk."""
    path = Path(name.replace("screen_", "screen"))
    return [name, str(path), str(path.with_stem(f"{path.stem}{ending}"))] if name else []


def _find(folders: Sequence[Path], names: Sequence[str]) -> Path | None:
    for name in names:
        try:
            return foreign_record.resolve_file(folders, name)
        except ForeignDataError:
            continue
    return None


def _find_screen(root: Path, name: str) -> Observation:
    found = _find([root], _names(name, ""))
    return (
        foreign_record.find_screen([root], name)
        if found is None
        else foreign_record.read_screen(found)
    )


def _build_tree(file: Path, size: Size) -> UiTree | None:
    nodes = [
        {
            "text": box.label.replace("_", " ") if isinstance(box.label, str) else "",
            "clickable": "true",
            "bounds": foreign_record.bounds(*box.top_left, *box.bottom_right),
        }
        for box in foreign_record.parse_json(
            _BOXES, foreign_record.read_bytes(file), str(file)
        ).values()
    ]
    return foreign_record.build_flat_tree(nodes, size, str(file)) if nodes else None


def _make_steps(script: str, where: str, seen: Observation) -> list[Step]:
    actions, log = parse_code(script, CallPointer(seen.size, "pixel"), where)
    if not actions:
        raise ForeignDataError(f"{where}: its script does nothing")
    return foreign_record.make_steps(seen, actions, log=log)


OMNIACT = FileImporter(
    "omniact",
    FileKind(
        ("train*.json", "test*.json", "val*.json", "dev*.json"),
        "list of tasks",
        lambda path: foreign_record.head_contains(
            path, ".json", b'"task"', b'"image"', b'"box"', b"/tasks/"
        ),
        _read_file,
    ),
)
