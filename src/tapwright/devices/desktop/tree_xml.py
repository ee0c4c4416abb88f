"""What applications say of themselves, and the windows around them, in the form of `UiTree`.

Attributes are those of `uiautomator dump`; `class` is "atspi." with the role. Written is what can
be seen: what another window covers, or its own scrolls away, is left out or cut. Windows come
from the lowest to the highest, each with the buttons of its title bar; one whose application
says nothing is a node alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from unicodedata import east_asian_width

from tapwright.core.geometry import Size
from tapwright.core.observation import write_node
from tapwright.devices.desktop import roles
from tapwright.devices.desktop.accessibility_reader import Accessible
from tapwright.devices.desktop.windows import Rectangle, Window
from tapwright.devices.occlusion import NOTHING, Cover, CssRect, meet, visible_part

__all__ = ["to_xml"]

_SAME_SHARE = 0.8
_LETTER_PX = 7  # of a desktop's font
_IN_DOCUMENTS = frozenset({roles.Role.TABLE_CELL, roles.Role.PARAGRAPH, roles.Role.HEADING})
"""What LibreOffice says of no state that others have."""
# Where the children lie has nothing to do with where these do.
_ELSEWHERE = roles.MENUS | {roles.Role.COMBO_BOX, roles.Role.PAGE_TAB}


@dataclass(slots=True)
class _View:
    """One node that is written: `edges` is the part of it that is seen."""

    attributes: dict[str, str]
    edges: CssRect
    children: list["_View"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Scope:
    """What a node passes on to its children; `down` is by how many pixels they are too high.

    `in_tree` is whether they are items of a tree, `in_bar` whether they are tools.
    """

    parent: _View
    level: int
    clip: CssRect
    frame: CssRect | None = None
    down: int = 0
    in_tree: bool = False
    in_bar: bool = False


def to_xml(
    applications: Sequence[Accessible],
    windows: Sequence[Window],
    size: Size,
    packages: Mapping[int, str],
) -> str:
    """The XML of a screen of `size`; `packages` has each window's application by its number."""
    return _Writer(applications, windows, size, packages).write()


class _Writer:
    def __init__(
        self, applications: Sequence[Accessible], windows: Sequence[Window], size: Size,
        packages: Mapping[int, str],
    ) -> None:  # fmt: skip
        self._windows = windows
        self._packages = packages
        self._screen: CssRect = (0.0, 0.0, float(size.width), float(size.height))
        self._covers = [
            Cover(level, _edges(window.frame), -1, -1) for level, window in enumerate(windows)
        ]
        self._tops = [
            top
            for application in applications
            for top in application.children
            if top.has(roles.State.SHOWING)
        ]

    def write(self) -> str:
        root = _View(_attributes("atspi.DesktopFrame", package="desktop"), self._screen)
        for level, window in enumerate(self._windows):
            top = self._matching(window)
            if top is None and not window.managed:
                continue  # a menu: its items are below what opened it
            self._add_window(root, level, window, top)
        return _write(root)

    def _matching(self, window: Window) -> Accessible | None:
        """The application's own word for a window: of its place, and best of its title."""
        fitting = [
            top
            for top in self._tops
            if max(_share(top, window.frame), _share(top, window.content)) > _SAME_SHARE
        ]
        fitting.sort(key=lambda top: (top.name != window.title, not top.has(roles.State.ACTIVE)))
        if fitting:
            self._tops.remove(fitting[0])
            return fitting[0]
        return None

    def _add_window(self, root: _View, level: int, window: Window, top: Accessible | None) -> None:
        edges = self._visible(_edges(window.frame), level, clickable=False)
        if edges is None:
            return
        package = self._packages.get(window.id, window.window_class)
        role = roles.Role.FRAME if top is None else top.role
        attributes = _attributes(
            roles.class_name(role, editable=False), package=package, text=window.title,
            focused=top is not None and top.has(roles.State.ACTIVE),
        )  # fmt: skip
        view = _View(attributes, edges)
        root.children.append(view)
        for name, button in window.buttons:
            seen = self._visible(_edges(button), level, clickable=True)
            if seen is not None:
                attributes = _attributes(
                    "atspi.PushButton", package=package, description=name, clickable=True
                )
                view.children.append(_View(attributes, seen))
        if top is not None:
            scope = _Scope(view, level, _edges(window.content if window.managed else window.frame))
            self._add_children(top, scope, package)

    def _add_children(self, top: Accessible, scope: _Scope, package: str) -> None:
        stack = [(child, scope) for child in reversed(top.children)]
        while stack:
            node, around = stack.pop()
            if not node.has(roles.State.SHOWING):
                continue
            inner = self._add(node, around, package)
            if inner is not None:
                stack.extend((child, inner) for child in reversed(node.children))

    def _add(self, node: Accessible, around: _Scope, package: str) -> _Scope | None:
        """Write one node, if it is worth it; returns what its children need, None without any."""
        x, y, width, height = node.extents
        if width <= 0 or height <= 0:
            return None if node.extents == (0, 0, 0, 0) else around  # a tab says -1
        down = _shift(node, around)
        box: CssRect = (float(x), float(y + down), float(x + width), float(y + down + height))
        level, clip = around.level, around.clip
        if node.role in roles.MENUS and (above := self._popup(box, level)) is not None:
            level, clip = above, self._covers[above].edges
        seen = meet(box, clip)
        if seen is NOTHING:
            return None
        parent = around.parent
        if _is_worth_writing(node):
            edges = self._visible(seen, level, clickable=_clickable(node))
            if edges is not None:
                parent = _View(_describe(node, package, around), edges)
                around.parent.children.append(parent)
        if node.role == roles.Role.PAGE_TAB:  # what GTK says is in a tab lies below all of them
            return replace(around, down=down)
        if node.role in _ELSEWHERE:
            return _Scope(parent, level, self._screen, None, down)
        return _Scope(
            parent, level, seen, box, down,
            in_tree=around.in_tree or node.role in roles.TREES,
            in_bar=around.in_bar or node.role == roles.Role.TOOL_BAR,
        )  # fmt: skip

    def _popup(self, box: CssRect, level: int) -> int | None:
        """The highest menu's window around the middle of a place."""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        for above in range(len(self._windows) - 1, level, -1):
            window = self._windows[above]
            if not window.managed and window.frame.contains(x, y):
                return above
        return None

    def _visible(self, edges: CssRect, level: int, *, clickable: bool) -> CssRect | None:
        edges = meet(edges, self._screen)
        if edges is NOTHING:
            return None
        return visible_part(edges, self._covers, 0, 0, level, touched=clickable)


