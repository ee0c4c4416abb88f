"""A screen of a recorded episode, with the action on it.

A list of screens costs little: each remembers where its picture and tree are. What is worked out
from the tree stays with the `RecordedScreen` that was read, so lists of many have `fresh` ones.
"""

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from sys import intern
from typing import Literal, Self, TypeAlias

from tapwright.benchmarks.elements import (
    Element,
    app_name,
    is_touchable,
    lineage,
    list_elements,
    screen_text,
    visible_texts,
)
from tapwright.benchmarks.generated_wording import Purpose
from tapwright.benchmarks.platforms import is_computer, platform_of
from tapwright.benchmarks.system_ui import find_system_parts
from tapwright.core.actions import Action, DoubleTap, LongPress, Tap, TripleTap, TypeText
from tapwright.core.geometry import Box, Size
from tapwright.core.language import Language, language_of
from tapwright.core.observation import Observation, UiNode, UiRole, UiTree

# Less of a line of text or of a row than this is only a part of it, cut off by a list's end.
_WHOLE = 0.7
_LINE = 0.012
_LINE_PX = 8  # on a computer, whose letters do not grow with the screen
_EDGE = 0.002
# What shows nothing and is larger than an icon is ground, as that around a dialog.
_GROUND = 0.04
_STATUS_BAR = 0.04  # the time changes, and the screen is the same
# A thing over others, such as a round button over a list, has this much of something below it.
_UNDERLAY = 0.1


_ElementNote: TypeAlias = tuple[int, int, str, UiRole, Literal["icon", "text"], bool, bool]


@dataclass(frozen=True, slots=True)
class ScreenNotes:
    """What was worked out of a tree, with nodes by their `order`: little, so it can be kept."""

    elements: tuple[_ElementNote, ...] | None
    texts: tuple[tuple[str, int], ...] | None
    system: frozenset[int] | None


