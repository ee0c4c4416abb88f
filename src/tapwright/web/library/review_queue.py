"""The queue of annotations to be reviewed: the next step, its details, and the reviews so far.

It reads and appends to the files of `annotate.review`, so that what is approved here is what
`sft export --only approved` exports. A step whose annotation is invalid is in the queue too: a
reviewer writes its reasoning, or rejects the step.
"""

from collections.abc import Iterator
from datetime import datetime
from threading import Lock

from tapwright.annotate.answer_book import AnswerBook
from tapwright.annotate.comments import StepComment, read_comments, write_comment
from tapwright.annotate.errors import ReviewError
from tapwright.annotate.finding_codes import REVIEWS
from tapwright.annotate.review import Review, ReviewState, write_review
from tapwright.core.episode import Episode
from tapwright.files.jsonl import now_text
from tapwright.store.annotations import Annotation, apply_annotations
from tapwright.store.catalog import Catalog
from tapwright.store.errors import EditConflictError
from tapwright.web.episode_views import ScreenView, screen_view
from tapwright.web.errors import RequestError
from tapwright.web.library import review_index, review_views
from tapwright.web.library.review_filter import ReviewFacets, StepFilter, count_facets

__all__ = ["ReviewQueue"]


class ReviewQueue:
    """The annotations of one store's episodes, in the order of its catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.index = review_index.ReviewIndex(catalog)
        self.lock = Lock()
        """Held by who writes a review, from reading what it is based on."""

    def annotators(self) -> tuple[list[str], list[str]]:
        """The names of the store's annotators, sorted; and the errors of unreadable files."""
        episodes = self.index.episodes()
        names = {name for one in episodes for name in one.annotators}
        return sorted(names), [error for one in episodes for error in one.errors]

    def progress(self, annotator: str) -> review_views.ReviewCounts:
        """How many of an annotator's steps are in each state."""
        return self.index.count(annotator)

    def facets(self, annotator: str, wanted: StepFilter, now: datetime) -> ReviewFacets:
        """How many of an annotator's steps the filter shows, and what its values would show."""
        return count_facets(self.index.episodes(), annotator, wanted, now)

    def next(
        self,
        annotator: str,
        wanted: StepFilter,
        *,
        after: tuple[str, int] | None = None,
        back: bool = False,
    ) -> review_views.NextReview:
        """The next step of the queue that a filter shows.

        The search begins behind `after` and wraps around, so that skipped steps come again; with
        `back` it goes in the other direction.
        """
        queued = _walk(self.index.episodes(), annotator, after, back)
        found = next((one for one, apps in queued if wanted.selects(one, apps)), None)
        item = None if found is None else self.item(annotator, found.episode, found.step)
        return review_views.NextReview(item, self.progress(annotator))

    def item(self, annotator: str, id_: str, step: int) -> review_views.ReviewItem:
        """All that a reviewer needs of one step.

        Raises:
            RequestError: the annotator has not annotated such a step.
            AnnotationError: the episode was changed after it was annotated.
        """
        indexed, found, annotation = self.find(annotator, id_, step)
        episode = self.catalog.store.read(id_)
        apply_annotations(episode, found.annotations)
        recorded = episode.steps[step]
        request = annotation.request
        book = AnswerBook.of(self.index.directory(id_), annotator) if request else None
        answer = None if book is None else book.get(request)
        return review_views.ReviewItem(
            annotator=annotator,
            episode=id_,
            version=episode.version,
            step=step,
            steps=len(episode.steps),
            instruction=episode.instruction,
            step_instruction=recorded.step_instruction,
            action=recorded.decision.first,
            more=recorded.decision.actions[1:],
            before=screen_view(recorded.observation),
            after=_screen_after(episode, step),
            reasoning=annotation.reasoning,
            target=annotation.target,
            answer="" if answer is None else answer.raw,
            others=tuple(_others(indexed, annotator, annotation)),
            codes=review_views.code_views(annotation.codes),
            repairs=review_views.code_views(annotation.repairs),
            warnings=review_views.code_views(annotation.warnings),
            invalid=review_index.is_invalid(annotation),
            provenance=review_views.provenance(annotation, answer),
            review=found.reviews.get(step),
            log=tuple(line for line in found.log if line.step == step),
            comments=self._comments(annotator, id_, annotation),
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
    ) -> review_views.ReviewResult:
        """Append one review; `lines` is how many reviews of the step the page has read.

        An edit that changes no word is stored as an edit, not as an accept.

        Raises:
            RequestError: there is no such step; an accept of an invalid annotation, an edit
                without words, a reject without a code, a withdrawal where no review holds.
            EditConflictError: somebody else has reviewed the step meanwhile.
            ReviewError: the step's picture is not the one that the page showed.
            DiskError: the disk is full or not writable; then nothing was written.
        """
        with self.lock:
            _, found, annotation = self.find(annotator, id_, step)
            _check_frame(id_, annotation, frame)
            _check(annotation, found.reviews.get(step), state, reasoning, code)
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
                time=now_text(),
            )
            write_review(self.index.directory(id_), annotator, review)
            self.index.find(id_)
        return review_views.ReviewResult(review, self.progress(annotator))

    def comment(
        self, annotator: str, id_: str, step: int, *, frame: str, text: str, who: str
    ) -> review_views.CommentList:
        """Append a comment on a step; all of them.

        Raises:
            RequestError: there is no such step, or no text.
            ReviewError: the step's picture is not the one that the page showed.
            DiskError: the disk is full or not writable; then nothing was written.
        """
        if not text.strip():
            raise RequestError("a comment is empty")
        with self.lock:
            _, _, annotation = self.find(annotator, id_, step)
            _check_frame(id_, annotation, frame)
            time = now_text()
            said = StepComment(step=step, frame=frame, text=text.strip(), who=who, time=time)
            write_comment(self.index.directory(id_), annotator, said)
        return review_views.CommentList(self._comments(annotator, id_, annotation))

    def _comments(self, annotator: str, id_: str, of: Annotation) -> tuple[StepComment, ...]:
        found = read_comments(self.index.directory(id_), annotator)
        return tuple(one for one in found if (one.step, one.frame) == (of.step, of.frame))

    def find(
        self, annotator: str, id_: str, step: int
    ) -> tuple[review_index.IndexedEpisode, review_index.AnnotatedEpisode, Annotation]:
        """A step's annotation, as the files are now.

        Raises:
            RequestError: the annotator has not annotated such a step.
        """
        indexed = self.index.find(id_)
        found = None if indexed is None else indexed.annotators.get(annotator)
        if indexed is None or found is None or not 0 <= step < len(found.annotations):
            raise RequestError(f"{annotator} has not annotated step {step} of {id_}")
        return indexed, found, found.annotations[step]


