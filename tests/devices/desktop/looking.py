"""What the tests of the desktop wait for, and how they touch what they find."""

import time
from collections.abc import Callable

from tapwright.core.actions import Tap
from tapwright.core.observation import Observation, UiNode, UiTree
from tapwright.devices.desktop.device import Desktop

LIMIT_S = 60.0


def wait_for(desktop: Desktop, holds: Callable[[Observation], bool], what: str) -> Observation:
    """Looks until it holds."""
    until = time.monotonic() + LIMIT_S
    while True:
        seen = desktop.observe()
        if holds(seen):
            return seen
        assert time.monotonic() < until, f"{what}; there is: {words(seen)}"
        time.sleep(0.05)


def tree(seen: Observation) -> UiTree:
    assert seen.ui_tree is not None
    return seen.ui_tree


def words(seen: Observation) -> list[str]:
    return [node.text or node.description for node in tree(seen).nodes if node.label]


def find(desktop: Desktop, label: str, kind: str = "") -> UiNode:
    """The element of this label, as soon as it can be clicked."""
    found: list[UiNode] = []

    def is_there(seen: Observation) -> bool:
        found[:] = [
            node
            for node in tree(seen).nodes
            if label in (node.text, node.description)
            and node.is_("clickable")
            and kind in node.class_name
        ]
        return bool(found)

    wait_for(desktop, is_there, f"no {label!r} can be clicked")
    return found[0]


def click(desktop: Desktop, label: str, kind: str = "") -> None:
    node = find(desktop, label, kind)
    assert node.box is not None
    desktop.perform(Tap(at=node.box.center))


def editor(desktop: Desktop) -> UiNode:
    """The text that mousepad shows."""
    found: list[UiNode] = []

    def is_there(seen: Observation) -> bool:
        found[:] = [node for node in tree(seen).nodes if node.role == "text field"]
        return bool(found)

    wait_for(desktop, is_there, "no text can be edited")
    return found[0]


def wait_for_text(desktop: Desktop, text: str) -> None:
    wait_for(
        desktop,
        lambda seen: any(
            node.text == text for node in tree(seen).nodes if node.role == "text field"
        ),
        f"the editor has not {text!r}",
    )
