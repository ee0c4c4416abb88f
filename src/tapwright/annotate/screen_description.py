"""Describes a view hierarchy: its title, its dialog, an element, and the change of a step."""

import re
from dataclasses import dataclass

from tapwright.annotate.sentences import PLACES, Kind, render_element
from tapwright.benchmarks.elements import lineage
from tapwright.core.geometry import Box, Point
from tapwright.core.language import Language
from tapwright.core.observation import Observation, UiNode, UiTree

_MAX_LABEL = 40
_TITLE_BAND = 0.16
_TITLE_IDS = frozenset({"action_bar_title", "toolbar_title", "title", "page_title", "alertTitle"})
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class ScreenChange:
    """The change of a screen after a step by its two hierarchies; "" and None mean no change.

    `dialog_closed` is only set when no other dialog took its place.
    """

    app: str = ""
    title: str = ""
    dialog: str = ""
    dialog_closed: bool = False
    checked: bool | None = None


def shorten_label(text: str) -> str:
    """Shortens a label to one line of limited length."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_LABEL else line[: _MAX_LABEL - 1] + "…"


def find_title(tree: UiTree | None) -> str:
    """Finds the title of a screen: by its id, else the first text in the band at the top."""
    if tree is None:
        return ""
    heads = [
        node
        for node in tree.nodes
        if node.box is not None
        and node.box.top < _TITLE_BAND
        and _LETTER.search(node.text)
        and not node.attributes.get("package", "").startswith("com.android.systemui")
        and not any(above.is_("clickable") for above in lineage(node))
    ]
    named = [node for node in heads if node.short_id in _TITLE_IDS]
    return next((shorten_label(node.text) for node in named or heads), "")


def find_dialog(tree: UiTree | None) -> str:
    """Finds the title of the dialog in front; "" if there is none or it has no text."""
    if tree is None:
        return ""
    for node in tree.nodes:
        if "dialog" in node.class_name.rpartition(".")[2].lower() or node.short_id == "parentPanel":
            words = [below for below in node.walk() if _LETTER.search(below.label)]
            named = [below for below in words if below.text and not below.is_("clickable")]
            return shorten_label((named or words)[0].label) if words else ""
    return ""


def describe_change(
    before: Observation, after: Observation | None, find_touched: UiNode | None
) -> ScreenChange:
    """Returns the differences between the screens before and after a step."""
    if after is None:
        return ScreenChange()
    old_title, new_title = find_title(before.ui_tree), find_title(after.ui_tree)
    old_dialog, new_dialog = find_dialog(before.ui_tree), find_dialog(after.ui_tree)
    return ScreenChange(
        app=after.app if after.app != before.app else "",
        title=new_title if new_title != old_title else "",
        dialog=new_dialog if new_dialog != old_dialog else "",
        dialog_closed=bool(old_dialog) and not new_dialog,
        checked=_now_checked(find_touched, after.ui_tree),
    )


def shows_label(tree: UiTree | None, label: str) -> bool:
    """Whether an element of this label is on the screen."""
    return tree is not None and any(
        shorten_label(node.label) == label and node.box is not None for node in tree.nodes
    )


def find_touched(observation: Observation, at: Point) -> UiNode | None:
    """Returns the element at a place; None without a hierarchy or an element."""
    return observation.ui_tree.at(at) if observation.ui_tree is not None else None


def find_focused(tree: UiTree | None) -> UiNode | None:
    """Returns the text field that has the focus."""
    if tree is None:
        return None
    fields = (node for node in tree.nodes if element_kind(node) == "text field")
    return next((node for node in fields if node.is_("focused")), None)


def element_kind(node: UiNode) -> Kind:
    """Returns the kind of an element by its class, else by its properties."""
    if node.role not in ("text", "list", "other"):
        return node.role
    if node.is_("checkable"):
        return "switch"
    if node.is_("clickable"):
        return "item"
    if node.text:
        return "text"
    return "list" if node.role == "list" else "other"


def describe_element(
    node: UiNode | None, tree: UiTree | None, at: Point, language: Language
) -> str:
    """Describes an element for a person: its kind, its label, its place, its neighbour."""
    if node is None or tree is None:
        return render_element(language, kind="other", label="", place=_place(_dot(at), language))
    sort, label = element_kind(node), shorten_label(node.label)
    box = node.box or _dot(at)
    if box.area > 0.5 and not node.text:
        # A page that can be clicked as a whole has all its words for a label.
        return render_element(language, kind="other", label="", place=_place(_dot(at), language))
    same = [other for other in tree.nodes if _twin(other, sort, label)]
    nth = same.index(node) + 1 if node in same else 0
    alone = bool(label) and len(same) <= 1 and sort not in ("switch", "checkbox", "radio button")
    return render_element(
        language,
        kind=sort,
        label=label,
        place=_place(box, language),
        beside="" if alone else _beside(node, tree, label),
        nth=nth,
        of=len(same) if label else 0,
    )


def _dot(at: Point) -> Box:
    return Box(at.x, at.y, at.x, at.y)


def _place(box: Box, language: Language) -> str:
    column = 1 if box.right - box.left > 0.6 else min(int(box.center.x * 3), 2)
    return PLACES[language][min(int(box.center.y * 3), 2)][column]


def _twin(node: UiNode, sort: Kind, label: str) -> bool:
    return (
        node.is_("clickable") and node.box is not None
        and element_kind(node) == sort and shorten_label(node.label) == label
    )  # fmt: skip


def _beside(node: UiNode, tree: UiTree, label: str) -> str:
    """Returns the nearest other text in the same row; "" if there is none."""
    if node.box is None:
        return ""
    middle = node.box.center
    row = [
        other
        for other in tree.nodes
        if other.box is not None
        and _LETTER.search(other.text)
        and shorten_label(other.text) != label
        and other.box.top <= middle.y <= other.box.bottom
        and not node.box.contains(other.box.center)
    ]
    nearest = min(row, key=lambda other: _gap(other, middle), default=None)
    return shorten_label(nearest.text) if nearest is not None else ""


def _gap(node: UiNode, middle: Point) -> float:
    return abs(node.box.center.x - middle.x) if node.box is not None else 1.0


def _now_checked(node: UiNode | None, after: UiTree | None) -> bool | None:
    """Returns the new state of a checkable element, if it changed."""
    if node is None or after is None:
        return None
    box = next((below for below in node.walk() if below.is_("checkable")), None)
    if box is None:
        return None
    for other in after.nodes:
        if other.is_("checkable") and (other.box, other.resource_id) == (box.box, box.resource_id):
            state = other.is_("checked")
            return state if state != box.is_("checked") else None
    return None
