"""The elements of a screen as a person would name them: label, role, whether a touch reaches them.

Read from the view hierarchy alone, so every question about an element can be proved from it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tapwright.benchmarks.platforms import is_computer
from tapwright.core.geometry import Box
from tapwright.core.observation import UiNode, UiRole, UiTree

CHECKABLE: tuple[UiRole, ...] = ("switch", "checkbox", "radio button")
_STATUS_BAR = 0.04
_LEAST_AREA = 0.0003
_LEAST_PX = 64
_MAX_LABEL = 40
_SAID = ("text", "content-desc", "hint")


@dataclass(frozen=True, slots=True)
class Element:
    """Something on a screen that can be touched.

    `kind` is "text" when it shows its own words, "icon" when its name is not to be read off it.
    `source` is the node that the label comes from. `alone` is true when no other element answers to
    label and role, and that a touch on its middle reaches it; `repeated` when others answer to
    them, and all else is as well.
    """

    node: UiNode
    source: UiNode
    box: Box
    label: str
    role: UiRole
    kind: Literal["icon", "text"]
    alone: bool
    repeated: bool = False

    @property
    def on(self) -> bool:
        """Whether a switch or box is on."""
        return self.node.is_("checked")


def visible_texts(tree: UiTree) -> dict[str, UiNode]:
    """The short texts that stand there exactly once, below the status bar and not covered."""
    visible = [
        (node, node.box, shown)
        for node in tree.nodes
        if node.box is not None and (shown := node.text.strip())
    ]
    counts = Counter(shown.casefold() for _, _, shown in visible)
    bar = _bar(tree)
    found: dict[str, UiNode] = {}
    for node, box, shown in visible:
        text = " ".join(shown.split())
        if (
            counts[shown.casefold()] == 1
            and 2 <= len(text) <= _MAX_LABEL
            and box.bottom > bar
            and not node.is_("password")
            and _is_reachable(tree, node, box)
        ):
            found[text] = node
    return found


def screen_text(tree: UiTree) -> str:
    """All text of the tree, casefolded, to prove that something is not there."""
    parts = [part for node in tree.nodes for name in _SAID if (part := node.attributes.get(name))]
    return "\n".join(parts).casefold()


def list_elements(tree: UiTree) -> list[Element]:
    """The touchable elements with a name and a sensible size, in document order."""
    reader = _ElementReader(tree.nodes)
    drafts = [draft for node in tree.nodes if (draft := reader.element(node)) is not None]
    labels = Counter(draft.label.casefold() for draft in drafts)
    roles = Counter((draft.label.casefold(), draft.role) for draft in drafts)
    orders = [draft.node.order for draft in drafts]
    bar, least = _bar(tree), _least_area(tree)
    found = []
    for number, draft in enumerate(drafts, start=1):
        key = draft.label.casefold()
        if draft.role in CHECKABLE or draft.role == "text field":
            single = roles[key, draft.role] == 1
        else:
            single = labels[key] == 1 and not reader.is_repeated(draft)
        # What is inside a node follows it in document order.
        holds_another = number < len(orders) and orders[number] < reader.end[draft.node.order]
        distinct = (
            not holds_another
            and draft.box.bottom > bar
            and least <= draft.box.area <= 0.35
            and _is_reachable(tree, draft.node, draft.box)
        )
        found.append(
            Element(
                draft.node,
                draft.source,
                draft.box,
                draft.label,
                draft.role,
                draft.kind,
                alone=distinct and single,
                repeated=distinct and not single,
            )
        )
    return found


def app_name(package: str) -> str:
    """The name in a package: "org.example.notes" is "Notes"."""
    return package.rpartition(".")[2].replace("_", " ").title() or "unknown"


def share_column(one: Box, other: Box) -> bool:
    """Whether two boxes share some of their width."""
    return min(one.right, other.right) > max(one.left, other.left)


def lineage(node: UiNode) -> Iterator[UiNode]:
    """The node and all above it, itself first."""
    above: UiNode | None = node
    while above is not None:
        yield above
        above = above.parent


def is_touchable(node: UiNode) -> bool:
    """Whether a tap is for the node itself."""
    return node.box is not None and (
        node.is_("clickable") or node.is_("checkable") or node.role == "text field"
    )


def role_of(node: UiNode) -> UiRole:
    """What kind of control a node is; "other" for those whose kind is not to be seen."""
    role = node.role
    if role == "image button":
        return "button"
    return "other" if role in ("image", "text", "list") else role


def _bar(tree: UiTree) -> float:
    """Where a phone's bar with the clock ends; a computer has none there."""
    return 0.0 if is_computer(tree) else _STATUS_BAR


