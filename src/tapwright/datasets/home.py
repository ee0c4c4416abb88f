"""The directory of downloaded data sets: what is there, and what was downloaded first.

    <home>/<name>/                  a complete data set, in the layout that is read
        dataset.json                its revision, and size and SHA-256 of every file as published
    <home>/.<name>.part/            one that is being downloaded; the same command continues
    <home>/pins.json                the first download of what has no published commit or hash

A name appears in one move when all is downloaded, checked and unpacked.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tapwright.datasets import datasets
from tapwright.datasets.dataset import Dataset
from tapwright.datasets.errors import DatasetMissingError
from tapwright.files.atomic import write_atomically

if TYPE_CHECKING:
    from tapwright.datasets.records import Pin, Record

__all__ = ["RECORD", "DatasetHome"]

RECORD = "dataset.json"
_PINS = "pins.json"


@dataclass(frozen=True, slots=True)
class DatasetHome:
    """The data sets below one directory."""

    path: Path

    def directory(self, name: str) -> Path:
        """Where a data set is, or would be."""
        return self.path / name

    def partial(self, name: str) -> Path:
        """Where it is while it is downloaded."""
        return self.path / f".{name}.part"

    def record(self, name: str) -> "Record | None":
        """What was downloaded under a name; None when it is not there, or not completely.

        Raises:
            DatasetMissingError: its record is damaged.
        """
        from tapwright.datasets.records import Record, read_record

        return read_record(self.directory(name) / RECORD, Record)

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

    def pin(self, name: str) -> "Pin":
        """What the first download of a data set found, perhaps nothing yet."""
        from tapwright.datasets.records import Pin

        return self._pins().get(name) or Pin()

    def write_pin(self, name: str, pin: "Pin") -> None:
        """Keep what the first download found.

        Raises:
            DiskError: the disk is full or not writable.
        """
        from tapwright.datasets.records import Pins

        pins = Pins(pins={**self._pins(), name: pin})
        text = json.dumps(pins.model_dump(), indent=1)
        write_atomically(self.path / _PINS, text.encode())

    def _pins(self) -> "Mapping[str, Pin]":
        from tapwright.datasets.records import Pins, read_record

        found = read_record(self.path / _PINS, Pins)
        return {} if found is None else found.pins


def read_name(directory: Path) -> str:
    """The name of the data set that a directory is; "" when it is none."""
    from tapwright.datasets.records import Record, read_record

    found = read_record(directory / RECORD, Record)
    return "" if found is None else found.name
