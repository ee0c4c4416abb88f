"""What importers share: checked records, pictures in their directory, steps.

Foreign text is never trusted: it is checked against a type, and a file name in it cannot lead out
of its directory. An error in one episode leaves the others unaffected.
"""

import fnmatch
import json
import os
from base64 import b64decode
from binascii import Error as Base64Error
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import IO, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from tapwright.core.actions import Action, OpenApp, PressKey
from tapwright.core.episode import MAX_ACTIONS, Decision, Episode, Step, join_steps
from tapwright.core.geometry import Point, Size, from_pixel
from tapwright.core.observation import Observation, UiTree, write_node
from tapwright.core.screenshot import Screenshot
from tapwright.errors import TapwrightError, first_problem
from tapwright.files.jsonl import from_json
from tapwright.files.links import LINK_HINT, describe_link_out
from tapwright.files.regular import open_regular, read_regular
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import account
from tapwright.formats.importers.mending import mend_record
from tapwright.formats.limits import MAX_FILE_BYTES
from tapwright.store.ids import directory_name

T = TypeVar("T")

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_PIECE_BYTES = 1 << 18
_SHORTEST_PICTURE = 64
_LONGEST_NAME, _LONGEST_PATH = 255, 4096
"""Bytes, of Linux; a longer text than a path is a picture in base64."""
_PLAIN = frozenset({str, int, float, bool, type(None)})
_NAMED = 80
"""Characters of the name of a field that are told."""


class ForeignRecord(BaseModel):
    """A record of another tool: fields that we read must fit their type, others are counted.

    `UNUSED` names the fields that are known, and that the reader does not use.
    """

    model_config = ConfigDict(frozen=True, extra="allow", strict=True, allow_inf_nan=False)
    UNUSED: ClassVar[frozenset[str]] = frozenset()

    def count_fields(self) -> None:
        """Note the fields of this record, and of those in it, in the account; forget unused ones.

        A field's name follows that of its record: "step.action".
        """
        extra = self.__pydantic_extra__ or {}
        if extra:
            kind = type(self).__name__.strip("_").lower()
            unused = [(f"{kind}.{name[:_NAMED]}", name in self.UNUSED) for name in extra]
            account.note_fields(len(self.__pydantic_fields_set__) - len(extra), unused)
            extra.clear()
        else:
            account.note_fields(len(self.__pydantic_fields_set__), ())
        for value in self.__dict__.values():
            if type(value) not in _PLAIN:  # most are, and there are many
                count_fields(value)


def count_fields(value: object) -> None:
    """Note the fields of all records in what was parsed, in the account."""
    match value:
        case ForeignRecord():
            value.count_fields()
        case list() | tuple() if value and isinstance(value[0], ForeignRecord):
            for one in value:
                count_fields(one)
        case dict():
            for one in value.values():
                if isinstance(one, ForeignRecord):
                    one.count_fields()


def read_or_report(where: str, make: Callable[[], Episode]) -> Episode | UnreadableEpisode:
    """Calls `make`; returns its episode, or what is wrong with it. Fatal errors pass through."""
    try:
        episode = make()
        directory_name(episode.id)  # an id that cannot be stored is an error of the episode
        return episode
    except TapwrightError as error:
        if error.fatal:
            raise
        return UnreadableEpisode.of(where, error)
    except ValidationError as error:  # an action out of its bounds, such as a wait of years
        reason = f"{where}: {first_problem(error)}"
        return UnreadableEpisode(where, ForeignDataError.code, reason)
    except OverflowError as error:
        reason = f"{where}: a number is too large: {error}"
        return UnreadableEpisode(where, ForeignDataError.code, reason)


def read_each(
    files: Iterable[Path], read: Callable[[Path], Episode], missing: str, *, hint: str = ""
) -> Iterator[Episode | UnreadableEpisode]:
    """Yields the episode of each file, or what is wrong with it.

    Raises:
        ForeignDataError: there are no files, which is `missing`.
    """
    found = False
    for file in files:
        found = True
        yield read_or_report(str(file), partial(read, file))
    if not found:
        raise ForeignDataError(missing, hint=hint)


