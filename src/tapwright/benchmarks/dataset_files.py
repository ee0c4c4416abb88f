"""The files of a benchmark on disk, checked row by row as they are loaded.

What MMBench-GUI has, https://github.com/open-compass/MMBench-GUI at 896ddf1, which checks nothing:

    <root>/L1_annotations.json  L2_annotations.json
    <root>/offline_images/<platform>/<file>.png
    <root>/offline_images/<platform>/<file>.xml      ours: the view hierarchy of the picture

Others call their files and folders otherwise; what a row must be is for all the same. A row that
cannot be used is left out and named (`DatasetFiles.left_out`); the others are unaffected. Links
are followed, as those of a hub's cache: which may be there at all, `files.links` says. A name in a
file's own text may not lead out of the folder of pictures.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Annotated, Generic, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tapwright.benchmarks.benchmark import read_tree
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.core.geometry import Size
from tapwright.core.screenshot import Screenshot
from tapwright.errors import BadImageError
from tapwright.files.regular import read_regular

PICTURES = "offline_images"
Edge: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
Edges: TypeAlias = tuple[Edge, Edge, Edge, Edge]
SizeField: TypeAlias = tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]
Words: TypeAlias = Annotated[str, Field(min_length=1)]


class DatasetRow(BaseModel):
    """One row of an annotation file; fields that are not named are let be."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ScreenRow(DatasetRow):
    """The fields that every row of MMBench-GUI has."""

    index: int | str
    image_path: Words
    image_size: SizeField
    platform: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$")]
    app_name: str


R = TypeVar("R", bound=DatasetRow)
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class PlacedRow(Generic[R]):
    """A row with its number, from 0, and how messages call it: "…/L1_annotations.json, row 3"."""

    where: str
    number: int
    fields: R


class DatasetFiles:
    """Reads the annotation files below one root, and finds and checks their pictures.

    `pictures` is the folder below `root` that no picture's path may leave. `published` are the MD5
    sums of the annotation files that are known.
    """

    def __init__(self, root: Path, pictures: str, published: Mapping[str, str]) -> None:
        self.root = root
        self._folder = root / pictures
        self._known = published
        self._right: list[bool] = []
        self._paths: dict[tuple[str, ...], Path] = {}
        self._sizes: dict[Path, Size] = {}
        self._trees: dict[Path, Path | None] = {}
        self._digest = hashlib.sha256()
        self.left_out: list[str] = []

    def read(
        self,
        name: str,
        kind: type[R],
        make: Callable[[PlacedRow[R]], Iterable[S]],
        key: Callable[[R], str | int | None] = lambda _: None,
    ) -> Iterator[S]:
        """What `make` makes of each row of a file; `left_out` has why a row cannot be used.

        `key` identifies a row among all others of its file, if it has such: the second of two that
        are equal is left out. `make` may raise a `BadBenchmarkError` that starts with the place.

        Raises:
            BadBenchmarkError: no such file, or no list of rows.
        """
        path = self.root / name
        seen: dict[str, int] = {}
        for number, value in enumerate(self._rows(path)):
            where = f"{path}, row {number}"
            try:
                row = _validate(kind, value, where)
                own = key(row)
                first = number if own is None else seen.get(str(own), number)
                if first != number:
                    raise BadBenchmarkError(f"{where}: index {own!r} is that of row {first}, too")
                made = tuple(make(PlacedRow(where, number, row)))
            except BadBenchmarkError as error:
                self.left_out.append(str(error))
                continue
            if own is not None:
                seen[str(own)] = number
            yield from made

    def _rows(self, path: Path) -> list[object]:
        try:
            data = read_regular(path)
            found = json.loads(data)
        except OSError as error:
            raise BadBenchmarkError(
                f"{path}: cannot be read: {error.strerror}",
                hint=f"give the directory that holds {path.relative_to(self.root)} "
                f"and {self._folder.relative_to(self.root)}/",
            ) from error
        except ValueError as error:
            raise BadBenchmarkError(
                f"{path}: not JSON: {error}",
                hint="it is empty, cut off or another file: get it again",
            ) from error
        except RecursionError as error:
            raise BadBenchmarkError(f"{path}: nested too deep to be rows") from error
        if not isinstance(found, list):
            raise BadBenchmarkError(
                f"{path}: expected a list of rows; found {type(found).__name__}"
            )
        self._digest.update(data)
        known = self._known.get(path.name)
        if known is not None:
            self._right.append(hashlib.md5(data, usedforsecurity=False).hexdigest() == known)
        return found

    def picture(
        self, where: str, size_px: tuple[int, int] | None, *parts: str
    ) -> tuple[Path, Size, Path | None]:
        """A row's picture, its size in pixels, and the tree beside it.

        `parts` lead to it from the folder of pictures; `size_px` is the size that the row gives.

        Raises:
            BadBenchmarkError: the path leaves the folder, the file is missing, or of another size;
                the tree is not UTF-8.
        """
        path = self._paths.get(parts)
        if path is None:
            path = self._folder.joinpath(*_inner_parts(where, parts, self._folder))
            self._paths[parts] = path
        size = self._sizes.get(path) or self._measure(where, path)
        if size_px is not None and size != Size(*size_px):
            raise BadBenchmarkError(
                f"{where}: image_size {Size(*size_px)}, but {path} has {size} pixels"
            )
        return path, size, self._tree(where, path)

    def _tree(self, where: str, picture: Path) -> Path | None:
        if picture not in self._trees:
            tree = picture.with_suffix(".xml")
            if os.path.isfile(tree):
                try:
                    read_tree(tree)
                except BadBenchmarkError as error:
                    raise BadBenchmarkError(f"{where}: {error}") from error
            self._trees[picture] = tree if os.path.isfile(tree) else None
        return self._trees[picture]

    def _measure(self, where: str, path: Path) -> Size:
        try:
            data = read_regular(path)
        except OSError as error:
            raise BadBenchmarkError(f"{where}: {path}: {error.strerror}") from error
        try:
            shot = Screenshot(data, origin=str(path))
            size = shot.size
        except BadImageError as error:
            raise BadBenchmarkError(f"{where}: {error}") from error
        self._digest.update(bytes.fromhex(shot.sha256))
        self._sizes[path] = size
        return size

    @property
    def sha256(self) -> str:
        """Of the annotations and of all pictures that were looked at."""
        return self._digest.hexdigest()

    @property
    def published(self) -> bool | None:
        """Whether all annotations are the published ones; None when their sums are not known."""
        return all(self._right) if self._right else None


def _validate(kind: type[R], value: object, where: str) -> R:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in detail["loc"])
        raise BadBenchmarkError(f"{where}: {place}: {detail['msg']}") from error


def _inner_parts(where: str, parts: Sequence[str], folder: Path) -> Sequence[str]:
    """The names that lead to a picture; `..` is resolved in the text, and never by the disk."""
    name = "/".join(parts)
    if "\0" in name:
        raise BadBenchmarkError(f"{where}: the picture {name!r}: embedded null byte")
    inner: list[str] = []
    leaves = any(PurePath(part).is_absolute() for part in parts)
    for part in PurePath(name).parts:
        leaves |= part == ".." and not inner
        if part != "..":
            inner.append(part)
        elif inner:
            inner.pop()
    if leaves or not inner:
        raise BadBenchmarkError(f"{where}: the picture {name!r} leaves {folder}")
    return inner


def label_options(options: Sequence[str]) -> dict[str, str]:
    """Options in order, as the files write them: {"A": first, "B": second, …}."""
    return {chr(ord("A") + number): text for number, text in enumerate(options)}
