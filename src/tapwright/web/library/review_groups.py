"""Reviews of many steps at once: all that a filter shows, or one step of several annotators.

The lines that were written together carry the id of their group, by which they are taken back
together; what somebody has reviewed since stays.
"""

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tapwright.annotate.review import Review, write_review
from tapwright.files.jsonl import now_text
from tapwright.store.annotations import Annotation
from tapwright.store.errors import EditConflictError
from tapwright.web.errors import SELECTION_CHANGED, RequestError
from tapwright.web.library.review_filter import StepFilter
from tapwright.web.library.review_index import IndexedEpisode, QueuedStep
from tapwright.web.library.review_queue import ReviewQueue
from tapwright.web.library.review_views import ReviewCounts

__all__ = ["GroupResult", "ReviewGroup", "ReviewGroupList", "ReviewGroups", "Selected"]

_LATEST = 20


@dataclass(frozen=True, slots=True)
class Selected:
    """How many steps would be accepted; `invalid` more cannot be. `selection` names just these."""

    count: int
    invalid: int
    selection: str


@dataclass(frozen=True, slots=True)
class GroupResult:
    """A group of reviews: how many were written, and how many steps were left as they are."""

    group: str
    count: int
    kept: int
    progress: ReviewCounts


@dataclass(frozen=True, slots=True)
class ReviewGroup:
    """Reviews that `who` wrote together at a `time` (ISO 8601, UTC); `holding` of `count` hold."""

    group: str
    who: str
    time: str
    count: int
    holding: int


@dataclass(frozen=True, slots=True)
class ReviewGroupList:
    """Groups of reviews, the latest first."""

    groups: tuple[ReviewGroup, ...]


class ReviewGroups:
    """Writes and takes back the reviews of many steps of a queue."""

    def __init__(self, queue: ReviewQueue) -> None:
        self._queue = queue
        self._index = queue.index

    def select(self, annotator: str, wanted: StepFilter) -> Selected:
        """What `accept` would accept: the open steps that a filter shows, or the rejected ones.

        Steps whose annotation is invalid are left out, as are those that are approved.
        """
        steps, invalid = _select(self._index.episodes(exact=True), annotator, wanted)
        return Selected(sum(map(len, steps.values())), invalid, _hash(steps))

    def accept(
        self, annotator: str, wanted: StepFilter, counted: Selected, who: str
    ) -> GroupResult:
        """Accept what was counted, or nothing.

        Others can review between two episodes; an episode that they change meanwhile is kept.

        Raises:
            TapwrightError: the filter does not select the steps that were counted.
            DiskError: the disk is full or not writable; then only the first were accepted.
        """
        with self._queue.lock:
            episodes = {one.entry.id: one for one in self._index.episodes(exact=True)}
            steps, _ = _select(episodes.values(), annotator, wanted)
            if _hash(steps) != counted.selection:
                now = sum(map(len, steps.values()))
                raise SELECTION_CHANGED(
                    f"the filter selected {counted.count} steps and selects {now} others now",
                    hint="count them again",
                    values={"before": counted.count, "now": now},
                )
        group, time = secrets.token_hex(8), now_text()
        count = kept = 0
        for id_, chosen in steps.items():
            reviews = [
                Review(
                    step=one.step, frame=one.frame, state="accept", who=who, time=time, group=group
                )
                for one in chosen
            ]
            with self._queue.lock:
                if self._index.find(id_) is not episodes[id_]:
                    kept += len(chosen)
                    continue
                write_review(self._index.directory(id_), annotator, *reviews)
                self._index.find(id_)
            count += len(chosen)
        return GroupResult(group, count, kept, self._queue.progress(annotator))

    def adjudicate(
        self,
        annotator: str,
        id_: str,
        step: int,
        *,
        frame: str,
        lines: Mapping[str, int],
        chosen: str,
        reasoning: str,
        target: str,
        who: str,
    ) -> GroupResult:
        """Decide between the annotators of a step: all have the same words then.

        `chosen` is the annotator whose words hold, "" when they are those given here. `lines` is
        how many reviews of the step the page has read, by annotator.

        Raises:
            RequestError: nobody else has annotated the step; the chosen words are none.
            EditConflictError: somebody else has annotated or reviewed the step meanwhile.
        """
        with self._queue.lock:
            indexed, _, annotation = self._queue.find(annotator, id_, step)
            sides = dict(_sides(indexed, annotation))
            if annotation.frame != frame or lines != _count_lines(indexed, sides, step):
                raise EditConflictError(
                    f"{id_}: somebody else has reviewed step {step} meanwhile",
                    hint="load the step again, and decide on that",
                )
            words: tuple[str, str] | None = (reasoning, target)
            if chosen:
                words = indexed.annotators[chosen].words(step) if chosen in sides else None
            if len(sides) < 2 or words is None or not words[0].strip():
                raise RequestError(
                    f"step {step}: there are no words of {chosen or 'a reviewer'} to choose",
                    hint="write the reasoning",
                )
            group, time = secrets.token_hex(8), now_text()
            for name, own in sides.items():
                review = _decision(own, words).model_copy(
                    update={"who": who, "time": time, "group": group, "chosen": chosen}
                )
                write_review(self._index.directory(id_), name, review)
            self._index.find(id_)
        return GroupResult(group, len(sides), 0, self._queue.progress(annotator))

    def latest(self, annotator: str) -> ReviewGroupList:
        """The last 20 groups of an annotator's steps, whoever wrote them."""
        found: dict[str, ReviewGroup] = {}
        for episode in self._index.episodes():
            log = episode.annotators[annotator].log if annotator in episode.annotators else ()
            last = {line.step: line for line in log}
            for line in log:
                if not line.group:
                    continue
                empty = ReviewGroup(line.group, line.who, line.time, 0, 0)
                known = found.get(line.group, empty)
                holds = last[line.step] is line
                found[line.group] = replace(
                    known, count=known.count + 1, holding=known.holding + holds
                )
        latest = sorted(found.values(), key=lambda one: one.time, reverse=True)
        return ReviewGroupList(tuple(latest[:_LATEST]))

    def undo(self, annotator: str, group: str, who: str) -> GroupResult:
        """Withdraw the reviews of a group, of whichever annotators; later ones are kept."""
        count = kept = 0
        with self._queue.lock:
            time = now_text()
            for episode in self._index.episodes(exact=True):
                for name, found in episode.annotators.items():
                    last = {line.step: line for line in found.log}
                    mine = {line.step for line in found.log if line.group == group}
                    withdrawn = [
                        Review(
                            step=step, frame=last[step].frame, state="withdraw", who=who, time=time
                        )
                        for step in sorted(mine)
                        if last[step].group == group
                    ]
                    count, kept = count + len(withdrawn), kept + len(mine) - len(withdrawn)
                    if withdrawn:
                        write_review(self._index.directory(episode.entry.id), name, *withdrawn)
                        self._index.find(episode.entry.id)
        return GroupResult(group, count, kept, self._queue.progress(annotator))


