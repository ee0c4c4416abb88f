"""What a person meant by an action, as far as the screen that they saw tells."""

from tapwright.actions import Action, Drag, PointAction
from tapwright.episode import Decision
from tapwright.errors import BadTreeError
from tapwright.observation import Observation

__all__ = ["decision"]

_MAX_TARGET = 200


def decision(action: Action, seen: Observation) -> Decision:
    """The decision for an action, with the label of what it hits in what was seen."""
    return Decision(action, target=_target(action, seen))


def _target(action: Action, seen: Observation) -> str:
    """The label of the smallest clickable element that the action hits in what was seen."""
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
