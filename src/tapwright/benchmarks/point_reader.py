"""The place that an answer to "where is it?" commits itself to.

Numbers that stand together, with nothing between them but separators, brackets, labels and units,
are one group: two are a point, four a box. Groups that are sizes, dates, ranges, thoughts or the
ends of a swipe are no answer; of the others the last counts.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tapwright.benchmarks import point_patterns
from tapwright.benchmarks.answer_text import answer_text

__all__ = ["AnswerPlace", "read_places"]

Unit: TypeAlias = Literal["px", "%"]

_NUMERAL = re.compile(r"(?:^|\n)\s{0,8}$")
_THOUSANDS = re.compile(r"(?<![\d,.])(\d{1,3}),(\d{3})(?![\d])")
_DIGIT_TIME = re.compile(r"(?<![A-Za-z_\d])\d{1,4}[:/]$")
_PLAIN = r"([-+]?\d{1,5}(?:\.\d{1,20})?)"
_BARE = re.compile(
    r"\s{0,8}(?:<(?:point|click|coordinate)>|(?:pyautogui\.)?(?:left_)?(?:click|tap)\(|\{)?"
    rf"\s?[\[(]?\s?(?:[\"']?x[\"']?\s?[=:]\s?)?{_PLAIN}\s?[,\s]\s?"
    rf"(?:[\"']?y[\"']?\s?[=:]\s?)?{_PLAIN}"
    r"\s?[\])]?\s?(?:</(?:point|click|coordinate)>|\)|\})?\s{0,8}",
    re.ASCII,
)
"""The usual forms of an answer that is nothing but a point, which need no weighing."""
_GOES_ON = re.compile(r"[\])]?\s{0,2}(?:to|until|–|—|~|至|到)\s{0,2}[\[(]?\d", re.IGNORECASE)
_CAME_FROM = re.compile(r"(?:\bto|至|到)\s?[\[(]?$")
_BETWEEN = re.compile(r"[\])]?\s{0,2}(?:to|and|until|至|到|–|—)\s{0,2}[\[(]?", re.IGNORECASE)
_OR = re.compile(r"[\])}\s]{0,4}(?:,\s)?(?:or|或者?)\s?(?:at\s)?[\[({]{0,2}")
_OPENED = re.compile(r"(?:[\[({<>\"'`]|loc_)\s{0,4}$")
_WORD = re.compile(r"[^\W\d_]{3}")
_LABELLED = re.compile(
    r"(?<!x[,/])(?<!x[,/]\s)[xy][\"']?\s{0,3}(?:[=:]|is\b)\s{0,3}[\"']?\d{1,3},\d{3}\b",
    re.IGNORECASE,
)
_SPACED = re.compile(
    r"(?<![\d,])\d{1,3},\d{3}\s?,\s\d{1,3}(?:,\d{3})?(?![\d,])"
    r"|(?<![\d,])(?<![\d,]\s)\d{1,4},\s\d{1,3},\d{3}(?![\d,])"
)
_GEMINI = re.compile(r"(?<!b)box_2d", re.IGNORECASE)
_CALLED = re.compile(r"\w\(\s?$")
_EMPTY_LINE = re.compile(r"\n\s*\n")
_AROUND = 64
_LABEL_AT_MOST = 32
_MOST_NUMBERS = 400
_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class AnswerPlace:
    """Two numbers (x, y) or four (left, top, right, bottom) that an answer gives for a place.

    `unit` is set when the answer names one: "px" or "%". `span` is where it stands in the answer.
    """

    numbers: tuple[float, ...]
    unit: Unit | None
    span: tuple[int, int]
    kind: str

    @property
    def point(self) -> tuple[float, float]:
        """X and y: those of the point, or of the box's centre."""
        if len(self.numbers) == 2:
            return self.numbers[0], self.numbers[1]
        left, top, right, bottom = self.numbers
        return (left + right) / 2, (top + bottom) / 2


@dataclass(frozen=True, slots=True)
class _Number:
    value: float
    start: int
    end: int
    label: str
    unit: Unit | None


