"""Checks the files that an episode's lines name: present, unchanged, readable, of their size."""

import hashlib
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from PIL import Image

from tapwright.core.geometry import Size
from tapwright.core.observation import UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.curate.check.finding import EpisodeFinding, FindingKind, Severity
from tapwright.errors import BadImageError, BadTreeError, CorruptEpisodeError
from tapwright.files.regular import read_regular
from tapwright.store.packing import unpack_tree
from tapwright.store.states import decompress

__all__ = ["FileReference", "check_files"]

_Fault: TypeAlias = tuple[Severity, FindingKind, str]
_HASHED = re.compile(r"[0-9a-f]{64}(\.\w+)*")


@dataclass(frozen=True, slots=True)
class FileReference:
    """The first line to name a file: its step, and the size of the screen.

    `step` is None in the header and for the last screen; `size` is None for a state.
    """

    step: int | None
    size: Size | None


def check_files(
    id_: str, directory: Path, named: Mapping[str, FileReference], *, fast: bool, threads: int
) -> Iterator[EpisodeFinding]:
    """The faults of the files of the episode in `directory`; `fast` opens none of them.

    `named` has the files of all versions, by the path below the directory.
    """
    there = dict(_list_files(directory))
    for name in sorted(there.keys() - named.keys()):
        yield EpisodeFinding(
            id_,
            None,
            "warning",
            "orphan",
            str(directory / name),
            "no version of the episode names it",
        )
    if fast:
        found: Iterable[list[_Fault]] = (_find_missing(directory, name, there) for name in named)
    elif threads == 1:
        found = (_find_faults(directory / name, one.size) for name, one in named.items())
    else:
        with ThreadPoolExecutor(threads) as pool:
            found = pool.map(lambda name: _find_faults(directory / name, named[name].size), named)
    for (name, one), wrong in zip(named.items(), found, strict=True):
        for severity, kind, message in wrong:
            yield EpisodeFinding(id_, one.step, severity, kind, str(directory / name), message)


def _list_files(directory: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    for folder in ("frames", "ui", "state"):
        with (
            suppress(FileNotFoundError, NotADirectoryError),
            os.scandir(directory / folder) as all_,
        ):
            for one in all_:
                yield f"{folder}/{one.name}", one


def _find_missing(
    directory: Path, name: str, there: Mapping[str, os.DirEntry[str]]
) -> list[_Fault]:
    """Whether a file is there, and not empty; and whether its name is a hash."""
    if not _HASHED.fullmatch(name.rpartition("/")[2]):
        return [("error", "hash", "is not named by the hash of its bytes")]
    one = there.get(name)
    try:
        if one is None:
            size = os.stat(directory / name).st_size  # to say why
        else:
            size = one.stat().st_size if one.is_file() else 0
    except OSError as error:
        return [("error", "missing", f"cannot be read: {error.strerror}")]
    return [] if size else [("error", "missing", "is empty, or no file")]


def _find_faults(path: Path, size: Size | None) -> list[_Fault]:
    try:
        data = read_regular(path)
    except OSError as error:
        return [("error", "missing", f"cannot be read: {error.strerror}")]
    if size is None:
        return _find_state_faults(path, data)
    if path.parent.name == "frames":
        return _find_frame_faults(path, data, size)
    return _find_tree_faults(path, data, size)


def _find_frame_faults(path: Path, data: bytes, expected: Size) -> list[_Fault]:
    if hashlib.sha256(data).hexdigest() != path.stem:
        return [("error", "hash", "its bytes are not those recorded")]
    try:
        size = Screenshot(data, origin=path.name).size
        with Image.open(io.BytesIO(data)) as image:
            # Quicker than decoding: checksums, and the lowest resolution. A WebP states its
            # length, and one that was cut cannot be opened.
            match image.format:
                case "PNG":
                    image.verify()
                case "JPEG":
                    image.draft("L", (1, 1))
                    image.load()
    except (BadImageError, OSError, SyntaxError, ValueError) as error:
        return [("error", "image", f"cannot be decoded: {error}")]
    if size != expected:
        return [("error", "size", f"{size} pixels; its line has {expected}")]
    return []


def _find_state_faults(path: Path, data: bytes) -> list[_Fault]:
    try:
        text = decompress(data, path.name)
    except CorruptEpisodeError as error:
        return [("error", "state", str(error))]
    if hashlib.sha256(text).hexdigest() != path.name[:64]:
        return [("error", "hash", "its value is not the one recorded")]
    return []


def _find_tree_faults(path: Path, data: bytes, size: Size) -> list[_Fault]:
    try:
        xml = unpack_tree(data, path.name)
    except CorruptEpisodeError as error:
        return [("error", "tree", str(error))]
    if hashlib.sha256(xml.encode("utf-8", "surrogatepass")).hexdigest() != path.name[:64]:
        return [("error", "hash", "its text is not the one recorded")]
    try:
        other = UiTree(xml, size, origin=path.name).other_scale
    except BadTreeError as error:
        return [("warning", "tree", str(error))]
    if other is not None:
        what = f"its bounds count a screen of {other}, and its picture has {size}"
        return [("warning", "scale", what)]
    return []
