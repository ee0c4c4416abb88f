"""A page's visible elements in the XML of Android's `uiautomator dump`.

Attributes are those of AOSP's AccessibilityNodeInfoDumper, in its order, and `hint` as newer ones
write it. As in a compressed dump, elements without text and function are left out. Unlike
there, so are elements whose text is cut off completely, and of long texts 20,000 characters stay.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from tapwright.core.geometry import Size
from tapwright.core.observation import write_node
from tapwright.devices.dom import PageElement, Snapshot, visible_elements
from tapwright.devices.occlusion import CssRect, inside

_MAX_TEXT = 20_000


def android_classes(**words: str) -> dict[str, str]:
    """The full name of a class for each of its words, which have blanks between them."""
    return {
        word: name if "." in name else f"android.widget.{name}"
        for name, of_class in words.items()
        for word in of_class.split()
    }


_INPUTS = android_classes(
    CheckBox="checkbox",
    RadioButton="radio",
    SeekBar="range",
    Button="button submit reset",
    ImageButton="image",
)
_TAGS = android_classes(
    Button="BUTTON",
    EditText="TEXTAREA",
    Spinner="SELECT",
    ImageView="IMG svg CANVAS",
    VideoView="VIDEO",
    ProgressBar="PROGRESS",
    **{"android.webkit.WebView": "IFRAME"},
)
_ROLES = android_classes(
    Button="button",
    CheckBox="checkbox menuitemcheckbox",
    Switch="switch",
    RadioButton="radio menuitemradio",
    SeekBar="slider",
    ProgressBar="progressbar",
    EditText="textbox searchbox",
    Spinner="combobox",
    ImageView="img",
)
# `UiNode.role` reads these as it reads a desktop's; Android has no such classes, so a phone's
# pages do without.
_COMPUTER_ROLES = _ROLES | android_classes(
    Tab="tab",
    Menu="menu",
    MenuItem="menuitem",
    Cell="cell gridcell columnheader rowheader",
    TreeItem="treeitem",
)
_CHECKABLE = {
    "android.widget.CheckBox", "android.widget.RadioButton", "android.widget.Switch",
}  # fmt: skip
_FIELDS = {"android.widget.EditText", "android.widget.Spinner", "android.widget.SeekBar"}
_PORT = re.compile(r":\d+\Z")
_TEXT_VIEW = "android.widget.TextView"
_KEPT = {*_INPUTS.values(), *_TAGS.values(), *_ROLES.values()} - {"android.widget.ImageView"}


@dataclass(slots=True, eq=False)
class _View:
    element: PageElement
    kind: str
    text: str
    description: str
    short_id: str
    clickable: bool
    checkable: bool
    lists: bool = False
    children: list["_View"] = field(default_factory=list)

    @property
    def bare_text(self) -> bool:
        """Whether it is text and nothing else."""
        return self.kind == _TEXT_VIEW and not (self.description or self.short_id or self.clickable)

    @property
    def silent_rest(self) -> bool:
        """Whether the words of something to be tapped are all on the part of it that is cut off."""
        return (
            self.clickable and self.element.cut
            and not (self.text or self.description or self.children or self.kind in _FIELDS)
        )  # fmt: skip

    @property
    def is_worth_writing(self) -> bool:
        element = self.element
        return bool(
            self.text or self.description or self.short_id or self.clickable or self.checkable
            or element.scrolls_x or element.scrolls_y or self.kind in _KEPT
        )  # fmt: skip


def to_xml(
    snapshot: Snapshot, *, package: str, size: Size, scale: float, computer: bool = False
) -> str:
    """A snapshot as uiautomator's XML; of a `computer`'s page with a desktop's classes, too.

    `size` is the screen in the pixels that `bounds` count, `scale` such pixels per CSS pixel. The
    text of a button is its words, as is that of a clickable element with a single text; a clickable
    row with several texts has them in its children.
    """
    screen = PageElement("HTML", {}, (0.0, 0.0, size.width / scale, size.height / scale), None)
    root = _View(screen, "android.widget.FrameLayout", "", "", "", False, False)
    roles = _COMPUTER_ROLES if computer else _ROLES
    seen = [
        _view(one, roles)
        for one in visible_elements(snapshot, size.width / scale, size.height / scale)
    ]
    _widen_fields(seen)
    views: dict[int, _View] = {}
    for view in seen:
        element = view.element
        above = element.parent
        while above is not None and id(above) not in views:
            above = above.parent
        parent = root if above is None else views[id(above)]
        if view.is_worth_writing:
            parent.children.append(view)
            views[id(element)] = view
        elif view.lists:  # the rows' own container, which scrolls in the one that is written
            parent.lists = True
    for view in reversed(views.values()):  # children before their parents
        view.children = [child for child in view.children if not child.silent_rest]
        _settle(view)
    root.children = [child for child in root.children if not child.silent_rest]
    return _write(root, package, size, scale)


def _view(element: PageElement, roles: Mapping[str, str]) -> _View:
    given = element.attributes
    tag, role = element.tag, given.get("role", "")
    if tag == "INPUT":
        kind = _INPUTS.get(given.get("type", "text").lower(), "android.widget.EditText")
    elif given.get("contenteditable") in {"", "true", "plaintext-only"}:
        kind = "android.widget.EditText"
    else:
        kind = roles.get(role) or _TAGS.get(tag, "")
    checkable = kind in _CHECKABLE or "aria-checked" in given or "aria-pressed" in given
    text = element.text
    if tag in {"INPUT", "TEXTAREA", "SELECT"} and not checkable:  # a checkbox's value is "on"
        text = element.value
        if given.get("type", "").lower() == "password":
            text = "•" * len(text)
    elif role in {"slider", "progressbar"}:
        text = text or given.get("aria-valuetext") or given.get("aria-valuenow", "")
    return _View(
        element=element,
        kind=kind,
        text=text,
        description=given.get("aria-label") or given.get("alt") or given.get("title", ""),
        short_id=given.get("data-id") or given.get("id", ""),
        clickable=element.acts,
        checkable=checkable,
        lists=role == "list" or tag in {"UL", "OL"},
    )


def _widen_fields(views: Sequence[_View]) -> None:
    """Give a field the edges of the label around it, which passes its taps on.

    A label that holds more to tap, or that may be broken over lines, is left as it is.
    https://html.spec.whatwg.org/multipage/forms.html#the-label-element
    """
    for at, label in enumerate(views):
        element = label.element
        if element.tag != "LABEL" or element.inline or element.passes:
            continue
        inner, below = [], {id(element)}
        for view in islice(views, at + 1, None):
            if id(view.element.parent) not in below:
                break
            below.add(id(view.element))
            if view.clickable:
                inner.append(view)
        if len(inner) == 1 and _takes_taps(inner[0], label):
            inner[0].element.edges = element.edges
            label.clickable = False


def _takes_taps(view: _View, label: _View) -> bool:
    """Whether a tap anywhere on the label does what one on this view in it does."""
    field, around = view.element, label.element
    named = around.attributes.get("for")
    return (
        field.tag in {"INPUT", "TEXTAREA"}
        and view.kind != "android.widget.SeekBar"  # where on it the finger is makes the value
        and (named is None or named == field.attributes.get("id"))
        and inside(field.edges, around.edges)
    )


def _settle(view: _View) -> None:
    """Take over a lone child's words, and find the class for what is left."""
    children = view.children
    if view.clickable and not view.text and len(children) == 1 and children[0].bare_text:
        view.text = children[0].text
        children.clear()
    element = view.element
    if element.tag == "LABEL" and any(child.kind in _FIELDS for child in children):
        view.clickable = False  # a tap on it is one on its field
    if view.kind == "android.widget.Button" and children:
        view.kind = "android.view.ViewGroup"
    elif view.kind == "android.widget.Button" and not view.text and view.description:
        view.kind = "android.widget.ImageButton"
    elif view.kind:
        return
    elif element.scrolls_y:
        view.kind = "android.widget.ListView" if view.lists else "android.widget.ScrollView"
    elif element.scrolls_x:
        view.kind = "android.widget.HorizontalScrollView"
    elif children:
        view.kind = "android.view.ViewGroup"
    else:
        view.kind = _TEXT_VIEW if view.text else "android.view.View"


