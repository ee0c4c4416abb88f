"""Scripted solutions as data: moves that name elements of the view hierarchy, not places.

A move becomes an action on the tree of the current screen; if its element is not visible, the
script scrolls for it first. So a solution works on any screen size, and proves that its task can be
solved.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tapwright.actions import Action, LongPress, Swipe, Tap, describe
from tapwright.episode import Decision
from tapwright.geometry import Box, Point
from tapwright.observation import Observation, UiNode, UiTree
from tapwright.tasks.errors import SolutionMissingError

__all__ = [
    "Move",
    "SolutionScript",
    "find_element",
]

_MAX_SWIPES = 40
_EDGE = 0.15


@dataclass(frozen=True, slots=True)
class TouchElement:
    """Touches an element: the `nth` in document order of those that match all given values.

    `text` is compared with the element's label (its text, description, hint or content), `id`
    with the short resource id. With `contains` the text may be a part of the label.
    """

    text: str = ""
    id: str = ""
    nth: int = 0
    contains: bool = False
    gesture: Literal["tap", "long_press"] = "tap"

    def __str__(self) -> str:
        what = " ".join(filter(None, (repr(self.text) if self.text else "", self.id)))
        which = f" (number {self.nth + 1})" if self.nth else ""
        return f"{self.gesture.replace('_', ' ')} {what}{which}"


@dataclass(frozen=True, slots=True)
class PerformAction:
    """Performs an action as it is."""

    action: Action

    def __str__(self) -> str:
        return describe(self.action)


Move: TypeAlias = TouchElement | PerformAction


class SolutionScript:
    """Plays the moves of a solution, one decision at a time."""

    def __init__(self, moves: Sequence[Move]) -> None:
        self._moves = list(moves)
        self._next = 0
        self._swipes = 0
        self._last_tree = ""

    @property
    def done(self) -> bool:
        """Whether no move is left."""
        return self._next >= len(self._moves)

    def decide(self, observation: Observation) -> Decision:
        """Decide the next action on this screen.

        Raises:
            SolutionMissingError: no move is left, or the element of the next one is not found.
        """
        if self.done:
            raise SolutionMissingError("the solution has no move left")
        move = self._moves[self._next]
        match move:
            case PerformAction(action=action):
                self._advance()
                return Decision(action)
            case TouchElement():
                return self._touch(move, observation)

    def _touch(self, move: TouchElement, observation: Observation) -> Decision:
        tree = observation.ui_tree
        if tree is None:
            raise SolutionMissingError(f"move {self._next + 1} ({move}) needs a view hierarchy")
        node = find_element(tree, move)
        if node is not None and node.box is not None:
            self._advance()
            at = node.box.center
            action = LongPress(at=at) if move.gesture == "long_press" else Tap(at=at)
            return Decision(action, target=node.label)
        return self._search(move, tree)

    def _search(self, move: TouchElement, tree: UiTree) -> Decision:
        area = max(
            (node.box for node in tree.nodes if node.is_("scrollable") and node.box is not None),
            key=lambda box: box.area,
            default=None,
        )
        stuck = tree.xml == self._last_tree
        if area is None or stuck or self._swipes >= _MAX_SWIPES:
            raise SolutionMissingError(
                f"move {self._next + 1} ({move}): no such element on the screen"
                + (f" after {self._swipes} swipes" if self._swipes else "")
            )
        self._last_tree = tree.xml
        self._swipes += 1
        return Decision(_swipe_up(area))

    def _advance(self) -> None:
        self._next += 1
        self._swipes = 0
        self._last_tree = ""


def find_element(tree: UiTree, move: TouchElement) -> UiNode | None:
    """Finds the element of a move; clickable elements come before others."""
    matches = [node for node in tree.nodes if node.box is not None and _matches(node, move)]
    clickable = [node for node in matches if node.is_("clickable") or node.is_("focusable")]
    pool = clickable or matches
    return pool[move.nth] if move.nth < len(pool) else None


def _matches(node: UiNode, move: TouchElement) -> bool:
    if move.id and node.short_id != move.id:
        return False
    if not move.text:
        return True
    label = node.label
    return move.text in label if move.contains else move.text in (label, node.text)


def _swipe_up(area: Box) -> Swipe:
    x = (area.left + area.right) / 2
    height = area.bottom - area.top
    return Swipe(
        start=Point(x, area.bottom - _EDGE * height),
        end=Point(x, area.top + _EDGE * height),
        duration_s=0.3,
    )
