"""The element that a person's action was aimed at, as far as the screen that they saw shows it."""

from tapwright.actions import Action, Drag, PointAction
from tapwright.episode import Decision
from tapwright.errors import BadTreeError
from tapwright.observation import Observation

__all__ = ["make_decision"]

_MAX_TARGET = 200


def make_decision(action: Action, seen: Observation) -> Decision:
    """The decision for an action, with the label of the element that it hits."""
    return Decision(action, target=_find_target(action, seen))


def _find_target(action: Action, seen: Observation) -> str:
    """The label of the smallest clickable element that the action hits; "" when there is none."""
    match action:
        case PointAction(at=at) | Drag(start=at):
            pass
        case _:
            return ""
    try:
        node = None if seen.ui_tree is None else seen.ui_tree.at(at)
    except BadTreeError:
        return ""
    return node.label[:_MAX_TARGET] if node is not None and node.is_("clickable") else ""
