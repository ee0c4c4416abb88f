"""Reads the screens of recordings, each once, parsed when it comes and let go by who keeps it.

Parsing is most of the work, so whoever wants to know something of every screen looks at it here.
"""

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from tapwright.benchmarks.generated_screens import RecordedScreen
from tapwright.core.actions import Action, Finish
from tapwright.core.episode import Episode
from tapwright.core.fit import STALE, why_unseen
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree

__all__ = ["read_screens"]

# What a screen's tree was parsed for here; the rest is worked out when it is asked for.
_PARSED = ("tree", "elements", "words", "shown")
_OTHER_SCALE = "its view hierarchy is in another scale than its picture"
_MAX_NODES = 20_000
"""How many nodes of the latest trees are kept: those of 400 screens of a phone, or 15 desktops."""


def read_screens(
    episodes: Iterable[Episode], unusable: Counter[str] | None = None
) -> Iterator[RecordedScreen]:
    """Every screen that has a tree of the same moment, equal ones once, in the recordings' order.

    Why the others cannot be used is counted in `unusable`. Screens are equal when their pictures
    are, or what their trees show. They come parsed: a list of many should have `fresh` ones.

    Raises:
        BadTreeError: a view hierarchy cannot be read.
        BadImageError: a picture cannot be read.
        CorruptEpisodeError: a file of a recording is missing or broken.
    """
    reader = _EpisodeReader(Counter() if unusable is None else unusable)
    pictures: set[str] = set()
    contents: set[str] = set()
    for episode in episodes:
        for look in reader.list_whole(episode):
            screen = look.screen.fresh()
            if screen.sha256 in pictures:
                continue
            pictures.add(screen.sha256)
            reader.parse(screen, look.key)
            if screen.shown not in contents:
                contents.add(screen.shown)
                yield screen


@dataclass(frozen=True, slots=True)
class _Look:
    """A screen as it came, not parsed; what could be read on it and what is touched on it.

    `key` is the same for looks with equal trees.
    """

    screen: RecordedScreen
    key: str = ""
    words: str = ""
    touched: frozenset[str] = frozenset()
    whole: bool = False


class _EpisodeReader:
    """Reads episode by episode; an agent comes to most of its screens again."""

    def __init__(self, unusable: Counter[str]) -> None:
        self._unusable = unusable
        self._lines: dict[str, str] = {}  # every line of text once, as many screens keep it
        self._flaws: dict[tuple[str, Size], str] = {}
        self._latest = OrderedDict[str, RecordedScreen]()
        self._nodes = 0

    def list_whole(self, episode: Episode) -> list[_Look]:
        """The looks of an episode that are whole."""
        seen = [
            (one.observation, None if one.refused else one.decision.first) for one in episode.steps
        ]
        ends = [(episode.final, None)] if episode.final is not None else []
        looks = [self._look(episode, one, action) for one, action in (*seen, *ends)]
        readable = (look.words.splitlines() for look in looks)
        around = tuple(self._lines.setdefault(x, x) for x in dict.fromkeys(chain(*readable)))
        later: frozenset[str] = frozenset()
        ended = episode.outcome == "success"
        following = ""
        found: list[_Look] = []
        for look in reversed(looks):
            screen = look.screen
            last = ended and not isinstance(screen.action, Finish | None)
            still, following = screen.sha256 == following, screen.sha256
            ended = ended and not last
            if look.whole:
                known = replace(screen, later=later, around=around, still=still, last=last)
                found.append(replace(look, screen=known))
                later |= look.touched
        return found[::-1]

    def parse(self, screen: RecordedScreen, key: str) -> None:
        """Parse the tree of a screen, or let it have what was worked out of an equal one."""
        same = self._latest.setdefault(key, screen)
        self._latest.move_to_end(key)
        for name in _PARSED:
            vars(screen)[name] = getattr(same, name)
        if same is screen:
            self._nodes += len(screen.tree.nodes)
        while self._nodes > _MAX_NODES and len(self._latest) > 1:
            _, oldest = self._latest.popitem(last=False)
            self._nodes -= len(oldest.tree.nodes)

    def _look(self, episode: Episode, seen: Observation, action: Action | None) -> _Look:
        tree = seen.ui_tree.unread() if seen.ui_tree is not None else None
        unread = replace(seen, ui_tree=tree)
        screen = RecordedScreen(unread, episode.id, episode.instruction, action)
        if tree is None:
            self._unusable["no view hierarchy was recorded"] += 1
            return _Look(screen)
        key = f"{seen.app}\n{tree.size}\n{screen.tree.sha256}"
        self.parse(screen, key)
        why = self._find_flaw(seen, screen.tree)
        self._unusable.update([why] if why else [])
        whole = not why
        touched = screen.touched if whole else None
        labels = frozenset({touched.label.casefold()} if touched is not None else ())
        return _Look(screen.fresh(), key, screen.words, labels, whole)

    def _find_flaw(self, seen: Observation, tree: UiTree) -> str:
        """Why a screen with such a tree cannot be used; "" when it can."""
        size = tree.size
        if tree.other_scale is not None:
            return _OTHER_SCALE
        if seen.stale:
            return STALE
        shot = seen.screenshot
        key = shot.sha256, size
        if key not in self._flaws:
            self._flaws[key] = why_unseen(shot, size) if shot.size == size else _OTHER_SCALE
        return self._flaws[key]
