"""Every annotated step of a store with the state of its review, kept between requests.

It is a copy of the files of `annotate.run` and `annotate.review`, episode by episode. An episode is
read again when the times or sizes of its files differ; what this program writes is known at once.
"""

import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock

from tapwright.annotate.errors import ReviewError
from tapwright.annotate.review import Review, current_reviews, read_review_log
from tapwright.store.annotations import Annotation, list_annotators, read_annotations
from tapwright.store.catalog import Catalog
from tapwright.store.catalog_entry import CatalogEntry, hash_screens
from tapwright.store.errors import AnnotationError
from tapwright.store.ids import directory_name
from tapwright.web.library.review_views import QueueState, ReviewCounts

__all__ = [
    "AnnotatedEpisode", "IndexedEpisode", "QueuedStep", "ReviewIndex", "is_invalid", "state_of",
]  # fmt: skip

_LARGE = 200
"""Above this many annotated episodes not every answer compares all files; see `refresh`."""

_SHARE = 20


@dataclass(frozen=True, slots=True)
class QueuedStep:
    """One step in the queue; `state` is that of its review, "open" when none holds.

    `codes` are those of its annotation and of the review that holds. `time` is when it was
    annotated, an ISO 8601 time in UTC. `lines` is how many reviews it has had. `differs` says that
    another annotator's words for it, as they were reviewed, are not the same.
    """

    episode: str
    step: int
    state: QueueState
    invalid: bool
    codes: frozenset[str]
    time: str
    frame: str
    lines: int
    differs: bool


@dataclass(frozen=True, slots=True)
class AnnotatedEpisode:
    """An annotator's annotations of one episode and their reviews, as they are on disk."""

    annotations: tuple[Annotation, ...]
    log: tuple[Review, ...]
    screens: str
    reviews: Mapping[int, Review]

    def words(self, step: int) -> tuple[str, str] | None:
        """Reasoning and target of a step as they were reviewed; None for an unusable one."""
        annotation = self.annotations[step]
        review = self.reviews.get(step)
        state = state_of(annotation, review)
        if state == "reject" or (state != "edit" and is_invalid(annotation)):
            return None
        reasoning, target = annotation.reasoning, annotation.target
        if review is not None and state == "edit":
            reasoning = reasoning if review.reasoning is None else review.reasoning
            target = target if review.target is None else review.target
        return reasoning, target


@dataclass(frozen=True, slots=True)
class IndexedEpisode:
    """One annotated episode: its annotators, their steps that are those of the episode, counts."""

    entry: CatalogEntry
    stamp: tuple[object, ...]
    annotators: Mapping[str, AnnotatedEpisode]
    errors: tuple[str, ...]
    steps: Mapping[str, tuple[QueuedStep, ...]]
    counts: Mapping[str, Mapping[str, int]]
    memo: dict[object, object] = field(default_factory=dict, compare=False)
    """What others have counted in it; it goes when the episode is read again."""