def _least_area(tree: UiTree) -> float:
    """What a finger can hit, or a mouse, however many pixels the screen has."""
    width, height = tree.size.width, tree.size.height
    return _LEAST_PX / (width * height) if is_computer(tree) else _LEAST_AREA


class _ElementReader:
    """Answers what stands inside a node, or anywhere, from one pass over all of them.

    `end` is the order of the first node that is no longer inside the node of each order.
    """

    def __init__(self, nodes: Sequence[UiNode]) -> None:
        self.nodes = nodes
        count = len(nodes)
        self.end = [0] * count
        self._text = [count] * (count + 1)
        self._words = [count] * (count + 1)
        self._texts: dict[str, list[UiNode]] = {}
        for node in reversed(nodes):
            order = node.order
            self.end[order] = self.end[node.children[-1].order] if node.children else order + 1
            self._text[order] = self._text[order + 1]
            self._words[order] = self._words[order + 1]
            if node.box is None:
                continue
            text, description = node.text, node.description
            shown, told = text.strip(), description.strip()
            if shown:
                self._text[order] = order
            if len(shown if text else told) > 1:
                self._words[order] = order
            for words in {shown.casefold(), told.casefold()} - {""}:
                self._texts.setdefault(words, []).append(node)

    def element(self, node: UiNode) -> Element | None:
        """The element that a node is, not known to be alone yet; None when it has no good name."""
        if node.box is None or not is_touchable(node) or node.attributes.get("enabled") == "false":
            return None
        role = role_of(node)
        named = self._named(node, role)
        if named is None:
            return None
        label, source = named
        if not 2 <= len(label) <= _MAX_LABEL and not "\u4e00" <= label <= "\u9fff":
            return None
        own_words = self._text[node.order] < self.end[node.order]
        shows = (own_words or bool(node.hint)) and role not in CHECKABLE
        kind: Literal["icon", "text"] = "text" if shows else "icon"
        return Element(node, source, node.box, label, role, kind, alone=False)

    def is_repeated(self, draft: Element) -> bool:
        """Whether another node has the very label of the element."""
        first, end = draft.node.order, self.end[draft.node.order]
        return any(
            not first <= node.order < end and node is not draft.source
            for node in self._texts.get(draft.label.casefold(), ())
        )

    def _named(self, node: UiNode, role: UiRole) -> tuple[str, UiNode] | None:
        if role == "text field":
            own = node.hint or node.description or node.text
        else:
            own = node.text or node.description or node.hint
        if own.strip():
            return " ".join(own.split()), node
        # A switch is named by its row: the nearest ancestor that has text.
        above: UiNode | None = node
        for _ in range(4 if role in CHECKABLE else 1):
            if above is None:
                return None
            order = self._words[above.order]
            if order < self.end[above.order]:
                found = self.nodes[order]
                return " ".join((found.text or found.description).split()), found
            above = above.parent
        return None


def _is_reachable(tree: UiTree, node: UiNode, box: Box) -> bool:
    """Whether a touch on its middle reaches it or what it lies in, and nothing above it."""
    hit = tree.at(box.center)
    return hit is None or hit.order <= node.order
