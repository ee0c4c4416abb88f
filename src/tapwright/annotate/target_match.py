"""Whether the description of an element is that of the one that was touched, by the hierarchy.

Words are compared as RapidFuzz does (https://github.com/rapidfuzz/RapidFuzz): the label of an
element against the part of the description that is most like it. A description in other words, or
in another language, may well be right, so this only ever warns.
"""

from collections.abc import Iterator

from rapidfuzz import fuzz

from tapwright.actions import Action, Drag, PointAction, Scroll
from tapwright.geometry import Point
from tapwright.observation import Observation, UiNode, UiTree

__all__ = ["UNLIKE", "match", "meant", "place_of"]

UNLIKE = 0.5
"""Below this a target is unlike the element."""

_SURE = 0.8
_MOST_LABEL = 120


def place_of(action: Action) -> Point | None:
    """The place on the element that an action is about; None when it is about none."""
    match action:
        case PointAction(at=at) | Scroll(at=at):
            return at
        case Drag(start=at):
            return at
        case _:
            return None


def match(target: str, seen: Observation, action: Action) -> float | None:
    """How well a target fits what the hierarchy has at the place of an action, 0 to 1.

    None when there is no place, no hierarchy, or nothing there that has words.
    """
    at = place_of(action)
    if at is None or seen.ui_tree is None or not target:
        return None
    node = seen.ui_tree.at(at)
    scores = [_likeness(label, target) for label in _words_of(node)] if node is not None else []
    return round(max(scores), 3) if scores else None


def meant(target: str, tree: UiTree) -> UiNode | None:
    """The element whose words a target has; None when no element's are surely in it.

    Of several that fit equally the one with the longest words counts, then the first.
    """
    best: tuple[float, int] = (0.0, 0)
    found: UiNode | None = None
    for node in tree.nodes:
        if node.box is None:
            continue
        for label in _own_words(node):
            rank = (_likeness(label, target), len(label))
            if rank[0] >= _SURE and rank > best:
                best, found = rank, node
    return found


def _words_of(node: UiNode) -> Iterator[str]:
    """The words of an element: its own, those within it, and those beside it in its row."""
    for below in node.walk():
        yield from _own_words(below)
    if node.parent is not None and node.box is not None:
        for beside in node.parent.children:
            same_row = beside.box is not None and beside.box.contains(
                Point(beside.box.center.x, node.box.center.y)
            )
            if beside is not node and same_row:
                yield from (word for below in beside.walk() for word in _own_words(below))


def _own_words(node: UiNode) -> Iterator[str]:
    for label in (node.text, node.description, node.hint):
        line = " ".join(label.split())[:_MOST_LABEL]
        if len(line) > 1:
            yield line


def _likeness(label: str, target: str) -> float:
    return fuzz.partial_ratio(label.casefold(), target.casefold()) / 100
