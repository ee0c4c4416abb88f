"""The directory of downloaded data sets: what is there, and what was downloaded first.

    <home>/<name>/                  a complete data set, in the layout that is read
        dataset.json                its revision, and size and SHA-256 of every file as published
    <home>/.<name>.part/            one that is being downloaded; the same command continues
    <home>/pins.json                the first download of what has no published commit or hash

A name appears in one move when all is downloaded, checked and unpacked.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, Field, ValidationError

from tapwright.datasets import datasets
from tapwright.datasets.dataset import Dataset
from tapwright.datasets.errors import DatasetMissingError
from tapwright.errors import first_problem
from tapwright.files.atomic import write_atomically

__all__ = ["RECORD", "DatasetHome", "FileRecord", "Pin", "Record"]

RECORD = "dataset.json"
_PINS = "pins.json"


class FileRecord(BaseModel):
    """A file as its server had it."""

    size: int
    sha256: str


class Pin(BaseModel):
    """What the first download found: a commit, and the hashes of files without a published one."""

    revision: str = ""
    files: dict[str, FileRecord] = Field(default_factory=dict)


class Record(Pin):
    """What a directory holds; `unlike` are files whose SHA-256 differs from the known one."""

    name: str
    address: str
    unlike: list[str] = Field(default_factory=list)


class _Pins(BaseModel):
    pins: dict[str, Pin] = Field(default_factory=dict)


M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class DatasetHome:
    """The data sets below one directory."""

    path: Path
    _own: None = field(default=None, init=False, repr=False)

    def directory(self, name: str) -> Path:
        """Where a data set is, or would be."""
        return self.path / name

    def partial(self, name: str) -> Path:
        """Where it is while it is downloaded."""
        return self.path / f".{name}.part"

    def record(self, name: str) -> Record | None:
        """What was downloaded under a name; None when it is not there, or not completely.

        Raises:
            DatasetMissingError: its record is damaged.
        """
        return _read(self.directory(name) / RECORD, Record)

    def has(self, dataset: Dataset) -> bool:
        """Whether a data set is there in the layout that is read, downloaded or put there."""
        root = self.directory(dataset.name)
        return root.is_dir() and dataset.is_laid_out(root)

    def find(self, name: str) -> Path:
        """The directory of a data set.

        Raises:
            UnknownNameError: no data set has this name.
            DatasetMissingError: it is not there; the hint is the command that downloads it.
        """
        dataset = datasets.get(name)
        if not self.has(dataset):
            raise DatasetMissingError(
                f"{dataset.title} is not in {self.directory(name)}",
                hint=f"tapwright data get {name}",
            )
        return self.directory(name)

    def pin(self, name: str) -> Pin:
        """What the first download of a data set found, perhaps nothing yet."""
        return self._pins().get(name) or Pin()

    def write_pin(self, name: str, pin: Pin) -> None:
        """Keep what the first download found.

        Raises:
            DiskError: the disk is full or not writable.
        """
        pins = _Pins(pins={**self._pins(), name: pin})
        text = json.dumps(pins.model_dump(), indent=1)
        write_atomically(self.path / _PINS, text.encode())

    def _pins(self) -> Mapping[str, Pin]:
        found = _read(self.path / _PINS, _Pins)
        return {} if found is None else found.pins


def read_name(directory: Path) -> str:
    """The name of the data set that a directory is; "" when it is none."""
    found = _read(directory / RECORD, Record)
    return "" if found is None else found.name


def _read(path: Path, kind: type[M]) -> M | None:
    try:
        return kind.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValidationError as error:
        raise DatasetMissingError(
            f"{path}: damaged: {first_problem(error)}", hint=f"remove {path.parent}, and repeat"
        ) from error
    except OSError as error:
        raise DatasetMissingError(f"{path}: cannot be read: {error.strerror}") from error
