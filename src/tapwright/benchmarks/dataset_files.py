"""The files of a benchmark on disk, checked row by row as they are loaded.

What MMBench-GUI has, https://github.com/open-compass/MMBench-GUI at 896ddf1, which checks nothing:

    <root>/L1_annotations.json  L2_annotations.json
    <root>/offline_images/<platform>/<file>.png
    <root>/offline_images/<platform>/<file>.xml      ours: the view hierarchy of the picture

Others call their files and folders otherwise; what a row must be is for all the same.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tapwright.benchmarks.benchmark import read_tree
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.errors import BadImageError
from tapwright.geometry import Size
from tapwright.screenshot import Screenshot

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
        self._sizes: dict[Path, Size] = {}
        self._trees: dict[Path, Path | None] = {}
        self._digest = hashlib.sha256()

    def read(
        self, name: str, kind: type[R], key: Callable[[R], str | int | None]
    ) -> Iterator[tuple[str, R]]:
        """Each row with how messages call it ("…/L1_annotations.json, row 3"), rows from 0.

        `key` identifies a row among all others of its file, if it has such.

        Raises:
            BadBenchmarkError: no such file, no list of rows, a row off the schema, a key twice.
        """
        path = self.root / name
        seen: dict[str, int] = {}
        for number, value in enumerate(self._rows(path)):
            where = f"{path}, row {number}"
            try:
                row = kind.model_validate(value)
            except ValidationError as error:
                detail = error.errors(include_url=False)[0]
                place = ".".join(str(part) for part in detail["loc"])
                raise BadBenchmarkError(f"{where}: {place}: {detail['msg']}") from error
            own = key(row)
            first = number if own is None else seen.setdefault(str(own), number)
            if first != number:
                raise BadBenchmarkError(f"{where}: index {own!r} is that of row {first}, too")
            yield where, row

    def _rows(self, path: Path) -> list[object]:
        try:
            data = path.read_bytes()
            found = json.loads(data)
        except OSError as error:
            raise BadBenchmarkError(
                f"{path}: cannot be read: {error.strerror}",
                hint=f"give the directory that holds {path.relative_to(self.root)} "
                f"and {self._folder.relative_to(self.root)}/",
            ) from error
        except ValueError as error:
            raise BadBenchmarkError(f"{path}: not JSON: {error}") from error
        except RecursionError as error:
            raise BadBenchmarkError(f"{path}: nested too deep to be rows") from error
        if not isinstance(found, list):
            raise BadBenchmarkError(f"{path}: expected a list of rows")
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
        folder, name = self._folder.resolve(), "/".join(parts)
        try:
            path = folder.joinpath(*parts).resolve()
        except (OSError, ValueError, RuntimeError) as error:  # a NUL; a link that leads to itself
            raise BadBenchmarkError(f"{where}: the picture {name!r}: {error}") from error
        if not path.is_relative_to(folder):
            raise BadBenchmarkError(f"{where}: the picture {name!r} leaves {folder}")
        size = self._sizes.get(path) or self._measure(where, path)
        if size_px is not None and size != Size(*size_px):
            raise BadBenchmarkError(
                f"{where}: image_size {Size(*size_px)}, but {path} has {size} pixels"
            )
        return path, size, self._tree(where, path)

    def _tree(self, where: str, picture: Path) -> Path | None:
        if picture not in self._trees:
            tree = picture.with_suffix(".xml")
            if tree.is_file():
                try:
                    read_tree(tree)
                except BadBenchmarkError as error:
                    raise BadBenchmarkError(f"{where}: {error}") from error
            self._trees[picture] = tree if tree.is_file() else None
        return self._trees[picture]

    def _measure(self, where: str, path: Path) -> Size:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise BadBenchmarkError(f"{where}: {path}: {error.strerror}") from error
        try:
            size = Screenshot(data, origin=str(path)).size
        except BadImageError as error:
            raise BadBenchmarkError(f"{where}: {error}") from error
        self._digest.update(hashlib.sha256(data).digest())
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


def label_options(options: Sequence[str]) -> dict[str, str]:
    """Options in order, as the files write them: {"A": first, "B": second, …}."""
    return {chr(ord("A") + number): text for number, text in enumerate(options)}