def _shift(node: Accessible, around: _Scope) -> int:
    """How many pixels a place must go down.

    LibreOffice leaves the height of its menu bar out of the places of its own elements, but not
    of the toolkit's in them: its root says where it would be without one, and such an element lies
    where only the shifted parent is.
    """
    _, y, _, height = node.extents
    if around.frame is None:
        return around.down
    if node.role == roles.Role.ROOT_PANE:
        return max(0, round(around.frame[1]) - y)
    top, bottom = around.frame[1], around.frame[3]
    if around.down and y + height + around.down > bottom and y >= top:
        return 0
    return around.down


def _is_worth_writing(node: Accessible) -> bool:
    return bool(
        node.name or node.text or node.role in roles.CLICKABLE or node.role in roles.SCROLLABLE
        or node.has(roles.State.FOCUSABLE)
    ) and node.role not in (roles.Role.ROOT_PANE, roles.Role.SEPARATOR)  # fmt: skip


def _enabled(node: Accessible) -> bool:
    return node.has(roles.State.SENSITIVE) or node.role in _IN_DOCUMENTS


def _clickable(node: Accessible) -> bool:
    return _enabled(node) and (
        node.role in roles.CLICKABLE
        or (node.has(roles.State.EDITABLE) and node.has(roles.State.FOCUSABLE))
    )


def _describe(node: Accessible, package: str, around: _Scope) -> dict[str, str]:
    words = node.text if node.text and node.text != node.name else ""
    editable = node.has(roles.State.EDITABLE)
    own = bool(words) or editable or not _shows_its_name(node, around)
    return _attributes(
        roles.class_name(node.role, editable=editable, in_tree=around.in_tree),
        package=package,
        text=words if own else node.name,
        description=node.name if own else node.description,
        checkable=node.role in roles.CHECKABLE,
        checked=node.has(roles.State.CHECKED) or node.has(roles.State.PRESSED),
        clickable=_clickable(node),
        enabled=_enabled(node),
        focusable=node.has(roles.State.FOCUSABLE),
        focused=node.has(roles.State.FOCUSED),
        scrollable=node.role in roles.SCROLLABLE,
        password=node.role == roles.Role.PASSWORD_TEXT,
        selected=node.has(roles.State.SELECTED),
    )


def _shows_its_name(node: Accessible, around: _Scope) -> bool:
    """Whether its name can be read on it: a group's cannot, nor that of a button with an icon."""
    if node.role in roles.BUTTONS:
        if around.in_bar:
            return False
        letters = sum(2 if east_asian_width(letter) in "WF" else 1 for letter in node.name)
        return node.extents[2] >= _LETTER_PX * (letters + 1)
    return node.role in roles.NAMED


def _attributes(
    kind: str, *, package: str, text: str = "", description: str = "", checkable: bool = False,
    checked: bool = False, clickable: bool = False, enabled: bool = True, focusable: bool = False,
    focused: bool = False, scrollable: bool = False, password: bool = False,
    selected: bool = False,
) -> dict[str, str]:  # fmt: skip
    flags = {
        "checkable": checkable, "checked": checked, "clickable": clickable, "enabled": enabled,
        "focusable": focusable, "focused": focused, "scrollable": scrollable, "password": password,
        "selected": selected,
    }  # fmt: skip
    return {
        "text": text,
        "class": kind,
        "package": package,
        "content-desc": description,
        **{name: "true" if flag else "false" for name, flag in flags.items()},
    }


def _write(root: _View) -> str:
    parts = ["<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">"]
    stack: list[_View | None] = [root]
    while stack:
        view = stack.pop()
        if view is None:
            parts.append("</node>")
            continue
        left, top, right, bottom = (round(edge) for edge in view.edges)
        attributes = {**view.attributes, "bounds": f"[{left},{top}][{right},{bottom}]"}
        parts.append(write_node(attributes, closed=not view.children))
        if view.children:
            stack.append(None)
            stack.extend(reversed(view.children))
    parts.append("</hierarchy>")
    return "".join(parts)


def _edges(place: Rectangle) -> CssRect:
    return float(place.left), float(place.top), float(place.right), float(place.bottom)


def _share(node: Accessible, place: Rectangle) -> float:
    """The common area of both, of the area that they have together."""
    x, y, width, height = node.extents
    one: CssRect = (float(x), float(y), float(x + width), float(y + height))
    both = meet(one, _edges(place))
    if both is NOTHING:
        return 0.0
    common = (both[2] - both[0]) * (both[3] - both[1])
    area = (place.right - place.left) * (place.bottom - place.top)
    return common / (width * height + area - common)
