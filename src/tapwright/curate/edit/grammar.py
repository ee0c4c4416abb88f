"""Parses the text form of edits: `2:delete:1:3,2:rewardize:3:-1`.

    modifiers = modifier { "," modifier } ;
    modifier  = [ ( index | "*" ) ":" ] name { ":" param } ;

It is the grammar of Mobile-Env's `edit_pickle.py`
(https://github.com/X-LANCE/Mobile-Env/blob/976145e/tools/annotation-tool/pkl_tools/edit_pickle.py),
with four additions: the index may be left out where there is one episode, "*" stands for every
episode, blanks around a word do not count, and a param may be JSON (a string in double quotes, a
list or an object), so that texts with ":" and "," and whole actions can be written.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from pydantic import ConfigDict, JsonValue, TypeAdapter, ValidationError
from rich.cells import cell_len

from tapwright.curate.edit.errors import BadModifierError
from tapwright.errors import TapwrightError, UsageError, first_problem

__all__ = [
    "INTEGER", "NUMBER", "STEPS", "TEXT", "WHICH", "Modifier", "Parameters", "parse_modifiers",
]  # fmt: skip

_AROUND = 60
_BLANKS = re.compile(r"\s*")
_BARE = re.compile(r"[^:,]*")
# Those that are written as Python writes them; "007" is a word.
_INTEGER = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)
_HINT = "tapwright episodes edit --help lists the modifiers; nothing was changed"
_JSON = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Modifier:
    """One modifier: an edit, and the index of its episode.

    `index` counts episodes from 0, and from the end if negative; None stands for the only one, and
    "*" for each. `params` are integers, text as it was written, or parsed JSON. The modifier is in
    `source` from `start` to before `stop`, and is its `number`-th, counted from 1.
    """

    index: int | Literal["*"] | None
    name: str
    params: tuple[JsonValue, ...]
    source: str
    start: int
    stop: int
    number: int

    def __str__(self) -> str:
        return self.source[self.start : self.stop]

    def refused(self, error: TapwrightError) -> BadModifierError:
        """The error of a modifier that cannot be applied, with its position."""
        reason = f"modifier {self.number}: {error}"
        return _error(reason, self.source, self.start, self.stop, hint=error.hint)


def parse_modifiers(text: str) -> tuple[Modifier, ...]:
    """The modifiers in the order in which they apply.

    Raises:
        BadModifierError: `text` is not in the grammar; shows where.
    """
    if not text.strip():
        raise BadModifierError("no modifiers are given; expected index:name:param…", hint=_HINT)
    found: list[Modifier] = []
    at = 0
    while True:
        start = at
        words: list[JsonValue] = []
        while True:
            word, at = _word(text, at)
            words.append(word)
            if not text.startswith(":", at):
                break
            at += 1
        found.append(_modifier(words, text, start, at, len(found) + 1))
        if at == len(text):
            return tuple(found)
        if not text.startswith(",", at):
            raise _error("expected ':' or ',' here", text, at, at + 1)
        at += 1


def _modifier(
    words: Sequence[JsonValue], source: str, start: int, stop: int, number: int
) -> Modifier:
    start = _past_blanks(source, start)
    stop = start + len(source[start:stop].rstrip())
    index: int | Literal["*"] | None = None
    match words:
        case [int(first), *rest]:
            index, words = first, rest
        case ["*", *rest]:
            index, words = "*", rest
    match words:
        case [str(name), *params] if name.isidentifier():
            return Modifier(index, name, tuple(params), source, start, stop, number)
    reason = f"modifier {number} has no name; expected index:name:param…"
    raise _error(reason, source, start, max(stop, start + 1))


def _word(text: str, at: int) -> tuple[JsonValue, int]:
    """The word at a place, and where it ends."""
    begin = _past_blanks(text, at)
    if text[begin : begin + 1] in ('"', "[", "{"):
        try:
            value, end = _JSON.raw_decode(text, begin)
        except json.JSONDecodeError as error:
            raise _error(f"not JSON: {error.msg}", text, error.pos, error.pos + 1) from error
        except (ValueError, RecursionError) as error:
            told = "JSON that is nested too deeply, or a number of too many digits"
            raise _error(told, text, begin, begin + 1) from error
        return value, _past_blanks(text, end)
    found = _BARE.match(text, begin)
    end = found.end() if found else begin
    word = text[begin:end].rstrip()
    return (int(word) if _INTEGER.fullmatch(word) else word), end


def _past_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _error(reason: str, source: str, start: int, stop: int, *, hint: str = "") -> BadModifierError:
    """An error that shows a part of the text with the faulty part underlined."""
    # A modifier that is a page long is recognised by its beginning.
    stop = min(stop, start + _AROUND)
    left, right = max(0, start - _AROUND), min(len(source), stop + _AROUND)
    line = "".join(char if char.isprintable() else " " for char in source[left:right])
    before = cell_len(line[: start - left])
    under = max(1, cell_len(line[start - left : stop - left]))
    message = f"{reason}\n  {line}\n  {' ' * before}{'^' * under}"
    return BadModifierError(message, hint=hint or _HINT)


T = TypeVar("T")

INTEGER = TypeAdapter(int)
NUMBER = TypeAdapter(float)
STEPS = TypeAdapter(list[int])
TEXT = TypeAdapter(str, config=ConfigDict(coerce_numbers_to_str=True))
WHICH: TypeAdapter[int | str | list[str]] = TypeAdapter(int | str | list[str])
"""An instruction: its number, its words, or several."""


class Parameters:
    """The params of a modifier; `expected` describes them in errors."""

    def __init__(self, modifier: Modifier, expected: str) -> None:
        self.expected = expected
        self.left = list(modifier.params)

    def take(self, kind: TypeAdapter[T], what: str) -> T:
        """The next param.

        Raises:
            UsageError: there is none, or it is not `what` is expected.
        """
        if not self.left:
            raise UsageError(f"{what} is missing; expected {self.expected}")
        value = self.left.pop(0)
        try:
            return kind.validate_python(value)
        except ValidationError as error:
            shown = repr(value)[:200]
            raise UsageError(f"{shown} is not {what}: {first_problem(error)}") from error

    def end(self) -> None:
        """Check that no param is left.

        Raises:
            UsageError: a param is left.
        """
        if self.left:
            raise UsageError(f"{self.left[0]!r} is one param too many; expected {self.expected}")
