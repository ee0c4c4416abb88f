"""A split zip archive (`x.z01`, `x.z02`, …, `x.zip`) as one file that `zipfile` reads.

In a split archive the central directory gives each member's place as the number of a part and an
offset in it; Python's zipfile knows offsets alone. The parts are read as if they were one, and the
directory at the end is written anew with offsets in the whole, in the 64-bit form. Nothing is
copied. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3.12 to 4.3.16 and 4.5.3.
"""

import io
import re
import struct
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import IO

from tapwright.files.regular import open_regular
from tapwright.formats.errors import ForeignDataError

__all__ = ["open_zip", "zip_parts"]

_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_ENTRY = struct.Struct("<4s4B4HL2L5H2L")
_LONGEST_COMMENT = 1 << 16
_LARGEST_DIRECTORY = 1 << 30
_IN_EXTRA, _IN_EXTRA_16 = 0xFFFFFFFF, 0xFFFF


def zip_parts(path: Path) -> list[Path]:
    """The parts of the archive whose last one is `path`, in order; `path` alone if it is whole.

    Raises:
        ForeignDataError: a part between the first and the last is missing.
    """
    pattern = re.compile(re.escape(path.stem) + r"\.z(\d{2,4})", re.IGNORECASE)
    numbered = {
        int(match[1]): one
        for one in path.parent.iterdir()
        if path.suffix.lower() == ".zip" and (match := pattern.fullmatch(one.name))
    }
    for number in range(1, max(numbered, default=0)):
        if number not in numbered:
            raise ForeignDataError(f"{path}: its part {path.stem}.z{number:02d} is not beside it")
    return [*(numbered[number] for number in sorted(numbered)), path]


def open_zip(path: Path) -> IO[bytes]:
    """An archive, whole or split, to be given to `zipfile.ZipFile`.

    Raises:
        ForeignDataError: it is split, and a part is missing, or its directory is broken.
        OSError: it cannot be read.
    """
    parts = zip_parts(path)
    if len(parts) == 1:
        return open_regular(path)
    joined = _Joined(parts)
    try:
        body, tail = _whole_directory(path, joined)
    except struct.error as error:
        joined.close()
        raise ForeignDataError(f"{path}: its directory is broken: {error}") from error
    joined.end_with(body, tail)
    return io.BufferedReader(joined, 1 << 18)


class _Joined(io.RawIOBase):
    """The bytes of several files, one after the other, perhaps with another end."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._files = [open_regular(path) for path in paths]
        sizes = [path.stat().st_size for path in paths]
        self.starts = [0, *accumulate(sizes)]
        self._tail, self._tail_at = b"", self.starts[-1]
        self._at = 0

    def end_with(self, body: int, tail: bytes) -> None:
        """Let the bytes from `body` on be `tail`."""
        self._tail, self._tail_at = tail, body

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]
        view = memoryview(buffer)
        data = self._read(min(len(view), 1 << 20))
        view[: len(data)] = data
        self._at += len(data)
        return len(data)

    def _read(self, count: int) -> bytes:
        if self._at >= self._tail_at:
            return self._tail[self._at - self._tail_at :][:count]
        number = bisect_right(self.starts, self._at) - 1
        file = self._files[number]
        file.seek(self._at - self.starts[number])
        return file.read(min(count, self._tail_at - self._at))

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = (0, self._at, self._tail_at + len(self._tail))[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        for file in self._files:
            file.close()
        super().close()


def _whole_directory(path: Path, joined: _Joined) -> tuple[int, bytes]:
    """Where the members end, and a directory of them that says where they are in the whole."""
    size = joined.starts[-1]
    begin = max(0, size - _END.size - _LONGEST_COMMENT)
    joined.seek(begin)
    last = _take(joined, size - begin)
    at = last.rfind(b"PK\5\6")
    if at < 0:
        raise ForeignDataError(f"{path}: a broken archive: it has no directory at its end")
    _, _, disk, _, count, length, offset, _ = _END.unpack_from(last, at)
    if last[at - _LOCATOR.size :][:4] == b"PK\6\7":
        _, there, inner, _ = _LOCATOR.unpack_from(last, at - _LOCATOR.size)
        joined.seek(_place(path, joined, there, inner))
        record = _END64.unpack(_take(joined, _END64.size))
        disk, count, length, offset = record[5], record[7], record[8], record[9]
    body = _place(path, joined, disk, offset)
    if not 0 <= length <= min(size - body, _LARGEST_DIRECTORY):
        raise ForeignDataError(f"{path}: its directory has {length:,} bytes, of {size - body:,}")
    joined.seek(body)
    entries = _rewrite(path, joined, _take(joined, length), count)
    end = body + len(entries)
    return body, b"".join(
        (
            entries,
            _END64.pack(b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(entries), body),
            _LOCATOR.pack(b"PK\6\7", 0, end, 1),
            _END.pack(b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, _IN_EXTRA, _IN_EXTRA, 0),
        )
    )


def _rewrite(path: Path, joined: _Joined, directory: bytes, count: int) -> bytes:
    """The entries of the directory, each with its member's place in the whole."""
    entries, at = [], 0
    for _ in range(count):
        fields = list(_ENTRY.unpack_from(directory, at))
        name_length, extra_length, comment_length = fields[12:15]
        start = at + _ENTRY.size
        name = directory[start : start + name_length]
        extra = directory[start + name_length :][:extra_length]
        wide, others = _split_extra(extra)
        full, packed = fields[11], fields[10]
        if full == _IN_EXTRA:
            (full,), wide = struct.unpack_from("<Q", wide), wide[8:]
        if packed == _IN_EXTRA:
            (packed,), wide = struct.unpack_from("<Q", wide), wide[8:]
        offset, disk = fields[18], fields[15]
        if offset == _IN_EXTRA:
            (offset,), wide = struct.unpack_from("<Q", wide), wide[8:]
        if disk == _IN_EXTRA_16:
            (disk,) = struct.unpack_from("<L", wide)
        place = _place(path, joined, disk, offset)
        extra = struct.pack("<2H3Q", 1, 24, full, packed, place) + others
        fields[10:12] = _IN_EXTRA, _IN_EXTRA
        fields[13:16] = len(extra), 0, 0
        fields[18] = _IN_EXTRA
        entries.append(_ENTRY.pack(*fields) + name + extra)
        at = start + name_length + extra_length + comment_length
    return b"".join(entries)


def _split_extra(extra: bytes) -> tuple[bytes, bytes]:
    """The data of the 64-bit field, and the other extra fields."""
    wide, others, at = b"", b"", 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == 1:
            wide = extra[at + 4 : at + 4 + length]
        else:
            others += extra[at : at + 4 + length]
        at += 4 + length
    return wide, others


def _place(path: Path, joined: _Joined, disk: int, offset: int) -> int:
    if disk >= len(joined.starts) - 1:
        raise ForeignDataError(f"{path}: its directory names part {disk + 1}, which is not there")
    return joined.starts[disk] + offset


def _take(joined: _Joined, count: int) -> bytes:
    data = b""
    while len(data) < count and (more := joined.read(count - len(data))):
        data += more
    return data
