"""AndroidControl's accessibility forests as view hierarchies in the form of uiautomator.

A forest (`records.proto`) has the windows of a screen, each with its nodes in a list and the
ids of their children. Here a window is a node, too, around its own: published scores count its
bounds like those of any element. Bounds stay as recorded, those off the screen among them.
"""

from collections.abc import Iterator, Mapping

from google.protobuf.message import DecodeError

from tapwright.core.geometry import Size
from tapwright.core.observation import UiTree, write_node
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers import records_pb2 as messages

__all__ = ["find_front_app", "read_forest"]

_WINDOW_CLASS = "android.view.accessibility.AccessibilityWindowInfo"
_FURTHEST = 999_999_999  # what `bounds` of a view hierarchy can hold


def read_forest(data: bytes, size: Size, where: str) -> UiTree | None:
    """The hierarchy of a screen of `size`; None for a forest without a window.

    Raises:
        ForeignDataError: `data` is no such message.
    """
    forest = messages.AccessibilityForest()
    try:
        forest.ParseFromString(data)
    except DecodeError as error:
        raise ForeignDataError(f"{where}: not an accessibility forest: {error}") from error
    if not forest.windows:
        return None
    inner = "".join(tag for window in forest.windows for tag in _window_tags(window))
    return UiTree(f"<hierarchy>{inner}</hierarchy>", size, origin=where)


def find_front_app(data: bytes) -> str:
    """The package in front on a screen whose forest can be read; "" when it names none.

    It is that of the active window, or of the one with the most nodes.
    """
    forest = messages.AccessibilityForest()
    forest.ParseFromString(data)
    windows = sorted(
        forest.windows, key=lambda window: (window.is_active, len(window.tree.nodes)), reverse=True
    )
    packages = (node.package_name for window in windows for node in window.tree.nodes)
    return next(filter(None, packages), "")


def _window_tags(window: messages.AccessibilityWindow) -> Iterator[str]:
    attributes = {"text": window.title, "class": _WINDOW_CLASS}
    if window.HasField("bounds_in_screen"):
        attributes["bounds"] = _bounds(window.bounds_in_screen)
    yield write_node(attributes, closed=False)
    nodes = {node.unique_id: node for node in window.tree.nodes}
    children = {child for node in window.tree.nodes for child in node.child_ids}
    # What no root leads to comes last, so that no element is lost.
    starts = [node for id_, node in nodes.items() if id_ not in children]
    met: set[int] = set()
    for start in [*starts, *nodes.values()]:
        yield from _node_tags(start, nodes, met)
    yield "</node>"


def _node_tags(
    start: messages.AccessibilityNode,
    nodes: Mapping[int, messages.AccessibilityNode],
    met: set[int],
) -> Iterator[str]:
    """The tags of a node and all below it that is not in `met` yet, which they are added to."""
    stack: list[messages.AccessibilityNode | None] = [start]
    while stack:
        node = stack.pop()
        if node is None:
            yield "</node>"
        elif node.unique_id not in met:
            met.add(node.unique_id)
            yield write_node(_attributes(node), closed=False)
            below = [nodes[child] for child in node.child_ids if child in nodes]
            stack += [None, *reversed(below)]


def _attributes(node: messages.AccessibilityNode) -> dict[str, str]:
    found = {
        "text": node.text,
        "resource-id": node.view_id_resource_name,
        "class": node.class_name,
        "package": node.package_name,
        "content-desc": node.content_description,
        "checkable": _flag(node.is_checkable),
        "checked": _flag(node.is_checked),
        "clickable": _flag(node.is_clickable),
        "enabled": _flag(node.is_enabled),
        "focusable": _flag(node.is_focusable),
        "focused": _flag(node.is_focused),
        "scrollable": _flag(node.is_scrollable),
        "long-clickable": _flag(node.is_long_clickable),
        "password": _flag(node.is_password),
        "selected": _flag(node.is_selected),
        "visible-to-user": _flag(node.is_visible_to_user),
    }
    if node.hint_text:
        found["hint"] = node.hint_text
    if node.HasField("bounds_in_screen"):
        found["bounds"] = _bounds(node.bounds_in_screen)
    return found


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _bounds(rect: messages.Rect) -> str:
    left, top, right, bottom = (
        max(-_FURTHEST, min(edge, _FURTHEST))
        for edge in (rect.left, rect.top, rect.right, rect.bottom)
    )
    return f"[{left},{top}][{right},{bottom}]"