def read_places(text: str) -> list[AnswerPlace]:
    """The places that an answer commits itself to: none, one, or several that it is torn between.

    Of an answer of more than 20,000 characters the last ones are read.
    """
    bare = _BARE.fullmatch(text) if len(text) < _AROUND else None
    if bare is not None:
        pair = float(bare[1]), float(bare[2])
        return [] if pair == (-1, -1) else [AnswerPlace(pair, None, bare.span(), "bare")]
    answer = answer_text(text[-_LONGEST:])
    edges = point_patterns.FROM_EDGES.search(answer)
    if edges is not None:
        across, down = (edges["x"], edges["y"]) if edges["x"] else (edges["x2"], edges["y2"])
        unit: Unit = "%" if point_patterns.is_percent(edges["unit"] or edges["unit2"]) else "px"
        return [AnswerPlace((float(across), float(down)), unit, edges.span(), "from the edges")]
    if _THOUSANDS.search(answer):
        answer = _THOUSANDS.sub(_join_thousands(answer), answer)
    found = [
        (place, _rank_place(answer, place, group))
        for group in _group_numbers(answer)
        if (place := _build_place(group, answer)) is not None
    ]
    ranked = [(place, rank) for place, rank in found if rank > 0]
    if not ranked:
        return _read_range(answer, [place for place, _ in found])
    best = max(rank for _, rank in ranked)
    chosen = [place for place, rank in ranked if rank == best]
    last = chosen[-1]
    torn = [one for one in chosen[:-1] if _OR.fullmatch(answer, one.span[1], last.span[0])]
    return [*torn[-1:], last] if torn and torn[-1].numbers != last.numbers else [last]


def _join_thousands(answer: str) -> str:
    """How thousands separators go: only where numbers are labelled or a blank follows the comma."""
    return r"\1\2" if _LABELLED.search(answer) or _SPACED.search(answer) else r"\g<0>"


def _group_numbers(answer: str) -> list[list[_Number]]:
    found = list(point_patterns.NUMBER.finditer(answer))[-_MOST_NUMBERS:]
    groups: list[list[_Number]] = []
    for match in found:
        start, end = match.span()
        numeral = len(match[0]) < 4 and (match[0].endswith(".") or answer[end : end + 1] == ")")
        if numeral and _NUMERAL.search(answer, max(start - 9, 0), start):
            continue  # "1." or "1)" counts the lines
        label = point_patterns.LABEL_BEFORE.search(answer[max(start - _LABEL_AT_MOST, 0) : start])
        unit = point_patterns.UNIT.match(answer, end)
        number = _Number(
            float(match[0]),
            start,
            end,
            re.sub(r"[_\s]", "", label[1]).lower() if label else "",
            None if unit is None else "%" if point_patterns.is_percent(unit[1]) else "px",
        )
        gap = answer[groups[-1][-1].end : start] if groups else ""
        of_size = (
            groups and groups[-1][-1].label in ("w", "h", "width", "height") and not number.label
        )
        labelled = groups and number.label and not any(one.label for one in groups[-1])
        if groups and not of_size and not labelled and len(gap) <= _AROUND and _is_separator(gap):
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _is_separator(gap: str) -> bool:
    if not gap or not point_patterns.GAP.fullmatch(gap):
        return False
    return not _EMPTY_LINE.search(gap)


def _build_place(group: Sequence[_Number], answer: str) -> AnswerPlace | None:
    if len(group) not in (2, 3, 4):
        if len(group) > 4 and len(group) % 2 == 0:
            group = group[-2:] if not group[0].label else group[:2]
        else:
            return None
    if len(group) == 3:
        closed = answer[group[1].end : group[1].end + 2].strip()[:1] in (")", "]")
        opened = any(mark in answer[group[0].end : group[1].start] for mark in "([")
        called = _CALLED.search(answer, max(group[0].start - 24, 0), group[0].start) and not opened
        group = group[:2] if group[0].label or closed or called else group[1:]
    labels = [number.label for number in group]
    if len(group) == 2 and point_patterns.SIZE_LABELS.issuperset(labels):
        return None
    numbers = [number.value for number in group]
    if len(group) == 2 and _is_down(labels[0]) and labels[1] and not _is_down(labels[1]):
        numbers.reverse()
    if len(group) == 4:
        numbers = _build_box(numbers, labels, answer[max(group[0].start - 24, 0) : group[0].start])
    span = (group[0].start, group[-1].end)
    units = {number.unit for number in group} - {None}
    unit = units.pop() if len(units) == 1 else None
    return AnswerPlace(tuple(numbers), unit, span, "point" if len(numbers) == 2 else "box")