def parse_json(kind: TypeAdapter[T], data: bytes | str, where: str) -> T:
    """Parses JSON that must be a `kind`, or can be mended to one (`mending`).

    Of a name that stands more than once in a record the last counts, and that is noted.

    Raises:
        ForeignDataError: it is not; names `where` and the first problem.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")  # half an emoji is then reported as no JSON
    data = data.removeprefix(BOM_UTF8)
    try:
        found = _read_or_mend(kind, data, where)
        json.loads(data, object_pairs_hook=partial(account.take_last, where))
    except ValidationError as error:
        raise ForeignDataError(f"{where}: {first_problem(error)}") from error
    except (ValueError, RecursionError) as error:
        raise ForeignDataError(f"{where}: not JSON: {error}") from error
    count_fields(found)
    return found


def _read_or_mend(kind: TypeAdapter[T], data: bytes, where: str) -> T:
    try:
        return from_json(kind, data)
    except ValidationError as error:
        return mend_record(kind, data, where, error)


def read_bytes(path: Path) -> bytes:
    """Reads a whole file of at most 256 MB.

    Raises:
        ForeignDataError: it cannot be read, or is larger.
    """
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise ForeignDataError(
                f"{path}: {size:,} bytes; expected at most {MAX_FILE_BYTES:,}",
                hint="split the file",
            )
        data = read_regular(path)
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
        account.note_passed_over(path, reason)
        raise ForeignDataError(f"{path}: {reason}") from error
    account.note_file(path)
    if data.startswith(_LFS_POINTER):
        raise ForeignDataError(describe_lfs_pointer(path))
    return data


def describe_lfs_pointer(path: Path) -> str:
    """That a file is git-lfs's pointer and not what it points to, and the way out; else ""."""
    try:
        with open_regular(path) as file:
            if file.read(len(_LFS_POINTER)) != _LFS_POINTER:
                return ""
    except OSError:
        return ""
    return f"{path}: is a git-lfs pointer, not the file itself; get it by: git lfs pull"


