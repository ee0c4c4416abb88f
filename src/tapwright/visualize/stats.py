"""Statistics of a store: by app, task, agent, annotator, outcome, action and length."""

import os
import warnings
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from statistics import median
from typing import Literal, TypeAlias, overload

from tapwright.core.actions import Action, DoubleTap, LongPress, Tap, TripleTap
from tapwright.core.geometry import Point
from tapwright.core.screenshot import Screenshot
from tapwright.errors import CorruptEpisodeError, StoreError
from tapwright.files.regular import read_ahead
from tapwright.jobs.processes import map_batches
from tapwright.store.annotations import name_annotators
from tapwright.store.catalog import Catalog
from tapwright.store.errors import SchemaVersionError
from tapwright.store.fitness import RecordedFit
from tapwright.store.ids import directory_name
from tapwright.store.lines import RECORDED, read_file, read_header, read_lines
from tapwright.store.packing import unpack_observation
from tapwright.store.records import (
    EndRecord,
    EpisodeHeader,
    EpisodeWarning,
    ObservationRecord,
    StepRecord,
)
from tapwright.store.selection import EVERYTHING
from tapwright.store.store import EpisodeStore
from tapwright.store.versions import VersionHistory

__all__ = ["Facet", "FacetCount", "Shape", "StoreStats", "TappedScreen", "collect_stats"]

Facet: TypeAlias = Literal[
    "outcome", "evidence", "length", "action", "app", "task", "agent", "annotator", "fit"
]
"""`fit` is what steps may be used for, as `core.fit` names it."""
Shape: TypeAlias = Literal["tall", "wide"]

_BATCH = 200
_ERRORS: Mapping[str, type[StoreError]] = {
    kind.code: kind for kind in (CorruptEpisodeError, SchemaVersionError)
}
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
    """The statistics; of each facet the most frequent value first, lengths in steps."""

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
    """Count the episodes of a store, or these of it, in their current versions, by every core.

    Only pictures that may show nothing are loaded. Unreadable episodes are listed in `unreadable`,
    by id or directory, and not counted.
    """
    unreadable: dict[str, StoreError] = {}
    if ids is None:
        catalog = Catalog(store)
        ids, unreadable = catalog.ids(EVERYTHING), dict(catalog.unreadable())
    total = _Tally()
    for _, tally in map_batches(partial(_tally, store.root), ids, _BATCH):
        total.merge(tally)
    for id_, code, message, hint in total.unreadable:
        unreadable[id_] = _ERRORS.get(code, CorruptEpisodeError)(message, hint=hint)
    for message in total.warned:
        warnings.warn(message, EpisodeWarning, stacklevel=2)
    lengths = total.lengths or [0]
    return StoreStats(
        episodes=len(total.lengths),
        steps=sum(lengths),
        shortest=min(lengths),
        median=median(lengths),
        longest=max(lengths),
        counts=tuple(total.counts()),
        taps=tuple(sorted(total.taps(), key=lambda one: (-len(one.places), one.app))),
        unreadable=unreadable,
    )


class _Places(Sequence[Point]):
    """Many places in little memory."""

    def __init__(self, numbers: "array[float]") -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers) // 2

    @overload
    def __getitem__(self, index: int) -> Point: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Point]: ...

    def __getitem__(self, index: int | slice) -> Point | Sequence[Point]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        start = 2 * (index % len(self))
        return Point(*self._numbers[start : start + 2])


def _tally(root: Path, ids: Sequence[str]) -> "_Tally":
    tally = _Tally()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", EpisodeWarning)
        read_ahead(f"{root}/{directory_name(id_)}/{name}" for id_ in ids for name in RECORDED)
        for id_ in ids:
            try:
                _tally_episode(tally, root / directory_name(id_))
            except (CorruptEpisodeError, SchemaVersionError) as error:
                tally.unreadable.append((id_, error.code, str(error), error.hint))
    tally.warned = [str(one.message) for one in warned if one.category is EpisodeWarning]
    return tally


