"""Diagnoses wrong answers: the wrong unit, swapped axes, a favourite letter."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from tapwright.benchmarks.point_reader import read_places
from tapwright.conventions.convention import Space, to_point
from tapwright.core.geometry import Box, Point, Size
from tapwright.errors import OffScreenError
from tapwright.evaluate.run_log import SampleRow

__all__ = [
    "NO_LETTER", "Diagnosis", "count_confusions", "diagnose", "intended_unit", "list_letters",
    "target_box",
]  # fmt: skip

Diagnosis: TypeAlias = Literal["scale error", "swapped axes", "near miss", "elsewhere", "no place"]

NO_LETTER = "–"
_NEAR = 1.0


def diagnose(row: SampleRow) -> Diagnosis | None:
    """Why an answer misses its target; None for a hit, a failure, or what has no box.

    The first that holds: in another unit the same numbers are a hit; x and y exchanged are one; the
    point is at most one width and one height off the box; it is somewhere else; no place was read,
    however the query ended.
    """
    box = target_box(row)
    if box is None or row.answer is None or row.score is None or row.score >= 1.0:
        return None
    if intended_unit(row) is not None:
        return "scale error"
    point = answered_point(row)
    if point is None:
        return "no place"
    if box.contains(Point(point.y, point.x)):
        return "swapped axes"
    width, height = box.right - box.left, box.bottom - box.top
    near_x = box.left - _NEAR * width <= point.x <= box.right + _NEAR * width
    near_y = box.top - _NEAR * height <= point.y <= box.bottom + _NEAR * height
    return "near miss" if near_x and near_y else "elsewhere"


def intended_unit(row: SampleRow) -> Space | None:
    """The unit in which the numbers of a wrong answer would be a hit, if there is one."""
    box, size = target_box(row), row.sent or row.about.size
    if box is None or size is None or row.answer is None:
        return None
    places = read_places(row.answer)
    if len(places) != 1:  # none, or torn between several: no point in any unit
        return None
    (x, y), named, read = places[0].point, places[0].unit, answered_point(row)
    for space in get_args(Space):
        unit: Space = space if named is None else "percent" if named == "%" else "pixel"
        try:
            found = to_point(x, y, Size(*size), unit)
        except OffScreenError:
            continue
        if found != read and box.contains(found):
            intended: Space = space
            return intended
    return None


def target_box(row: SampleRow) -> Box | None:
    """The box that a row's point was to lie in."""
    match row.about.truth:
        case [int() | float() as left, int() | float() as top, right, bottom] if isinstance(
            right, int | float
        ) and isinstance(bottom, int | float):
            return Box(left, top, right, bottom)
        case _:
            return None


def answered_point(row: SampleRow) -> Point | None:
    """The place that an answer was read as."""
    match row.parsed:
        case [int() | float() as x, int() | float() as y] if 0 <= x <= 1 and 0 <= y <= 1:
            return Point(x, y)
        case _:
            return None


def count_confusions(rows: Sequence[SampleRow]) -> Counter[tuple[str, str]]:
    """How often (right letter, answered letter) came, for questions; `NO_LETTER` when unread."""
    return Counter(
        (row.about.truth, row.parsed if isinstance(row.parsed, str) else NO_LETTER)
        for row in rows
        if row.score is not None and isinstance(row.about.truth, str)
    )


def list_letters(pairs: Counter[tuple[str, str]]) -> list[str]:
    """All letters of a confusion in order, `NO_LETTER` last when it is among them."""
    found = {letter for pair in pairs for letter in pair}
    return sorted(found, key=lambda letter: (letter == NO_LETTER, letter))
