"""The files of an episode beside its screens: as they are here, and as one archive.

Screens and view hierarchies of the current version are in a pack. All else is in a zip archive:
header and lines of every version, tags, reviews, annotations, and the files that only an earlier
version names. A member named `.screens` lists those that are in the pack, so that an episode that
was put and fetched again is the same to the byte.
"""

import hashlib
import io
import json
import os
import re
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from itertools import takewhile
from pathlib import Path

from tapwright.core.episode import Episode
from tapwright.errors import StoreError
from tapwright.files.jsonl import to_json
from tapwright.files.regular import read_regular
from tapwright.formats.errors import BrokenPackError
from tapwright.store.lines import read_header, read_lines
from tapwright.store.records import EndRecord, StepRecord
from tapwright.store.states import compress
from tapwright.store.versions import VersionHistory

__all__ = [
    "hash_texts", "list_texts", "merge_texts", "pack_texts", "read_screens", "read_texts",
    "shown_steps", "stamp_texts", "unpack_texts",
]  # fmt: skip

_CONTENT = ("frames", "ui", "state")
"""The folders whose files are named by their contents."""

_SCREENS = ".screens"
_PART = r"[A-Za-z0-9][A-Za-z0-9._~-]{0,150}"
_SAFE = re.compile(rf"{_PART}(/{_PART}){{0,2}}(?<!\.)", re.ASCII)
_MAX_BYTES = 2_000_000_000
_EPOCH = (1980, 1, 1, 0, 0, 0)
_LOGS = re.compile(r"(tags|reviews|work)\.jsonl|annotations/.*\.(reviews|comments|answers)\.jsonl")
"""The files that are only ever appended to, by lines that stand for themselves."""


def list_texts(directory: Path) -> Iterator[str]:
    """The files of an episode but for those that are named by their contents, in order."""
    for folder, folders, names in os.walk(directory):
        place = Path(folder).relative_to(directory)
        folders[:] = sorted(
            name for name in folders
            if not name.startswith(".") and not (place == Path() and name in _CONTENT)
        )  # fmt: skip
        for name in sorted(names):
            if not name.startswith("."):
                yield (place / name).as_posix()


def stamp_texts(directory: Path) -> str:
    """What changes when one of those files does: a hash of their names, times and sizes."""
    found = []
    for name in list_texts(directory):
        about = (directory / name).stat()
        found.append((name, about.st_size, about.st_mtime_ns))
    return hashlib.sha256(repr(sorted(found)).encode("utf-8", "surrogatepass")).hexdigest()


def read_texts(directory: Path) -> dict[str, bytes]:
    """Those files, by their names.

    Raises:
        OSError: one cannot be read.
    """
    return {name: read_regular(directory / name) for name in sorted(list_texts(directory))}


def hash_texts(texts: Mapping[str, bytes]) -> str:
    """One hash of the files."""
    digest = hashlib.sha256()
    for name, data in sorted(texts.items()):
        digest.update(f"{name}\0{len(data)}\0".encode("utf-8", "surrogatepass") + data)
    return digest.hexdigest()


def merge_texts(
    base: Mapping[str, tuple[int, str]], ours: Mapping[str, bytes], theirs: Mapping[str, bytes]
) -> dict[str, bytes] | None:
    """The files with what both sides changed since `base`, the lengths and hashes of each before.

    None when both changed one file, unless both only appended to a log, whose lines all count.
    """
    merged = dict(theirs)
    for name in {*base, *ours}:
        our, their = ours.get(name, b""), theirs.get(name, b"")
        length, sha256 = base.get(name) or _guess_base(name, our, their)
        if our == their or hashlib.sha256(our).hexdigest() == sha256:
            continue
        if hashlib.sha256(their).hexdigest() == sha256:
            merged[name] = our
            continue
        begins = {hashlib.sha256(one[:length]).hexdigest() for one in (our, their)}
        if not _LOGS.fullmatch(name) or begins != {sha256}:
            return None
        merged[name] = their + our[length:]
    return merged


def _guess_base(name: str, our: bytes, their: bytes) -> tuple[int, str]:
    """What is taken for the file before, of which nothing is known: the lines that begin both."""
    pairs = zip(our.splitlines(keepends=True), their.splitlines(keepends=True), strict=False)
    same = takewhile(lambda pair: pair[0] == pair[1], pairs) if _LOGS.fullmatch(name) else ()
    start = b"".join(line for line, _ in same)
    return len(start), hashlib.sha256(start).hexdigest()


