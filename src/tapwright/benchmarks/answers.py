"""Reads an answer as a letter or a point, by one of two parsers, and never raises.

`robust` weighs the whole answer (`option_reader`, `point_reader`). `seed` is the pair of regular
expressions of MMBench-GUI (https://github.com/open-compass/MMBench-GUI/tree/896ddf1,
`utils/misc.py`) as they were intended, with the full-width colon, for comparison with published
numbers: the first match wins, a letter is not compared with the options, and the unit of a point is
guessed from its numbers.

`robust` does not guess: an answer with no choice, with two, or with one that is not on offer gets a
status, and its scorer counts it apart. Both take time linear in the answer's length.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args
from unicodedata import decimal

import re2

from tapwright.benchmarks.answer_text import answer_text
from tapwright.benchmarks.option_reader import read_option
from tapwright.benchmarks.point_reader import read_places
from tapwright.conventions import conventions
from tapwright.conventions.convention import Space, model_size, to_point, to_shares
from tapwright.conventions.sent_pictures import PaddingConvention
from tapwright.core.geometry import Point, Size
from tapwright.errors import OffScreenError

__all__ = [
    "AnswerStatus", "OptionAnswer", "Parser", "PointAnswer", "parse_option", "parse_point",
    "points_below_zero", "refuses",
]  # fmt: skip

Parser: TypeAlias = Literal["robust", "seed"]
AnswerStatus: TypeAlias = Literal["ok", "none", "ambiguous", "out_of_range"]
"""How an answer could be read; only "ok" has a value."""

Span: TypeAlias = tuple[int, int]

_SEED_OPTION = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        r"\b([A-F])[\.:](?!\w)",
        r"\bOption\s+([A-F])\b",
        r"\bAnswer\s*(?:[:：]\s*)?([A-F])\b",  # `[:：]?\s*` there, which is quadratic in blanks
        r"^[ \t]*([A-F])[\.:]?",
        r"[\'\"]([A-F])[\'\"]",
        r"\b([A-F])\b(?!\s+\w)",
    )
)
_SEED_NUMBER = r"([-+]?(?:\d+\.\d+|\.\d+|\d+))"
_SEED_POINT = (
    r"(?i)(?:x\s*[:=]?\s*)?[\(\[\{]?\s*"
    + _SEED_NUMBER
    + r"\s*[,\s;]+(?:y\s*[:=]?\s*)?\s*"
    + _SEED_NUMBER
    + r"\s*[\)\]\}]?"
)
_SEED_POINT_SHORT = re.compile(_SEED_POINT)
# RE2 finds what Python's engine does, more slowly, but without its cubic time on a run of blanks;
# its classes hold ASCII alone, so that it is given the text as `_plain` writes it.
_SEED_POINT_LONG = re2.compile(_SEED_POINT)
_NOT_PLAIN = re.compile(r"[^\x21-\x7e]")
_SHORT = 64


@dataclass(frozen=True, slots=True)
class OptionAnswer:
    """The upper-case letter that was chosen; None unless `status` is "ok".

    `kind` is what it was read from ("bare", "stated", "boxed", "option text", …), or "refusal"
    when the answer declines to give one; `span` where it stands in the answer without its
    thoughts, `reason` why there is no letter.
    """

    letter: str | None
    status: AnswerStatus
    kind: str = ""
    span: Span | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PointAnswer:
    """The place that was pointed at, in fractions; None unless `status` is "ok".

    But published readers may take what they cannot read for the corner, with the status "none".
    `numbers` are those of the answer (two for a point, four for a box), and `exact` what they are
    in shares of the picture: without rounding to a pixel, and perhaps off the picture. `kind`,
    `span` and `reason` are as in `OptionAnswer`.
    """

    point: Point | None
    status: AnswerStatus
    kind: str = ""
    span: Span | None = None
    reason: str = ""
    numbers: tuple[float, ...] = ()
    exact: tuple[float, float] | None = None


def parse_option(
    text: str, options: Mapping[str, str] | Collection[str], *, parser: Parser = "robust"
) -> OptionAnswer:
    """The letter that an answer chooses.

    `options` are the letters on offer, with their texts where these are known: an answer may be an
    option's text instead of its letter. Letters that are not on offer are out of range, two that
    differ ambiguous.
    """
    if parser == "seed":
        for pattern in _SEED_OPTION:
            found = pattern.search(text)
            if found is not None:
                return OptionAnswer(found[1].upper(), "ok", "seed", found.span(1))
        return OptionAnswer(None, "none", reason="no pattern matches")
    texts = options if isinstance(options, Mapping) else None
    letters, kind, span = read_option(text, texts, len(options))
    if not letters:
        if kind == "refusal" or refuses(text):
            return OptionAnswer(None, "none", "refusal", span, "the answer refuses to choose")
        return OptionAnswer(None, "none", kind, span, "no letter is chosen")
    if len(letters) > 1:
        reason = f"torn between {', '.join(letters)}"
        return OptionAnswer(None, "ambiguous", kind, span, reason)
    if letters[0] not in options:
        return OptionAnswer(None, "out_of_range", kind, span, f"{letters[0]} is not on offer")
    return OptionAnswer(letters[0], "ok", kind, span)


def parse_point(
    text: str, size: Size | tuple[int, int], *, space: Space | str, parser: Parser = "robust"
) -> PointAnswer:
    """The place that an answer points at; a box means its centre.

    `space` is the unit of the answer's numbers, or the name of the convention that declares it and
    the size in which its models see a picture. `size` is that of the picture as it was sent, in
    pixels. A number with "%" or "px" behind it has its own unit. Places off the picture are out of
    range.

    Raises:
        UnknownNameError: `space` is neither a unit nor a convention.
    """
    size = size if isinstance(size, Size) else Size(*size)
    if parser == "seed":
        return _seed_point(text, size)
    unit, seen, canvas = _unit(space, size)
    places = read_places(text)
    if not places:
        if refuses(text):
            return PointAnswer(None, "none", "refusal", reason="the answer is that none is there")
        return PointAnswer(None, "none", reason="no place is given")
    place = places[-1]
    found = place.numbers
    if len(places) > 1:
        reason = f"torn between {' and '.join(str(one.numbers) for one in places)}"
        return PointAnswer(None, "ambiguous", place.kind, place.span, reason, found)
    if place.unit is not None:
        unit = "percent" if place.unit == "%" else "pixel"
    x, y = place.point
    if unit != "pixel" and canvas != seen:  # the picture stands in the corner of a canvas
        x, y = x * canvas.width / seen.width, y * canvas.height / seen.height
    exact = to_shares(x, y, seen, unit)
    try:
        point = to_point(x, y, seen, unit)
    except OffScreenError as error:
        return PointAnswer(None, "out_of_range", place.kind, place.span, str(error), found, exact)
    return PointAnswer(point, "ok", place.kind, place.span, "", found, exact)


def _unit(space: str, size: Size) -> tuple[Space, Size, Size]:
    """The unit, the size of the picture that pixels are counted on, and that of its canvas."""
    for unit in get_args(Space):
        if unit == space:
            return unit, size, size
    convention = conventions.get(space)
    seen = model_size(convention, size)
    if isinstance(convention, PaddingConvention):
        return convention.space, seen, convention.canvas_size(size)
    return convention.space, seen, seen


def _plain(text: str) -> str:
    """The text with a blank for each kind of blank, and all digits of any script as 0 to 9."""
    return _NOT_PLAIN.sub(lambda found: _plain_character(found[0]), text)


def _plain_character(character: str) -> str:
    if character.isspace():
        return " "
    return str(decimal(character)) if character.isdecimal() else "~"


def _seed_point(text: str, size: Size) -> PointAnswer:
    if len(text) <= _SHORT:
        found = _SEED_POINT_SHORT.search(text)
    else:
        found = _SEED_POINT_LONG.search(_plain(text))
    if found is None:
        return PointAnswer(None, "none", reason="no pattern matches")
    x, y = float(found[1]), float(found[2])
    if not (0 <= x <= 1 and 0 <= y <= 1):
        x, y = x / size.width, y / size.height
    numbers = (float(found[1]), float(found[2]))
    if not (0 <= x <= 1 and 0 <= y <= 1):
        reason = f"({found[1]}, {found[2]}) is off a {size} picture"
        return PointAnswer(None, "out_of_range", "seed", found.span(), reason, numbers, (x, y))
    return PointAnswer(Point(x, y), "ok", "seed", found.span(), "", numbers, (x, y))


_CANNOT = (
    r"(?:can(?:no|')t|can not|could(?:n't| not)|unable to|not able to|(?:im|not )possible to) "
    r"(?:be )?(?:find|found|see|locate|identify|determine|answer|tell|view|help|assist|click|"
    r"point|provide|complete|process|access|perform|select|choose)"
)
_ABSENT = (
    r"(?:does(?:n't| not)|do(?:n't| not)) (?:exist|appear|contain|have|show|see|match)|no such\b|"
    r"(?:is|are|was)(?:n't| not) (?:\w{1,12} )?(?:visible|present|available|shown|there|found|"
    r"possible|displayed|in the|on the)|not found\b|not (?:visible|present|applicable)\b|"
    r"no (?:\w{1,12} )?(?:element|target|button|icon|option|match|answer|coordinates?)\b|"
    r"none of (?:the|these|them)\b|there(?:'s| is) no\b"
)
_REFUSED = r"\b(?:refus(?:e|al)|infeasible|sorry|as an ai)\b"
_CHINESE = (
    r"无法|不能|不存在|找不到|未找到|没有找到|看不到|没有(?:对应|匹配|相应|这个|该)|抱歉|拒绝"
)
_STRUCTURED = (
    r"[\"'](?:result|status|goal_status|target)[\"']\s?:\s?"
    r"[\"'](?:negative|failure|failed|infeasible|impossible|none|not[_ ]found)[\"']"
    r"|\bstatus\s?=\s?[\"'](?:failure|infeasible)[\"']"
)
_NOWHERE = r"-1(?:\.0{1,6})?\s{0,2}[,;\s]\s{0,2}-1(?:\.0{1,6})?(?![\d.])"
_SIGNS = re.compile(
    "|".join((_CANNOT, _ABSENT, _REFUSED, _CHINESE, _STRUCTURED, _NOWHERE)), re.IGNORECASE
)
_BELOW_ZERO = re.compile(
    r"-\d{1,9}(?:\.\d{1,9})?\s{0,2}[,;\s]\s{0,2}(?:[\"']?y[\"']?\s{0,2}[:=]\s{0,2})?-\d",
    re.IGNORECASE,
)
_LONGEST = 20_000


def refuses(text: str) -> bool:
    """Whether an answer, its thoughts apart, declines to give one or is that none is there.

    (-1, -1) is such an answer, too. Of an answer of more than 20,000 characters the last ones are
    read.
    """
    return _SIGNS.search(answer_text(text[-_LONGEST:])) is not None


def points_below_zero(text: str) -> bool:
    """Whether an answer, its thoughts apart, is a point with both coordinates below zero."""
    return _BELOW_ZERO.search(answer_text(text[-_LONGEST:])) is not None
