"""The screens of recorded episodes, each once, with what was done on it.

A list of screens costs little: each remembers where its picture and tree are. What is worked out
from the tree stays with the `Screen` that was asked, so loops over many ask `fresh` ones.
"""

import hashlib
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from tapwright.actions import Action, DoubleTap, LongPress, Tap, TypeText
from tapwright.benchmarks.elements import (
    Element,
    app_name,
    elements,
    visible_texts,
    words_on,
)
from tapwright.episode import Episode
from tapwright.language import Language, language_of
from tapwright.observation import Observation, UiNode, UiTree


@dataclass(frozen=True)
class Screen:
    """One screen of a recording; `action` is what was done on it, None at an episode's end.

    `instruction` is what the whole episode was for, `later` the labels, casefolded, of what it
    touches after this screen.
    """

    observation: Observation
    episode_id: str
    instruction: str
    action: Action | None
    later: frozenset[str] = frozenset()

    def fresh(self) -> Self:
        """The same screen, with nothing read or worked out yet."""
        return replace(self)

    @cached_property
    def tree(self) -> UiTree:
        """What it shows."""
        assert self.observation.ui_tree is not None  # collect_screens takes no others
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
        return elements(self.tree)

    @cached_property
    def texts(self) -> dict[str, UiNode]:
        """What can be read, each text shown once."""
        return visible_texts(self.tree)

    @cached_property
    def words(self) -> str:
        """Everything said in words, casefolded."""
        return words_on(self.tree)

    @property
    def is_whole(self) -> bool:
        """Whether picture and tree are there, of one moment and of one size."""
        seen = self.observation
        tree = seen.ui_tree
        return tree is not None and not seen.stale and tree.size == seen.screenshot.size

    @cached_property
    def touched(self) -> Element | None:
        """The element that the recording touches here."""
        match self.action:
            case Tap(at=at) | LongPress(at=at) | DoubleTap(at=at):
                here = [element for element in self.elements if element.box.contains(at)]
                return min(here, key=lambda element: element.box.area, default=None)
            case _:
                return None

    @property
    def typed(self) -> str:
        """The text that the recording types here."""
        return self.action.text if isinstance(self.action, TypeText) else ""


def collect_screens(episodes: Iterable[Episode]) -> list[Screen]:
    """Every screen that has a tree of the same moment, equal ones once, by app and hash.

    Screens are equal when their pictures are, or what their trees show.
    """
    pictures: set[str] = set()
    contents: set[str] = set()
    found: list[Screen] = []
    for episode in episodes:
        later: frozenset[str] = frozenset()
        news: list[Screen] = []
        for screen in reversed(list(_looks(episode))):
            if screen.is_whole:
                news.append(replace(screen, later=later))
                if screen.touched is not None:
                    later |= {screen.touched.label.casefold()}
        for screen in reversed(news):
            if screen.sha256 in pictures:
                continue
            pictures.add(screen.sha256)
            content = _content(screen)
            if content not in contents:
                contents.add(content)
                found.append(screen.fresh())
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


def _looks(episode: Episode) -> Iterator[Screen]:
    looks = [(step.observation, step.decision.action) for step in episode.steps]
    ends = [(episode.final, None)] if episode.final is not None else []
    for seen, action in (*looks, *ends):
        tree = seen.ui_tree.unread() if seen.ui_tree is not None else None
        kept = replace(seen, ui_tree=tree)
        yield Screen(kept, episode.id, episode.instruction, action)


def _content(screen: Screen) -> str:
    shown = [
        (node.text, node.description, node.box, node.is_("checked"), node.is_("selected"))
        for node in screen.tree.nodes
        if node.box is not None and node.box.bottom > 0.04
    ]
    return hashlib.sha256(
        repr((screen.observation.app, shown)).encode("utf-8", "surrogatepass")
    ).hexdigest()
