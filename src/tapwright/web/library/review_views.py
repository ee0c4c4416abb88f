"""What the review routes answer: a step with its annotation, its neighbours' words, and counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tapwright.annotate.answer_book import AnswerRecord
from tapwright.annotate.comments import StepComment
from tapwright.annotate.finding_codes import describe_code
from tapwright.annotate.review import Review, ReviewState
from tapwright.core.actions import Action
from tapwright.store.annotations import Annotation
from tapwright.web.episode_views import ScreenView

__all__ = [
    "AnnotatorList", "AnnotatorView", "CodeView", "CommentList", "NextReview", "OtherAnnotation",
    "Provenance", "QueueState", "ReviewCounts", "ReviewItem", "ReviewResult", "code_views",
    "provenance",
]  # fmt: skip

QueueState: TypeAlias = Literal["open"] | ReviewState


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
class AnnotatorList:
    """The annotators of a store, and the errors of annotations that could not be read."""

    annotators: tuple[AnnotatorView, ...]
    unreadable: tuple[str, ...]
    store: str


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
    """What another annotator wrote of the same step, as it was edited, and its review's state.

    `lines` is how many reviews it has. From an `invalid` one there are no words to choose.
    """

    annotator: str
    reasoning: str
    target: str
    state: QueueState
    invalid: bool
    lines: int


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A step with its annotation. `review` is the one that holds, `log` are all of the step.

    `after` is the screen that the action led to, if one was recorded. `answer` is what the model
    wrote, word for word, "" when none was queried. `others` have the same step from other
    annotators, by their names; `comments` those of reviewers.
    """

    annotator: str
    episode: str
    version: int
    step: int
    steps: int
    instruction: str
    step_instruction: str
    action: Action
    more: tuple[Action, ...]
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
    comments: tuple[StepComment, ...]
    reject_codes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NextReview:
    """The next step of the queue, None at its end."""

    item: ReviewItem | None
    progress: ReviewCounts


@dataclass(frozen=True, slots=True)
class CommentList:
    """The comments on a step, oldest first."""

    comments: tuple[StepComment, ...]


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """The review that was written."""

    review: Review
    progress: ReviewCounts


def code_views(codes: tuple[str, ...]) -> tuple[CodeView, ...]:
    """The codes with their meanings; that of an unknown one is ""."""
    return tuple(CodeView(code, describe_code(code) or "") for code in codes)


def provenance(annotation: Annotation, answer: AnswerRecord | None) -> Provenance:
    """Where an annotation is from, with the answer of the model if there is one."""
    return Provenance(
        annotator=annotation.annotator,
        version=annotation.version,
        time=annotation.time,
        prompt_sha256=annotation.request,
        queries=annotation.asked,
        model="" if answer is None else answer.model,
        tokens=None if answer is None else answer.input_tokens + answer.output_tokens,
    )