def read_lines(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the non-empty lines of a file, each after its place; one at a time in memory.

    Raises:
        ForeignDataError: the file cannot be read, or a line is longer than 256 MB.
    """
    number = 0
    account.note_file(path)
    try:
        with open_regular(path) as file:
            while line := file.readline(MAX_FILE_BYTES):
                number += 1
                if number == 1 and line.startswith(_LFS_POINTER):
                    raise ForeignDataError(describe_lfs_pointer(path))
                if len(line) == MAX_FILE_BYTES:
                    raise ForeignDataError(
                        f"{path}, line {number}: longer than {MAX_FILE_BYTES:,} bytes",
                        hint="split the file",
                    )
                if line.strip():
                    yield f"{path}, line {number}", line
    except OSError as error:
        raise ForeignDataError(f"{path}: cannot be read: {error.strerror}") from error


def find_files(path: Path, *patterns: str) -> Iterator[Path]:
    """Yields `path` if it is a file, else the matching files below it, folder by folder.

    Links are followed, as those of a hub's cache; one that leads back into itself once.
    """
    if os.path.isfile(path):
        yield path
        return
    seen: set[str] = set()
    found: list[Path] = []
    for name, folders, files in os.walk(path, followlinks=True):
        folder = Path(name)
        real = os.path.realpath(folder)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        wanted = {one for each in patterns for one in fnmatch.filter(files, each)}
        found += (folder / one for one in files if one in wanted)
    in_order = sorted(found, key=lambda one: (one.parent, one.name))
    yield from (one for one in in_order if os.path.isfile(one))


def head_contains(path: Path, suffix: str, *markers: bytes) -> bool:
    """Whether `path` is a file of that suffix with all markers in one of its records.

    A record of JSONL is a line; else a record may be the whole file, as what comes first may be as
    long as a model's answer or a screen's elements. As much is read as is needed to know, and no
    more than can be read as a whole: `MAX_FILE_BYTES`.
    """
    try:
        named = path.suffix.lower().replace(".ndjson", ".jsonl")
        if named != suffix or not os.path.isfile(path):
            return False
        with open_regular(path) as file:
            if suffix != ".jsonl":
                return _contain(_pieces(file), markers)
            return any(all(marker in line for marker in markers) for line in _lines(file))
    except OSError:
        return False


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    left = MAX_FILE_BYTES
    while left > 0 and (line := file.readline(left)):
        left -= len(line)
        yield line


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """The start of a file, piece by piece: mostly the first has what is looked for."""
    left, size = MAX_FILE_BYTES, 4096
    while left and (piece := file.read(min(size, left))):
        left -= len(piece)
        size = _PIECE_BYTES
        yield piece


def _contain(pieces: Iterable[bytes], markers: Sequence[bytes]) -> bool:
    """Whether all markers are in what the pieces make together."""
    wanted, overlap, end = set(markers), max(map(len, markers)) - 1, b""
    for piece in pieces:
        window = end + piece
        wanted = {marker for marker in wanted if marker not in window}
        if not wanted:
            return True
        end = window[-overlap:]
    return False


def resolve_file(folders: Sequence[Path], name: str) -> Path:
    """Returns the path of the file called `name`, in the first of `folders` that has it.

    A name may be written as on Windows. Of an absolute one, which is of the machine where a data
    set was made, as much of the end counts as is there.

    Raises:
        ForeignDataError: none has it, or the name or a link leads out of them.
    """
    if "://" in name:
        raise ForeignDataError(f"is an address, not fetched: {name[:200]}")
    posix, windows = PurePosixPath(name), PureWindowsPath(name)
    parts: PurePath = posix if posix.is_absolute() or "\\" not in name else windows
    own = parts.parts[1:] if parts.anchor else parts.parts
    too_long = any(len(one.encode("utf-8", "surrogatepass")) > _LONGEST_NAME for one in own)
    if own and "\0" not in name and ".." not in own and not too_long:
        for ending in (own[at:] for at in range(len(own) if parts.anchor else 1)):
            for folder in folders:
                file = folder.joinpath(*ending)
                if os.path.isfile(file):
                    is_linked = any(one.is_symlink() for one in _up_to(file, folder))
                    if is_linked and (problem := describe_link_out(file, folder)):
                        raise ForeignDataError(problem, hint=LINK_HINT)
                    return file
        if not parts.anchor:
            places = " or ".join(str(one) for one in folders)
            raise ForeignDataError(f"{name[:200]} is not in {places}")
    raise ForeignDataError(f"{name[:200]!r} is not the name of a file below {folders[0]}")


def _up_to(file: Path, folder: Path) -> Iterator[Path]:
    """A file below a folder, and each directory between them."""
    while file != folder:
        yield file
        file = file.parent


def read_screen(path: Path) -> Observation:
    """Reads the screen in a picture file; later its bytes are loaded again, or are held (account).

    Raises:
        ForeignDataError: the file cannot be read.
        BadImageError: it is not PNG, JPEG or WebP.
    """
    data, again = account.read_once(path, read_bytes)
    whole = Screenshot(data, origin=str(path))
    return Observation(whole.reloaded_by(again), whole.size)


def find_screen(folders: Sequence[Path], name: str) -> Observation:
    """The screen in the picture called `name`; ForeignDataError as `read_screen` raises it.

    Instead of a name it may be the picture itself, in base64, also as an address of `data:`.
    """
    head, _, encoded = name[:100].partition(";base64,")
    if head.startswith("data:image/") or len(name) > _LONGEST_PATH or _is_encoded(name):
        try:
            data = b64decode(name[len(head) + 8 :] if encoded else name, validate=True)
        except (Base64Error, ValueError) as error:
            raise ForeignDataError(f"{name[:60]}…: no picture in base64: {error}") from error
        shot = Screenshot(data, origin=f"{name[:60]}…")
        return Observation(screenshot=shot, size=shot.size)
    return read_screen(resolve_file(folders, name))


def _is_encoded(name: str) -> bool:
    """Whether it is a picture in base64, however small, by how PNG, JPEG and WebP begin."""
    return len(name) > _SHORTEST_PICTURE and name.startswith(("iVBORw0KGgo", "/9j/", "UklGR"))


def pixel_center(x: float, y: float, size: Size) -> Point:
    """Returns the centre of the pixel that holds (x, y), counted from the top left.

    Raises:
        OffScreenError: a screen of `size` has no such pixel.
        ForeignDataError: a coordinate is not finite.
    """
    if not (isfinite(x) and isfinite(y)):
        raise ForeignDataError(f"({x}, {y}) is not a place on a screen")
    return from_pixel(int(x // 1), int(y // 1), size)


def build_flat_tree(nodes: Sequence[dict[str, str]], size: Size, origin: str) -> UiTree:
    """Builds a hierarchy one level deep from a data set's list of elements."""
    inner = "".join(write_node(attributes, closed=True) for attributes in nodes)
    return UiTree(f"<hierarchy>{inner}</hierarchy>", size, origin=origin)


def bounds(left: float, top: float, right: float, bottom: float) -> str:
    """The bounds of an element of a hierarchy, from edges in pixels."""
    return f"[{left:.0f},{top:.0f}][{right:.0f},{bottom:.0f}]"


def make_steps(
    observation: Observation,
    actions: Sequence[Action],
    reasoning: str = "",
    log: Sequence[str] = (),
    instruction: str = "",
) -> list[Step]:
    """Makes the step of actions that were all chosen on one picture.

    More than a decision holds make several steps: the words go with the first, and the observations
    of the later ones are `stale`, as the screen may have changed since the picture.
    """
    parts = [actions[at : at + MAX_ACTIONS] for at in range(0, len(actions), MAX_ACTIONS)]
    more = f"one answer had {len(actions)} actions; a step has at most {MAX_ACTIONS}"
    log = [*log, more] if len(parts) > 1 else log
    return [
        Step(observation, Decision(part, reasoning), log=tuple(log), step_instruction=instruction)
        if number == 0
        else Step(replace(observation, stale=True), Decision(part))
        for number, part in enumerate(parts)
    ]


def join_look(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps of one answer, chosen on one look, as one step where all of them were done."""
    if len(steps) < 2 or len(steps) > MAX_ACTIONS or any(step.refused for step in steps):
        return steps
    joined = join_steps(steps)
    looks = [step.observation for step in steps[1:]]
    known = not any(look.stale or look == steps[0].observation for look in looks)
    return [joined if known else replace(joined, between=())]


def name_opened_apps(steps: Iterable[Step]) -> Iterator[Step]:
    """Steps with the app that was opened last, as it was named, where none is known."""
    app = ""
    for step in steps:
        seen = step.observation
        yield step if seen.app or not app else replace(step, observation=replace(seen, app=app))
        for action in step.decision.actions:
            match action:
                case OpenApp(app=app):
                    pass
                case PressKey(key="home"):
                    app = ""
