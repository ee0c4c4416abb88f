"""The queue of annotations to be reviewed: the next step, its details, and the reviews so far.

It reads and appends to the files of `annotate.review`, so that what is approved here is what
`sft export --only approved` exports. A step whose annotation is invalid is in the queue too: a
reviewer writes its reasoning, or rejects the step.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Literal, TypeAlias

from tapwright.actions import Action
from tapwright.annotate.answer_book import AnswerBook
from tapwright.annotate.errors import AnnotationError, ReviewError
from tapwright.annotate.finding_codes import REVIEWS, describe_code
from tapwright.annotate.review import (
    Review,
    ReviewState,
    current_reviews,
    read_review_log,
    write_review,
)
from tapwright.annotate.run import Annotation, apply_annotations, list_annotators, read_annotations
from tapwright.episode import Episode
from tapwright.store.catalog import Catalog
from tapwright.store.catalog_entry import CatalogEntry, hash_screens
from tapwright.store.errors import EditConflictError
from tapwright.store.ids import directory_name
from tapwright.web.errors import RequestError
from tapwright.web.views import ScreenView, screen_view

__all__ = [
    "AnnotatorView",
    "NextReview",
    "QueuedStep",
    "ReviewCounts",
    "ReviewFilter",
    "ReviewItem",
    "ReviewQueue",
    "ReviewResult",
]

QueueState: TypeAlias = Literal["open"] | ReviewState
ReviewFilter: TypeAlias = Literal["open", "accept", "edit", "reject", "any"]


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """How many steps are in each state; `invalid` of the open ones have no valid annotation."""

    total: int
    invalid: int
    open: int
    accept: int
    edit: int
    reject: int


@dataclass(frozen=True, slots=True)
class AnnotatorView:
    """An annotator, and how far its annotations are reviewed."""

    name: str
    progress: ReviewCounts


@dataclass(frozen=True, slots=True)
class CodeView:
    """A code of `annotate.finding_codes`, and its meaning for people."""

    code: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an annotation is from; `tokens` is None when no model was queried."""

    annotator: str
    version: str
    time: str
    prompt_sha256: str
    queries: int
    model: str
    tokens: int | None


@dataclass(frozen=True, slots=True)
class OtherAnnotation:
    """What another annotator wrote of the same step, and the state of its review."""

    annotator: str
    reasoning: str
    target: str
    state: QueueState
    invalid: bool


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A step with its annotation. `review` is the one that holds, `log` are all of the step.

    `after` is the screen that the action led to, if one was recorded. `answer` is what the model
    wrote, word for word, "" when none was queried. `others` have the same step from other
    annotators, by their names.
    """

    annotator: str
    episode: str
    version: int
    step: int
    steps: int
    instruction: str
    action: Action
    before: ScreenView
    after: ScreenView | None
    reasoning: str
    target: str
    answer: str
    others: tuple[OtherAnnotation, ...]
    codes: tuple[CodeView, ...]
    repairs: tuple[CodeView, ...]
    warnings: tuple[CodeView, ...]
    invalid: bool
    provenance: Provenance
    review: Review | None
    log: tuple[Review, ...]
    reject_codes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NextReview:
    """The next step of the queue, None at its end."""

    item: ReviewItem | None
    progress: ReviewCounts


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """The review that was written."""

    review: Review
    progress: ReviewCounts


@dataclass(frozen=True, slots=True)
class QueuedStep:
    """One step in the queue; `state` is that of its review, "open" when none holds."""

    episode: str
    step: int
    state: QueueState
    invalid: bool


@dataclass(frozen=True, slots=True)
class _AnnotatedEpisode:
    """An annotator's annotations of one episode and their reviews, as they are on disk."""

    annotations: tuple[Annotation, ...]
    log: tuple[Review, ...]
    screens: str

    def steps(self, entry: CatalogEntry) -> Iterator[QueuedStep]:
        if self.screens != entry.screens:
            return  # the episode's steps have changed since
        reviews = current_reviews(self.log)
        for annotation in self.annotations:
            state = _state(annotation, reviews.get(annotation.step))
            yield QueuedStep(entry.id, annotation.step, state, bool(annotation.codes))

    def state_of(self, annotation: Annotation) -> QueueState:
        return _state(annotation, current_reviews(self.log).get(annotation.step))