def _is_down(label: str) -> bool:
    return label.startswith(("y", "vertical", "top", "纵")) or label in (
        "centery",
        "coordy",
        "posy",
    )


def _build_box(numbers: list[float], labels: Sequence[str], before: str) -> list[float]:
    if _GEMINI.search(before):  # Gemini's own key: y before x
        top, left, bottom, right = numbers
        return [left, top, right, bottom]
    by_label = dict(zip(labels, numbers, strict=True))
    if {"width", "height"} <= set(labels) or {"w", "h"} <= set(labels):
        width, height = (
            by_label.get(name, by_label.get(name[0], 0.0)) for name in ("width", "height")
        )
        left, top = (
            numbers[at] for at in range(4) if labels[at] not in ("w", "h", "width", "height")
        )
        return [left, top, left + width, top + height]
    if {"left", "top", "right", "bottom"} == set(labels):
        return [by_label[name] for name in ("left", "top", "right", "bottom")]
    if labels[0][:1] == "y" and labels[1][:1] == "x":
        return [numbers[1], numbers[0], numbers[3], numbers[2]]
    if labels[0][:1] == "x" and labels[1][:1] == "x":
        return [numbers[0], numbers[2], numbers[1], numbers[3]]
    return numbers


def _rank_place(answer: str, place: AnswerPlace, group: Sequence[_Number]) -> int:
    """How much a group of numbers is an answer: 0 not at all, 1 perhaps, 2 surely."""
    start, end = place.span
    before = answer[max(start - 240, 0) : start]
    near = before[-_AROUND:]
    if all(value == -1 for value in place.numbers):
        return 0
    if _in_gesture(before):
        return 0
    stem = near.rstrip(" \t([{\"'`")
    if point_patterns.NOT_FINAL.search(stem) or _DIGIT_TIME.search(near):
        return 0
    if point_patterns.SIZE.search(stem) or place.numbers in ((0, 1), (0, 1000)):
        return 1
    if (
        point_patterns.SIZE_BEFORE.search(near)
        and not point_patterns.FINAL.search(near[-12:])
        and point_patterns.NUMBER.search(answer, end)
    ):
        return 0
    if _GOES_ON.match(answer, end) and point_patterns.FROM.search(near):
        return 0
    if _CAME_FROM.search(near) and point_patterns.FROM.search(near):
        return 0
    bracketed = bool(_OPENED.search(near[-8:])) or bool(group[0].label)
    if not bracketed and near[-1:].isdigit():
        return 0
    if bracketed or point_patterns.FINAL.search(near) or place.unit is not None:
        return 2
    return 0 if _WORD.search(near + answer[end : end + _AROUND]) else 2


def _in_gesture(before: str) -> bool:
    """Whether the last call before is one that points at nothing: a swipe, a scroll, a text."""
    calls = list(point_patterns.CALL.finditer(before))
    if not calls:
        return False
    name = calls[-1][1] or calls[-1][2]
    return name.replace("_", "").lower() in point_patterns.GESTURES


def _read_range(answer: str, places: Sequence[AnswerPlace]) -> list[AnswerPlace]:
    """The box that "from (1, 2) to (3, 4)" spans, when nothing else is answer."""
    sides = point_patterns.SIDES.search(answer)
    if sides is not None:
        left, right, top, bottom = map(float, sides.groups())
        return [AnswerPlace((left, top, right, bottom), None, sides.span(), "box")]
    if len(places) < 2 or _in_gesture(answer[: places[-2].span[0]][-240:]):
        return []
    first, last = places[-2:]
    before = answer[max(first.span[0] - _AROUND, 0) : first.span[0]]
    if (
        len(first.numbers) != 2
        or len(last.numbers) != 2
        or not point_patterns.FROM.search(before)
        or point_patterns.SWIPES.search(before)
    ):
        return []
    if not _BETWEEN.fullmatch(answer, first.span[1], last.span[0]):
        return []
    span = (first.span[0], last.span[1])
    return [AnswerPlace((*first.numbers, *last.numbers), first.unit, span, "box")]
