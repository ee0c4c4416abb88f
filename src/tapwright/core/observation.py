"""What the eye gets: a screenshot with the view hierarchy of the same moment.

`UiTree` reads the XML that Android's `uiautomator dump` writes
(https://developer.android.com/reference/androidx/test/uiautomator/UiDevice#dumpWindowHierarchy).
Every attribute is kept as it came; boxes are given in fractions of the screen.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Literal, TypeAlias
from xml.parsers import expat

from tapwright.core.geometry import Box, Point, Size
from tapwright.core.screenshot import Screenshot
from tapwright.core.strip import Card, render_strip
from tapwright.errors import BadTreeError

__all__ = [
    "MAX_ATTRIBUTE", "MAX_ATTRIBUTES", "MAX_DEPTH", "MAX_NODES", "MAX_TREE_TEXT", "BrowserTab",
    "Observation", "Orientation", "UiNode", "UiRole", "UiTree", "write_node",
]  # fmt: skip

MAX_TREE_TEXT = 16_000_000
"""Characters of a view hierarchy."""
MAX_NODES = 100_000
"""Elements of a view hierarchy."""
MAX_DEPTH = 10_000
"""Elements of a view hierarchy, each in the one before."""
MAX_ATTRIBUTES = 256
"""Attributes of an element."""
MAX_ATTRIBUTE = 1_000_000
"""Characters of all attributes of an element."""

Orientation: TypeAlias = Literal["portrait", "landscape", "portrait_reversed", "landscape_reversed"]
UiRole: TypeAlias = Literal[
    "button", "image button", "text field", "switch", "checkbox", "radio button", "slider", "tab",
    "menu", "menu item", "cell", "tree item", "image", "text", "list", "other",
]  # fmt: skip
"""What kind of control an element is."""


@dataclass(frozen=True, slots=True, eq=False)
class UiNode:
    """One element of a view hierarchy.

    `attributes` are the XML's own, in its order. `box` is where the element is seen, clipped to
    the screen; None when it has no `bounds` or lies wholly off the screen. `order` counts nodes
    in document order from 0; `depth` of a root is 0.
    """

    attributes: Mapping[str, str]
    box: Box | None
    order: int
    depth: int
    parent: "UiNode | None" = field(repr=False)
    children: tuple["UiNode", ...] = field(default=(), repr=False)

    @property
    def text(self) -> str:
        """The text that the element shows."""
        return self.attributes.get("text", "")

    @property
    def description(self) -> str:
        """`content-desc`: what a screen reader reads out for it."""
        return self.attributes.get("content-desc", "")

    @property
    def resource_id(self) -> str:
        """`resource-id`, such as "com.example:id/title"."""
        return self.attributes.get("resource-id", "")

    @property
    def short_id(self) -> str:
        """The part of `resource_id` after "/": "title"."""
        value = self.attributes.get("resource-id")
        return value.rpartition("/")[2] if value else ""

    @property
    def class_name(self) -> str:
        """`class`, such as "android.widget.Button"."""
        return self.attributes.get("class", "")

    @property
    def role(self) -> UiRole:
        """What kind of control it is, by its class alone; "other" when that does not tell."""
        return _role_of_class(self.attributes.get("class", ""))

    @property
    def hint(self) -> str:
        """The placeholder of an empty text field."""
        return self.attributes.get("hint", "")

    def is_(self, flag: str) -> bool:
        """Whether a boolean attribute ("clickable", "checked", "scrollable", …) is "true"."""
        return self.attributes.get(flag) == "true"

    @property
    def label(self) -> str:
        """What a person would call it: its description, else text, hint, or its content's."""
        own = self.description or self.text or self.hint
        if own:
            return own
        words = (node.text or node.description for node in self.walk())
        return " ".join(word for word in words if word)

    def walk(self) -> Iterator["UiNode"]:
        """The node and all below it, in document order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


# How class names end, those of androidx, Material and the devices of desktops included; the first
# that fits counts.
_ROLES: tuple[tuple[tuple[str, ...], UiRole], ...] = (
    (("MenuItem",), "menu item"),
    ((".Menu", ".PushButtonMenu"), "menu"),
    ((".TableCell", ".Cell", ".TableRowHeader", ".TableColumnHeader"), "cell"),
    ((".TreeItem",), "tree item"),
    (("EditText", "AutoCompleteTextView", "SpinButton"), "text field"),
    (("Switch", "SwitchCompat", "SwitchMaterial", "ToggleButton"), "switch"),
    (("CheckBox", "CheckedTextView"), "checkbox"),
    (("RadioButton",), "radio button"),
    (("SeekBar", "Slider"), "slider"),
    (("Tab", "TabView"), "tab"),
    (("ImageButton", "FloatingActionButton"), "image button"),
    (("Button",), "button"),
    (("Image", "ImageView"), "image"),
    (("ListView", "RecyclerView", "GridView", "atspi.List", "atspi.ListBox"), "list"),
    (("TextView", "atspi.Label"), "text"),
)


@lru_cache(maxsize=1024)
def _role_of_class(class_name: str) -> UiRole:
    return next((role for ends, role in _ROLES if class_name.endswith(ends)), "other")


_BOUNDS = re.compile(r"\[(-?\d{1,9}),(-?\d{1,9})\]\[(-?\d{1,9}),(-?\d{1,9})\]", re.ASCII)
_BOX_ATTRIBUTES = frozenset({"bounds", "clickable"})
_SAME_SHAPE, _SAME_SCALE = 0.02, 0.1
_BANDS = 128
_FEW = 150
"""Of so few boxes the first that holds a point is found sooner than those of its strip."""


class UiTree:
    """A parsed view hierarchy.

    `size` is the screen in pixels that the XML's `bounds` count.
    """

    def __init__(self, xml: str, size: Size, *, origin: str = "a view hierarchy") -> None:
        self._load: Callable[[], str] = lambda: xml
        self.size = size
        self.origin = origin

    @classmethod
    def lazy(
        cls, load: Callable[[], str], size: Size, *, origin: str, sha256: str = ""
    ) -> "UiTree":
        """A tree whose text `load` reads when it is first looked at; `origin` names the file.

        `sha256` is what the text hashes to, where that is known.
        """
        made = cls("", size, origin=origin)
        made._load = load
        if sha256:
            made.sha256 = sha256
        return made

    @cached_property
    def xml(self) -> str:
        """The hierarchy as it came."""
        return self._load()

    @cached_property
    def sha256(self) -> str:
        """Of the XML in UTF-8, by which a store names it; one that is known reads nothing."""
        return hashlib.sha256(self.xml.encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def nodes(self) -> tuple[UiNode, ...]:
        """Every node in document order; parsed on first use.

        Raises:
            BadTreeError: not XML, a document type or entity in it, bad `bounds`, or more than
                `MAX_TREE_TEXT`, `MAX_NODES` and the other limits allow.
        """
        return _Parser(self).parse()

    @cached_property
    def boxes_only(self) -> bool:
        """Whether no node has more than a box: elements that a data set points out.

        Such a hierarchy reveals nothing of what else is on the screen, nor which words.
        """
        return all(node.attributes.keys() <= _BOX_ATTRIBUTES for node in self.nodes)

    @cached_property
    def other_scale(self) -> Size | None:
        """The screen that its bounds count, where that is clearly another one than `size`.

        That is so when the root has the shape of the screen, and is a tenth larger or smaller.
        """
        root = next((node for node in self.nodes if "bounds" in node.attributes), None)
        found = None if root is None else _BOUNDS.fullmatch(root.attributes["bounds"])
        if found is None or (found[1], found[2]) != ("0", "0") or "0" in found.groups()[2:]:
            return None
        extent = Size(max(int(found[3]), 1), max(int(found[4]), 1))
        wide, high = extent.width / self.size.width, extent.height / self.size.height
        alike = abs(wide - high) <= _SAME_SHAPE * max(wide, high)
        return extent if alike and abs(wide - 1) > _SAME_SCALE else None

    def find(
        self, *, text: str = "", description: str = "", short_id: str = "", label: str = ""
    ) -> UiNode | None:
        """The first node in document order for which every given value is equal."""
        for node in self.nodes:
            if (
                (not text or node.text == text)
                and (not description or node.description == description)
                and (not short_id or node.short_id == short_id)
                and (not label or node.label == label)
            ):
                return node
        return None

    def at(self, point: Point) -> UiNode | None:
        """What a tap at `point` would reach: the smallest clickable node there, else smallest.

        Of equally small nodes the one later in the document wins, as it is drawn above.
        """
        x, y = point.x, point.y
        for node, box in self._strip(y):  # as `Box.contains`, whose calls took most of the time
            if box.left <= x <= box.right and box.top <= y <= box.bottom:
                return node
        return None

    def _strip(self, y: float) -> Sequence[tuple[UiNode, Box]]:
        """What reaches into the strip of the screen at `y`, the likeliest to be touched first."""
        if len(self._by_reach) <= _FEW:
            return self._by_reach
        number = min(int(y * _BANDS), _BANDS - 1)
        if number not in self._strips:
            top, bottom = number / _BANDS, (number + 1) / _BANDS
            self._strips[number] = [
                (node, box)
                for node, box in self._by_reach
                if box.top <= bottom and box.bottom >= top
            ]
        return self._strips[number]

    @cached_property
    def _strips(self) -> dict[int, Sequence[tuple[UiNode, Box]]]:
        return {}

    @cached_property
    def _by_reach(self) -> Sequence[tuple[UiNode, Box]]:
        seen = [(node, node.box) for node in self.nodes if node.box is not None]
        seen.sort(key=lambda one: (not one[0].is_("clickable"), one[1].area, -one[0].order))
        return seen

    def unread(self) -> "UiTree":
        """The same tree with nothing read or parsed yet, so that keeping it costs little."""
        known = vars(self).get("sha256", "")
        return UiTree.lazy(self._load, self.size, origin=self.origin, sha256=known)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UiTree) and (self.xml, self.size) == (other.xml, other.size)

    def __hash__(self) -> int:
        return hash((self.xml, self.size))

    def __repr__(self) -> str:
        return f"UiTree({self.origin}, {self.size})"


class _Parser:
    """Builds the nodes with expat, which needs no recursion, so depth cannot exhaust the stack."""

    def __init__(self, tree: UiTree) -> None:
        self.tree = tree
        self.width, self.height = tree.size.width, tree.size.height
        self.nodes: list[UiNode] = []
        self.children: list[list[UiNode]] = []
        self.open: list[UiNode] = []

    def parse(self) -> tuple[UiNode, ...]:
        parser = expat.ParserCreate("utf-8")  # whatever the text says that its bytes were
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.StartDoctypeDeclHandler = self.refuse
        self.expat = parser
        self.check(len(self.tree.xml), MAX_TREE_TEXT, "characters")
        # No element has more than all: entities of more than one character are refused.
        self.long = len(self.tree.xml) > MAX_ATTRIBUTE
        try:
            parser.Parse(self.tree.xml.encode("utf-8", "surrogatepass"), True)
        except expat.ExpatError as error:
            raise BadTreeError(
                f"{self.tree.origin}, line {error.lineno}: not XML: "
                f"{expat.errors.messages[error.code]}"
            ) from error
        for node, children in zip(self.nodes, self.children, strict=True):
            object.__setattr__(node, "children", tuple(children))
        return tuple(self.nodes)

    def check(self, count: int, limit: int, what: str) -> None:
        if count > limit:
            raise BadTreeError(
                f"{self.tree.origin}, line {self.expat.CurrentLineNumber}: more than {limit:,} "
                f"{what}",
                hint="no screen has so many; leave the hierarchy of this step out",
            )

    def refuse(self, *_: object) -> None:
        raise BadTreeError(
            f"{self.tree.origin}, line {self.expat.CurrentLineNumber}: a document type "
            "declaration; view hierarchies have none, and entities are never expanded"
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "hierarchy":
            return
        order, depth = len(self.nodes), len(self.open)
        if order >= MAX_NODES:
            self.check(order + 1, MAX_NODES, "elements")
        if depth >= MAX_DEPTH:
            self.check(depth + 1, MAX_DEPTH, "elements in each other")
        if len(attributes) > MAX_ATTRIBUTES:
            self.check(len(attributes), MAX_ATTRIBUTES, "attributes of one element")
        if self.long:
            length = sum(map(len, attributes.values()))
            self.check(length, MAX_ATTRIBUTE, "characters of one element")
        parent = self.open[-1] if depth else None
        if "class" not in attributes and tag != "node":
            attributes["class"] = tag  # uiautomator2's compressed dumps name the tag by the class
        node = UiNode(
            attributes=MappingProxyType(attributes),
            box=self.box(attributes.get("bounds", "")),
            order=order,
            depth=depth,
            parent=parent,
        )
        if parent is not None:
            self.children[parent.order].append(node)
        self.nodes.append(node)
        self.children.append([])
        self.open.append(node)

    def end(self, tag: str) -> None:
        if tag != "hierarchy":
            self.open.pop()

    def box(self, bounds: str) -> Box | None:
        if not bounds:
            return None
        try:
            return _read_box(bounds, self.width, self.height)
        except ValueError as error:
            raise BadTreeError(
                f"{self.tree.origin}, line {self.expat.CurrentLineNumber}: "
                f"bounds={bounds[:60]!r}; expected [left,top][right,bottom] in pixels"
            ) from error


@lru_cache(maxsize=8192)  # the screens of one app have most of their boxes in common
def _read_box(bounds: str, width: int, height: int) -> Box | None:
    """The part of the bounds that is on the screen; ValueError for what are no bounds."""
    match = _BOUNDS.fullmatch(bounds)
    if match is None:
        raise ValueError(bounds)
    left, top, right, bottom = (int(edge) for edge in match.groups())
    seen = left < right and top < bottom and right > 0 and bottom > 0
    if not seen or left >= width or top >= height:
        return None
    return Box.from_pixels(left, top, right, bottom, Size(width, height))


# All but those that stand for themselves in an attribute of XML 1.0: not &, <, > and ".
_ODD = re.compile("[^ !#-%'-;=?-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPELLING = {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;",
    "\t": "&#9;", "\n": "&#10;", "\r": "&#13;",
}  # fmt: skip


def write_node(attributes: Mapping[str, str], *, closed: bool) -> str:
    """One opening (or self-closing) tag, attributes in their order, safely quoted.

    Characters that XML cannot carry are left out.
    """
    inner = "".join(f' {name}="{_quoted(value)}"' for name, value in attributes.items())
    return f"<node{inner}{' /' if closed else ''}>"


def _quoted(text: str) -> str:
    if text.isalnum():
        return text
    return _ODD.sub(lambda found: _SPELLING.get(found[0], ""), text)


@dataclass(frozen=True, slots=True)
class BrowserTab:
    """A tab of a browser: its page's title and address; exactly one is active, and shown."""

    title: str
    url: str
    active: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """What a device shows at one moment.

    `app` is the package (or page) in front, `time_s` seconds since the device was reset.
    `stale` is set when picture and tree may belong to different moments. A browser has `tabs`, in
    their order, and the `url` of the active one; other devices have none. `message` is what the
    user said since the last action: the answer to what was asked.
    """

    screenshot: Screenshot
    size: Size
    ui_tree: UiTree | None = None
    app: str = ""
    orientation: Orientation = "portrait"
    time_s: float = 0.0
    stale: bool = False
    url: str = ""
    tabs: tuple[BrowserTab, ...] = ()
    message: str = ""

    def shrink(self, *, max_side: int | None, max_pixels: int | None) -> "Observation":
        """The same moment with the size that its picture has when it is sent within these limits.

        Both are in pixels. The screenshot is left as it is: who sends it scales it.
        """
        size = self.size.shrink(max_side=max_side, max_pixels=max_pixels)
        return self if size == self.size else replace(self, size=size)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        lines = (str(self.size), self.url, "stale" if self.stale else "")
        return render_strip(self.app, [Card(self.screenshot, (), lines)])
