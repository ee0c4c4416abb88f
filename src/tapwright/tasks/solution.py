"""Scripted solutions as data: moves that name elements of the view hierarchy, not places.

A move becomes an action on the tree of the current screen; if its element is not visible, the
script scrolls for it first, and waits while it is disabled. So a solution works on any screen size,
and proves that its task can be solved.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tapwright.core.actions import Action, DoubleTap, LongPress, Swipe, Tap, Wait, describe
from tapwright.core.episode import Decision
from tapwright.core.geometry import Box, Point
from tapwright.core.observation import Observation, UiNode, UiTree
from tapwright.tasks.errors import SOLUTION_MISSING

__all__ = ["Move", "SolutionScript", "find_element"]

Gesture: TypeAlias = Literal["tap", "double_tap", "long_press", "right_tap"]

_MAX_SWIPES = 40
_MAX_WAITS = 60
_WAIT_S = 0.5
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
    gesture: Gesture = "tap"

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


@dataclass(frozen=True, slots=True)
class AwaitElement:
    """Waits until an element is there, such as the window of what was started.

    With `gone` it waits until the element is away, such as what is being loaded.
    """

    element: TouchElement
    gone: bool = False

    def __str__(self) -> str:
        return f"wait until gone: {self.element}" if self.gone else f"wait for {self.element}"


Move: TypeAlias = TouchElement | PerformAction | AwaitElement


class SolutionScript:
    """Plays the moves of a solution, one decision at a time."""

    def __init__(self, moves: Sequence[Move]) -> None:
        self._moves = list(moves)
        self._next = 0
        self._swipes = 0
        self._waits = 0
        self._last_tree = ""

    @property
    def done(self) -> bool:
        """Whether no move is left."""
        return self._next >= len(self._moves)

    def decide(self, observation: Observation) -> Decision:
        """Decide the next action on this screen.

        Raises:
            TaskError: no move is left, or the element of the next one is not found.
        """
        while not self.done:
            move = self._moves[self._next]
            match move:
                case PerformAction(action=action):
                    self._advance()
                    return Decision(action)
                case TouchElement():
                    return self._touch(move, observation)
                case AwaitElement(element=element, gone=gone):
                    found = find_element(self._tree(move, observation), element) is not None
                    if found is gone:
                        reason = "it is still on the screen" if gone else "it is not on the screen"
                        return self._wait(move, reason)
                    self._advance()
        raise SOLUTION_MISSING("the solution has no move left")

    def _tree(self, move: Move, observation: Observation) -> UiTree:
        if observation.ui_tree is None:
            raise SOLUTION_MISSING(f"move {self._next + 1} ({move}) needs a view hierarchy")
        return observation.ui_tree

    def _touch(self, move: TouchElement, observation: Observation) -> Decision:
        tree = self._tree(move, observation)
        node = find_element(tree, move)
        if node is not None and node.box is not None:
            if node.attributes.get("enabled") == "false":
                return self._wait(move, "it is disabled")
            self._advance()
            return Decision(_gesture(move.gesture, node.box.center), target=node.label)
        return self._search(move, tree)

    def _wait(self, move: Move, reason: str) -> Decision:
        if self._waits >= _MAX_WAITS:
            raise SOLUTION_MISSING(
                f"move {self._next + 1} ({move}): {reason} after {_MAX_WAITS * _WAIT_S:g} s"
            )
        self._waits += 1
        return Decision(Wait(duration_s=_WAIT_S))

    def _search(self, move: TouchElement, tree: UiTree) -> Decision:
        area = max(
            (node.box for node in tree.nodes if node.is_("scrollable") and node.box is not None),
            key=lambda box: box.area,
            default=None,
        )
        stuck = tree.xml == self._last_tree
        if area is None or stuck or self._swipes >= _MAX_SWIPES:
            raise SOLUTION_MISSING(
                f"move {self._next + 1} ({move}): no such element on the screen"
                + (f" after {self._swipes} swipes" if self._swipes else "")
            )
        self._last_tree = tree.xml
        self._swipes += 1
        return Decision(_swipe_up(area))

    def _advance(self) -> None:
        self._next += 1
        self._swipes = 0
        self._waits = 0
        self._last_tree = ""


def find_element(tree: UiTree, move: TouchElement) -> UiNode | None:
    """Finds the element of a move; clickable elements come before others.

    What only takes the focus may be called by its content, as a bar with one tab is: the tab is
    meant.
    """
    matches = [node for node in tree.nodes if node.box is not None and _matches(node, move)]
    clickable = {id(node) for node in matches if node.is_("clickable")}
    touchable = [
        node
        for node in matches
        if id(node) in clickable
        or (node.is_("focusable") and not any(id(inner) in clickable for inner in node.walk()))
    ]
    pool = touchable or matches
    return pool[move.nth] if move.nth < len(pool) else None


def _matches(node: UiNode, move: TouchElement) -> bool:
    if move.id and node.short_id != move.id:
        return False
    if not move.text:
        return True
    label = node.label
    return move.text in label if move.contains else move.text in (label, node.text)


def _gesture(gesture: Gesture, at: Point) -> Action:
    match gesture:
        case "tap":
            return Tap(at=at)
        case "double_tap":
            return DoubleTap(at=at)
        case "long_press":
            return LongPress(at=at)
        case "right_tap":
            return Tap(at=at, button="right")


def _swipe_up(area: Box) -> Swipe:
    x = (area.left + area.right) / 2
    height = area.bottom - area.top
    return Swipe(
        start=Point(x, area.bottom - _EDGE * height),
        end=Point(x, area.top + _EDGE * height),
        duration_s=0.3,
    )
