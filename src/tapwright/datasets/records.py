"""What is written down of downloaded data sets, as JSON."""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, Field, ValidationError

from tapwright.datasets.errors import DatasetMissingError
from tapwright.errors import first_problem

__all__ = ["FileRecord", "Pin", "Pins", "Record", "read_record"]

M = TypeVar("M", bound=BaseModel)


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


class Pins(BaseModel):
    """The first downloads of all data sets, by name."""

    pins: dict[str, Pin] = Field(default_factory=dict)


def read_record(path: Path, kind: type[M]) -> M | None:
    """What a file of JSON says; None where there is none.

    Raises:
        DatasetMissingError: it is damaged, or cannot be read.
    """
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
