"""What applications say of themselves, in the XML of OSWorld's server, and that XML as a `UiTree`.

The form is that of `_create_atspi_node` in desktop_env/server/main.py, read off pkueecszc/OSWorld
at eac51b51 (a copy of xlang-ai/OSWorld): elements are called as their roles with dashes; states,
places and sizes are attributes in namespaces; the text is the element's. An element that a served
desktop does not show is left out, and there are no attributes, values and actions.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from tapwright.core.geometry import Size
from tapwright.core.observation import MAX_DEPTH, UiTree, write_node
from tapwright.devices.desktop import roles
from tapwright.devices.desktop.accessibility_reader import Accessible
from tapwright.devices.errors import BadDeviceOutputError

__all__ = ["parse_tree", "write_tree"]

_BASE = "https://accessibility.ubuntu.example.org/ns"
_SPACES = {
    "st": f"{_BASE}/state", "attr": f"{_BASE}/attributes", "cp": f"{_BASE}/component",
    "doc": f"{_BASE}/document", "docattr": f"{_BASE}/document/attributes",
    "txt": f"{_BASE}/text", "val": f"{_BASE}/value", "act": f"{_BASE}/action",
}  # fmt: skip
_ROLES = {name.replace(" ", "-"): number for number, name in enumerate(roles.ROLE_NAMES)}
_PAIR = re.compile(r"\((-?\d{1,6}), ?(-?\d{1,6})\)", re.ASCII)
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_tree(applications: Sequence[Accessible]) -> str:
    """OSWorld's XML of everything that is shown."""
    spaces = "".join(f' xmlns:{name}="{address}"' for name, address in _SPACES.items())
    parts = [f"<desktop-frame{spaces}>"]
    stack: list[Accessible | str] = []
    for application in reversed(applications):
        stack += ["</application>", application]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            parts.append(one)
            continue
        is_application = one in applications
        tag = "application" if is_application else _tag(one.role)
        parts.append(f"<{tag} name={quoteattr(_clean(one.name))}{_attributes(one)}>")
        parts.append(escape(_clean(one.text)))
        if not is_application:
            stack.append(f"</{tag}>")
        stack += [child for child in reversed(one.children) if child.has(roles.State.SHOWING)]
    return "".join([*parts, "</desktop-frame>"])


def _tag(role: int) -> str:
    name = roles.ROLE_NAMES[role] if 0 <= role < len(roles.ROLE_NAMES) else "unknown"
    return name.replace(" ", "-")


def _attributes(node: Accessible) -> str:
    states = (
        f' st:{name}="true"' for bit, name in enumerate(roles.STATE_NAMES) if node.states >> bit & 1
    )
    x, y, width, height = node.extents
    placed = f' cp:screencoord="({x}, {y})" cp:size="({width}, {height})"'
    return "".join(states) + (placed if node.has(roles.State.SHOWING) else "")


def _clean(text: str) -> str:
    """Without what XML cannot hold, and without the marks for things in a text."""
    return _FORBIDDEN.sub("", text).replace("\ufffc", "").replace("\ufffd", "")


def parse_tree(xml: str, size: Size, origin: str) -> UiTree:
    """OSWorld's XML as a view hierarchy: what is shown and has a place, from the back to the front.

    Raises:
        BadDeviceOutputError: it is no XML, or is too deep.
    """
    try:
        if "<!DOCTYPE" in xml:
            raise ValueError("it has a document type, and so perhaps entities")
        root = ElementTree.fromstring(xml)  # noqa: S314 - no entities, and the text is bounded
    except (ElementTree.ParseError, ValueError) as error:
        raise BadDeviceOutputError(
            f"{origin}: its accessibility tree is no XML: {error}"
        ) from error
    bare = {"class": "atspi.DesktopFrame", "bounds": f"[0,0][{size.width},{size.height}]"}
    parts = ['<hierarchy rotation="0">', write_node(bare, closed=False), *_nodes(root, origin)]
    return UiTree("".join([*parts, "</node></hierarchy>"]), size, origin=origin)


def _nodes(root: ElementTree.Element, origin: str) -> Iterator[str]:
    stack: list[tuple[Any, str] | None] = [(child, "") for child in reversed(root)]
    depth = 0
    while stack:
        found = stack.pop()
        if found is None:
            depth -= 1
            yield "</node>"
            continue
        element, package = found
        if element.tag == "application":
            package = element.get("name") or ""
        described = _describe(element, package)
        children = [(child, package) for child in reversed(element)]
        if described is None:
            stack += children
            continue
        yield write_node(described, closed=not children)
        if children:
            depth += 1
            if depth > MAX_DEPTH:
                raise BadDeviceOutputError(
                    f"{origin}: more than {MAX_DEPTH} elements in each other"
                )
            stack.append(None)
            stack += children


def _describe(element: ElementTree.Element, package: str) -> dict[str, str] | None:
    """The attributes of one element; None for one that is not shown, or has no place."""
    place, extent = (_pair(element, name) for name in ("screencoord", "size"))
    if place is None or extent is None or min(extent) <= 0 or not _has(element, "showing"):
        return None
    role = _ROLES.get(element.tag, -1)
    name, text = element.get("name") or "", (element.text or "").strip()
    editable = _has(element, "editable")
    own = editable or bool(text and text != name)
    flags = {
        "checkable": role in roles.CHECKABLE,
        "checked": _has(element, "checked") or _has(element, "pressed"),
        "clickable": _enabled(element) and (role in roles.CLICKABLE or editable),
        "enabled": _enabled(element),
        "focusable": _has(element, "focusable"),
        "focused": _has(element, "focused"),
        "scrollable": role in roles.SCROLLABLE,
        "password": role == roles.Role.PASSWORD_TEXT,
        "selected": _has(element, "selected"),
    }
    (x, y), (width, height) = place, extent
    return {
        "text": text if own else name,
        "class": roles.class_name(role, editable=editable),
        "package": package,
        "content-desc": name if own else "",
        **{flag: str(value).lower() for flag, value in flags.items()},
        "bounds": f"[{x},{y}][{x + width},{y + height}]",
    }


def _enabled(element: ElementTree.Element) -> bool:
    return _has(element, "sensitive") or _has(element, "enabled")


def _has(element: ElementTree.Element, state: str) -> bool:
    return element.get(f"{{{_SPACES['st']}}}{state}") == "true"


def _pair(element: ElementTree.Element, name: str) -> tuple[int, int] | None:
    found = _PAIR.fullmatch(element.get(f"{{{_SPACES['cp']}}}{name}") or "")
    return None if found is None else (int(found[1]), int(found[2]))
