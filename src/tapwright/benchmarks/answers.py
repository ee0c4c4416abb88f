"""From what a model said to a letter or a point: strict, in linear time, never raising.

An answer that says nothing, or two things, or something that is not on offer is not guessed at:
it gets a status, and who scores it counts that apart.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tapwright.conventions.convention import Space, to_point
from tapwright.errors import OffScreenError
from tapwright.geometry import Point, Size

__all__ = [
    "AnswerStatus",
    "OptionAnswer",
    "PointAnswer",
    "parse_option",
    "parse_point",
]

AnswerStatus: TypeAlias = Literal["ok", "none", "ambiguous", "out_of_range"]
"""How an answer could be read; only "ok" has a value."""

_BARE = re.compile(r"(?:([A-Z])[.)]?|\(([A-Z])\)\.?)", re.ASCII | re.IGNORECASE)
_NAMED = re.compile(
    r"(?:final )?answer ?[:：] ?(?:([A-Z])[.)]?|\(([A-Z])\)\.?)", re.ASCII | re.IGNORECASE
)
_SEVERAL = re.compile(r"\(?[A-Z]\)?(?: ?(?:,|/|&| and | or ) ?\(?[A-Z]\)?){1,25}", re.ASCII)
_NUMBER = r"([-+]?\d{1,12}(?:\.\d{1,20})?)"
# Every repetition has a small upper bound, so a run of blanks or digits costs no more than itself.
_PAIR = re.compile(
    rf"(?:\(\s{{0,8}}{_NUMBER}\s{{0,8}}[,，]\s{{0,8}}{_NUMBER}\s{{0,8}}\)"
    rf"|\[\s{{0,8}}{_NUMBER}\s{{0,8}}[,，]\s{{0,8}}{_NUMBER}\s{{0,8}}\])",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class OptionAnswer:
    """The upper-case letter that was chosen; None unless `status` is "ok"."""

    letter: str | None
    status: AnswerStatus


@dataclass(frozen=True, slots=True)
class PointAnswer:
    """The place that was pointed at; None unless `status` is "ok"."""

    point: Point | None
    status: AnswerStatus


def parse_option(text: str, options: Collection[str]) -> OptionAnswer:
    """The letter of an answer that is `B`, `B.`, `(B)` or `Answer: B`.

    Either that is all it says, or some of its lines are of the last kind. Letters that are not
    among `options` are out of range; two that differ are ambiguous.
    """
    said = text.strip()
    match = _BARE.fullmatch(said)
    if match is not None:
        found = {_letter(match)}
    elif len(said) <= 200 and _SEVERAL.fullmatch(said):
        found = set(re.findall(r"\b[A-Z]\b", said))
    else:
        lines = (_NAMED.fullmatch(line.strip()) for line in said.splitlines())
        found = {_letter(line) for line in lines if line is not None}
    if not found:
        return OptionAnswer(None, "none")
    if len(found) > 1:
        return OptionAnswer(None, "ambiguous")
    (letter,) = found
    return OptionAnswer(letter, "ok") if letter in options else OptionAnswer(None, "out_of_range")


def parse_point(text: str, size: Size, *, space: Space) -> PointAnswer:
    """The place of an answer that holds `(x, y)` or `[x, y]`, in the unit `space`.

    `size` is that of the picture as it was sent. Places that differ are ambiguous.
    """
    pairs = {(float(a or c), float(b or d)) for a, b, c, d in _PAIR.findall(text)}
    if not pairs:
        return PointAnswer(None, "none")
    if len(pairs) > 1:
        return PointAnswer(None, "ambiguous")
    (place,) = pairs
    try:
        return PointAnswer(to_point(*place, size, space), "ok")
    except OffScreenError:
        return PointAnswer(None, "out_of_range")


def _letter(match: re.Match[str]) -> str:
    return (match[1] or match[2]).upper()
