"""The platform of a recorded screen, in MMBench-GUI's words, told by its view hierarchy."""

from functools import lru_cache

from tapwright.core.observation import Observation, UiTree

__all__ = ["COMPUTERS", "is_computer", "platform_of", "target_size"]

COMPUTERS = frozenset({"os_linux", "os_mac", "os_windows"})
"""What is used with a mouse: small targets count, and no bar with a clock lies at the top."""
_FIRST = 200
_APPLE = "XCUIElementType"
# ScreenSpot-Pro's targets have 0.07 % of their screens on average (https://arxiv.org/abs/2504.07981).
_SMALL, _MEDIUM = 0.001, 0.01


def platform_of(seen: Observation) -> str:
    """One of "os_android", "os_ios", "os_linux", "os_mac", "os_web" and "os_windows"."""
    if seen.url:
        return "os_web"
    return "os_android" if seen.ui_tree is None else _of_tree(seen.ui_tree)


def is_computer(tree: UiTree) -> bool:
    """Whether it is the hierarchy of a desktop."""
    return _of_tree(tree) in COMPUTERS


def target_size(area: float) -> str:
    """Less than 0.1 % of the screen is "small", less than 1 % "medium", more "large".

    `area` is a share of the screen.
    """
    return "small" if area < _SMALL else "medium" if area < _MEDIUM else "large"


@lru_cache(maxsize=4)  # all who read a screen ask
def _of_tree(tree: UiTree) -> str:
    first = tree.nodes[:_FIRST]
    if any(node.class_name.startswith("atspi.") for node in first):
        return "os_linux"
    kinds = {node.attributes.get("type", "") for node in first} - {""}
    if not kinds:
        return "os_android"
    if any(kind.startswith(_APPLE) for kind in kinds):
        return "os_mac" if kinds & {f"{_APPLE}MenuBar", f"{_APPLE}MenuBarItem"} else "os_ios"
    return "os_windows"
