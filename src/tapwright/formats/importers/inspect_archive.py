"""The members of an `.eval` file of inspect_ai: a zip archive, deflated or with Zstandard.

Python reads Zstandard (method 93) in zip archives from 3.14 on; here its members are unpacked.
"""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tapwright.files.regular import open_regular
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.limits import MAX_FILE_BYTES
from tapwright.formats.unpacking import unpack_zstd

__all__ = ["read_log_archive"]

_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<26xHH")
_HEADERS = ("header.json", "_journal/start.json")
_SAMPLE = re.compile(r"samples/[^/]+\.json")


def read_log_archive(file: Path) -> tuple[bytes, Iterator[tuple[str, bytes]]]:
    """The header, and the samples as they are read, each with its place.

    Raises:
        ForeignDataError: it is no such archive, or a member is broken or longer than 256 MB.
    """
    with _opened(file) as (archive, source):
        names = {member.filename: member for member in archive.infolist()}
        head = next((names[name] for name in _HEADERS if name in names), None)
        if head is None:
            raise ForeignDataError(f"{file}: has no {' or '.join(_HEADERS)}")
        return _read(archive, source, head, file), _samples(file)


def _samples(file: Path) -> Iterator[tuple[str, bytes]]:
    with _opened(file) as (archive, source):
        for member in archive.infolist():
            if _SAMPLE.fullmatch(member.filename):
                yield f"{file}, {member.filename}", _read(archive, source, member, file)


@contextmanager
def _opened(file: Path) -> Iterator[tuple[zipfile.ZipFile, BinaryIO]]:
    """The archive and the file that it is, open together."""
    try:
        with open_regular(file) as source, zipfile.ZipFile(source) as archive:
            yield archive, source
    except zipfile.BadZipFile as error:
        raise ForeignDataError(f"{file}: no archive of inspect_ai: {error}") from error
    except OSError as error:
        raise ForeignDataError(f"{file}: cannot be read: {error.strerror or error}") from error


def _read(archive: zipfile.ZipFile, source: BinaryIO, member: zipfile.ZipInfo, file: Path) -> bytes:
    where = f"{file}, {member.filename}"
    if member.file_size > MAX_FILE_BYTES:
        raise ForeignDataError(
            f"{where}: {member.file_size:,} bytes; expected at most {MAX_FILE_BYTES:,}"
        )
    try:
        if member.compress_type != _ZSTANDARD:
            with archive.open(member) as stream:
                return stream.read(MAX_FILE_BYTES)
        source.seek(member.header_offset)
        name_length, extra_length = _LOCAL_HEADER.unpack(source.read(_LOCAL_HEADER.size))
        source.seek(name_length + extra_length, 1)
        data = unpack_zstd(source.read(member.compress_size), where)
    except (zipfile.BadZipFile, zlib.error, EOFError, struct.error, OSError) as error:
        raise ForeignDataError(f"{where}: broken: {error}") from error
    if zlib.crc32(data) != member.CRC:
        raise ForeignDataError(f"{where}: broken: its checksum is another")
    return data
