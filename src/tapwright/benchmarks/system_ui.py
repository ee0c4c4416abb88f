"""What on a screen is the system's and not the app's: keyboard, status bar, navigation bar.

A dump of a real phone shows it by the package; one of the built-in phone by its ids; where neither
does, a block of one-letter buttons is a keyboard.
"""

import re
from functools import lru_cache

from tapwright.benchmarks.platforms import is_computer
from tapwright.core.geometry import Box
from tapwright.core.observation import UiNode, UiTree

__all__ = ["find_keyboard", "find_system_parts"]

_STATUS_BAR = 0.04
_PACKAGES = re.compile(
    r"com\.android\.systemui|inputmethod|\bime\b|keyboard|swiftkey|sogou|com\.iflytek\.inputmethod"
)
_IDS = re.compile(r"key_.+|nav_(back|home|recents)|status_.+|keyboard(_.*)?|navigation_bar.*")
_KEY = re.compile(r"key_.+")
_NAMED_KEYS = 10
_LETTER_KEYS = 20


def find_system_parts(tree: UiTree) -> frozenset[int]:
    """The `order` of every node that is part of keyboard, status bar or navigation bar."""
    if is_computer(tree):
        return frozenset()
    keys = find_keyboard(tree)
    found: set[int] = set()
    for node in tree.nodes:
        box = node.box
        if (
            (node.parent is not None and node.parent.order in found)
            or _is_of_system(node.attributes.get("package", ""))
            or _IDS.fullmatch(node.short_id)
            or (box is not None and box.bottom <= _STATUS_BAR)
            or (keys is not None and box is not None and _is_inside(box, keys))
        ):
            found.add(node.order)
    return frozenset(found)


@lru_cache(maxsize=256)  # a screen has one or two
def _is_of_system(package: str) -> bool:
    return _PACKAGES.search(package) is not None


def find_keyboard(tree: UiTree) -> Box | None:
    """Where the soft keyboard lies, by its ids or as a block of one-letter buttons; None: nowhere.

    With the block goes one more row below it: space, enter and their neighbours.
    """
    named = [node.box for node in tree.nodes if node.box and _KEY.fullmatch(node.short_id)]
    if len(named) >= _NAMED_KEYS:
        top, bottom = min(box.top for box in named), max(box.bottom for box in named)
        return Box(0.0, top, 1.0, bottom)
    keys = [
        node.box
        for node in tree.nodes
        if node.box is not None and node.box.top > 0.4 and _is_letter_key(node)
    ]
    if len(keys) < _LETTER_KEYS:
        return None
    key_height = max(box.bottom - box.top for box in keys)
    bottom = min(1.0, max(box.bottom for box in keys) + 1.5 * key_height)
    return Box(0.0, min(box.top for box in keys), 1.0, bottom)


def _is_letter_key(node: UiNode) -> bool:
    label = node.text or node.description
    return len(label) == 1 and label.isascii() and label.isalpha() and node.is_("clickable")


def _is_inside(box: Box, outer: Box) -> bool:
    return outer.top - 0.005 <= box.top and box.bottom <= outer.bottom + 0.005