def _walk(
    episodes: list[review_index.IndexedEpisode],
    annotator: str,
    after: tuple[str, int] | None,
    back: bool,
) -> Iterator[tuple[review_index.QueuedStep, tuple[str, ...]]]:
    """The steps from behind `after` around to itself, each with the apps of its episode."""
    ways = -1 if back else 1
    ordered = episodes[::ways]
    at = next((n for n, one in enumerate(ordered) if after and one.entry.id == after[0]), None)
    if at is None or after is None:
        for episode in ordered:
            for step in episode.steps.get(annotator, ())[::ways]:
                yield step, episode.entry.apps
        return
    own = ordered[at].steps.get(annotator, ())[::ways]
    behind = [one for one in own if (one.step - after[1]) * ways > 0]
    for episode, steps in (
        (ordered[at], behind),
        *((one, one.steps.get(annotator, ())[::ways]) for one in ordered[at + 1 :]),
        *((one, one.steps.get(annotator, ())[::ways]) for one in ordered[:at]),
        (ordered[at], own[: len(own) - len(behind)]),
    ):
        for step in steps:
            yield step, episode.entry.apps


def _others(
    indexed: review_index.IndexedEpisode, annotator: str, own: Annotation
) -> Iterator[review_views.OtherAnnotation]:
    """What the other annotators wrote of the step, as it was reviewed."""
    for name, found in indexed.annotators.items():
        if name == annotator or own.step >= len(found.annotations):
            continue
        one = found.annotations[own.step]
        if one.frame == own.frame:
            state = review_index.state_of(one, found.reviews.get(own.step))
            words = found.words(own.step)
            reasoning, target = words or (one.reasoning, one.target)
            lines = sum(line.step == own.step for line in found.log)
            yield review_views.OtherAnnotation(name, reasoning, target, state, words is None, lines)


def _screen_after(episode: Episode, number: int) -> ScreenView | None:
    """The screen that a step's action led to: its own, else the next step's, else the last."""
    following = [step.observation for step in episode.steps[number + 1 : number + 2]]
    found = episode.steps[number].after or next(iter(following), episode.final)
    return None if found is None else screen_view(found)


def _check_frame(id_: str, annotation: Annotation, frame: str) -> None:
    if annotation.frame != frame:
        raise ReviewError(
            f"{id_}: step {annotation.step} is not the one that the page showed",
            hint="load the step again",
        )


def _check(
    annotation: Annotation,
    current: Review | None,
    state: ReviewState,
    reasoning: str | None,
    code: str,
) -> None:
    match state:
        case "accept" if review_index.is_invalid(annotation):
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
