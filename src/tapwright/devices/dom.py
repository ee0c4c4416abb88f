"""The elements of a page that can be seen and touched, from Chromium's DOM snapshot.

The snapshot (https://chromedevtools.github.io/devtools-protocol/tot/DOMSnapshot/) lists every
element with its place, style and paint order, seen or not. Here what is hidden, scrolled away or
under something else is left out, so that whatever remains shows where a finger would reach it.
Unlike a script in the page, the page cannot tamper with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tapwright.devices.occlusion import NOTHING, Cover, CssRect, inside, join, meet, visible_part
from tapwright.devices.style import STYLES, Style

_ELEMENT, _TEXT = 1, 3
_ROOTS = {"HTML", "BODY"}
_PAINTED = {"IMG", "VIDEO", "CANVAS", "IFRAME"}
# What makes an inline element more than a piece of its parent's text.
_MEANING = {"id", "data-id", "role", "aria-label", "title", "href", "tabindex", "contenteditable"}
_LEAVES = {
    "INPUT", "TEXTAREA", "IMG", "svg", "CANVAS", "VIDEO", "AUDIO", "METER", "PROGRESS",
    "OBJECT", "EMBED",
}  # fmt: skip
_LISTS = {"multiple", "size"}  # attributes by which a list of options is always open
# What a finger is for, whether or not a listener hangs on it: one further up may serve many.
_ACTING_ROLES = {
    "button", "link", "checkbox", "switch", "radio", "tab", "option", "slider", "textbox",
    "searchbox", "combobox", "menuitem", "menuitemcheckbox", "menuitemradio", "treeitem",
}  # fmt: skip
_ACTING_TAGS = {"BUTTON", "INPUT", "TEXTAREA", "SELECT", "OPTION", "SUMMARY"}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page's raw snapshot, and which node (by its backend id) has the focus."""

    raw: Mapping[str, Any]
    focused: int | None = None


@dataclass(slots=True, eq=False)
class PageElement:
    """An element that can be seen, or the part of it that can.

    `words` are its own rendered text and that of plain inline elements in it; `value` is what a
    form field holds. `parent` is its nearest ancestor that can be seen too. `cut` is set when part
    of it is scrolled away or covered, `inline` that it may be broken over lines, `passes` that
    touches go through it to what is behind, `scrolls_x` and `scrolls_y` that it has more content
    than it shows.
    """

    tag: str
    attributes: dict[str, str]
    edges: CssRect
    parent: "PageElement | None"
    cut: bool = False
    clickable: bool = False
    focused: bool = False
    checked: bool = False
    value: str = ""
    inline: bool = False
    passes: bool = False
    scrolls_x: bool = False
    scrolls_y: bool = False
    words: list[str] = field(default_factory=list)

    @property
    def acts(self) -> bool:
        """Whether it does something when it is touched."""
        return not self.passes and (
            self.clickable
            or self.attributes.get("role", "") in _ACTING_ROLES
            or self.tag in _ACTING_TAGS
            or (self.tag == "A" and "href" in self.attributes)
        )

    @property
    def text(self) -> str:
        """Its words, white space collapsed as the page shows it."""
        return " ".join("".join(self.words).split())


@dataclass(slots=True)
class _Scope:
    """The properties that a node passes on to its children."""

    clip: CssRect  # of children in the flow
    outer_clip: CssRect  # of absolutely placed children
    owner: PageElement | None  # whom text and children belong to
    mute: bool = False  # text is not seen
    pointer: bool = False  # the hand cursor was set further up
    lifted: bool = False
    layer: CssRect | None = None  # the cover that lifted children are drawn on
    scroller: tuple[PageElement, CssRect, Style] | None = None


@dataclass(slots=True)
class _Frame:
    """Where a document is shown: its origin and clip on the screen, and what surrounds it."""

    x: float
    y: float
    clip: CssRect
    owner: PageElement | None = None
    # Per enclosing document: its covers, with node and paint order of the frame's own element.
    around: list[tuple[list[Cover], int, int]] = field(default_factory=list)


def visible_elements(snapshot: Snapshot, width: float, height: float) -> list[PageElement]:
    """All elements that can be seen on a screen of `width` x `height` CSS pixels.

    In document order, those of an inline frame right after the frame's own element. `HTML` comes
    first; its edges are the screen's.
    """
    return _Reader(snapshot).document(0, _Frame(0.0, 0.0, (0.0, 0.0, width, height)))