def pack_texts(directory: Path, texts: Mapping[str, bytes], screens: Collection[str]) -> bytes:
    """The archive of an episode's files, and of those by their contents that are no `screens`.

    Raises:
        OSError: one cannot be read.
        StoreError: `unpack_texts` would refuse it.
    """
    held, buffer, size = [], io.BytesIO(), 0
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:

        def add(name: str, data: bytes) -> None:
            nonlocal size
            size += len(data)
            if name != _SCREENS and not _SAFE.fullmatch(name):
                raise StoreError(
                    f"{directory / name}: no file of an episode; expected a name of letters, "
                    "digits and ._~- alone; move it elsewhere"
                )
            if size > _MAX_BYTES:
                raise StoreError(
                    f"{directory}: more than {_MAX_BYTES:,} bytes beside the screens of the "
                    "current version"
                )
            about = zipfile.ZipInfo(name, _EPOCH)
            about.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(about, data)

        for name, data in sorted(texts.items()):
            add(name, data)
        for folder in _CONTENT:
            for path in sorted((directory / folder).glob("[!.]*")):
                name = f"{folder}/{path.name}"
                if name in screens:
                    held.append(name)
                else:
                    add(name, read_regular(path))
        add(_SCREENS, json.dumps(held).encode())
    return buffer.getvalue()


_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, KeyError, ValueError, OSError, EOFError, RuntimeError,
)  # fmt: skip
"""What `zipfile` raises for what is no archive of ours: a method it does not know, a password."""


def unpack_texts(data: bytes, where: str) -> tuple[dict[str, bytes], list[str]]:
    """The files of an archive, and the names of those that are in the pack.

    Raises:
        BrokenPackError: it is no such archive, or a name in it is no plain one.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(one.file_size for one in archive.infolist()) > _MAX_BYTES:
                raise BrokenPackError(f"{where}: unpacks to more than {_MAX_BYTES:,} bytes")
            files = {one.filename: archive.read(one) for one in archive.infolist()}
        held = json.loads(files.pop(_SCREENS))
    except _UNREADABLE as error:
        raise BrokenPackError(f"{where}: not the files of an episode: {error}") from error
    for name in (*files, *held):
        if not isinstance(name, str) or not _SAFE.fullmatch(name):
            raise BrokenPackError(f"{where}: a file called {name!r}; expected a plain name")
    return files, held


def shown_steps(directory: Path) -> tuple[str, set[str], int]:
    """What an episode shows: a hash of it, the names of its screens' files, and the version.

    It is the current version, or the one that an edit removed; its outcome is no part of the hash.

    Raises:
        CorruptEpisodeError: a line is not a record.
    """
    history = VersionHistory.read(directory, read_header(directory / "episode.json").version)
    version = history.changes[-1].parent if history.removed else history.current
    place = history.version_directory(version) or directory
    digest, names = hashlib.sha256(), set[str]()
    for record in read_lines(place / "steps.jsonl"):
        match record:
            case StepRecord(screens=screens):
                digest.update(to_json(record) + b"\n")
            case EndRecord(final=final):
                screens = () if final is None else (final,)
                digest.update(b"".join(map(to_json, screens)))
        for one in screens:
            names.add(f"frames/{one.frame}")
            if one.ui is not None:
                names.add(f"ui/{one.ui}.xml.zst")
    return digest.hexdigest(), names, version


def read_screens(episode: Episode, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """The files of an episode's screens that have these names, out of a pack.

    Raises:
        BrokenPackError: it has not all of them, or one is another than its name says.
    """
    left = {name.partition(".")[0]: name for name in names}
    seen = [screen for step in episode.steps for screen in step.screens]
    for one in (*seen, *([] if episode.final is None else [episode.final])):
        if name := left.pop(f"frames/{one.screenshot.sha256}", ""):
            data = one.screenshot.data
            if hashlib.sha256(data).hexdigest() != one.screenshot.sha256:
                raise BrokenPackError(f"{one.screenshot.origin}: not the picture of its name")
            yield name, data
        if one.ui_tree is not None:
            xml = one.ui_tree.unread().xml.encode("utf-8", "surrogatepass")
            if name := left.pop(f"ui/{hashlib.sha256(xml).hexdigest()}", ""):
                yield name, compress(xml)
    if left:
        raise BrokenPackError(f"{episode.id}: its pack has no {min(left.values())}")
