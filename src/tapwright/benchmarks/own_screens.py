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
    visible_texts,
    words_on,
)
from tapwright.episode import Episode, Step
from tapwright.language import Language, language_of
from tapwright.observation import Observation, UiNode, UiTree


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
    def texts(self) -> dict[str, UiNode]:
        """What can be read, each text shown once."""
        return visible_texts(self.tree)

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