@dataclass(frozen=True)
class RecordedScreen:
    """One screen of a recording; `action` is the one on it, None at an episode's end.

    `instruction` is what the whole episode was for, `later` the labels, casefolded, of what it
    touches after this screen. `around` has the lines, casefolded, that could be read anywhere in
    it, `still` is whether the next look is the same picture, and `last` whether this is the last
    touch of a success. `notes` are of an earlier look at the same tree.
    """

    observation: Observation
    episode_id: str
    instruction: str
    action: Action | None
    later: frozenset[str] = frozenset()
    around: tuple[str, ...] = ()
    still: bool = False
    last: bool = False
    notes: ScreenNotes | None = field(default=None, repr=False, compare=False)

    def noted(self) -> Self:
        """A `fresh` one with notes of what was worked out, that is not worked out again."""
        done = vars(self)
        elements: list[Element] | None = done.get("elements")
        texts: dict[str, UiNode] | None = done.get("texts")
        notes = ScreenNotes(
            None if elements is None else tuple(map(_note_element, elements)),
            None
            if texts is None
            else tuple((intern(text), node.order) for text, node in texts.items()),
            done.get("system"),
        )
        return replace(self, notes=notes)

    def fresh(self) -> Self:
        """The same screen, with nothing read or worked out yet."""
        return replace(self)

    @cached_property
    def tree(self) -> UiTree:
        """What it shows."""
        assert self.observation.ui_tree is not None  # read_screens takes no others
        return self.observation.ui_tree.unread()

    @property
    def sha256(self) -> str:
        """Of the picture."""
        return self.observation.screenshot.sha256

    @property
    def app(self) -> str:
        """The app in front, by its name."""
        return app_name(self.observation.app)

    @cached_property
    def language(self) -> Language:
        """That of its words."""
        return language_of(self.words)

    @cached_property
    def elements(self) -> list[Element]:
        """What can be touched."""
        if self.notes is None or self.notes.elements is None:
            return list_elements(self.tree)
        nodes = self.tree.nodes
        return [_read_element(nodes, one) for one in self.notes.elements]

    @cached_property
    def system(self) -> frozenset[int]:
        """The `order` of the nodes of keyboard, status bar and navigation bar."""
        noted = self.notes.system if self.notes is not None else None
        return find_system_parts(self.tree) if noted is None else noted

    @cached_property
    def content(self) -> list[Element]:
        """The app's own elements that are to be seen in full; no bare ground or value."""
        return [
            element
            for element in self.elements
            if element.node.order not in self.system
            and not self._is_cut(element.node)
            and not (element.role == "slider" and element.label.isdigit())
            and not (
                element.role == "other" and element.kind == "icon" and element.box.area > _GROUND
            )
        ]

    @cached_property
    def texts(self) -> dict[str, UiNode]:
        """What can be read in the app, each text visible once and in full."""
        if self.notes is not None and self.notes.texts is not None:
            return {text: self.tree.nodes[order] for text, order in self.notes.texts}
        return {
            text: node
            for text, node in visible_texts(self.tree).items()
            if node.order not in self.system and not self._is_cut(node)
        }

    @cached_property
    def words(self) -> str:
        """All text, casefolded."""
        return screen_text(self.tree)

    @cached_property
    def shown(self) -> str:
        """The same for screens that show the same in the same places: a hash."""
        visible = [
            (node.text, node.description, node.box, node.is_("checked"), node.is_("selected"))
            for node in self.tree.nodes
            if node.box is not None and node.box.bottom > _STATUS_BAR
        ]
        return _digest(self.observation.app, visible)

    @property
    def platform(self) -> str:
        """In MMBench-GUI's words."""
        return platform_of(replace(self.observation, ui_tree=self.tree))

    @cached_property
    def touched(self) -> Element | None:
        """The element that the recording touches here."""
        match self.action:
            case Tap(at=at) | LongPress(at=at) | DoubleTap(at=at) | TripleTap(at=at):
                here = [element for element in self.elements if element.box.contains(at)]
                return min(here, key=lambda element: element.box.area, default=None)
            case _:
                return None

    @property
    def typed(self) -> str:
        """The text that the recording types here."""
        return self.action.text if isinstance(self.action, TypeText) else ""

    @cached_property
    def grounds(self) -> Sequence[tuple[UiNode, Box]]:
        """What is large enough for something else to lie over it."""
        return [
            (node, node.box)
            for node in self.tree.nodes
            if node.box is not None and node.box.area > _UNDERLAY
        ]

    @cached_property
    def touchable(self) -> Sequence[tuple[UiNode, Box]]:
        """What can be touched in the app, named or not."""
        return [
            (node, node.box)
            for node in self.tree.nodes
            if is_touchable(node) and node.box is not None and node.order not in self.system
        ]

    @cached_property
    def written(self) -> Sequence[tuple[UiNode, Box]]:
        """What shows a text of its own, anywhere."""
        return [(node, node.box) for node in self.tree.nodes if node.text and node.box is not None]

    @cached_property
    def anchors(self) -> Sequence[tuple[str, UiNode]]:
        """The texts that others stand beside or below, in document order; none that floats."""
        found = sorted(self.texts.items(), key=lambda entry: entry[1].order)
        return [(text, node) for text, node in found if not self.floats(node)]

    def floats(self, node: UiNode) -> bool:
        """Whether it lies over something that it is no part of, as a round button over a list."""
        if node.box is None:
            return False
        own = {part.order for part in chain(lineage(node), node.walk())}
        middle = node.box.center
        return any(other.order not in own and box.contains(middle) for other, box in self.grounds)

    def servers(self, purpose: Purpose) -> list[UiNode]:
        """Every touchable node, also of the system, that could be for this.

        One without text, as an icon without a description, could be for anything.
        """
        found = []
        for node in self.tree.nodes:
            if not is_touchable(node):
                continue
            words = _node_text(node)
            if not any(char.isalnum() for char in words) or purpose.may_serve(words):
                found.append(node)
        return found

    def _is_cut(self, node: UiNode) -> bool:
        if node.box is None:
            return True
        if self._runs_off(node, node.box):
            return True
        height = _height(node.box)
        return height < self._line or height < _WHOLE * self._row_height(node, node.box)

    @cached_property
    def _line(self) -> float:
        return _LINE_PX / self.tree.size.height if is_computer(self.tree) else _LINE

    def _row_height(self, node: UiNode, box: Box) -> float:
        """The height of the highest of the rows that a node is one of; 0 when it is none."""
        if node.parent is None or not (name := node.short_id):
            return 0.0
        rows = self._rows[node.parent.order, name]
        if len(rows) == 1:
            return _height(box)
        wide = 0.9 * _width(box)
        return max((_height(row) for row in rows if _width(row) > wide), default=0.0)

    @cached_property
    def _rows(self) -> Mapping[tuple[int, str], Sequence[Box]]:
        """The boxes of nodes beside each other with one id, by their parent's order and the id."""
        found: dict[tuple[int, str], list[Box]] = {}
        for node in self.tree.nodes:
            if node.parent is not None and node.box is not None and (name := node.short_id):
                found.setdefault((node.parent.order, name), []).append(node.box)
        return found

    def _runs_off(self, node: UiNode, box: Box) -> bool:
        """Whether its words may go on where the screen ends, as those of a row moved sideways."""
        if (box.left <= _EDGE) == (box.right >= 1 - _EDGE):
            return False
        if not node.is_("clickable"):
            width = text_width(node.text, box, self.tree.size)
            return bool(node.text) and width > 0.9 * _width(box)
        beside = node.parent.children if node.parent is not None else ()
        starts = [other.box.left for other in beside if other.box and _height(other.box) > 0]
        # Tabs fill the whole width; chips begin after a gap and may end beyond the screen.
        return bool(node.text) and len(starts) > 1 and min(starts) > _EDGE