class ReviewQueue:
    """The annotations of one store's episodes, in the order of its catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._episodes: dict[tuple[str, str], tuple[tuple[int, ...], _AnnotatedEpisode]] = {}
        self._names: dict[str, tuple[int, list[str]]] = {}
        self._lock = Lock()

    def annotators(self) -> tuple[list[str], list[str]]:
        """The names of the store's annotators, sorted; and the errors of unreadable files."""
        names: set[str] = set()
        unreadable: list[str] = []
        for entry in self.catalog.read()[0]:
            try:
                for name in self._list_annotators(self._directory(entry.id)):
                    names.add(name)
                    self._read(entry.id, name)
            except (AnnotationError, ReviewError) as error:
                unreadable.append(str(error))
        return sorted(names), unreadable

    def steps(self, annotator: str) -> list[QueuedStep]:
        """Every step that `annotator` annotated, but those of episodes that changed since.

        Unreadable files are skipped; `annotators` reports them.
        """
        steps: list[QueuedStep] = []
        for entry in self.catalog.read()[0]:
            try:
                found = self._read(entry.id, annotator)
            except (AnnotationError, ReviewError):
                continue
            if found is not None:
                steps += found.steps(entry)
        return steps

    def progress(self, annotator: str) -> ReviewCounts:
        """How many of an annotator's steps are in each state."""
        return _count(self.steps(annotator))

    def next(
        self,
        annotator: str,
        *,
        show: ReviewFilter = "open",
        after: tuple[str, int] | None = None,
        back: bool = False,
    ) -> NextReview:
        """The next step of the queue in a state.

        The search begins behind `after` and wraps around, so that skipped steps come again; with
        `back` it goes in the other direction.
        """
        steps = self.steps(annotator)
        order = steps[::-1] if back else steps
        at = next((n for n, one in enumerate(order) if (one.episode, one.step) == after), None)
        if at is not None:
            order = order[at + 1 :] + order[: at + 1]
        found = next((one for one in order if show in ("any", one.state)), None)
        item = None if found is None else self.item(annotator, found.episode, found.step)
        return NextReview(item, _count(steps))

    def item(self, annotator: str, id_: str, step: int) -> ReviewItem:
        """All that a reviewer needs of one step.

        Raises:
            RequestError: the annotator has not annotated such a step.
            AnnotationError: the episode was changed after it was annotated.
        """
        directory = self._directory(id_)
        found, annotation = self._find(annotator, id_, step)
        episode = self.catalog.store.read(id_)
        apply_annotations(episode, found.annotations)
        recorded = episode.steps[step]
        request = annotation.request
        answer = AnswerBook.of(directory, annotator).get(request) if request else None
        return ReviewItem(
            annotator=annotator,
            episode=id_,
            version=episode.version,
            step=step,
            steps=len(episode.steps),
            instruction=episode.instruction,
            action=recorded.decision.action,
            before=screen_view(recorded.observation),
            after=_screen_after(episode, step),
            reasoning=annotation.reasoning,
            target=annotation.target,
            answer="" if answer is None else answer.raw,
            others=self._others(annotator, id_, annotation),
            codes=_code_views(annotation.codes),
            repairs=_code_views(annotation.repairs),
            warnings=_code_views(annotation.warnings),
            invalid=bool(annotation.codes),
            provenance=Provenance(
                annotator=annotation.annotator,
                version=annotation.version,
                time=annotation.time,
                prompt_sha256=request,
                queries=annotation.asked,
                model="" if answer is None else answer.model,
                tokens=None if answer is None else answer.input_tokens + answer.output_tokens,
            ),
            review=current_reviews(found.log).get(step),
            log=tuple(line for line in found.log if line.step == step),
            reject_codes=REVIEWS,
        )

    def review(
        self,
        annotator: str,
        id_: str,
        step: int,
        *,
        frame: str,
        state: ReviewState,
        lines: int,
        who: str,
        reasoning: str | None = None,
        target: str | None = None,
        code: str = "",
    ) -> ReviewResult:
        """Append one review; `lines` is how many reviews of the step the page has read.

        An edit that changes no word is stored as an edit, not as an accept.

        Raises:
            RequestError: there is no such step; an accept of an invalid annotation, an edit
                without words, a reject without a code, a withdrawal where no review holds.
            EditConflictError: somebody else has reviewed the step meanwhile.
            ReviewError: the step's picture is not the one that the page showed.
            DiskError: the disk is full or not writable; then nothing was written.
        """
        with self._lock:
            found, annotation = self._find(annotator, id_, step)
            if annotation.frame != frame:
                raise ReviewError(
                    f"{id_}: step {step} is not the one that the page showed",
                    hint="load the step again",
                )
            _check(annotation, current_reviews(found.log).get(step), state, reasoning, code)
            if sum(1 for line in found.log if line.step == step) != lines:
                raise EditConflictError(
                    f"{id_}: somebody else has reviewed step {step} meanwhile",
                    hint="read that review, and review the step again",
                )
            review = Review(
                step=step,
                frame=frame,
                state=state,
                reasoning=reasoning if state == "edit" else None,
                target=target if state == "edit" else None,
                code=code if state == "reject" else "",
                who=who,
                time=datetime.now(UTC).isoformat(timespec="milliseconds"),
            )
            write_review(self._directory(id_), annotator, review)
        return ReviewResult(review, self.progress(annotator))

    def _others(self, annotator: str, id_: str, own: Annotation) -> tuple[OtherAnnotation, ...]:
        """What the other annotators wrote of the step; unreadable files are skipped."""
        others: list[OtherAnnotation] = []
        for name in self._list_annotators(self._directory(id_)):
            try:
                found = None if name == annotator else self._read(id_, name)
            except (AnnotationError, ReviewError):
                continue
            if found is None or not own.step < len(found.annotations):
                continue
            one = found.annotations[own.step]
            if one.frame == own.frame:
                state = found.state_of(one)
                others.append(
                    OtherAnnotation(name, one.reasoning, one.target, state, bool(one.codes))
                )
        return tuple(others)

    def _directory(self, id_: str) -> Path:
        return self.catalog.store.root / directory_name(id_)

    def _list_annotators(self, directory: Path) -> list[str]:
        try:
            stamp = (directory / "annotations").stat().st_mtime_ns
        except OSError:
            return []
        cached = self._names.get(directory.name)
        if cached is None or cached[0] != stamp:
            cached = self._names[directory.name] = stamp, list_annotators(directory)
        return cached[1]

    def _find(self, annotator: str, id_: str, step: int) -> tuple[_AnnotatedEpisode, Annotation]:
        found = self._read(id_, annotator)
        if found is None or not 0 <= step < len(found.annotations):
            raise RequestError(f"{annotator} has not annotated step {step} of {id_}")
        return found, found.annotations[step]

    def _read(self, id_: str, annotator: str) -> _AnnotatedEpisode | None:
        directory = self._directory(id_)
        if annotator not in self._list_annotators(directory):
            return None
        files = [
            directory / "annotations" / f"{directory_name(annotator)}{ending}"
            for ending in (".jsonl", ".reviews.jsonl")
        ]
        stamp = tuple(number for path in files for number in _stamp(path))
        cached = self._episodes.get((id_, annotator))
        if cached is None or cached[0] != stamp:
            annotations = read_annotations(directory, annotator)
            found = _AnnotatedEpisode(
                tuple(annotations),
                tuple(read_review_log(directory, annotator)),
                hash_screens([one.frame for one in annotations]),
            )
            cached = self._episodes[id_, annotator] = stamp, found
        return cached[1]


