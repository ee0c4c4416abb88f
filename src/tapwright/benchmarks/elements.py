"""The elements of a screen as a person would name them: label, role, whether a touch reaches them.

Read from the view hierarchy alone, so whatever is asked about an element can be proved from it.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tapwright.geometry import Box
from tapwright.observation import UiNode, UiRole, UiTree

CHECKABLE: tuple[UiRole, ...] = ("switch", "checkbox", "radio button")
_STATUS_BAR = 0.04
_MAX_LABEL = 40


@dataclass(frozen=True, slots=True)
class Element:
    """Something on a screen that can be touched.

    `kind` is "text" when it shows its own words, "icon" when its name is not to be read off it.
    `source` is the node that the label comes from. `alone` says that no other element answers to
    label and role, and that a touch on its middle reaches it.
    """

    node: UiNode
    source: UiNode
    box: Box
    label: str
    role: UiRole
    kind: Literal["icon", "text"]
    alone: bool

    @property
    def on(self) -> bool:
        """Whether a switch or box is on."""
        return self.node.is_("checked")


def visible_texts(tree: UiTree) -> dict[str, UiNode]:
    """The short texts that are shown exactly once, below the status bar and not covered."""
    shown = [node for node in tree.nodes if node.text.strip() and node.box is not None]
    counts = Counter(node.text.strip().casefold() for node in shown)
    found: dict[str, UiNode] = {}
    for node in shown:
        text = " ".join(node.text.split())
        box = node.box
        if (
            box is not None
            and counts[node.text.strip().casefold()] == 1
            and 2 <= len(text) <= _MAX_LABEL
            and box.bottom > _STATUS_BAR
            and not node.is_("password")
            and _reachable(tree, node, box)
        ):
            found[text] = node
    return found


def words_on(tree: UiTree) -> str:
    """Everything that the tree says in words, casefolded, to prove that something is not there."""
    parts = (part for node in tree.nodes for part in (node.text, node.description, node.hint))
    return "\n".join(part for part in parts if part).casefold()


def elements(tree: UiTree) -> list[Element]:
    """The touchable elements with a name and a sensible size, in document order."""
    drafts = [draft for node in tree.nodes if (draft := _element(node)) is not None]
    labels = Counter(draft.label.casefold() for draft in drafts)
    roles = Counter((draft.label.casefold(), draft.role) for draft in drafts)
    touchable = {draft.node.order for draft in drafts}
    found = []
    for draft in drafts:
        key = draft.label.casefold()
        inside = {node.order for node in draft.node.walk()} - {draft.node.order}
        if draft.role in CHECKABLE or draft.role == "text field":
            single = roles[key, draft.role] == 1
        else:
            single = labels[key] == 1 and not _said_elsewhere(tree, draft)
        alone = (
            single
            and not inside & touchable
            and draft.box.bottom > _STATUS_BAR
            and 0.0003 <= draft.box.area <= 0.35
            and _reachable(tree, draft.node, draft.box)
        )
        found.append(_with_alone(draft, alone))
    return found


def app_name(package: str) -> str:
    """The name in a package: "org.example.notes" is "Notes"."""
    return package.rpartition(".")[2].replace("_", " ").title() or "unknown"


def same_row(one: Box, other: Box) -> bool:
    """Whether two boxes share at least 60 % of the lower one's height."""
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared >= 0.6 * min(one.bottom - one.top, other.bottom - other.top)


def same_column(one: Box, other: Box) -> bool:
    """Whether two boxes share some of their width."""
    return min(one.right, other.right) > max(one.left, other.left)


def is_touchable(node: UiNode) -> bool:
    """Whether a tap is meant for the node itself."""
    return node.box is not None and (
        node.is_("clickable") or node.is_("checkable") or node.role == "text field"
    )


def role_of(node: UiNode) -> UiRole:
    """What kind of control a node is; "other" for those whose kind is not to be seen."""
    if node.role == "image button":
        return "button"
    return "other" if node.role in ("tab", "image", "text", "list") else node.role


def _element(node: UiNode) -> Element | None:
    if not is_touchable(node) or node.box is None or node.attributes.get("enabled") == "false":
        return None
    role = role_of(node)
    named = _named(node, role)
    if named is None:
        return None
    label, source = named
    if not 2 <= len(label) <= _MAX_LABEL and not "\u4e00" <= label <= "\u9fff":
        return None
    own_words = any(part.text.strip() and part.box is not None for part in node.walk())
    shows = (own_words or bool(node.hint)) and role not in CHECKABLE
    kind: Literal["icon", "text"] = "text" if shows else "icon"
    return Element(node, source, node.box, label, role, kind, alone=False)


def _named(node: UiNode, role: UiRole) -> tuple[str, UiNode] | None:
    if role == "text field":
        own = node.hint or node.description or node.text
    else:
        own = node.text or node.description or node.hint
    if own.strip():
        return " ".join(own.split()), node
    inner = _first_words(node)
    if inner is not None:
        return inner
    if role in CHECKABLE:
        # A switch is named by its row: the nearest ancestor that says anything.
        above = node.parent
        for _ in range(3):
            if above is None:
                return None
            inner = _first_words(above)
            if inner is not None:
                return inner
            above = above.parent
    return None


def _first_words(node: UiNode) -> tuple[str, UiNode] | None:
    for part in node.walk():
        words = part.text or part.description
        if words.strip() and part.box is not None and len(words.strip()) > 1:
            return " ".join(words.split()), part
    return None


def _said_elsewhere(tree: UiTree, draft: Element) -> bool:
    own = {node.order for node in draft.node.walk()}
    key = draft.label.casefold()
    return any(
        node.text.strip().casefold() == key or node.description.strip().casefold() == key
        for node in tree.nodes
        if node.order not in own and node is not draft.source and node.box is not None
    )


def _reachable(tree: UiTree, node: UiNode, box: Box) -> bool:
    hit = tree.at(box.center)
    return hit is None or hit.order <= node.order or hit in set(_above(node))


def _above(node: UiNode) -> Iterator[UiNode]:
    current: UiNode | None = node
    while current is not None:
        yield current
        current = current.parent


def _with_alone(draft: Element, alone: bool) -> Element:
    return Element(draft.node, draft.source, draft.box, draft.label, draft.role, draft.kind, alone)
