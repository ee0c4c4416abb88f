"""Function calls in an answer, `name(args, key=value)`: read, never run.

Values are in Python's notation. A quotation mark that a model forgot to escape is taken for what it
is: the one before the bracket behind which a line with another call begins, else the last one
before a bracket, ends the string.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import NamedTuple

from pydantic import JsonValue

from tapwright.conventions.literals import COMMAS, STRING, Literals, unescape
from tapwright.conventions.parsing import bad_answer

__all__ = ["ParsedCall", "find_calls", "find_only_call"]

_CALL = re.compile(r"(?<![\w.])([A-Za-z_][\w.]*)\(")
_NEXT = re.compile(r"(['\"])\)(\s++)([A-Za-z_][\w.]*+)\(")
_AFTER = COMMAS | {")"}
_NAME = re.compile(r"\s*+([A-Za-z_]\w*)\s*+=(?!=)")


class ParsedCall(NamedTuple):
    """A function call, `name(args, key=value)`."""

    name: str
    args: tuple[JsonValue, ...]
    named: Mapping[str, JsonValue]

    def get(self, *names: str, at: int | None = None) -> JsonValue:
        """The argument that has one of these names or stands at this position, or None."""
        for name in names:
            if name in self.named:
                return self.named[name]
        return self.args[at] if at is not None and at < len(self.args) else None


def find_calls(text: str, names: Collection[str]) -> list[ParsedCall]:
    """Every call of a function called one of `names`, in order."""
    made = []
    scanner = _Scanner(text, names)
    found = _CALL.search(text)
    while found is not None:
        end = found.end()
        if found[1] in names:
            arguments = scanner.arguments(end)
            if arguments is not None:
                args, named, end = arguments
                made.append(ParsedCall(found[1], tuple(args), named))
        found = _CALL.search(text, end)
    return made


def find_only_call(text: str, names: Collection[str]) -> ParsedCall:
    """The one call in `text`.

    Raises:
        BadAnswerError: there is none, or more than one.
    """
    made = find_calls(text, names)
    if len(made) != 1:
        raise bad_answer(
            f"{len(made)} actions in one answer ({', '.join(call.name for call in made[:5])}); "
            "expected one"
            if made
            else f"no action in the answer; expected one of {', '.join(sorted(names))}"
        )
    return made[0]


class _Scanner:
    """Reads the parts of a call from a place in the text on; None where there is no such part."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        self._text = text
        self._literals = Literals(text, most=len(text))
        self._last = {quote: text.rfind(f"{quote})") for quote in "'\""}
        self._names = names

    @cached_property
    def _before_calls(self) -> dict[str, list[int]]:
        """Where strings of either quotes end before a bracket and a line with another call."""
        ends: dict[str, list[int]] = {"'": [], '"': []}
        for one in _NEXT.finditer(self._text):
            if "\n" in one[2] and one[3] in self._names:
                ends[one[1]].append(one.start())
        return ends

    def arguments(self, at: int) -> tuple[list[JsonValue], dict[str, JsonValue], int] | None:
        """What stands between the brackets, and where it ends."""
        args: list[JsonValue] = []
        named: dict[str, JsonValue] = {}
        while True:
            at = self._literals.past_spaces(at)
            if self._text[at : at + 1] == ")":
                return args, named, at + 1
            name = _NAME.match(self._text, at)
            found = self._value(at if name is None else name.end())
            if found is None:
                return None
            value, at = found
            if name is None:
                args.append(value)
            else:
                named[name[1]] = value
            at = self._literals.past_spaces(at)
            if self._text[at : at + 1] in COMMAS:
                at += 1
            elif self._text[at : at + 1] != ")":
                return None

    def _value(self, at: int) -> tuple[JsonValue, int] | None:
        at = self._literals.past_spaces(at)
        first = self._text[at : at + 1]
        return self._string(at, first) if first in ("'", '"') else self._literals.value(at)

    def _string(self, at: int, quote: str) -> tuple[str, int] | None:
        if self._text.startswith(3 * quote, at):
            end = self._text.find(3 * quote, at + 3)
            if end >= 0:
                return unescape(self._text[at + 3 : end]), end + 3
        found = STRING.match(self._text, at)
        if found is not None:
            after = self._literals.past_spaces(found.end())
            if self._text[after : after + 1] in _AFTER:
                return unescape(found[0][1:-1]), found.end()
        ends = self._before_calls[quote]
        nearest = bisect_right(ends, at)
        end = ends[nearest] if nearest < len(ends) else self._last[quote]
        return (unescape(self._text[at + 1 : end]), end + 1) if end > at else None
