"""Append-only files of JSON lines: ledgers, journals, run logs, reviews and the steps of episodes.

One rule for all of them: a line counts when it ends in a newline. A writer that was killed, or
whose disk was full, may leave half of the last line; readers leave it aside, and the next writer
cuts it off before it appends. Half an emoji, which a model that is cut short does write, is kept
as the escape that it was.
"""

import errno
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from tapwright.errors import TapwrightError, first_problem
from tapwright.files.atomic import wrap_disk_errors
from tapwright.files.closing import Closing
from tapwright.files.regular import open_to_add, read_regular

__all__ = [
    "JsonlWriter", "WholeLines", "finite_json", "from_json", "has_huge_number", "json_problem",
    "line_error", "now_text", "parse_lines", "read_lines", "split_lines", "to_json", "whole_lines",
]  # fmt: skip

_LARGEST = 1e300
_DIGITS_ALIKE = bytes.maketrans(b"123456789E", b"000000000e")
_HUGE = re.compile(rb"[\s:,\[]-?\d+(?:\.\d+)?[eE]\+?\d{3}")
_REPLACED = "\N{REPLACEMENT CHARACTER}".encode()

T = TypeVar("T")


def now_text() -> str:
    """The time as lines have it: ISO 8601, in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class WholeLines(NamedTuple):
    """The lines of a file without their newlines, and the half-written rest, mostly empty."""

    lines: list[bytes]
    torn: bytes


def split_lines(data: bytes) -> WholeLines:
    """The lines of a file's bytes."""
    *lines, torn = data.split(b"\n")
    return WholeLines(lines, torn)


def whole_lines(file: Iterable[bytes], *, start: int = 1) -> Iterator[tuple[int, bytes]]:
    """The lines of an open file with their numbers, one at a time in memory; not a torn one."""
    for number, line in enumerate(file, start):
        if line.endswith(b"\n"):
            yield number, line


def read_lines(path: Path, error: type[TapwrightError]) -> list[bytes]:
    """The whole lines of a file; none when there is no such file.

    Raises:
        error: the file cannot be read.
    """
    try:
        return split_lines(read_regular(path)).lines
    except FileNotFoundError:
        return []
    except OSError as cause:
        raise error(f"{path}: cannot be read: {cause.strerror}") from cause


def parse_lines(
    lines: Iterable[bytes],
    kind: TypeAdapter[T],
    path: Path,
    *,
    error: type[TapwrightError],
    expected: str,
    hint: str = "",
) -> Iterator[T]:
    """The record in each line of `path`; `expected` names what a line holds, such as "a review".

    Raises:
        error: a line is not such a record; names file and line.
    """
    for number, line in enumerate(lines, start=1):
        try:
            yield from_json(kind, line)
        except (ValueError, RecursionError) as cause:
            raise line_error(error, path, number, expected, cause, hint) from cause


def line_error(
    error: type[TapwrightError],
    path: Path,
    number: int,
    expected: str,
    cause: Exception,
    hint: str = "",
) -> TapwrightError:
    """The error about a line that is not what is expected, with its file and number."""
    return error(f"{path}, line {number}: not {expected}: {json_problem(cause)}", hint=hint)


def json_problem(error: Exception) -> str:
    """Why `from_json` refused a line, in one line."""
    return first_problem(error) if isinstance(error, ValidationError) else str(error)


class JsonlWriter(Closing):
    """A file open for more lines; call `recover` before the first `append`.

    Without `sync` a line survives the process but not the machine, until `close`.
    """

    def __init__(self, path: Path, *, sync: bool = True) -> None:
        """Open the file, or make it; nothing is read or changed yet.

        Raises:
            DiskError: it cannot be written.
        """
        self.path = path
        self._sync = sync
        with wrap_disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = open_to_add(path, os.O_WRONLY | os.O_CREAT)
            self._file = os.fdopen(handle, "ab", buffering=0)

    def fileno(self) -> int:
        """The file's descriptor, to lock it by."""
        return self._file.fileno()

    def recover(self) -> list[bytes]:
        """Cut off a line that was torn; the whole lines that are left.

        Raises:
            DiskError: the file cannot be read, or not be cut.
        """
        with wrap_disk_errors(self.path):
            lines, torn = split_lines(read_regular(self.path))
            if torn:
                self._file.truncate(os.fstat(self.fileno()).st_size - len(torn))
        return lines

    def append(self, *lines: bytes) -> None:
        """Add lines, given without their newlines; they are on disk then.

        Raises:
            DiskError: the disk is full or not writable; then the file is as it was.
        """
        data = b"".join(line + b"\n" for line in lines)
        with wrap_disk_errors(self.path):
            length = os.fstat(self.fileno()).st_size
            try:
                if self._file.write(data) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                if self._sync:
                    os.fsync(self.fileno())
            except BaseException:
                with suppress(OSError):
                    os.ftruncate(self.fileno(), length)
                raise

    def close(self) -> None:
        """Close the file, with all of it on disk; more than once is allowed.

        Raises:
            DiskError: the system cannot put all of it there.
        """
        if self._file.closed:
            return
        try:
            if not self._sync:
                with wrap_disk_errors(self.path):
                    os.fsync(self.fileno())
        finally:
            self._file.close()


def to_json(record: BaseModel) -> bytes:
    """A record as one line, without its newline."""
    try:
        line = record.model_dump_json(by_alias=True).encode()
    except PydanticSerializationError:  # half an emoji has no UTF-8
        line = _REPLACED
    # In a key pydantic writes another character for it, without an error.
    if _REPLACED in line:
        return json.dumps(record.model_dump(by_alias=True)).encode()
    return line


def finite_json(value: JsonValue) -> JsonValue:
    """A copy with null in place of every number that is not finite, or so large that sums are not.

    JSON has no such numbers; Python and pydantic write and read them all the same.
    """
    match value:
        case float() | int() if not -_LARGEST < value < _LARGEST:
            return None
        case dict():
            return {name: finite_json(one) for name, one in value.items()}
        case list():
            return [finite_json(one) for one in value]
    return value


def has_huge_number(line: bytes) -> bool:
    """Whether `finite_json` may change what is in a line; a look at the bytes that costs little.

    Hashes in hexadecimal are no numbers, though most have some digits with an "e" between them.
    """
    alike = line.translate(_DIGITS_ALIKE)
    if b"NaN" in line or b"Infinity" in line or b"0" * 300 in alike:
        return True
    return (b"0e000" in alike or b"0e+000" in alike) and _HUGE.search(line) is not None


def from_json(kind: TypeAdapter[T], line: bytes) -> T:
    """The record in a line.

    Raises:
        ValueError: it is not JSON, or not such a record.
        RecursionError: it is nested too deeply to be one.
    """
    try:
        return kind.validate_json(line)
    except ValidationError:
        if b"\\ud" not in line.lower():
            raise
        # Pydantic's own parser refuses half an emoji; Python's takes it.
        return kind.validate_python(json.loads(line))