def _tally_episode(tally: "_Tally", directory: Path) -> None:
    names = _list_names(directory)
    if "episode.json" not in names:
        return  # it was removed meanwhile
    place, header = directory, read_header(directory / "episode.json")
    if "versions" in names:
        history = VersionHistory.read(directory, header.version)
        current = history.version_directory(history.current)
        if current is None:
            return
        place, header = current, read_header(current / "episode.json")
    records = list(read_lines(place / "steps.jsonl"))
    annotators = name_annotators(directory) if "annotations" in names else ()
    tally.add(header, records, directory, annotators)


def _list_names(directory: Path) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


class _Tally:
    """The counts of some episodes; picklable, and little even for many."""

    def __init__(self) -> None:
        self.lengths: array[int] = array("q")
        self.unreadable: list[tuple[str, str, str, str]] = []
        self.warned: list[str] = []
        self._places: dict[tuple[str, Shape], array[float]] = {}
        self._screens: dict[tuple[str, Shape], tuple[ObservationRecord, Path]] = {}
        self._episodes: Counter[tuple[Facet, str]] = Counter()
        self._steps: Counter[tuple[Facet, str]] = Counter()

    def add(
        self,
        header: EpisodeHeader,
        records: Sequence[StepRecord | EndRecord],
        directory: Path,
        annotators: Iterable[str],
    ) -> None:
        steps = [one for one in records if isinstance(one, StepRecord)]
        ends = [one for one in records if isinstance(one, EndRecord)]
        length = len(steps)
        self.lengths.append(length)
        whole: list[tuple[Facet, str]] = [
            ("outcome", ends[-1].outcome if ends else "interrupted"),
            ("evidence", ends[-1].evidence if ends else ""),
            ("length", _bucket(length)),
            ("task", header.task_id),
            ("agent", header.agent),
            *(("annotator", name) for name in annotators),
        ]
        parts: Counter[tuple[Facet, str]] = Counter()
        for kind, count in RecordedFit(directory).count(steps).items():
            parts["fit", kind] = count
        for step in steps:
            parts["app", step.observation.app] += 1
            for action in step.decided:
                parts["action", action.type] += 1
                self._add_place(action, step.observation, directory)
        for one in whole:
            self._steps[one] += length
        self._steps.update(parts)
        self._episodes.update([*whole, *parts])

    def _add_place(self, action: Action, seen: ObservationRecord, directory: Path) -> None:
        match action:
            case Tap(at=at) | DoubleTap(at=at) | TripleTap(at=at) | LongPress(at=at):
                key = seen.app, _shape(seen.width, seen.height)
                self._places.setdefault(key, array("d")).extend((at.x, at.y))
                self._screens.setdefault(key, (seen, directory))
            case _:
                pass

    def merge(self, other: "_Tally") -> None:
        """Add the counts of episodes that come after these."""
        self.lengths.extend(other.lengths)
        self.unreadable += other.unreadable
        self.warned += other.warned
        for key, places in other._places.items():
            self._places.setdefault(key, array("d")).extend(places)
            self._screens.setdefault(key, other._screens[key])
        self._steps.update(other._steps)
        self._episodes.update(other._episodes)

    def taps(self) -> Iterator[TappedScreen]:
        for key, places in self._places.items():
            seen, directory = self._screens[key]
            screen = unpack_observation(seen, directory, read_file).screenshot
            yield TappedScreen(*key, _Places(places), screen)

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


def _shape(width: int, height: int) -> Shape:
    return "tall" if height >= width else "wide"


def _bucket(length: int) -> str:
    return next(_name(low, high) for low, high in _LENGTHS if length <= high)


def _name(low: int, high: float) -> str:
    if high == inf:
        return f"{low} or more"
    return f"{low}" if low == high else f"{low} to {high}"
