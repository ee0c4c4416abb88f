"""The screens of recorded episodes, each once, with what was done on it."""

import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tapwright.actions import DoubleTap, LongPress, Tap, TypeText
from tapwright.benchmarks.elements import (
    Element,
    app_name,
    elements,
    is_touchable,
    visible_texts,
    words_on,
)
from tapwright.benchmarks.system_ui import system_parts
from tapwright.benchmarks.wording import Purpose
from tapwright.episode import Episode, Step
from tapwright.geometry import Box, Size
from tapwright.language import Language, language_of
from tapwright.observation import Observation, UiNode, UiTree

# Less of a line of text or of a row than this is only a part of it, cut off by a list's end.
_WHOLE = 0.7
_LINE = 0.012
_EDGE = 0.002


@dataclass(frozen=True)
class Screen:
    """One screen of a recording; `step` is what was done on it, None at an episode's end."""

    observation: Observation
    tree: UiTree
    episode: Episode
    step: Step | None

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
        return elements(self.tree)

    @cached_property
    def system(self) -> frozenset[int]:
        """The `order` of the nodes of keyboard, status bar and navigation bar."""
        return system_parts(self.tree)

    @cached_property
    def content(self) -> list[Element]:
        """The app's own elements that are to be seen in full; no slider that has but a value."""
        return [
            element
            for element in self.elements
            if element.node.order not in self.system
            and not self._is_cut(element.node)
            and not (element.role == "slider" and element.label.isdigit())
        ]

    @cached_property
    def texts(self) -> dict[str, UiNode]:
        """What can be read in the app, each text shown once and in full."""
        return {
            text: node
            for text, node in visible_texts(self.tree).items()
            if node.order not in self.system and not self._is_cut(node)
        }

    @cached_property
    def words(self) -> str:
        """Everything said in words, casefolded."""
        return words_on(self.tree)

    @cached_property
    def touched(self) -> Element | None:
        """The element that the recording touches here."""
        if self.step is None:
            return None
        match self.step.decision.action:
            case Tap(at=at) | LongPress(at=at) | DoubleTap(at=at):
                here = [element for element in self.elements if element.box.contains(at)]
                return min(here, key=lambda element: element.box.area, default=None)
            case _:
                return None

    @property
    def typed(self) -> str:
        """The text that the recording types here."""
        if self.step is not None and isinstance(self.step.decision.action, TypeText):
            return self.step.decision.action.text
        return ""

    @property
    def later(self) -> Sequence[Step]:
        """The recording's steps after the one on this screen."""
        for number, step in enumerate(self.episode.steps):
            if step is self.step:
                return self.episode.steps[number + 1 :]
        return ()

    def servers(self, purpose: Purpose) -> list[UiNode]:
        """Every touchable node, also of the system, that could be for this.

        One that says nothing, as an icon without a description, could be for anything.
        """
        found = []
        for node in self.tree.nodes:
            if not is_touchable(node):
                continue
            words = _says(node)
            if not any(char.isalnum() for char in words) or purpose.may_serve(words):
                found.append(node)
        return found

    def _is_cut(self, node: UiNode) -> bool:
        if node.box is None:
            return True
        if self._runs_off(node, node.box):
            return True
        height = _height(node.box)
        rows = [
            _height(other.box)
            for other in (node.parent.children if node.parent is not None else ())
            if other.box is not None
            and node.short_id
            and other.short_id == node.short_id
            and _width(other.box) > 0.9 * _width(node.box)
        ]
        return height < _LINE or height < _WHOLE * max(rows, default=0.0)

    def _runs_off(self, node: UiNode, box: Box) -> bool:
        """Whether its words may go on where the screen ends, as those of a row moved sideways."""
        if (box.left <= _EDGE) == (box.right >= 1 - _EDGE):
            return False
        if not node.is_("clickable"):
            width = words_width(node.text, box, self.tree.size)
            return bool(node.text) and width > 0.9 * _width(box)
        beside = node.parent.children if node.parent is not None else ()
        starts = [other.box.left for other in beside if other.box and _height(other.box) > 0]
        # Tabs fill the whole width; chips begin after a gap and may end beyond the screen.
        return bool(node.text) and len(starts) > 1 and min(starts) > _EDGE


def collect_screens(episodes: Iterable[Episode]) -> list[Screen]:
    """Every screen that has a tree of the same moment, equal ones once, by app and hash.

    Screens are equal when their pictures are, or what their trees show.
    """
    pictures: set[str] = set()
    contents: set[str] = set()
    found: list[Screen] = []
    for episode in episodes:
        for observation, step in _looks(episode):
            tree = observation.ui_tree
            if tree is None or observation.stale or observation.screenshot.sha256 in pictures:
                continue
            if tree.size != observation.screenshot.size:
                continue  # a row has one size, by which both picture and tree are read
            pictures.add(observation.screenshot.sha256)
            content = _content(observation.app, tree)
            if content not in contents:
                contents.add(content)
                found.append(Screen(observation, tree, episode, step))
    return sorted(found, key=lambda screen: (screen.app, screen.sha256))


def pick_screens(screens: Sequence[Screen], limit: int | None, seed: int) -> list[Screen]:
    """At most `limit` screens, taken from the apps in turn."""
    if limit is None:
        return list(screens)
    chance = random.Random(f"screens {seed}")
    piles: dict[str, list[Screen]] = {}
    for screen in screens:
        piles.setdefault(screen.app, []).append(screen)
    for pile in piles.values():
        chance.shuffle(pile)
    picked: list[Screen] = []
    while len(picked) < limit and any(piles.values()):
        for pile in piles.values():
            if pile and len(picked) < limit:
                picked.append(pile.pop())
    return sorted(picked, key=lambda screen: (screen.app, screen.sha256))


def words_width(text: str, box: Box, size: Size) -> float:
    """About how wide a line of text is, from the height of its box; in fractions of the screen."""
    letters = sum(1.0 if ord(char) > 0x2E80 else 0.55 for char in text)
    return letters * 0.75 * _height(box) * size.height / size.width


def _says(node: UiNode) -> str:
    """Its own words with its id; for want of own words the first that stand in it."""
    own = " ".join(filter(None, (node.text, node.description, node.hint)))
    if not own:
        own = next((part.text or part.description for part in node.walk() if part.label), "")
    return f"{own} {node.short_id}" if own else ""


def _height(box: Box) -> float:
    return box.bottom - box.top


def _width(box: Box) -> float:
    return box.right - box.left


def _looks(episode: Episode) -> Iterable[tuple[Observation, Step | None]]:
    for step in episode.steps:
        yield step.observation, step
    if episode.final is not None:
        yield episode.final, None


def _content(app: str, tree: UiTree) -> str:
    shown = [
        (node.text, node.description, node.box, node.is_("checked"), node.is_("selected"))
        for node in tree.nodes
        if node.box is not None and node.box.bottom > 0.04
    ]
    return hashlib.sha256(repr((app, shown)).encode("utf-8", "surrogatepass")).hexdigest()
