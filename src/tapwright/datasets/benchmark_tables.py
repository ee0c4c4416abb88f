"""Benchmarks as tables: Parquet files whose rows carry their pictures.

    ScreenSpot    bevaya/ScreenSpot (once rootsautomation/ScreenSpot) at 0be0878:
                  file_name, bbox, instruction, data_type, data_source, image
    OSWorld-G     MMInstruction/OSWorld-G:
                  image, image_size, instruction, box_type, box_coordinates

The columns of the first are those of its card, of the second those that lmms-eval@75571cf reads,
lmms_eval/tasks/osworld_g/utils.py. An `image` is a structure of its file's `bytes` and `path`
(https://huggingface.co/docs/datasets/image_dataset). ScreenSpot's boxes are corners in fractions of
the picture there; they are written as its own files have them: [left, top, width, height] in
pixels. MMInstruction's table lacks the 54 refusals of OSWorld-G.
"""

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from tapwright.core.screenshot import Screenshot
from tapwright.datasets.errors import BadLayoutError
from tapwright.errors import BadImageError, first_problem
from tapwright.files.atomic import wrap_disk_errors, write_atomically
from tapwright.files.regular import open_regular

__all__ = ["TABLES", "PictureTable", "TableWarning", "find_tables", "write_tables"]

_BATCH = 16
_Platform: TypeAlias = Literal[
    "ios", "android", "windows", "macos", "gitlab", "shop", "forum", "tool"
]
_PLATFORMS: Mapping[_Platform, str] = {
    "ios": "mobile",
    "android": "mobile",
    "windows": "desktop",
    "macos": "desktop",
    "gitlab": "web",
    "shop": "web",
    "forum": "web",
    "tool": "web",
}
_Four: TypeAlias = Annotated[list[float], Field(min_length=4, max_length=4)]


class TableWarning(UserWarning):
    """A row of a table is left out; the message names file and row."""


class _Picture(BaseModel):
    data: Annotated[bytes, Field(alias="bytes")]
    path: str | None = None


