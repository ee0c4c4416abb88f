"""Values in Python's notation, as models write them even where JSON is required: read, never run.

Strings in either quotes, numbers, words, and lists and objects of them, also with a comma behind
the last. True, False and None are those of either language; any other word is a string.
"""

import re
from collections.abc import Mapping

from pydantic import JsonValue

__all__ = ["COMMAS", "NUMBER", "STRING", "Literals", "parse_integer", "unescape"]

NUMBER = re.compile(r"[-+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?")
"""A number as Python and JSON write it."""
COMMAS = frozenset(",，")
"""The comma, and the full-width one that models write in Chinese answers."""
STRING = re.compile(r"'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\"", re.DOTALL)
"""A string in the quotes of either kind."""

_WORD = re.compile(r"[A-Za-z_]\w*+")
_SPACES = re.compile(r"\s*+")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "'": "'", '"': '"', "\\": "\\", "\n": "",
}  # fmt: skip
_WORDS: Mapping[str, bool | None] = {
    "True": True, "true": True, "False": False, "false": False, "None": None, "null": None,
}  # fmt: skip
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_MAX_DEPTH = 20


class Literals:
    """Reads values out of a text, each from a place on, at most so many (`most`) in all."""

    def __init__(self, text: str, most: int) -> None:
        self._text = text
        self._left = most

    def value(self, at: int, depth: int = 0) -> tuple[JsonValue, int] | None:
        """The value that begins at `at`, behind spaces, and where it ends; None where none does."""
        self._left -= 1
        at = self.past_spaces(at)
        first = self._text[at : at + 1]
        if self._left < 0 or depth > _MAX_DEPTH:
            return None
        if first in ("[", "("):
            return self._list(at + 1, _CLOSING[first], depth)
        if first == "{":
            return self._object(at + 1, depth)
        found = STRING.match(self._text, at)
        if found is not None:
            return unescape(found[0][1:-1]), found.end()
        found = NUMBER.match(self._text, at)
        if found is not None:
            return _parse_number(found[0]), found.end()
        found = _WORD.match(self._text, at)
        return None if found is None else (_WORDS.get(found[0], found[0]), found.end())

    def past_spaces(self, at: int) -> int:
        """The place of the next character that is no space."""
        if not self._text[at : at + 1].isspace():
            return at
        found = _SPACES.match(self._text, at)
        return at if found is None else found.end()

    def _list(self, at: int, closing: str, depth: int) -> tuple[list[JsonValue], int] | None:
        items: list[JsonValue] = []
        while True:
            at = self.past_spaces(at)
            if self._text[at : at + 1] == closing:
                return items, at + 1
            found = self.value(at, depth + 1)
            if found is None:
                return None
            items.append(found[0])
            end = self._past_comma(found[1], closing)
            if end is None:
                return None
            at = end

    def _object(self, at: int, depth: int) -> tuple[dict[str, JsonValue], int] | None:
        items: dict[str, JsonValue] = {}
        while True:
            at = self.past_spaces(at)
            if self._text[at : at + 1] == "}":
                return items, at + 1
            key = STRING.match(self._text, at)
            at = at if key is None else self.past_spaces(key.end())
            if key is None or self._text[at : at + 1] != ":":
                return None
            found = self.value(at + 1, depth + 1)
            if found is None:
                return None
            items[unescape(key[0][1:-1])] = found[0]
            end = self._past_comma(found[1], "}")
            if end is None:
                return None
            at = end

    def _past_comma(self, at: int, closing: str) -> int | None:
        at = self.past_spaces(at)
        after = self._text[at : at + 1]
        return at + 1 if after in COMMAS else at if after == closing else None


def parse_integer(digits: str) -> int | float:
    """A whole number; a float where it is too long for one."""
    # Python refuses to convert very long integers, with an error that has no position.
    return int(digits) if len(digits) < 20 else float(digits)


def unescape(text: str) -> str:
    """The text of a Python string literal; a backslash that escapes nothing stays."""
    return _ESCAPE.sub(_unescape_character, text) if "\\" in text else text


def _parse_number(digits: str) -> int | float:
    return parse_integer(digits) if digits.lstrip("+-").isdigit() else float(digits)


def _unescape_character(found: re.Match[str]) -> str:
    if found[3] is not None:
        return _ESCAPED.get(found[3], found[0])
    return chr(int(found[1] or found[2], 16))
