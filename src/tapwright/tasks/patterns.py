"""Regular expressions that come from files: Python's own, with a time limit on each search.

The `regex` package behaves as Python's `re` (with lookarounds, references and Unicode classes,
which a linear engine lacks) and can stop in the middle of a search.
"""

import re
from functools import cached_property, lru_cache

import regex

from tapwright.tasks.errors import BadPatternError

__all__ = [
    "Pattern",
    "compile_pattern",
]

_MAX_PATTERN = 2000
_MAX_TEXT = 20_000
_TIMEOUT_S = 0.25

# Certainly well formed, so compiled only at the first search: compiling takes longer than all other
# checks of a definition.
_ATOM = r"(?:[\w ,:;/@=&%'\"<>!~-]|\\[.^$*+?{}\\\[\]|()/dsw]|\.)[*+?]?"
_PLAIN = re.compile(rf"(?:{_ATOM}|[$^]|\\b|\((?:{_ATOM}|\\b)*(?:\|(?:{_ATOM}|\\b)*)*\))*")


class Pattern:
    """A regular expression; with `multiline`, `^` and `$` match at every line."""

    def __init__(self, text: str, *, multiline: bool = False) -> None:
        if len(text) > _MAX_PATTERN:
            raise BadPatternError(
                f"pattern {_short(text)!r} has {len(text):,} characters; "
                f"at most {_MAX_PATTERN:,} are taken"
            )
        self.text = text
        self._flags = regex.MULTILINE if multiline else 0
        if not _PLAIN.fullmatch(text):
            self._compile()

    def _compile(self) -> None:
        try:
            _ = self._compiled
        except regex.error as error:
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
            match = self._compiled.search(text[:_MAX_TEXT], timeout=_TIMEOUT_S)
        except TimeoutError as error:
            raise BadPatternError(
                f"pattern {_short(self.text)!r} took more than {_TIMEOUT_S} s on a text of "
                f"{len(text):,} characters",
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


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
