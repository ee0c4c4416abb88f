"""JSON lists read item by item, so that a file of any length takes the memory of one item.

`ijson` does not read the same files: with its C backend half an emoji becomes "?", an integer of
more than 64 bits is refused, an object passes for an empty list, and errors do not name the item.
"""

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TextIO, cast

from pydantic import JsonValue

from tapwright.files.regular import open_regular_text
from tapwright.formats.importers.account import take_last

_CHUNK = 1 << 20
_SPACE = re.compile(r"[ \t\n\r]*")
_ENDS = frozenset(" \t\n\r,]")


def read_items(path: Path) -> Iterator[JsonValue]:
    """Yields the items of the list in `path`, in order; names that stand twice are noted.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not a JSON list in UTF-8, with or without a mark of that; names the item.
        RecursionError: an item is nested too deeply.
    """
    with open_regular_text(path, "utf-8-sig") as file:
        parser = _Parser(file, str(path))
        parser.consume("[")
        number = 0
        while parser.peek() != "]":
            if number:
                parser.consume(",")
            try:
                item = parser.read_value()
            except json.JSONDecodeError as error:
                raise ValueError(f"item {number}: {error.msg}") from error
            yield item
            number += 1
        parser.consume("]")
        parser.consume("")


class _Parser:
    """Parses a file from its start to its end, buffering no more than the current item."""

    def __init__(self, file: TextIO, where: str) -> None:
        self._file = file
        self._decoder = json.JSONDecoder(object_pairs_hook=partial(take_last, where))
        self._buffer = ""
        self._at = 0

    def peek(self) -> str:
        """Returns the next character that is not white space; empty at the end."""
        while True:
            space = _SPACE.match(self._buffer, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._fill():
                return ""

    def consume(self, expected: str) -> None:
        """Consume the next character, which must be the expected one; empty is the end."""
        found = self.peek()
        if found != expected:
            raise ValueError(f"found {found or 'the end'!r}, expected {expected or 'the end'!r}")
        self._at += len(expected)

    def read_value(self) -> JsonValue:
        """Consume and return the next value."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError:
                if not self._fill():
                    raise
                continue
            # A number may continue beyond the buffer ("1." so far): then nothing ends it here.
            if self._buffer[end : end + 1] in _ENDS or not self._fill():
                self._at = end
                return cast(JsonValue, value)

    def _fill(self) -> bool:
        # Doubling the buffer: an item of any length is then tried only a few times.
        read = self._file.read(max(_CHUNK, len(self._buffer) - self._at))
        if read:
            self._buffer, self._at = self._buffer[self._at :] + read, 0
        return bool(read)
