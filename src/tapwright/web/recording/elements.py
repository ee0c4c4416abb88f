"""The elements of a live screen, which a page highlights under the pointer."""

from dataclasses import dataclass, replace
from functools import lru_cache

from tapwright.core.observation import UiTree
from tapwright.errors import BadTreeError
from tapwright.web.views import TreeNodeView, node_view

__all__ = ["LiveTreeView", "list_elements"]


@dataclass(frozen=True, slots=True)
class LiveTreeView:
    """The visible nodes of a live screen; `stale` is whether the tree is older than the picture."""

    nodes: tuple[TreeNodeView, ...]
    stale: bool


@lru_cache(maxsize=64)
def list_elements(tree: UiTree) -> tuple[TreeNodeView, ...]:
    """The visible nodes of a tree; none if it is broken.

    A container that is not clickable has no label, which would be that of all its children.
    """
    try:
        nodes = tree.nodes
    except BadTreeError:
        return ()
    views: list[TreeNodeView] = []
    for node in nodes:
        view = node_view(node)
        if view is not None:
            is_container = bool(node.children) and not view.clickable
            views.append(replace(view, label="") if is_container else view)
    return tuple(views)
