"""Which part of a rectangle stays visible under others, in CSS pixels."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

CssRect: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom."""

NOTHING: CssRect = (0.0, 0.0, 0.0, 0.0)
"""The result of `meet` for rectangles that share no area; compare with `is`."""

_EPS = 0.5


@dataclass(slots=True)
class Cover:
    """Something drawn over its neighbours, and the first and the last node that belong to it.

    What has a higher `order` is painted later, above.
    """

    order: int
    edges: CssRect
    first: int
    last: int


def visible_part(
    edges: CssRect,
    covers: Iterable[Cover],
    node: int,
    last: int,
    order: int,
    *,
    touched: bool = False,
) -> CssRect | None:
    """The part of a node's `edges` that `covers` leave visible; None for nothing.

    `node` and `last` are the first and the last node of what may be covered, `order` its paint
    order. A part is cut off only where a rectangle remains. What is `touched` is touched in its
    middle: where that is covered, the largest rectangle beside the cover is left.
    """
    left, top, right, bottom = edges
    for cover in covers:
        if cover.order <= order:
            continue
        over_left, over_top, over_right, over_bottom = cover.edges
        if over_left >= right or over_right <= left or over_top >= bottom or over_bottom <= top:
            continue
        if node <= cover.first <= last or cover.first <= node <= cover.last:
            continue  # one is part of the other
        wide = over_left <= left + _EPS and over_right >= right - _EPS
        high = over_top <= top + _EPS and over_bottom >= bottom - _EPS
        if wide and high:
            return None
        if touched and (
            over_left < (left + right) / 2 < over_right
            and over_top < (top + bottom) / 2 < over_bottom
        ):
            left, top, right, bottom = max(
                (left, top, right, max(top, over_top)),
                (left, min(bottom, over_bottom), right, bottom),
                (left, top, max(left, over_left), bottom),
                (min(right, over_right), top, right, bottom),
                key=_area,
            )
        elif wide:
            if over_top <= top + _EPS:
                top = over_bottom
            elif over_bottom >= bottom - _EPS:
                bottom = over_top
        elif high:
            if over_left <= left + _EPS:
                left = over_right
            elif over_right >= right - _EPS:
                right = over_left
    return (left, top, right, bottom) if left < right and top < bottom else None


def _area(edges: CssRect) -> float:
    return (edges[2] - edges[0]) * (edges[3] - edges[1])


def meet(one: CssRect, other: CssRect) -> CssRect:
    """The rectangle that both share, `NOTHING` if there is none."""
    left, top = max(one[0], other[0]), max(one[1], other[1])
    right, bottom = min(one[2], other[2]), min(one[3], other[3])
    return (left, top, right, bottom) if left < right and top < bottom else NOTHING


def join(one: CssRect, other: CssRect) -> CssRect:
    """The smallest rectangle around both."""
    return (
        min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]),
    )  # fmt: skip


def inside(edges: CssRect, outer: CssRect) -> bool:
    """Whether `edges` reaches nowhere out of `outer`."""
    return (
        edges[0] >= outer[0] and edges[1] >= outer[1]
        and edges[2] <= outer[2] and edges[3] <= outer[3]
    )  # fmt: skip