class ReviewIndex:
    """The annotated episodes of one store, in the order of its catalog; any thread may use it."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._found: dict[str, IndexedEpisode] = {}
        self._names: dict[str, tuple[int, list[str]]] = {}
        self._compared = (-1e9, 0.0)
        self._lock = RLock()

    def episodes(self, *, exact: bool = False) -> list[IndexedEpisode]:
        """Every annotated episode, oldest first.

        With many of them, all files are compared for a twentieth of the time at most, unless the
        answer has to be `exact`.
        """
        with self._lock:
            begun = time.monotonic()
            at, cost_s = self._compared
            if exact or len(self._found) <= _LARGE or begun - at >= cost_s * _SHARE:
                entries = self.catalog.read()[0]
                self._found = {one.id: self._read(one) for one in entries if one.annotators}
                ended = time.monotonic()
                self._compared = ended, ended - begun
            return list(self._found.values())

    def find(self, id_: str) -> IndexedEpisode | None:
        """An annotated episode, as its files are now."""
        with self._lock:
            known = self._found.get(id_)
            if known is None:
                self.episodes(exact=True)
                return self._found.get(id_)
            found = self._found[id_] = self._read(known.entry)
            return found

    def count(self, annotator: str) -> ReviewCounts:
        """How many of an annotator's steps are in each state, as `episodes` last found them."""
        with self._lock:
            episodes = list(self._found.values())
        counts: Counter[str] = Counter()
        for episode in episodes:
            counts.update(episode.counts.get(annotator, {}))
        return ReviewCounts(
            total=counts["total"],
            invalid=counts["invalid"],
            open=counts["open"],
            accept=counts["accept"],
            edit=counts["edit"],
            reject=counts["reject"],
        )

    def directory(self, id_: str) -> Path:
        """The directory of an episode."""
        return self.catalog.store.root / directory_name(id_)

    def _read(self, entry: CatalogEntry) -> IndexedEpisode:
        directory = self.directory(entry.id)
        try:
            names = self._list_annotators(directory)
        except AnnotationError as error:
            return _index(entry, (), {}, (str(error),))
        stamp: tuple[object, ...] = (entry.screens, entry.apps, *_stamps(directory, names))
        known = self._found.get(entry.id)
        if known is not None and known.stamp == stamp:
            return known
        found: dict[str, AnnotatedEpisode] = {}
        errors: list[str] = []
        for name in names:
            try:
                found[name] = _read_annotator(directory, name)
            except (AnnotationError, ReviewError) as error:
                errors.append(str(error))
        return _index(entry, stamp, found, tuple(errors))

    def _list_annotators(self, directory: Path) -> list[str]:
        try:
            stamp = os.stat(f"{directory}/annotations").st_mtime_ns
        except OSError:
            return []
        cached = self._names.get(directory.name)
        if cached is None or cached[0] != stamp:
            cached = self._names[directory.name] = stamp, list_annotators(directory)
        return cached[1]


def state_of(annotation: Annotation, review: Review | None) -> QueueState:
    """The state of a step: that of its review, unless the picture is another one now."""
    return "open" if review is None or review.frame != annotation.frame else review.state


def is_invalid(annotation: Annotation) -> bool:
    """Whether there is nothing that could be accepted."""
    return bool(annotation.codes) or not annotation.reasoning.strip()


def _read_annotator(directory: Path, name: str) -> AnnotatedEpisode:
    annotations = read_annotations(directory, name)
    log = read_review_log(directory, name)
    screens = hash_screens([one.frame for one in annotations])
    return AnnotatedEpisode(tuple(annotations), tuple(log), screens, current_reviews(log))


def _index(
    entry: CatalogEntry,
    stamp: tuple[object, ...],
    found: Mapping[str, AnnotatedEpisode],
    errors: tuple[str, ...],
) -> IndexedEpisode:
    current = {name: one for name, one in found.items() if one.screens == entry.screens}
    steps = {name: tuple(_list_steps(entry.id, name, current)) for name in current}
    counts = {name: _count(listed) for name, listed in steps.items()}
    return IndexedEpisode(entry, stamp, found, errors, steps, counts)


def _list_steps(id_: str, name: str, found: Mapping[str, AnnotatedEpisode]) -> Iterator[QueuedStep]:
    own = found[name]
    lines = Counter(line.step for line in own.log)
    others = [one for other, one in found.items() if other != name]
    for number, annotation in enumerate(own.annotations):
        review = own.reviews.get(number)
        state = state_of(annotation, review)
        codes = {*annotation.codes, *annotation.repairs, *annotation.warnings}
        if review is not None and state == "reject":
            codes.add(review.code)
        words = own.words(number) if others else None
        theirs = {one.words(number) for one in others} if words is not None else set()
        yield QueuedStep(
            episode=id_,
            step=number,
            state=state,
            invalid=is_invalid(annotation),
            codes=frozenset(codes),
            time=annotation.time,
            frame=annotation.frame,
            lines=lines[number],
            differs=bool(theirs - {words, None}),
        )


def _count(steps: tuple[QueuedStep, ...]) -> Mapping[str, int]:
    counts = Counter[str](step.state for step in steps)
    counts["total"] = len(steps)
    counts["invalid"] = sum(step.invalid and step.state == "open" for step in steps)
    return counts


def _stamps(directory: Path, names: list[str]) -> Iterator[tuple[int, int]]:
    for name in names:
        for ending in (".jsonl", ".reviews.jsonl"):
            try:
                found = os.stat(f"{directory}/annotations/{directory_name(name)}{ending}")
            except OSError:
                yield 0, 0
            else:
                yield found.st_mtime_ns, found.st_size
