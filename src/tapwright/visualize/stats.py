"""Statistics of a store: by app, task, agent, annotator, outcome, action and length."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import median
from typing import Literal, TypeAlias

from tapwright.actions import DoubleTap, LongPress, Tap, TripleTap
from tapwright.episode import Episode
from tapwright.errors import CorruptEpisodeError, StoreError
from tapwright.geometry import Point
from tapwright.screenshot import Screenshot
from tapwright.store.errors import SchemaVersionError
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore

__all__ = ["Facet", "FacetCount", "Shape", "StoreStats", "TappedScreen", "collect_stats"]

Facet: TypeAlias = Literal["outcome", "length", "action", "app", "task", "agent", "annotator"]
Shape: TypeAlias = Literal["tall", "wide"]

_LENGTHS = ((0, 0), (1, 2), (3, 5), (6, 10), (11, 20), (21, 50), (51, 100), (101, inf))


@dataclass(frozen=True, slots=True)
class FacetCount:
    """The number of episodes with a value of a facet, and of the steps that have it.

    A facet of the episode, such as its outcome, counts all of its steps.
    """

    facet: Facet
    name: str
    episodes: int
    steps: int


@dataclass(frozen=True, slots=True)
class TappedScreen:
    """The taps in an app on screens of one shape, and the screen of the first tap."""

    app: str
    shape: Shape
    places: Sequence[Point]
    screen: Screenshot


@dataclass(frozen=True, slots=True)
class StoreStats:
    """The statistics; of each facet the most frequent value first, lengths in order."""

    episodes: int
    steps: int
    shortest: int
    median: float
    longest: int
    counts: tuple[FacetCount, ...]
    taps: tuple[TappedScreen, ...]
    unreadable: Mapping[str, StoreError]

    def of(self, facet: Facet) -> list[FacetCount]:
        """The counts of one facet."""
        return [one for one in self.counts if one.facet == facet]


def collect_stats(store: EpisodeStore, ids: Sequence[str] | None = None) -> StoreStats:
    """Count the episodes of a store, or these of it, in their current versions.

    No picture is loaded.
    Unreadable episodes are listed in `unreadable`, by id or directory, and not counted.
    """
    unreadable: dict[str, StoreError] = {}
    if ids is None:
        ids, unreadable = store.scan()
    tally = _Tally()
    for id_ in ids:
        try:
            episode = store.read(id_)
        except (CorruptEpisodeError, SchemaVersionError) as error:
            unreadable[id_] = error
            continue
        tally.add(episode, _annotators(store.root / directory_name(id_)))
    lengths = tally.lengths or [0]
    return StoreStats(
        episodes=len(tally.lengths),
        steps=sum(lengths),
        shortest=min(lengths),
        median=median(lengths),
        longest=max(lengths),
        counts=tuple(tally.counts()),
        taps=tuple(sorted(tally.taps.values(), key=lambda one: (-len(one.places), one.app))),
        unreadable=unreadable,
    )


class _Tally:
    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.taps: dict[tuple[str, Shape], TappedScreen] = {}
        self._places: dict[tuple[str, Shape], list[Point]] = {}
        self._episodes: Counter[tuple[Facet, str]] = Counter()
        self._steps: Counter[tuple[Facet, str]] = Counter()

    def add(self, episode: Episode, annotators: Iterable[str]) -> None:
        length = len(episode.steps)
        self.lengths.append(length)
        whole: list[tuple[Facet, str]] = [
            ("outcome", episode.outcome),
            ("length", _bucket(length)),
            ("task", episode.task_id),
            ("agent", episode.agent),
            *(("annotator", name) for name in annotators),
        ]
        parts: Counter[tuple[Facet, str]] = Counter()
        for step in episode.steps:
            parts["app", step.observation.app] += 1
            parts["action", step.decision.action.type] += 1
            match step.decision.action:
                case Tap(at=at) | DoubleTap(at=at) | TripleTap(at=at) | LongPress(at=at):
                    size = step.observation.size
                    key = step.observation.app, _shape(size.width, size.height)
                    places = self._places.setdefault(key, [])
                    places.append(at)
                    if key not in self.taps:
                        self.taps[key] = TappedScreen(*key, places, step.observation.screenshot)
                case _:
                    pass
        for one in whole:
            self._steps[one] += length
        self._steps.update(parts)
        self._episodes.update([*whole, *parts])

    def counts(self) -> Iterator[FacetCount]:
        lengths = [_name(low, high) for low, high in _LENGTHS]

        def order(one: FacetCount) -> tuple[object, ...]:
            place = lengths.index(one.name) if one.facet == "length" else -one.steps
            return one.facet, place, one.name

        made = (
            FacetCount(facet, name, episodes, self._steps[facet, name])
            for (facet, name), episodes in self._episodes.items()
        )
        yield from sorted(made, key=order)


def _annotators(directory: Path) -> list[str]:
    return sorted(path.stem for path in (directory / "annotations").glob("*.jsonl"))


def _shape(width: int, height: int) -> Shape:
    return "tall" if height >= width else "wide"


def _bucket(length: int) -> str:
    return next(_name(low, high) for low, high in _LENGTHS if length <= high)


def _name(low: int, high: float) -> str:
    if high == inf:
        return f"{low} or more"
    return f"{low}" if low == high else f"{low} to {high}"
