"""The actions of Android in the Wild and its derivatives: a touch and a lift, or a number.

    3 type   4 touch and lift   5 back   6 home   7 enter   10 complete   11 impossible

and, in AgentCPM-GUI's data sets (OpenBMB/AgentCPM-GUI at acbaf509, eval/utils/action_type.py),

    0 long touch   1 none, a wait, both for some milliseconds

as in https://github.com/google-research/google-research/blob/6faa0b7/android_in_the_wild/README.md.
Points there are (y, x) in fractions of the screen. A touch and a lift no further than 0.04 apart
are a tap where the touch was; both are kept as raw events.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Generic, TypeVar

from tapwright.core import actions
from tapwright.core.actions import Action, RawEvent
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import UiTree
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.foreign_record import bounds, build_flat_tree

_LONG_POINT, _WAIT, _TYPE, _DUAL_POINT = 0, 1, 3, 4
_PLAIN: Mapping[int, Action] = {
    5: actions.PressKey(key="back"),
    6: actions.PressKey(key="home"),
    7: actions.PressKey(key="enter"),
    10: actions.Finish(),
    11: actions.Finish(outcome="infeasible"),
}
_TAP_REACH = 0.04
_MAX_EDGE = 1e6
_SHOWN = 20

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StepRecord(Generic[T]):
    """A step as it was read: the id of its episode, its place in the file, and its content."""

    episode: str
    where: str
    content: T


def group_by_episode(parts: Iterable[StepRecord[T]]) -> Iterator[list[StepRecord[T]]]:
    """Groups the records of each episode, which are adjacent."""
    for _, group in groupby(parts, key=lambda part: part.episode):
        yield list(group)


def parse_action(
    kind: int,
    text: str,
    touch: Sequence[float],
    lift: Sequence[float],
    where: str,
    duration_ms: float | None = None,
) -> tuple[Action, tuple[RawEvent, ...]]:
    """Parses an action by its number; returns it with the raw events that it stands for.

    Raises:
        ForeignDataError: no action has this number.
        OffScreenError: a place is off the screen, or not a number.
    """
    if kind == _WAIT:
        return actions.Wait(duration_s=duration_ms / 1000) if duration_ms else actions.Wait(), ()
    if kind in _PLAIN:
        return _PLAIN[kind], ()
    if kind == _LONG_POINT:
        at = _point(touch, where)
        held = (
            actions.LongPress(at=at, duration_s=duration_ms / 1000)
            if duration_ms
            else actions.LongPress(at=at)
        )
        return held, (actions.Touch(at=at), actions.Lift(at=at))
    if kind == _TYPE:
        return actions.TypeText(text=text), ()
    if kind != _DUAL_POINT:
        raise ForeignDataError(f"{where}: no action has the number {kind}")
    start, end = _point(touch, where), _point(lift, where)
    raw = (actions.Touch(at=start), actions.Lift(at=end))
    if start.distance(end) <= _TAP_REACH:
        return actions.Tap(at=start), raw
    return actions.Swipe(start=start, end=end), raw


def find_order(numbers: Sequence[int], length: int, where: str) -> tuple[list[int], str]:
    """The places of an episode's steps from number 0 on, and what is wrong behind them, or ""."""
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    whole = next((at for at, one in enumerate(order) if numbers[one] != at), None)
    if whole is None and len(numbers) == length:
        return order, ""
    found = ", ".join(map(str, numbers[:_SHOWN])) + (", …" if len(numbers) > _SHOWN else "")
    wrong = f"{where}: has the steps {found}; expected {length} of them, from 0 in order"
    return order[:whole], wrong


def build_detector_tree(
    boxes: Sequence[Sequence[float]],
    texts: Sequence[str],
    kinds: Sequence[str],
    size: Size,
    where: str,
) -> UiTree | None:
    """Builds the tree of a detector's elements; `boxes` are (y, x, height, width) in pixels.

    An element's kind, such as "TEXT" or "ICON_HOME", becomes its class.

    Raises:
        ForeignDataError: the lists differ in length, or a box is not four
            numbers of pixels.
    """
    if not len(boxes) == len(texts) == len(kinds):
        raise ForeignDataError(
            f"{where}: {len(boxes)} boxes, {len(texts)} texts and {len(kinds)} kinds of elements"
        )
    nodes = []
    for box, text, kind in zip(boxes, texts, kinds, strict=True):
        if len(box) != 4 or not all(abs(edge) < _MAX_EDGE for edge in box):
            raise ForeignDataError(f"{where}: the box {list(box)} is not y, x, height, width")
        top, left, height, width = box
        edges = bounds(left, top, left + width, top + height)
        nodes.append({"text": text, "class": kind, "bounds": edges})
    return build_flat_tree(nodes, size, where) if nodes else None


def _point(yx: Sequence[float], where: str) -> Point:
    if len(yx) != 2:
        raise ForeignDataError(f"{where}: the place {list(yx)} is not y, x")
    return Point(x=yx[1], y=yx[0])
