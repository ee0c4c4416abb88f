"""Data that is known and that no importer reads: what it is, and the way forward."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from json import detect_encoding
from pathlib import Path

from tapwright.errors import quote_path
from tapwright.files.regular import open_regular
from tapwright.formats.importers.parquet_rows import table_schema

__all__ = ["describe_known", "describe_own", "read_head"]

_OWN_PARTS = (
    "it is not read: write it in a layout of docs/formats.md, or add a reader, which is one file "
    "(docs/concepts/architecture.md, To add one)"
)
_HEAD_BYTES = 1 << 18
_CHILDREN = 50


def describe_own(folder: Path) -> str:
    """That a directory is a store or a pack of tapwright's, and which command reads it; else ""."""
    if (folder / "pack.jsonl").is_file() and (folder / "episodes").is_dir():
        return f"{folder}: is a packed data set: tapwright episodes unpack {quote_path(folder)}"
    if _is_episode(folder):
        folder = folder.parent
    elif not any(map(_is_episode, _some_children(folder))):
        return ""
    copy = f"tapwright episodes copy {quote_path(folder)} STORE"
    return f"{folder}: is a store of episodes, as an import makes one: {copy}"


def _is_episode(folder: Path) -> bool:
    return os.path.isfile(folder / "episode.json") and os.path.isfile(folder / "steps.jsonl")


def _some_children(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(one.path) for one in islice(entries, _CHILDREN) if one.is_dir()]
    except OSError:
        return []


@dataclass(frozen=True, slots=True)
class _Known:
    """A data set by what its files say: all of the `marks` in its head, or its Parquet columns."""

    title: str
    marks: tuple[str, ...]
    way: str = ""

    def fits(self, text: bytes, quotes: str) -> bool:
        """Whether all marks are in a text, which has them without these quotes."""
        return all(mark.strip(quotes).encode() in text for mark in self.marks)