def _write(root: _View, package: str, size: Size, scale: float) -> str:
    # A page's port is another one each time that it is served, and its ids are the same.
    prefix = f"{_PORT.sub('', package)}:id/" if package else ""
    parts = ["<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">"]
    # An explicit stack: pages may nest deeper than Python's calls can.
    stack: list[tuple[int, _View] | None] = [(0, root)]
    while stack:
        entry = stack.pop()
        if entry is None:
            parts.append("</node>")
            continue
        index, view = entry
        element = view.element
        given = element.attributes
        edit = view.kind == "android.widget.EditText"
        tabbable = not given.get("tabindex", "-1").startswith("-")
        left, top, right, bottom = _pixels(element.edges, size, scale)
        hint = given.get("placeholder", "")[:_MAX_TEXT]
        attributes = {
            "index": str(index),
            "text": view.text[:_MAX_TEXT],
            "resource-id": prefix + view.short_id[:_MAX_TEXT] if view.short_id else "",
            "class": view.kind,
            "package": package,
            "content-desc": view.description[:_MAX_TEXT],
            "checkable": _flag(view.checkable),
            "checked": _flag(_is_checked(element)),
            "clickable": _flag(view.clickable),
            "enabled": _flag(_is_enabled(element)),
            "focusable": _flag(view.clickable or tabbable),
            "focused": _flag(element.focused),
            "scrollable": _flag(element.scrolls_x or element.scrolls_y),
            "long-clickable": _flag(edit or "data-long-press" in given),
            "password": _flag(given.get("type", "").lower() == "password"),
            "selected": _flag(_is_selected(element)),
            "visible-to-user": "true",
            "bounds": f"[{left},{top}][{right},{bottom}]",
        }
        if hint:
            attributes["hint"] = hint
        parts.append(write_node(attributes, closed=not view.children))
        if view.children:
            stack.append(None)
            stack.extend(reversed(list(enumerate(view.children))))
    parts.append("</hierarchy>")
    return "".join(parts)


def _pixels(edges: CssRect, size: Size, scale: float) -> tuple[int, int, int, int]:
    """Whole pixels, at least one wide and high, on the screen."""
    left = min(max(round(edges[0] * scale), 0), size.width - 1)
    top = min(max(round(edges[1] * scale), 0), size.height - 1)
    right = min(max(round(edges[2] * scale), left + 1), size.width)
    bottom = min(max(round(edges[3] * scale), top + 1), size.height)
    return left, top, right, bottom


def _is_checked(element: PageElement) -> bool:
    given = element.attributes
    return element.checked or "true" in {given.get("aria-checked"), given.get("aria-pressed")}


def _is_selected(element: PageElement) -> bool:
    given = element.attributes
    current = given.get("aria-current", "false")
    return given.get("aria-selected") == "true" or current not in {"", "false"}


def _is_enabled(element: PageElement) -> bool:
    return "disabled" not in element.attributes and (
        element.attributes.get("aria-disabled") != "true"
    )


def _flag(value: bool) -> str:
    return "true" if value else "false"
