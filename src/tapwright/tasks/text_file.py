"""Reads small text files written by people: UTF-8, any line ends, of limited size."""

from collections.abc import Iterator
from pathlib import Path

from tapwright.errors import TaskError
from tapwright.files.regular import open_regular
from tapwright.tasks.limits import MAX_FILE_BYTES

__all__ = ["numbered_lines", "read_text_file"]


def read_text_file(path: Path, what: str, error: type[TaskError]) -> str:
    r"""Reads a file without its byte order mark, with `\n` for every line end.

    `what` names the kind of file in the errors, which are of the class `error`.
    """
    try:
        with open_regular(path) as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError as cause:
        raise error(f"{path}: no such {what}") from cause
    except (OSError, ValueError) as cause:
        raise error(f"{path}: this {what} cannot be read: {cause}") from cause
    if len(data) > MAX_FILE_BYTES:
        raise error(f"{path}: larger than {MAX_FILE_BYTES:,} bytes, the limit of a {what}")
    try:
        return _plain(data.decode("utf-8-sig"))
    except UnicodeDecodeError as cause:
        line = _plain(data[: cause.start].decode("utf-8-sig", "replace")).count("\n") + 1
        raise error(
            f"{path}, line {line}: the byte 0x{data[cause.start]:02x} is not UTF-8",
            hint="save the file as UTF-8",
        ) from cause


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields the lines with content, stripped, with their numbers from 1.

    Blank lines and lines that start with `#` are skipped.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield number, stripped


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
