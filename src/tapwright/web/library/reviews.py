"""The queue of annotations that wait for a person: which is next, and what is known of it.

It reads and appends to the files of `annotate.review`, so that what is approved here is what
`sft export --only approved` teaches. A step of which nothing that an annotator said could stand is
in the queue too: somebody has to write the words, or to say that there are none.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.actions import describe
from tapwright.annotate.answer_book import AnswerBook
from tapwright.annotate.errors import AnnotationError, ReviewError
from tapwright.annotate.finding_codes import REVIEWS, meaning
from tapwright.annotate.review import (
    Review,
    ReviewState,
    holding,
    read_review_log,
    write_review,
)
from tapwright.annotate.run import Annotation, annotated, annotators_of, read_annotations
from tapwright.store.catalog import Catalog, Entry, screens_hash
from tapwright.store.errors import EditConflictError
from tapwright.store.store import directory_name
from tapwright.web.errors import RequestError

__all__ = ["Place", "ReviewQueue", "Shown"]

Json: TypeAlias = dict[str, JsonValue]
State: TypeAlias = Literal["open"] | ReviewState
Shown: TypeAlias = Literal["open", "accept", "edit", "reject", "any"]


@dataclass(frozen=True, slots=True)
class Place:
    """One step in the queue; `state` is what was said of it, "open" when nothing holds."""

    episode: str
    step: int
    state: State
    invalid: bool


@dataclass(frozen=True, slots=True)
class _Said:
    """What an annotator said of one episode, and what became of that; both as they are on disk."""

    annotations: tuple[Annotation, ...]
    log: tuple[Review, ...]
    screens: str

    def places(self, entry: Entry) -> Iterator[Place]:
        if self.screens != entry.screens:
            return  # of other steps than the episode has now
        held = holding(self.log)
        for one in self.annotations:
            review = held.get(one.step)
            state: State = "open"
            if review is not None and review.frame == one.frame:
                state = review.state
            yield Place(entry.id, one.step, state, bool(one.codes))


class ReviewQueue:
    """The annotations of one store's episodes, in the order of its catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._known: dict[tuple[str, str], tuple[tuple[int, ...], _Said]] = {}
        self._names: dict[str, tuple[int, list[str]]] = {}
        self._lock = Lock()

    def annotators(self) -> tuple[list[str], list[str]]:
        """Who has annotated an episode of the store, by name; and what could not be read."""
        found: set[str] = set()
        unreadable: list[str] = []
        for entry in self.catalog.read()[0]:
            try:
                for name in self._annotators(self._directory(entry.id)):
                    found.add(name)
                    self._said(entry.id, name)
            except (AnnotationError, ReviewError) as error:
                unreadable.append(str(error))
        return sorted(found), unreadable

    def places(self, annotator: str) -> list[Place]:
        """Every step that `annotator` annotated, but those of episodes that changed since.

        What cannot be read is left out, and `annotators` tells of it.
        """
        places: list[Place] = []
        for entry in self.catalog.read()[0]:
            try:
                said = self._said(entry.id, annotator)
            except (AnnotationError, ReviewError):
                continue
            if said is not None:
                places += said.places(entry)
        return places

    def progress(self, annotator: str) -> Json:
        """How many steps are in each state, and how many of the open ones say nothing valid."""
        return _progress(self.places(annotator))

    def next(
        self,
        annotator: str,
        *,
        show: Shown = "open",
        after: tuple[str, int] | None = None,
        back: bool = False,
    ) -> Json:
        """The next step of the queue in a state, and the progress; `item` is None at the end.

        The search begins behind `after` and goes around, so that what was skipped comes again;
        with `back` it goes the other way.
        """
        places = self.places(annotator)
        order = places[::-1] if back else places
        at = next((n for n, one in enumerate(order) if (one.episode, one.step) == after), None)
        if at is not None:
            order = order[at + 1 :] + order[: at + 1]
        found = next((one for one in order if show in ("any", one.state)), None)
        item = None if found is None else self.item(annotator, found.episode, found.step)
        return {"item": item, "progress": _progress(places)}

    def item(self, annotator: str, id_: str, step: int) -> Json:
        """All that a reviewer needs of one step: words, codes with their meaning, provenance.

        Raises:
            RequestError: the annotator has not annotated such a step.
            AnnotationError: the episode was changed after it was annotated.
        """
        directory = self._directory(id_)
        said = self._said(id_, annotator)
        if said is None or not 0 <= step < len(said.annotations):
            raise RequestError(f"{annotator} has said nothing of step {step} of {id_}")
        episode = self.catalog.store.read(id_)
        annotated(episode, said.annotations)
        one, here = said.annotations[step], episode.steps[step]
        held = holding(said.log).get(step)
        answer = AnswerBook.of(directory, annotator).get(one.request) if one.request else None
        size = here.observation.size
        return {
            "annotator": annotator,
            "episode": id_,
            "version": episode.version,
            "step": step,
            "steps": len(episode.steps),
            "instruction": episode.instruction,
            "action": here.decision.action.model_dump(mode="json"),
            "said": describe(here.decision.action),
            "recorded_target": here.decision.target,
            "before": {
                "sha": one.frame, "width": size.width, "height": size.height,
                "tree": here.observation.ui_tree is not None,
            },
            "reasoning": one.reasoning,
            "target": one.target,
            "match": one.match,
            "codes": _meanings(one.codes),
            "repairs": _meanings(one.repairs),
            "warnings": _meanings(one.warnings),
            "invalid": bool(one.codes),
            "provenance": {
                "annotator": one.annotator,
                "version": one.version,
                "time": one.time,
                "prompt_sha256": one.request,
                "asked": one.asked,
                "model": "" if answer is None else answer.model,
                "tokens": None if answer is None else answer.input_tokens + answer.output_tokens,
            },
            "review": None if held is None else held.model_dump(mode="json"),
            "log": [
                line.model_dump(mode="json") for line in said.log if line.step == step
            ],
            "reject_codes": dict(REVIEWS),
        }  # fmt: skip

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
    ) -> Json:
        """Append one review; `lines` is how many of the step the page knew of.

        An edit that leaves the words as they are is stored as it was asked for: that somebody
        looked and typed is another thing than that somebody accepted.

        Raises:
            RequestError: there is no such step; an accept of what is invalid, an edit without
                words, a reject without a code, a withdrawal where nothing holds.
            EditConflictError: somebody else has reviewed the step meanwhile.
            ReviewError: the step's picture is another one than the page showed.
            DiskError: the disk is full or not writable; then nothing was said.
        """
        with self._lock:
            said = self._said(id_, annotator)
            if said is None or not 0 <= step < len(said.annotations):
                raise RequestError(f"{annotator} has said nothing of step {step} of {id_}")
            one = said.annotations[step]
            if one.frame != frame:
                raise ReviewError(
                    f"{id_}: step {step} is another one than the page showed",
                    hint="load the step again",
                )
            _check(one, holding(said.log).get(step), state, reasoning, code)
            known = sum(1 for line in said.log if line.step == step)
            if known != lines:
                raise EditConflictError(
                    f"{id_}: somebody else has reviewed step {step} meanwhile",
                    hint="look at what was said, and review it again",
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
        return {"review": review.model_dump(mode="json"), "progress": self.progress(annotator)}

    def _directory(self, id_: str) -> Path:
        return self.catalog.store.root / directory_name(id_)

    def _annotators(self, directory: Path) -> list[str]:
        try:
            stamp = (directory / "annotations").stat().st_mtime_ns
        except OSError:
            return []
        known = self._names.get(directory.name)
        if known is None or known[0] != stamp:
            known = self._names[directory.name] = stamp, annotators_of(directory)
        return known[1]

    def _said(self, id_: str, annotator: str) -> _Said | None:
        directory = self._directory(id_)
        if annotator not in self._annotators(directory):
            return None
        files = [
            directory / "annotations" / f"{directory_name(annotator)}{ending}"
            for ending in (".jsonl", ".reviews.jsonl")
        ]
        stamp = tuple(number for path in files for number in _stamp(path))
        known = self._known.get((id_, annotator))
        if known is None or known[0] != stamp:
            lines = read_annotations(directory, annotator)
            said = _Said(
                tuple(lines),
                tuple(read_review_log(directory, annotator)),
                screens_hash([one.frame for one in lines]),
            )
            known = self._known[id_, annotator] = stamp, said
        return known[1]


def _check(
    one: Annotation, held: Review | None, state: ReviewState, reasoning: str | None, code: str
) -> None:
    match state:
        case "accept" if one.codes or not one.reasoning.strip():
            raise RequestError(
                f"step {one.step}: there is nothing valid to accept ({', '.join(one.codes)})",
                hint="write the words, or reject the step",
            )
        case "edit" if not (reasoning or "").strip():
            raise RequestError(f"step {one.step}: the reasoning is empty")
        case "reject" if not code.strip():
            raise RequestError(f"step {one.step}: a rejection says what is wrong")
        case "withdraw" if held is None:
            raise RequestError(f"step {one.step}: there is no review to withdraw")
        case _:
            pass


def _progress(places: list[Place]) -> Json:
    counts = Counter(place.state for place in places)
    return {
        "total": len(places),
        "invalid": sum(place.invalid and place.state == "open" for place in places),
        **{state: counts[state] for state in ("open", "accept", "edit", "reject")},
    }


def _meanings(codes: tuple[str, ...]) -> list[JsonValue]:
    return [{"code": code, "means": meaning(code) or ""} for code in codes]


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