def _select(
    episodes: Iterable[IndexedEpisode], annotator: str, wanted: StepFilter
) -> tuple[dict[str, list[QueuedStep]], int]:
    """The steps to accept by episode, and how many more are invalid."""
    state = "reject" if wanted.show == "reject" else "open"
    steps: dict[str, list[QueuedStep]] = {}
    invalid = 0
    for episode in episodes:
        for step in episode.steps.get(annotator, ()):
            if step.state != state or not wanted.selects(step, episode.entry.apps):
                continue
            if step.invalid:
                invalid += 1
            else:
                steps.setdefault(step.episode, []).append(step)
    return steps, invalid


def _sides(indexed: IndexedEpisode, own: Annotation) -> Iterator[tuple[str, Annotation]]:
    """The annotations of the same step, by their annotators."""
    for name, found in indexed.annotators.items():
        if own.step < len(found.annotations) and found.annotations[own.step].frame == own.frame:
            yield name, found.annotations[own.step]


def _count_lines(
    indexed: IndexedEpisode, sides: Mapping[str, Annotation], step: int
) -> Mapping[str, int]:
    return {name: sum(line.step == step for line in indexed.annotators[name].log) for name in sides}


def _decision(own: Annotation, words: tuple[str, str]) -> Review:
    """The review by which an annotation has these words."""
    if (own.reasoning, own.target) == words and not own.codes:
        return Review(step=own.step, frame=own.frame, state="accept")
    return Review(step=own.step, frame=own.frame, state="edit", reasoning=words[0], target=words[1])


def _hash(steps: Mapping[str, list[QueuedStep]]) -> str:
    named = [
        f"{one.episode}\n{one.step}\n{one.frame}\n{one.lines}\n{one.time}"
        for chosen in steps.values()
        for one in chosen
    ]
    return hashlib.sha256("\n".join(named).encode()).hexdigest()
