"""What a person's action was aimed at, as far as the screen that they saw shows it."""

from tapwright.core.actions import Action, Drag, PointAction, TypeText
from tapwright.core.episode import Decision
from tapwright.core.observation import Observation
from tapwright.devices.device import Device, takes_text
from tapwright.errors import BadTreeError
from tapwright.record.errors import NO_FIELD_FOCUSED

__all__ = ["check_focus", "make_decision"]

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


def check_focus(action: Action, device: Device) -> None:
    """Refuse text that the device would drop: a step without an effect teaches nothing.

    A device that does not know where text goes gets it, and what it does with it is recorded.

    Raises:
        RecordingError: no field has the focus, and the action touches none before.
        DeviceLostError: the device is gone.
    """
    if isinstance(action, TypeText) and action.at is None and not takes_text(device):
        raise NO_FIELD_FOCUSED(
            "no field has the focus, so the text would go nowhere; nothing was done",
            hint="tap a field first",
        )
