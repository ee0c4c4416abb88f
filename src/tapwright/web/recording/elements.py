"""The elements of a screen as a page highlights them under the pointer."""

from dataclasses import astuple
from functools import lru_cache

from tapwright.errors import BadTreeError
from tapwright.observation import UiTree

__all__ = ["elements"]

_MAX_LABEL = 200


@lru_cache(maxsize=64)
def elements(tree: UiTree) -> list[dict[str, object]]:
    """What can be seen of a tree: boxes [left, top, right, bottom] in fractions of the screen.

    A tree that is broken has none.
    """
    try:
        nodes = tree.nodes
    except BadTreeError:
        return []
    return [
        {
            "box": list(astuple(node.box)),
            "label": node.label[:_MAX_LABEL] if node.is_("clickable") or not node.children else "",
            "role": node.role,
            "clickable": node.is_("clickable"),
            "id": node.short_id,
        }
        for node in nodes
        if node.box is not None
    ]