def pick_screens(
    screens: Iterable[RecordedScreen], limit: int | None, seed: int
) -> list[RecordedScreen]:
    """At most `limit` screens, taken from the apps in turn; by app and hash."""
    ordered = sorted(screens, key=_app_and_hash)
    if limit is None:
        return ordered
    chance = random.Random(f"screens {seed}")
    piles: dict[str, list[RecordedScreen]] = {}
    for screen in ordered:
        piles.setdefault(screen.app, []).append(screen)
    for pile in piles.values():
        chance.shuffle(pile)
    picked: list[RecordedScreen] = []
    while len(picked) < limit and any(piles.values()):
        for pile in piles.values():
            if pile and len(picked) < limit:
                picked.append(pile.pop())
    return sorted(picked, key=_app_and_hash)


def text_width(text: str, box: Box, size: Size) -> float:
    """About how wide a line of text is, from the height of its box; in fractions of the screen."""
    letters = sum(1.0 if ord(char) > 0x2E80 else 0.55 for char in text)
    return letters * 0.75 * _height(box) * size.height / size.width


def _node_text(node: UiNode) -> str:
    """Its own words with its id; for want of own words the first that stand in it."""
    own = " ".join(filter(None, (node.text, node.description, node.hint)))
    if not own:
        words = (part.text or part.description for part in node.walk())
        own = next((word for word in words if word), "")
    return f"{own} {node.short_id}" if own else ""


def _note_element(element: Element) -> _ElementNote:
    return (
        element.node.order,
        element.source.order,
        intern(element.label),  # the same on many screens
        element.role,
        element.kind,
        element.alone,
        element.repeated,
    )


def _read_element(nodes: Sequence[UiNode], note: _ElementNote) -> Element:
    order, source, label, role, kind, alone, repeated = note
    node = nodes[order]
    assert node.box is not None  # what can be touched has one
    return Element(node, nodes[source], node.box, label, role, kind, alone, repeated)


def _height(box: Box) -> float:
    return box.bottom - box.top


def _width(box: Box) -> float:
    return box.right - box.left


def _app_and_hash(screen: RecordedScreen) -> tuple[str, str]:
    return screen.app, screen.sha256


def _digest(app: str, shown: object) -> str:
    return hashlib.sha256(repr((app, shown)).encode("utf-8", "surrogatepass")).hexdigest()