class _PictureRow(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    image: _Picture


class _ScreenSpotRow(_PictureRow):
    file_name: str
    bbox: _Four
    instruction: str
    data_type: str
    data_source: _Platform


class _OsWorldRow(_PictureRow):
    image_size: Annotated[list[int], Field(min_length=2, max_length=2)]
    instruction: str
    box_type: str
    box_coordinates: list[float]
    id: str | None = None
    image_path: str | None = None
    GUI_types: list[str] | str | None = None


@dataclass(frozen=True, slots=True)
class _Written:
    """A row as a benchmark's own file has it: in which file, and the name of its picture."""

    file: str
    picture: str
    row: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class PictureTable:
    """How the rows of a benchmark's table are read, and into which files they are written."""

    kind: type[_PictureRow]
    files: tuple[str, ...]
    pictures: str
    write: Callable[[_PictureRow, int], _Written]

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that every row must have."""
        fields = self.kind.model_fields.items()
        return tuple(name for name, field in fields if field.is_required())


def find_tables(root: Path) -> list[Path]:
    """The Parquet files of a directory and one below it, in the order of their names."""
    return sorted([*root.glob("*.parquet"), *root.glob("*/*.parquet")])


def write_tables(table: PictureTable, paths: Sequence[Path], root: Path) -> None:
    """Write the rows of Parquet files as a benchmark's own files into `root`.

    A row that cannot be used is left out with a `TableWarning`, and the others are unaffected.

    Raises:
        BadLayoutError: a file is none, lacks columns, or has no row that can be used.
        DiskError: the disk is full or not writable.
    """
    rows: dict[str, list[Mapping[str, JsonValue]]] = {name: [] for name in table.files}
    seen: dict[str, str] = {}
    bad: list[BadLayoutError] = []
    numbered = enumerate(row for path in paths for row in _read_rows(table, path))
    for number, (where, value) in numbered:
        try:
            row = _validate(table, where, value)
            written = table.write(row, number)
            _write_picture(where, root / table.pictures, written.picture, row.image.data, seen)
        except BadLayoutError as error:
            bad.append(error)
        except BadImageError as error:
            bad.append(BadLayoutError(f"{where}: {error}"))
        else:
            rows[written.file].append(written.row)
    if bad and not any(rows.values()):
        raise bad[0]
    for reason in bad:
        warnings.warn(f"{reason}; the row is left out", TableWarning, stacklevel=2)
    for name, found in rows.items():
        write_atomically(root / name, json.dumps(found, ensure_ascii=False).encode())


def _read_rows(table: PictureTable, path: Path) -> Iterator[tuple[str, object]]:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with open_regular(path) as opened, ParquetFile(opened) as file:
            _check_columns(table, path, file.schema_arrow.names)
            names = [name for name in table.kind.model_fields if name in file.schema_arrow.names]
            number = 0
            for batch in file.iter_batches(batch_size=_BATCH, columns=names):
                for value in batch.to_pylist():
                    yield f"{path}, row {number}", value
                    number += 1
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        raise BadLayoutError(f"{path}: not a Parquet file: {error}") from error


def _validate(table: PictureTable, where: str, value: object) -> _PictureRow:
    try:
        return table.kind.model_validate(value)
    except ValidationError as error:
        raise BadLayoutError(f"{where}: {first_problem(error)}") from error


def _check_columns(table: PictureTable, path: Path, found: Sequence[str]) -> None:
    missing = [name for name in table.columns if name not in found]
    if missing:
        raise BadLayoutError(
            f"{path}: lacks the columns {', '.join(missing)}; it has {', '.join(found)}",
            hint=f"expected {', '.join(table.columns)}",
        )


def _write_picture(where: str, folder: Path, name: str, data: bytes, seen: dict[str, str]) -> None:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.name or set(name) & set("\\:\0"):
        raise BadLayoutError(f"{where}: {name[:200]!r} is not the name of a picture")
    digest = sha256(data).hexdigest()
    if seen.setdefault(name, digest) != digest:
        raise BadLayoutError(f"{where}: another picture called {name!r} came before")
    target = folder / path
    if not target.exists():
        with wrap_disk_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


def _screenspot(row: _PictureRow, number: int) -> _Written:
    assert isinstance(row, _ScreenSpotRow)  # the table's own kind
    size = Screenshot(row.image.data, origin=row.file_name).size
    left, top, right, bottom = row.bbox
    box: list[JsonValue] = [
        round(left * size.width, 3),
        round(top * size.height, 3),
        round((right - left) * size.width, 3),
        round((bottom - top) * size.height, 3),
    ]
    platform = _PLATFORMS[row.data_source]
    return _Written(
        f"screenspot_{platform}.json",
        row.file_name,
        {
            "img_filename": row.file_name,
            "bbox": box,
            "instruction": row.instruction,
            "data_type": row.data_type,
            "data_source": row.data_source,
        },
    )


def _osworld(row: _PictureRow, number: int) -> _Written:
    assert isinstance(row, _OsWorldRow)  # the table's own kind
    name = row.image_path or row.image.path or f"{number}.png"
    types: JsonValue = list(row.GUI_types) if isinstance(row.GUI_types, list) else row.GUI_types
    return _Written(
        "OSWorld-G.json",
        name,
        {
            "id": row.id or f"row-{number}",
            "image_path": name,
            "image_size": list(row.image_size),
            "instruction": row.instruction,
            "box_type": row.box_type,
            "box_coordinates": list(row.box_coordinates),
            "GUI_types": types or [],
        },
    )


TABLES: Mapping[str, PictureTable] = {
    "screenspot": PictureTable(
        _ScreenSpotRow,
        tuple(f"screenspot_{platform}.json" for platform in ("mobile", "desktop", "web")),
        "screenspot_imgs",
        _screenspot,
    ),
    "osworld-g": PictureTable(_OsWorldRow, ("OSWorld-G.json",), "images", _osworld),
}
