"""MMBench-GUI's files on disk, checked row by row as they are loaded.

    <root>/L1_annotations.json  L2_annotations.json
    <root>/offline_images/<platform>/<file>.png
    <root>/offline_images/<platform>/<file>.xml      ours: the view hierarchy of the picture

Follows https://github.com/open-compass/MMBench-GUI at 896ddf1, which checks nothing.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tapwright.benchmarks.benchmark import read_tree
from tapwright.errors import BadBenchmarkError, BadImageError
from tapwright.geometry import Size
from tapwright.screenshot import Screenshot

PICTURES = "offline_images"


class Record(BaseModel):
    """The fields that every row of an annotation file has; others are let be."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    index: int | str
    image_path: Annotated[str, Field(min_length=1)]
    image_size: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]
    platform: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$")]
    app_name: str


R = TypeVar("R", bound=Record)


class Rows:
    """Reads the rows of one annotation file, and finds and checks their pictures."""

    def __init__(self, root: Path, name: str) -> None:
        self.root = root
        self.path = root / name
        self._pictures: dict[Path, Size] = {}
        self._trees: dict[Path, Path | None] = {}
        self._digest = hashlib.sha256()

    def read(self, kind: type[R]) -> Iterator[tuple[str, R]]:
        """Each row with how messages call it ("…/L1_annotations.json, row 3"), rows from 0.

        Raises:
            BadBenchmarkError: no such file, no list of rows, a row off the schema, an index twice.
        """
        try:
            data = self.path.read_bytes()
            found = json.loads(data)
        except OSError as error:
            raise BadBenchmarkError(
                f"{self.path}: cannot be read: {error.strerror}",
                hint="give the directory that holds L1_annotations.json and offline_images",
            ) from error
        except ValueError as error:
            raise BadBenchmarkError(f"{self.path}: not JSON: {error}") from error
        except RecursionError as error:
            raise BadBenchmarkError(f"{self.path}: nested too deep to be rows") from error
        if not isinstance(found, list):
            raise BadBenchmarkError(f"{self.path}: expected a list of rows")
        self._digest.update(data)
        seen: dict[str, int] = {}
        for number, value in enumerate(found):
            where = f"{self.path}, row {number}"
            try:
                row = kind.model_validate(value)
            except ValidationError as error:
                detail = error.errors(include_url=False)[0]
                place = ".".join(str(part) for part in detail["loc"])
                raise BadBenchmarkError(f"{where}: {place}: {detail['msg']}") from error
            first = seen.setdefault(str(row.index), number)
            if first != number:
                raise BadBenchmarkError(f"{where}: index {row.index!r} is that of row {first}, too")
            yield where, row

    def picture(self, where: str, row: Record) -> tuple[Path, Size, Path | None]:
        """The row's picture, its size in pixels, and the tree beside it.

        Raises:
            BadBenchmarkError: the path leaves the root, the file is missing, or of another size;
                the tree is not UTF-8.
        """
        folder = (self.root / PICTURES).resolve()
        try:
            path = (folder / row.platform / row.image_path).resolve()
        except (OSError, ValueError, RuntimeError) as error:  # a NUL; a link that leads to itself
            raise BadBenchmarkError(f"{where}: image_path {row.image_path!r}: {error}") from error
        if not path.is_relative_to(folder):
            raise BadBenchmarkError(f"{where}: image_path {row.image_path!r} leaves {folder}")
        size = self._pictures.get(path) or self._measure(where, path)
        expected = Size(*row.image_size)
        if size != expected:
            raise BadBenchmarkError(f"{where}: image_size {expected}, but {path} has {size} pixels")
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
        self._pictures[path] = size
        return size

    @property
    def sha256(self) -> str:
        """Of the annotations and of all pictures that were looked at."""
        return self._digest.hexdigest()


def letters(options: Sequence[str]) -> dict[str, str]:
    """Options in order, as the files write them: {"A": first, "B": second, …}."""
    return {chr(ord("A") + number): text for number, text in enumerate(options)}
