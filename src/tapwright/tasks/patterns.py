"""Regular expressions that come from files: Python's own, with a time limit on each search.

The `regex` package behaves as Python's `re` (with lookarounds, references and Unicode classes,
which a linear engine lacks) and can stop in the middle of a search.
"""

import re
import warnings
from functools import cached_property, lru_cache
from re import _parser as sre_parser  # type: ignore[attr-defined]  # in Python since 3.11
from typing import Any, cast

import regex

from tapwright.tasks import limits
from tapwright.tasks.errors import BadPatternError

__all__ = ["Pattern", "compile_pattern", "parse_pattern"]

_REPEATS = (sre_parser.MAX_REPEAT, sre_parser.MIN_REPEAT, sre_parser.POSSESSIVE_REPEAT)

# Certainly well formed, so compiled only at the first search: compiling takes longer than all other
# checks of a definition.
_ATOM = r"(?:[\w ,:;/@=&%'\"<>!~-]|\\[.^$*+?{}\\\[\]|()/dsw]|\.)[*+?]?"
_PLAIN = re.compile(rf"(?:{_ATOM}|[$^]|\\b|\((?:{_ATOM}|\\b)*(?:\|(?:{_ATOM}|\\b)*)*\))*")


class Pattern:
    """A regular expression; with `multiline`, `^` and `$` match at every line."""

    def __init__(self, text: str, *, multiline: bool = False) -> None:
        if len(text) > limits.MAX_PATTERN:
            raise BadPatternError(
                f"pattern {_short(text)!r} has {len(text):,} characters; "
                f"at most {limits.MAX_PATTERN:,} are taken"
            )
        self.text = text
        self._flags = regex.MULTILINE if multiline else 0
        if not _PLAIN.fullmatch(text):
            self._compile()

    def _compile(self) -> None:
        try:
            size = _written_out(parse_pattern(self.text))
            if size > limits.MAX_PATTERN_REPEATS:
                raise BadPatternError(
                    f"pattern {_short(self.text)!r} has {size:,} parts when its repeats are "
                    f"written out; at most {limits.MAX_PATTERN_REPEATS:,} are taken",
                    hint="lower the counts in {}, or use + or *",
                )
            _ = self._compiled
        except (re.error, regex.error, OverflowError) as error:
            raise BadPatternError(f"pattern {_short(self.text)!r}: {error}") from error
        except RecursionError as error:
            raise BadPatternError(f"pattern {_short(self.text)!r} is nested too deeply") from error

    @cached_property
    def _compiled(self) -> "regex.Pattern[str]":
        return regex.compile(self.text, self._flags)

    def search(self, text: str) -> tuple[str | None, ...] | None:
        """Return the groups of the first match in the first 20,000 characters, or None.

        Raises:
            BadPatternError: it took too long.
        """
        try:
            match = self._compiled.search(
                text[: limits.MAX_PATTERN_TEXT], timeout=limits.MAX_PATTERN_SECONDS
            )
        except TimeoutError as error:
            raise BadPatternError(
                f"pattern {_short(self.text)!r} took more than {limits.MAX_PATTERN_SECONDS} s on a "
                f"text of {len(text):,} characters",
                hint="nested repeats such as (a+)+ try every way to split a text",
            ) from error
        return None if match is None else match.groups()


@lru_cache(maxsize=4096)
def compile_pattern(text: str, *, multiline: bool = False) -> Pattern:
    """Compiles a pattern; cached.

    Raises:
        BadPatternError: it is not a regular expression.
    """
    return Pattern(text, multiline=multiline)


def parse_pattern(text: str) -> Any:
    """The pattern as Python's own parser reads it, which takes time linear in its length.

    Compiling copies the body of each counted repeat, so what it will cost is known only from here.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about spellings that a later Python may read otherwise
        parsed: object = sre_parser.parse(text)
    return parsed


def _written_out(parsed: object) -> int:
    """The number of parts when every repeat is copied as often as it must match."""
    if isinstance(parsed, tuple) and any(parsed[0] is kind for kind in _REPEATS):
        at_least, _, body = cast(tuple[int, int, object], parsed[1])
        return 1 + max(at_least, 1) * _written_out(body)
    if isinstance(parsed, sre_parser.SubPattern):
        parsed = parsed.data
    if not isinstance(parsed, tuple | list):
        return 0
    return isinstance(parsed, tuple) + sum(map(_written_out, parsed))


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