_GROUNDING = (
    "has elements, not recordings: write it as ScreenSpot's files, and train on them by "
    "`sft export DIR --targets screenspot`"
)
_BENCHMARK = (
    "it has questions about pictures, not recordings: `tapwright eval run {0} --data DIR` asks them"
)
_ELEMENTS = f"{_BENCHMARK}, `tapwright sft export DIR --targets {{0}}` teaches them"
_NUMBERS = (
    "its actions are numbers of a robot: of a set that `sft export --to lerobot` wrote import the "
    "store that it was made of"
)
_CONVERSATIONS = (
    "has conversations in a trainer's form already: train on it as it is, beside what is exported"
)
# Read off the data sets' own cards and loaders; the first that fits counts.
_KNOWN = (
    _Known(
        "Mind2Web",
        ("annotation_id", "confirmed_task", "action_reprs"),
        "it has pages without pictures: take Multimodal-Mind2Web, which has them (tapwright data "
        "get multimodal-mind2web)",
    ),
    _Known("GUIAct's pictures", ("base64",), "they belong to its JSON files, *_data.json"),
    _Known("ShowUI-desktop", ("img_url", "img_size", "element"), _GROUNDING),
    _Known("Rico", ("activity_name", "is_keyboard_deployed"), _GROUNDING),
    _Known(
        "WebLINX",
        ("turn_info", "action_history"),
        "it has turns without pictures: take its demonstrations, which have them (tapwright data "
        "get weblinx)",
    ),
    _Known("OSWorld-G", ("box_type", "box_coordinates"), _ELEMENTS.format("osworld-g")),
    _Known("UI-Vision", ("prompt_to_evaluate", "image_path"), _ELEMENTS.format("ui-vision")),
    _Known(
        "ScreenSpot-Pro",
        ("img_filename", "ui_type", "application"),
        _ELEMENTS.format("screenspot-pro"),
    ),
    _Known("ScreenSpot", ("img_filename", "data_type"), _ELEMENTS.format("screenspot-v2")),
    _Known("MMBench-GUI's L2", ("grounding_type", "bbox"), _ELEMENTS.format("l2")),
    _Known("MMBench-GUI's L1", ("difficulty", "question", "options"), _BENCHMARK.format("l1")),
    _Known("CAGUI's grounding", ("abs_position", "rel_position"), _GROUNDING),
    _Known("LeRobot", ("codebase_version", "robot_type"), _NUMBERS),
    _Known("LeRobot", ("episode_index", "frame_index", "task_index"), _NUMBERS),
    _Known("conversations", ('"conversations"', '"from"', '"value"'), _CONVERSATIONS),
    _Known("conversations", ('"messages"', '"role"', '"content"'), _CONVERSATIONS),
    _Known("conversations, as those of UGround", ('"conversations"', '"image"'), _CONVERSATIONS),
)
_NAMES = {
    "os-genesis": "OS-Genesis", "os_genesis": "OS-Genesis", "agenttrek": "AgentTrek",
    "gui-net": "GUI-Net", "guinet": "GUI-Net", "uground": "UGround", "openadapt": "OpenAdapt",
    "weblinx": "WebLINX", "showui": "ShowUI-desktop", "omniact": "OmniACT", "mind2web": "Mind2Web",
    "guiact": "GUIAct", "amex": "AMEX", "rico": "Rico", "lerobot": "LeRobot",
}  # fmt: skip
_WHOLE = "get the file again"
_TABLES = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")
_MAGIC: Mapping[bytes, str] = {
    b"SQLite format 3\0": "an SQLite database, as OpenAdapt records into: export its recording "
    "there, and read that",
    b"\x89HDF": "an HDF5 file",
    b"\x1f\x8b": "compressed: gunzip it, and import what comes out",
    b"\x28\xb5\x2f\xfd": "compressed: unzstd it, and import what comes out",
    b"\xfd7zXZ": "compressed: unxz it, and import what comes out",
    b"BZh": "compressed: bunzip2 it, and import what comes out",
    b"7z\xbc\xaf": "an archive of 7-Zip: unpack it, and import the directory",
    b"PK\3\4": "a zip archive by another name: call it *.zip",
    b"Rar!": "an archive of RAR: unpack it, and import the directory",
    b"\0" * 64: f"zeros from its start on, as a disk or a copy that failed leaves them: {_WHOLE}",
}
_TEXTS = (".json", ".jsonl", ".ndjson")
_HALVES = (".part", ".partial", ".incomplete", ".crdownload", ".download", ".aria2", ".tmp")
"""What downloads call a file that is not whole."""
_HALF = "half a download: get the rest of it"


def describe_known(path: Path) -> str:
    """What an unread file is, if its content or its path says so, and what to do; else ""."""
    if path.suffix.lower() in _HALVES:
        return f"it is {_HALF}"
    head = read_head(path, _HEAD_BYTES)
    for magic, words in _MAGIC.items():
        if head.startswith(magic):
            return f"it is {words}"
    encoding = detect_encoding(head) if path.suffix.lower() in _TEXTS else "utf-8"
    if not encoding.startswith("utf-8"):
        return f"it is text in {encoding.upper()}: write it as UTF-8"
    columns = table_schema(path) if head.startswith(_TABLES) else b""
    if head.startswith(b"PAR1") and not columns:
        return f"it is a Parquet file without its end: {_HALF}"
    # The names of columns stand there without quotes.
    text, quotes = (columns, '"') if columns else (head, "")
    marks = next((one for one in _KNOWN if one.fits(text, quotes)), None)
    place = path.as_posix().lower()
    named = next((title for word, title in _NAMES.items() if word in place), "")
    title, way = (marks.title, marks.way) if marks is not None else (named, "")
    if named and title.startswith("conversations"):
        title = named
    if not title:
        kind = "a Parquet" if head.startswith(b"PAR1") else "an Arrow"
        return f"it is {kind} file of a layout that is not known; {_OWN_PARTS}" if columns else ""
    return f"it looks like {title}; {way or _OWN_PARTS}"


def read_head(path: Path, size: int) -> bytes:
    """The first bytes of a file; empty where it cannot be read."""
    try:
        with open_regular(path) as file:
            return file.read(size)
    except OSError:
        return b""
