"""Words that a milestone looks for in texts: as whole words, as parts, or as read off a picture."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from rapidfuzz import fuzz

from tapwright.tasks.patterns import compile_pattern

__all__ = ["WordQuery", "matches_pattern", "matches_read_text"]

_FUZZY = 80.0
_FUZZY_FROM = 4
_ALIKE = str.maketrans("osli|", "05111")


@dataclass(frozen=True, slots=True)
class WordQuery:
    """One of `any_of`, and each of `all_of`; an empty query never matches."""

    any_of: tuple[str, ...] = ()
    all_of: tuple[str, ...] = ()

    def matches_words(self, words: frozenset[str]) -> bool:
        """Whether whole words contain them; a phrase is contained if all its words are."""
        return self._matches(lambda wanted: wanted in words or words.issuperset(wanted.split()))

    def matches_texts(self, *texts: str) -> bool:
        """Whether they are parts of the texts."""
        return self._matches(lambda wanted: any(wanted in text for text in texts))

    def _matches(self, has: Callable[[str], bool]) -> bool:
        if self.any_of and not any(map(has, self.any_of)):
            return False
        return bool(self.any_of or self.all_of) and all(map(has, self.all_of))

    def list_found(self, *texts: str) -> str:
        """Return those that the texts contain, quoted, for evidence."""
        found = [one for one in (*self.any_of, *self.all_of) if any(one in text for text in texts)]
        return ", ".join(map(repr, found))


def _normalize(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(folded.split()).translate(_ALIKE)


def matches_read_text(words: WordQuery, texts: tuple[str, ...]) -> bool:
    """Whether words are among texts read off a picture, with similar letters taken as equal."""
    if words.matches_texts(*texts):
        return True
    plain = _normalize("".join(texts))

    def has(word: str) -> bool:
        wanted = _normalize(word)
        if wanted in plain:
            return bool(wanted)
        return len(wanted) >= _FUZZY_FROM and fuzz.partial_ratio(wanted, plain) >= _FUZZY

    return (not words.any_of or any(map(has, words.any_of))) and all(map(has, words.all_of))


def matches_pattern(pattern: str, text: str, *, ignore_case: bool) -> bool:
    """Whether a text matches a rule's pattern anywhere.

    Raises:
        BadPatternError: it is not a pattern, or takes too long.
    """
    return compile_pattern(f"(?i:{pattern})" if ignore_case else pattern).search(text) is not None
