"""Reviews of annotations by people: accepted, edited or rejected, step by step.

`<episode>/annotations/<annotator>.reviews.jsonl` stands beside the annotations and is only ever
appended to: a step's last line holds, and the ones before it are its history. Nothing is ever
removed: a withdrawn review is one more line.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, TypeAdapter

from tapwright.annotate.errors import ReviewError
from tapwright.core.episode import Episode, Step
from tapwright.core.fit import UNREVIEWED
from tapwright.files.atomic import refuse_link
from tapwright.files.jsonl import JsonlWriter, parse_lines, read_lines, to_json
from tapwright.store.changes import noting_change
from tapwright.store.ids import directory_name

__all__ = [
    "Review", "ReviewState", "apply_reviews", "current_reviews", "read_review_log", "read_reviews",
    "write_review",
]  # fmt: skip

ReviewState: TypeAlias = Literal["accept", "edit", "reject", "withdraw"]
"""After a withdrawal the step's review before the last one holds again, if there was one."""


class Review(BaseModel):
    """One line: the review by `who` of the annotation of a step.

    `frame` is the hash of the step's screenshot; it differs when the steps have changed since. An
    edit gives other words for `reasoning` and `target`; None leaves one as it was annotated.
    `code` names what is wrong with it, for who counts. `time` is an ISO 8601 time in UTC. Reviews
    that were written together share the id of their `group`. `chosen` is set when somebody decided
    between several annotators: the one whose words hold, "" when they are those of the decider.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int
    frame: str
    state: ReviewState
    reasoning: str | None = None
    target: str | None = None
    code: str = ""
    who: str = ""
    time: str = ""
    group: str = ""
    chosen: str | None = None


_LINE = TypeAdapter(Review)


def read_reviews(directory: Path, annotator: str) -> dict[int, Review]:
    """Reads the current review of each step of the episode in `directory`.

    Raises:
        ReviewError: the file cannot be read, or a line of it is broken.
    """
    return current_reviews(read_review_log(directory, annotator))


def current_reviews(log: Iterable[Review]) -> dict[int, Review]:
    """Returns the current review of each step after all lines of a log."""
    by_step: dict[int, list[Review]] = {}
    for review in log:
        before = by_step.setdefault(review.step, [])
        if review.state != "withdraw":
            before.append(review)
        elif before:
            before.pop()
    return {step: reviews[-1] for step, reviews in by_step.items() if reviews}


def read_review_log(directory: Path, annotator: str) -> list[Review]:
    """Reads every review of the episode in `directory`, oldest first.

    A half-written last line, which a killed writer leaves, is skipped.

    Raises:
        ReviewError: the file cannot be read, or a line of it is broken.
    """
    path = _path(directory, annotator)
    lines = read_lines(path, ReviewError)
    return list(parse_lines(lines, _LINE, path, error=ReviewError, expected="a review"))


def write_review(directory: Path, annotator: str, *reviews: Review) -> None:
    """Appends reviews of the episode in `directory`, all or none; they are on disk then.

    Raises:
        DiskError: the disk is full or not writable; then the file is as it was.
    """
    path = _path(directory, annotator)
    refuse_link(path.parent)
    with noting_change(directory), JsonlWriter(path) as file:
        file.recover()
        file.append(*map(to_json, reviews))


def apply_reviews(
    episode: Episode, reviews: Mapping[int, Review]
) -> tuple[Episode, Mapping[int, str]]:
    """Applies the edits to an annotated episode; returns it with the steps that are not approved.

    Unapproved steps stay in the episode, as the prompts of later steps include them; the mapping
    has the reason for each.

    Raises:
        ReviewError: a review is of another step than the episode has.
    """
    for number, review in reviews.items():
        if not _belongs(review, episode.steps):
            raise ReviewError(
                f"{episode.id}: the review of step {number} belongs to another step; "
                "the episode was changed after it was reviewed",
                hint="review it again",
            )
    left_out = dict(_reasons(len(episode.steps), reviews))
    steps = tuple(
        _edited(step, reviews[number]) if number in reviews else step
        for number, step in enumerate(episode.steps)
    )
    return replace(episode, steps=steps), left_out


def _belongs(review: Review, steps: tuple[Step, ...]) -> bool:
    if not 0 <= review.step < len(steps):
        return False
    return steps[review.step].observation.screenshot.sha256 == review.frame


def _reasons(count: int, reviews: Mapping[int, Review]) -> Iterable[tuple[int, str]]:
    for number in range(count):
        review = reviews.get(number)
        if review is None:
            yield number, UNREVIEWED
        elif review.state == "reject":
            yield (
                number,
                f"rejected by {review.who or 'a reviewer'}"
                + (f": {review.code}" if review.code else ""),
            )


def _edited(step: Step, review: Review) -> Step:
    if review.state != "edit":
        return step
    decision = step.decision
    reasoning = decision.reasoning if review.reasoning is None else review.reasoning
    target = decision.target if review.target is None else review.target
    return replace(step, decision=replace(decision, reasoning=reasoning, target=target))


def _path(directory: Path, annotator: str) -> Path:
    return directory / "annotations" / f"{directory_name(annotator)}.reviews.jsonl"
