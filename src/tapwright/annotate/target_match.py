"""Matches the description of a target with the touched element of the view hierarchy.

Texts are compared by RapidFuzz (https://github.com/rapidfuzz/RapidFuzz): the label of an element
with the most similar part of the description. A description in other words, or in another language,
may be right, so a mismatch is only a warning.
"""

from collections.abc import Iterator

from rapidfuzz import fuzz

from tapwright.core.actions import Action, Drag, PointAction, Scroll, TypeText
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation, UiNode, UiTree

__all__ = ["MIN_MATCH", "action_place", "find_target", "match_target"]

MIN_MATCH = 0.5
"""Below this a target does not match the element."""

_SURE = 0.8
_MOST_LABEL = 120


def action_place(action: Action) -> Point | None:
    """Returns the place of an action on an element; None if it has none."""
    match action:
        case PointAction(at=at) | Scroll(at=at) | TypeText(at=at):
            return at
        case Drag(start=at):
            return at
        case _:
            return None


def match_target(target: str, seen: Observation, action: Action) -> float | None:
    """Returns how well a target fits the hierarchy at the place of an action, 0 to 1.

    None without a place, a hierarchy, or an element with text.
    """
    at = action_place(action)
    if at is None or seen.ui_tree is None or not target:
        return None
    node = seen.ui_tree.at(at)
    scores = [_likeness(label, target) for label in _words_of(node)] if node is not None else []
    return round(max(scores), 3) if scores else None


def find_target(target: str, tree: UiTree) -> UiNode | None:
    """Finds the element whose text a target contains; None if no match is certain.

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
    """Yields the texts of an element: its own, those within it, and those beside it in its row."""
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