def _state(annotation: Annotation, review: Review | None) -> QueueState:
    return "open" if review is None or review.frame != annotation.frame else review.state


def _screen_after(episode: Episode, number: int) -> ScreenView | None:
    """The screen that a step's action led to: its own, else the next step's, else the last."""
    following = [step.observation for step in episode.steps[number + 1 : number + 2]]
    found = episode.steps[number].after or next(iter(following), episode.final)
    return None if found is None else screen_view(found)


def _check(
    annotation: Annotation,
    current: Review | None,
    state: ReviewState,
    reasoning: str | None,
    code: str,
) -> None:
    match state:
        case "accept" if annotation.codes or not annotation.reasoning.strip():
            raise RequestError(
                f"step {annotation.step}: an invalid annotation cannot be accepted "
                f"({', '.join(annotation.codes)})",
                hint="write the reasoning, or reject the step",
            )
        case "edit" if not (reasoning or "").strip():
            raise RequestError(f"step {annotation.step}: the reasoning is empty")
        case "reject" if not code.strip():
            raise RequestError(f"step {annotation.step}: a rejection needs a code")
        case "withdraw" if current is None:
            raise RequestError(f"step {annotation.step}: there is no review to withdraw")
        case _:
            pass


def _count(steps: list[QueuedStep]) -> ReviewCounts:
    counts = Counter(step.state for step in steps)
    return ReviewCounts(
        total=len(steps),
        invalid=sum(step.invalid and step.state == "open" for step in steps),
        open=counts["open"],
        accept=counts["accept"],
        edit=counts["edit"],
        reject=counts["reject"],
    )


def _code_views(codes: tuple[str, ...]) -> tuple[CodeView, ...]:
    return tuple(CodeView(code, describe_code(code) or "") for code in codes)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
