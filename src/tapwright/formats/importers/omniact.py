"""OmniACT: one task on one screen of a desktop or a web page, with the script that does it.

    train.json, test.json    a number for each task: the paths of task, image and box
    data/tasks/…/task_1.txt  "Task: …", and under "Output Script:" lines of PyAutoGUI
    data/data/…/screen_1.png
    data/metadata/…/boxes/…  the elements: top_left, bottom_right, label

https://huggingface.co/datasets/Writer/omniact. Of a web page the image is called screen1.png where
its list says screen_1.png, and its boxes screen1_boxes.json: that is how others' processors find
them. Places are pixels of the image. A task is an episode of one step: its
script.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from pydantic import Field, TypeAdapter

from tapwright.conventions.pyautogui import CallPointer
from tapwright.core.episode import APPS, Episode, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.foreign_record import (
    ForeignRecord,
    build_flat_tree,
    find_files,
    head_contains,
    make_steps,
    parse_json,
    read_bytes,
    read_or_report,
    read_screen,
    resolve_file,
)
from tapwright.formats.importers.keeping import (
    DESKTOP,
    keep_steps,
    note_no_instruction,
    see_screens,
)
from tapwright.formats.importers.pyautogui import parse_code

__all__ = ["OMNIACT", "OmniAct"]

_TASK, _SCRIPT = "Task:", "Output Script:"


class _Entry(ForeignRecord):
    UNUSED = frozenset({"ocr", "color", "icon"})

    task: str
    image: str
    box: str = ""


class _Box(ForeignRecord):
    UNUSED = frozenset({"valid", "coords"})

    top_left: list[float] = Field(min_length=2, max_length=2)
    bottom_right: list[float] = Field(min_length=2, max_length=2)
    label: str = ""


_ENTRIES: TypeAdapter[dict[str, _Entry]] = TypeAdapter(dict[str, _Entry])
_BOXES: TypeAdapter[dict[str, _Box]] = TypeAdapter(dict[str, _Box])


class OmniAct:
    """Reads OmniACT."""

    name = "omniact"

    def recognizes(self, path: Path) -> bool:
        """Whether a file is one of its lists."""
        return head_contains(path, ".json", b'"task"', b'"image"', b'"box"', b"/tasks/")

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the tasks of a list, or of those below a directory.

        Raises:
            ForeignDataError: no such file exists, or it is no such list.
        """
        found = False
        for file in find_files(path, "*.json"):
            if file != path and not self.recognizes(file):
                continue
            found = True
            for number, entry in parse_json(_ENTRIES, read_bytes(file), str(file)).items():
                where = f"{file}, {number}"
                yield read_or_report(where, partial(_build_episode, file.parent, entry, where))
        if not found:
            raise ForeignDataError(f"{path}: no list of tasks in it")


OMNIACT = OmniAct()


def _build_episode(root: Path, entry: _Entry, where: str) -> Episode:
    told = read_bytes(resolve_file([root], entry.task)).decode("utf-8", "replace")
    task, script = _split(told)
    (seen,) = see_screens([(where, partial(_look, root, entry.image))], DESKTOP)
    if (boxes := _find([root], _names(entry.box, "_boxes"))) is not None:
        seen = seen.with_tree(partial(_build_tree, boxes), where)
    steps = keep_steps(seen, partial(_make_steps, script, where), recorded=script)
    parts = Path(entry.task).parts
    name = "-".join(parts[parts.index("tasks") + 1 :] if "tasks" in parts else parts)
    return Episode(
        id=f"omniact-{name.removesuffix('.txt')}",
        task_id=entry.task,
        instruction=task or note_no_instruction(where),
        steps=tuple(steps),
        agent="human",
        device=parts[-3] if len(parts) > 2 else "",
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
            return resolve_file(folders, name)
        except ForeignDataError:
            continue
    return None


def _look(root: Path, name: str) -> Observation:
    found = _find([root], _names(name, ""))
    return read_screen(found if found is not None else resolve_file([root], name))


def _build_tree(file: Path, size: Size) -> UiTree | None:
    nodes = [
        {
            "text": box.label.replace("_", " "),
            "clickable": "true",
            "bounds": "[{:.0f},{:.0f}][{:.0f},{:.0f}]".format(*box.top_left, *box.bottom_right),
        }
        for box in parse_json(_BOXES, read_bytes(file), str(file)).values()
    ]
    return build_flat_tree(nodes, size, str(file)) if nodes else None


def _make_steps(script: str, where: str, seen: Observation) -> list[Step]:
    actions, log = parse_code(script, CallPointer(seen.size, "pixel"), where)
    if not actions:
        raise ForeignDataError(f"{where}: its script does nothing")
    return make_steps(seen, actions, log=log)
