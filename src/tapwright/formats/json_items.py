"""A JSON list read item by item, so that a file of any length takes the memory of one item."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO, cast

from pydantic import JsonValue

_CHUNK = 1 << 20
_SPACE = re.compile(r"[ \t\n\r]*")
_ENDS = frozenset(" \t\n\r,]")
_DECODER = json.JSONDecoder()


def read_items(path: Path) -> Iterator[JsonValue]:
    """The items of the list in `path`, in order.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not a JSON list in UTF-8.
        RecursionError: an item is nested too deeply.
    """
    with path.open(encoding="utf-8") as file:
        text = _Text(file)
        text.take("[")
        number = 0
        while text.ahead() != "]":
            if number:
                text.take(",")
            try:
                item = text.value()
            except json.JSONDecodeError as error:
                raise ValueError(f"item {number}: {error.msg}") from error
            yield item
            number += 1
        text.take("]")
        text.take("")


class _Text:
    """What is left of a file, of which no more is held than is needed."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._held = ""
        self._at = 0

    def ahead(self) -> str:
        """The next character that is no white space; empty at the end."""
        while True:
            space = _SPACE.match(self._held, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._more():
                return ""

    def take(self, expected: str) -> None:
        """Go past the next character, which must be the one that is expected; empty is the end."""
        found = self.ahead()
        if found != expected:
            raise ValueError(f"found {found or 'the end'!r}, expected {expected or 'the end'!r}")
        self._at += len(expected)

    def value(self) -> JsonValue:
        """Go past the next value, and say it."""
        self.ahead()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._held, self._at)
            except json.JSONDecodeError:
                if not self._more():
                    raise
                continue
            # A number may go on behind what is held ("1." so far), and then nothing ends it here.
            if self._held[end : end + 1] in _ENDS or not self._more():
                self._at = end
                return cast(JsonValue, value)

    def _more(self) -> bool:
        # As much again as is held: an item of any length is then tried a few times only.
        read = self._file.read(max(_CHUNK, len(self._held) - self._at))
        if read:
            self._held, self._at = self._held[self._at :] + read, 0
        return bool(read)