class _Reader:
    """What the documents of one snapshot share."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.strings: list[str] = snapshot.raw["strings"]
        self.documents: list[dict[str, Any]] = snapshot.raw["documents"]
        self.focused = snapshot.focused
        self._styles: dict[tuple[int, ...], Style] = {}

    def document(self, number: int, frame: _Frame) -> list[PageElement]:
        return _Document(self, self.documents[number], frame).read()

    def style(self, indices: list[int]) -> Style | None:
        """The style behind string indices; None for what has none, as text does."""
        key = tuple(indices)
        style = self._styles.get(key)
        if style is None and len(key) == len(STYLES):
            style = self._styles[key] = Style([self.strings[index] for index in key])
        return style


class _Document:
    """One document, read in one pass: its nodes come parents first."""

    def __init__(self, reader: _Reader, raw: dict[str, Any], frame: _Frame) -> None:
        self.reader = reader
        self.strings = reader.strings
        self.frame = frame
        self.nodes: dict[str, Any] = raw["nodes"]
        self.parents: list[int] = self.nodes["parentIndex"]
        self.names: list[int] = self.nodes["nodeName"]
        self.attributes: list[list[int]] = self.nodes["attributes"]
        layout = raw["layout"]
        self.placed: list[int] = layout["nodeIndex"]
        self.bounds: list[list[float]] = layout["bounds"]
        self.styles: list[list[int]] = layout["styles"]
        self.texts: list[int] = layout["text"]
        self.orders: list[int] = layout.get("paintOrders") or [0] * len(self.placed)
        self.x = frame.x - raw.get("scrollOffsetX", 0.0)
        self.y = frame.y - raw.get("scrollOffsetY", 0.0)
        self.clickable = set(self.rare("isClickable"))
        self.checked = set(self.rare("inputChecked"))
        self.pseudo = set(self.rare("pseudoType"))
        self.inner = self.rare_values("contentDocumentIndex")
        self.ends = self.last_below()
        self.values = self.field_values()
        self.found: list[tuple[int, int, PageElement]] = []  # node, paint order
        self.covers: list[Cover] = []
        self.frames: dict[int, _Frame] = {}

    def rare(self, name: str) -> list[int]:
        """The nodes that have a value in a column that few have."""
        nodes: list[int] = self.nodes.get(name, {}).get("index", [])
        return nodes

    def rare_values(self, name: str) -> dict[int, int]:
        column = self.nodes.get(name, {})
        return dict(zip(column.get("index", []), column.get("value", []), strict=True))

    def last_below(self) -> list[int]:
        """For each node the last one below it, itself if there is none."""
        ends = list(range(len(self.parents)))
        for node in range(len(ends) - 1, 0, -1):
            parent = self.parents[node]
            if parent >= 0 and ends[node] > ends[parent]:
                ends[parent] = ends[node]
        return ends

    def field_values(self) -> dict[int, str]:
        """What form fields hold, by node; for a list of options the chosen one's text."""
        values = {
            node: self.strings[index]
            for name in ("textValue", "inputValue")
            for node, index in self.rare_values(name).items()
            if index >= 0
        }
        contents: list[int] = self.nodes["nodeValue"]
        for option in self.rare("optionSelected"):
            node = option
            while node >= 0 and self.strings[self.names[node]] != "SELECT":
                node = self.parents[node]
            inside = (contents[below] for below in range(option + 1, self.ends[option] + 1))
            values[node] = " ".join(self.strings[index].strip() for index in inside if index >= 0)
        return values

    def read(self) -> list[PageElement]:
        self.scan()
        elements: list[PageElement] = []
        dropped: set[int] = set()
        for node, order, element in self.found:
            while element.parent is not None and id(element.parent) in dropped:
                element.parent = element.parent.parent
            touched = element.acts or element.tag == "LABEL"  # its field may get its edges
            edges = self.visible_part(node, order, element.edges, touched)
            if edges is None:
                dropped.add(id(element))
                continue
            element.cut = element.cut or edges != element.edges
            element.edges = edges
            elements.append(element)
            if node in self.frames and node in self.inner:
                frame = self.frames[node]
                frame.owner, frame.clip = element, meet(frame.clip, edges)
                frame.around = [*self.frame.around, (self.covers, node, order)]
                elements.extend(self.reader.document(self.inner[node], frame))
        return elements

    def visible_part(self, node: int, order: int, edges: CssRect, touched: bool) -> CssRect | None:
        left = visible_part(edges, self.covers, node, self.ends[node], order, touched=touched)
        for covers, outer_node, outer_order in self.frame.around:
            if left is None:
                break
            left = visible_part(left, covers, outer_node, outer_node, outer_order, touched=touched)
        return left

    def scan(self) -> None:
        kinds: list[int] = self.nodes["nodeType"]
        places = [-1] * len(self.parents)
        for place, node in enumerate(self.placed):
            places[node] = place
        # None: nothing below can be seen.
        scopes: list[_Scope | None] = [None] * len(self.parents)
        top = _Scope(self.frame.clip, self.frame.clip, self.frame.owner)
        for node, parent in enumerate(self.parents):
            scope = scopes[parent] if parent >= 0 else top
            if scope is None:
                continue
            place = places[node]
            if place < 0:  # not laid out, as `display: contents` is not; children may be
                scopes[node] = scope
            elif kinds[node] == _TEXT:
                self.read_text(place, scope)
            elif kinds[node] == _ELEMENT:
                scopes[node] = self.read_element(node, place, scope)
            else:
                scopes[node] = scope

    def edges(self, place: int) -> CssRect:
        left, top, width, height = self.bounds[place]
        return left + self.x, top + self.y, left + self.x + width, top + self.y + height

    def read_text(self, place: int, scope: _Scope) -> None:
        text = self.texts[place]
        if scope.mute or scope.owner is None or text < 0:
            return
        edges = meet(self.edges(place), scope.clip)
        if edges is not NOTHING:
            scope.owner.words.append(self.strings[text])

    def read_element(self, node: int, place: int, scope: _Scope) -> _Scope | None:
        style = self.reader.style(self.styles[place])
        tag = self.strings[self.names[node]]
        if style is None or node in self.pseudo or (style.transparent and tag != "INPUT"):
            return None
        whole = self.edges(place)
        root = tag in _ROOTS
        if root:
            whole = join(whole, self.frame.clip)
        clip = scope.clip
        scroller = scope.scroller
        if style.fixed:
            clip, scroller = self.frame.clip, None
        elif style.absolute:
            clip = scope.outer_clip
        if scroller is not None:
            _stretch(scroller, whole)
        edges = meet(whole, clip)
        seen = edges is not NOTHING and not style.invisible
        acts = node in self.clickable and not root
        lifted = (scope.lifted or style.lifted) and not root
        layer = None if style.lifted else scope.layer
        if seen and lifted:
            covered = edges
            covers = style.covers or (style.catches and (tag in _PAINTED or (style.fixed and acts)))
            if tag == "DIALOG" and style.fixed:
                # Fixed by the browser's own style: it is modal; the snapshot has no backdrop.
                covers, covered = True, self.frame.clip
            if covers and (layer is None or not inside(covered, layer)):
                self.covers.append(Cover(self.orders[place], covered, node, self.ends[node]))
                layer = covered
        attributes = self.attributes_of(node)
        if attributes.get("aria-hidden") == "true":
            return None
        owner = scope.owner
        if tag == "BR" and owner is not None:
            owner.words.append(" ")
        plain = (
            style.inline
            and not acts
            and tag not in _LEAVES
            and tag != "IFRAME"
            and _MEANING.isdisjoint(attributes)
        )
        if seen and not plain:
            owner = PageElement(
                tag=tag,
                attributes=attributes,
                edges=edges,
                cut=not inside(whole, edges),
                parent=scope.owner,
                clickable=acts or (style.pointer and not scope.pointer),
                focused=self.nodes["backendNodeId"][node] == self.reader.focused,
                checked=node in self.checked,
                value=self.values.get(node, ""),
                inline=style.inline,
                passes=not style.catches,
            )
            self.found.append((node, self.orders[place], owner))
            if not root and (style.scrolls_x or style.scrolls_y):
                scroller = (owner, whole, style)
            if tag == "IFRAME":
                content = style.within_borders(whole)
                self.frames[node] = _Frame(content[0], content[1], meet(content, edges))
        if tag in _LEAVES or (tag == "SELECT" and not _LISTS.isdisjoint(attributes)):
            return None
        inner_clip = edges if style.clips and not root else clip
        return _Scope(
            clip=inner_clip,
            outer_clip=inner_clip if style.positioned else scope.outer_clip,
            owner=owner,
            mute=style.invisible,
            pointer=style.pointer,
            lifted=lifted,
            layer=layer,
            scroller=scroller,
        )

    def attributes_of(self, node: int) -> dict[str, str]:
        flat, strings = self.attributes[node], self.strings
        return {
            strings[name]: strings[value] if value >= 0 else ""
            for name, value in zip(flat[::2], flat[1::2], strict=True)
        }


def _stretch(scroller: tuple[PageElement, CssRect, Style], edges: CssRect) -> None:
    """Note that a scroller's content reaches out of it; without that there is nothing to scroll."""
    element, whole, style = scroller
    if style.scrolls_x and (edges[0] < whole[0] - 1 or edges[2] > whole[2] + 1):
        element.scrolls_x = True
    if style.scrolls_y and (edges[1] < whole[1] - 1 or edges[3] > whole[3] + 1):
        element.scrolls_y = True
