"""Annotates the episodes of a store, and reads annotations back.

They are written beside what was recorded, never into it: one file for each annotator,
`<episode>/annotations/<annotator>.jsonl`, one line per step.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError

from tapwright.annotate.annotator import Annotator, Reasoning
from tapwright.episode import Episode
from tapwright.errors import AnnotationError, StoreError, first_problem
from tapwright.files import write_beside
from tapwright.jobs import Ended, Job
from tapwright.records import from_json, to_json
from tapwright.store import EpisodeStore, directory_name

__all__ = [
    "Annotation",
    "annotate",
    "annotated",
    "read_annotations",
]


class Annotation(BaseModel):
    """One line: what was said of a step, by whom and when.

    `frame` is the hash of the step's screenshot. It tells when the steps have changed since.
    `time` is an ISO 8601 time in UTC.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int
    frame: str
    reasoning: str
    target: str
    annotator: str
    version: str
    time: str


_LINE = TypeAdapter(Annotation)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


async def annotate(
    store: EpisodeStore,
    annotator: Annotator,
    *,
    ids: Iterable[str] | None = None,
    concurrency: int = 1,
    now: Callable[[], str] = _now,
) -> AsyncIterator[Ended]:
    """Annotate the episodes of a store that this version of the annotator has not annotated yet.

    The job's ledger is in the store, so the same call goes on where a killed one stopped. What it
    says counts while the annotations are there and are those of the episode's steps. Without `ids`
    all episodes are meant. An item's key is the episode's id, its value has the `episode`, too, and
    the number of `steps`.
    """

    async def work(id_: str) -> JsonValue:
        episode = store.read(id_)
        said = await annotator.annotate(episode)
        _check(episode, annotator, said)
        lines = [
            Annotation(
                step=entry.step,
                frame=step.observation.screenshot.sha256,
                reasoning=entry.reasoning,
                target=entry.target,
                annotator=annotator.name,
                version=annotator.version,
                time=now(),
            )
            for entry, step in zip(said, episode.steps, strict=True)
        ]
        write_beside(
            _path(store.root / directory_name(id_), annotator.name),
            b"".join(to_json(line) + b"\n" for line in lines),
        )
        return {"episode": id_, "steps": len(lines)}

    def kept(value: JsonValue) -> bool:
        match value:
            case {"episode": str(id_)}:
                return _is_annotated(store, id_, annotator)
        return False

    label = directory_name(f"{annotator.name}-{annotator.version}")
    job = Job(
        "annotate",
        key=lambda id_: id_,
        work=work,
        kept=kept,
        config={"annotator": annotator.name, "version": annotator.version},
        concurrency=concurrency,
    )
    chosen = store.ids() if ids is None else list(ids)
    async for ended in job.run(chosen, store.root / f"annotate-{label}.jsonl"):
        yield ended


def read_annotations(directory: Path, annotator: str) -> list[Annotation]:
    """What `annotator` said of the episode in `directory`, in the order of its steps.

    Raises:
        AnnotationError: it has not annotated the episode, or a line of the file is broken.
    """
    path = _path(directory, annotator)
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise AnnotationError(
            f"{path}: no annotations: {error.strerror}",
            hint=f"tapwright annotate run {directory.parent} --with {annotator}",
        ) from error
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(from_json(_LINE, line))
        except (ValueError, RecursionError) as error:
            reason = first_problem(error) if isinstance(error, ValidationError) else error
            raise AnnotationError(f"{path}, line {number}: not one: {reason}") from error
    return found


def annotated(episode: Episode, annotations: Sequence[Annotation]) -> Episode:
    """The episode with its decisions' `reasoning` and `target` filled in.

    Raises:
        AnnotationError: the annotations are those of other steps than the episode has.
    """
    if not _belong(annotations, episode):
        raise AnnotationError(
            f"{episode.id}: the annotations belong to other steps than these {len(episode.steps)}; "
            "the episode was changed after it was annotated",
            hint="annotate it again",
        )
    steps = tuple(
        replace(
            step,
            decision=replace(step.decision, reasoning=entry.reasoning, target=entry.target),
        )
        for step, entry in zip(episode.steps, annotations, strict=True)
    )
    return replace(episode, steps=steps)


def _belong(annotations: Sequence[Annotation], episode: Episode) -> bool:
    shown = [step.observation.screenshot.sha256 for step in episode.steps]
    return [(entry.step, entry.frame) for entry in annotations] == list(enumerate(shown))


def _is_annotated(store: EpisodeStore, id_: str, annotator: Annotator) -> bool:
    try:
        found = read_annotations(store.root / directory_name(id_), annotator.name)
        episode = store.read(id_)
    except StoreError:
        return False
    by = {(entry.annotator, entry.version) for entry in found}
    return _belong(found, episode) and by <= {(annotator.name, annotator.version)}


def _check(episode: Episode, annotator: Annotator, said: Sequence[Reasoning]) -> None:
    if [entry.step for entry in said] != list(range(len(episode.steps))):
        raise AnnotationError(
            f"{episode.id}: {annotator.name} annotated the steps "
            f"{[entry.step for entry in said]}; expected 0 to {len(episode.steps) - 1}"
        )


def _path(directory: Path, annotator: str) -> Path:
    return directory / "annotations" / f"{directory_name(annotator)}.jsonl"
