"""What the readers of other tools' episodes share: checked records, pictures below their root.

Text of a file is never trusted: it is checked against a type, and a name in it is no path out of
its directory. What is wrong with one episode ends that episode and no other.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path, PurePosixPath
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from tapwright.actions import Action
from tapwright.episode import Decision, Episode, Step
from tapwright.errors import TapwrightError, first_problem
from tapwright.files.jsonl import from_json
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.geometry import Point, Size, from_pixel
from tapwright.observation import Observation, UiTree, write_node
from tapwright.screenshot import Screenshot
from tapwright.store.store import directory_name

_MAX_BYTES = 256_000_000

T = TypeVar("T")


class ForeignRecord(BaseModel):
    """A record of another tool: what we read of it must fit, what we do not is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, allow_inf_nan=False)


def read_or_report(where: str, make: Callable[[], Episode]) -> Episode | UnreadableEpisode:
    """The episode that `make` makes, or what is wrong with it; fatal errors pass through."""
    try:
        made = make()
        directory_name(made.id)  # an id that cannot be stored is no id
        return made
    except TapwrightError as error:
        if error.fatal:
            raise
        return UnreadableEpisode(where, error.code, str(error))


def parse_json(kind: TypeAdapter[T], data: bytes | str, where: str) -> T:
    """JSON that must be a `kind`.

    Raises:
        ForeignDataError: it is not; says `where` and what the first problem is.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")  # half an emoji is no JSON, and told as such
    try:
        return from_json(kind, data)
    except ValidationError as error:
        raise ForeignDataError(f"{where}: {first_problem(error)}") from error
    except (ValueError, RecursionError) as error:
        raise ForeignDataError(f"{where}: not JSON: {error}") from error


def read_bytes(path: Path) -> bytes:
    """A whole file of at most 256 MB.

    Raises:
        ForeignDataError: it cannot be read, or is larger.
    """
    try:
        size = path.stat().st_size
        if size > _MAX_BYTES:
            raise ForeignDataError(f"{path}: {size} bytes; expected {_MAX_BYTES} at most")
        return path.read_bytes()
    except OSError as error:
        raise ForeignDataError(f"{path}: cannot be read: {error.strerror}") from error


def read_lines(path: Path) -> Iterator[tuple[str, bytes]]:
    """The lines of a file that are not empty, each after where it stands; one at a time in memory.

    Raises:
        ForeignDataError: the file cannot be read, or a line is longer than 256 MB.
    """
    number = 0
    try:
        with path.open("rb") as file:
            while line := file.readline(_MAX_BYTES):
                number += 1
                if len(line) == _MAX_BYTES:
                    raise ForeignDataError(f"{path}, line {number}: longer than {_MAX_BYTES} bytes")
                if line.strip():
                    yield f"{path}, line {number}", line
    except OSError as error:
        raise ForeignDataError(f"{path}: cannot be read: {error.strerror}") from error


def find_files(path: Path, *patterns: str) -> Iterator[Path]:
    """`path` itself when it is a file, else those below it that fit a pattern, folder by folder."""
    if path.is_file():
        yield path
    else:
        found = {one for pattern in patterns for one in path.rglob(pattern)}
        in_order = sorted(found, key=lambda one: (one.parent, one.name))
        yield from (one for one in in_order if one.is_file())


def head_contains(path: Path, suffix: str, *words: bytes) -> bool:
    """Whether `path` is a file of that suffix with all the words in its first 4 kB."""
    try:
        if path.suffix != suffix or not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    return all(word in head for word in words)


def resolve_file(folders: Sequence[Path], name: str) -> Path:
    """Where the file stands that a record calls `name`: in the first of `folders` that has it.

    Raises:
        ForeignDataError: none has it, or the name would lead out of them.
    """
    parts = PurePosixPath(name)
    if not parts.name or "\0" in name or parts.is_absolute() or ".." in parts.parts:
        raise ForeignDataError(f"{name[:200]!r} is no name of a file below {folders[0]}")
    for folder in folders:
        if (folder / parts).is_file():
            return folder / parts
    raise ForeignDataError(
        f"there is no {name[:200]} in {' or '.join(str(one) for one in folders)}"
    )


def read_screen(path: Path) -> Observation:
    """The screen in a picture file, whose bytes are read again whenever they are looked at.

    Raises:
        ForeignDataError: the file cannot be read.
        BadImageError: it is no PNG, JPEG or WebP.
    """
    data = read_bytes(path)
    shot = Screenshot.lazy(
        lambda: read_bytes(path), sha256=hashlib.sha256(data).hexdigest(), origin=str(path)
    )
    return Observation(screenshot=shot, size=Screenshot(data, origin=str(path)).size)


def pixel_center(x: float, y: float, size: Size) -> Point:
    """The middle of the pixel that holds (x, y), counted from the top left.

    Raises:
        OffScreenError: a screen of `size` has no such pixel.
        ForeignDataError: they are no numbers.
    """
    if not (isfinite(x) and isfinite(y)):
        raise ForeignDataError(f"({x}, {y}) is no place on a screen")
    return from_pixel(int(x // 1), int(y // 1), size)


def build_flat_tree(nodes: Sequence[dict[str, str]], size: Size, origin: str) -> UiTree:
    """What a data set tells of a screen's elements, as a hierarchy one level deep."""
    inner = "".join(write_node(attributes, closed=True) for attributes in nodes)
    return UiTree(f"<hierarchy>{inner}</hierarchy>", size, origin=origin)


def make_steps(
    seen: Observation, actions: Sequence[Action], reasoning: str = "", log: Sequence[str] = ()
) -> list[Step]:
    """Steps for actions that were all chosen on one picture.

    The reasoning and the log go with the first; at the later ones the picture may no longer be
    what the screen shows, which their observation says (`stale`).
    """
    return [
        Step(seen, Decision(action, reasoning), log=tuple(log))
        if number == 0
        else Step(replace(seen, stale=True), Decision(action))
        for number, action in enumerate(actions)
    ]
