"""TFRecord files of `tf.train.Example`, read without TensorFlow.

A record is its length (8 bytes), the length's checksum (4), the data, and the data's checksum (4),
all little-endian (https://www.tensorflow.org/tutorials/load_data/tfrecord); the checksums are
CRC-32C, rotated and shifted. `records.proto` has the messages.
"""

import gzip
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

import google_crc32c
from google.protobuf.message import DecodeError

from tapwright.files.regular import open_regular
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import records_pb2
from tapwright.formats.importers.account import note_fields
from tapwright.formats.limits import MAX_RECORD_BYTES
from tapwright.formats.unpacking import unpacked_limit

_GZIP = b"\x1f\x8b"
_HEAD = struct.Struct("<QI")
_TAIL = struct.Struct("<I")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TfRecord:
    """The bytes of one record, and their place in the file."""

    where: str
    data: bytes


def read_records(path: Path) -> Iterator[TfRecord | UnreadableEpisode]:
    """Yields the records of a file, gzipped or not.

    A record with a wrong checksum is reported and skipped; after one with a wrong length, or where
    the file ends too early, no more records can be found.
    """
    number = 0
    try:
        with _open(path) as file:
            room = _room(path)
            while head := file.read(_HEAD.size):
                where = f"{path}, record {number}"
                number += 1
                length = _length(head)
                if length is None:
                    yield _damaged(where, "its length is damaged; what follows is lost")
                    return
                if length > MAX_RECORD_BYTES:
                    yield _damaged(
                        where, f"{length:,} bytes; expected at most {MAX_RECORD_BYTES:,}"
                    )
                    return
                room -= length
                if room < 0:
                    yield _damaged(
                        where, "the file unpacks to too much; unpack it yourself if you trust it"
                    )
                    return
                data, tail = file.read(length), file.read(_TAIL.size)
                if len(data) < length or len(tail) < _TAIL.size:
                    yield _damaged(where, "the file ends in the middle of it")
                    return
                if _TAIL.unpack(tail)[0] != masked_checksum(data):
                    yield _damaged(where, "its checksum does not fit its data")
                    continue
                yield TfRecord(where, data)
    except (OSError, EOFError, zlib.error) as error:
        yield _damaged(f"{path}, record {number}", f"the file cannot be read on: {error}")


def masked_checksum(data: bytes) -> int:
    """Returns the CRC-32C as TFRecord stores it: rotated right by 15 bits, plus a constant."""
    crc: int = google_crc32c.value(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


class ExampleReader:
    """One `tf.train.Example`: lists of bytes, numbers or integers by their name.

    Raises:
        ForeignDataError: the record is not such a message; every getter: the feature is missing
            or of another kind.
    """

    def __init__(self, record: TfRecord) -> None:
        self.where = record.where
        self._used: set[str] = set()
        self._message = records_pb2.Example()
        try:
            self._message.ParseFromString(record.data)
        except DecodeError as error:
            raise ForeignDataError(f"{self.where}: not a tf.train.Example: {error}") from error

    def __contains__(self, name: str) -> bool:
        return name in self._message.features.feature

    def count_fields(self) -> None:
        """Note which features were used, and which were not, in the account."""
        names = set(self._message.features.feature)
        note_fields(
            len(names & self._used), ((f"example.{name}", False) for name in names - self._used)
        )

    def blobs(self, name: str) -> list[bytes]:
        """The byte strings of a feature."""
        return list(self._feature(name, "bytes_list").bytes_list.value)

    def texts(self, name: str) -> list[str]:
        """The byte strings of a feature as text in UTF-8."""
        try:
            return [blob.decode() for blob in self.blobs(name)]
        except UnicodeDecodeError as error:
            raise ForeignDataError(f"{self.where}: {name} is no text: {error}") from error

    def integers(self, name: str) -> list[int]:
        """The integers of a feature."""
        return list(self._feature(name, "int64_list").int64_list.value)

    def numbers(self, name: str) -> list[float]:
        """The values of a feature, each a number of 32 bits."""
        return list(self._feature(name, "float_list").float_list.value)

    def text(self, name: str) -> str:
        """The only text of a feature."""
        return self._only(name, self.texts(name))

    def integer(self, name: str) -> int:
        """The only integer of a feature."""
        return self._only(name, self.integers(name))

    def blob(self, name: str) -> bytes:
        """The only byte string of a feature."""
        return self._only(name, self.blobs(name))

    def _only(self, name: str, values: list[T]) -> T:
        if len(values) != 1:
            raise ForeignDataError(f"{self.where}: {name} has {len(values)} values; expected one")
        return values[0]

    def _feature(self, name: str, kind: str) -> records_pb2.Feature:
        # Looking a name up by "[]" would add it.
        self._used.add(name)
        found = self._message.features.feature.get(name)
        held = found.WhichOneof("kind") if found is not None else None
        if found is None or held not in (kind, None):  # a list without values may have no kind
            raise ForeignDataError(f"{self.where}: {name} is {held or 'missing'}; expected {kind}")
        return found


def _open(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if _is_packed(path) else open_regular(path)


def _is_packed(path: Path) -> bool:
    with open_regular(path) as file:
        return file.read(len(_GZIP)) == _GZIP


def _room(path: Path) -> float:
    """The bytes that the records of a file may have together."""
    return unpacked_limit(path.stat().st_size) if _is_packed(path) else inf


def _length(head: bytes) -> int | None:
    """Returns the length in the head of a record; None when it is damaged."""
    if len(head) < _HEAD.size:
        return None
    length, checksum = _HEAD.unpack(head)
    if checksum != masked_checksum(head[:8]):
        return None
    return cast(int, length)


def _damaged(where: str, reason: str) -> UnreadableEpisode:
    return UnreadableEpisode(where, ForeignDataError.code, f"{where}: {reason}")


def is_example_file(path: Path, feature: bytes) -> bool:
    """Whether `path` is a TFRecord file whose first record names `feature`.

    The names of an example's features may be anywhere in it, so all of that record is read.
    """
    try:
        if not path.is_file():
            return False
        with _open(path) as file:
            if _length(file.read(_HEAD.size)) is None:
                return False
    except (OSError, EOFError, zlib.error):
        return False
    first = next(read_records(path), None)
    return isinstance(first, TfRecord) and feature in first.data
