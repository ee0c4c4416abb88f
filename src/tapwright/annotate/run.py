"""Annotates the episodes of a store, and reads annotations back.

They are written beside what was recorded, never into it: one file for each annotator,
`<episode>/annotations/<annotator>.jsonl`, one line per step.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter

from tapwright.annotate.annotator import Annotator, Reasoning
from tapwright.annotate.errors import AnnotationError
from tapwright.episode import Episode
from tapwright.errors import StoreError
from tapwright.files.atomic import write_atomically
from tapwright.files.jsonl import parse_lines, to_json
from tapwright.files.regular import read_regular
from tapwright.jobs.cluster import RayWork
from tapwright.jobs.job import ItemResult, Job
from tapwright.store.changes import noting_change
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore

__all__ = [
    "Annotation",
    "EpisodeAnnotator",
    "annotate_store",
    "apply_annotations",
    "list_annotators",
    "read_annotations",
    "write_annotations",
]


class Annotation(BaseModel):
    """One line: the annotation of a step, its annotator and its time.

    `frame` is the hash of the step's screenshot. It differs when the steps have changed since.
    `time` is an ISO 8601 time in UTC. With `codes` the step is only listed, as every explanation
    of it was rejected. The rest is as in `Reasoning`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int
    frame: str
    reasoning: str
    target: str
    annotator: str
    version: str
    time: str
    codes: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    request: str = ""
    asked: int = 0
    match: float | None = None


_LINE = TypeAdapter(Annotation)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class EpisodeAnnotator:
    """Annotates an episode of a store, and writes the annotations beside it."""

    def __init__(
        self, store: EpisodeStore, annotator: Annotator, now: Callable[[], str] = _now
    ) -> None:
        self._store = store
        self._annotator = annotator
        self._now = now

    async def __call__(self, id_: str) -> JsonValue:
        """Return the `episode`, its number of `steps`, and how many of them are `listed` only.

        Raises:
            TapwrightError: the episode cannot be read, or not be annotated.
        """
        by = self._annotator
        episode = self._store.read(id_)
        reasonings = await by.annotate(episode)
        directory = self._store.root / directory_name(id_)
        write_annotations(directory, episode, reasonings, by.name, by.version, self._now())
        listed = sum(1 for entry in reasonings if entry.codes)
        return {"episode": id_, "steps": len(reasonings), "listed": listed}


async def annotate_store(
    store: EpisodeStore,
    annotator: Annotator,
    *,
    ids: Iterable[str] | None = None,
    concurrency: int = 1,
    again: bool = False,
    now: Callable[[], str] = _now,
    workers: RayWork[str, JsonValue] | None = None,
) -> AsyncIterator[ItemResult]:
    """Annotates the episodes of a store that this version of the annotator has not annotated yet.

    The job's ledger is in the store, so the same call continues where an interrupted one stopped. A
    record of it counts while the annotations exist and are those of the episode's steps. Without
    `ids` all episodes are annotated. An item's key is the episode's id; its value has
    the `episode` too, the number of `steps`, and how many of them are `listed` only. With `again`
    the episodes that have such steps are annotated anew. With `workers`, those of a cluster
    annotate (`EpisodeAnnotator`, by the episode's id).
    """

    def kept(value: JsonValue) -> bool:
        match value:
            case {"episode": str(id_), "listed": int(listed)}:
                return not (again and listed) and _is_annotated(store, id_, annotator)
        return False

    label = directory_name(f"{annotator.name}-{annotator.version}")
    job = Job(
        "annotate",
        key=lambda id_: id_,
        work=workers or EpisodeAnnotator(store, annotator, now),
        kept=kept,
        config={"annotator": annotator.name, "version": annotator.version},
        concurrency=workers.concurrency if workers else concurrency,
    )
    chosen = store.ids() if ids is None else list(ids)
    async for ended in job.run(chosen, store.root / f"annotate-{label}.jsonl"):
        yield ended


def write_annotations(
    directory: Path,
    episode: Episode,
    reasonings: Sequence[Reasoning],
    annotator: str,
    version: str,
    time: str,
) -> None:
    """Writes annotations beside the episode in `directory`, replacing the annotator's earlier ones.

    Raises:
        AnnotationError: it did not speak of every step, in their order.
        DiskError: the disk is full or not writable; then what was there before is there still.
    """
    if [entry.step for entry in reasonings] != list(range(len(episode.steps))):
        raise AnnotationError(
            f"{episode.id}: {annotator} annotated the steps "
            f"{[entry.step for entry in reasonings]}; expected 0 to {len(episode.steps) - 1}"
        )
    lines = [
        Annotation(
            step=entry.step,
            frame=step.observation.screenshot.sha256,
            reasoning=entry.reasoning,
            target=entry.target,
            annotator=annotator,
            version=version,
            time=time,
            codes=entry.codes,
            repairs=entry.repairs,
            warnings=entry.warnings,
            request=entry.request,
            asked=entry.asked,
            match=entry.match,
        )
        for entry, step in zip(reasonings, episode.steps, strict=True)
    ]
    with noting_change(directory):
        write_atomically(
            _path(directory, annotator), b"".join(to_json(line) + b"\n" for line in lines)
        )


def read_annotations(directory: Path, annotator: str) -> list[Annotation]:
    """Reads the annotations by `annotator` of the episode in `directory`, in order.

    Raises:
        AnnotationError: it has not annotated the episode, or a line of the file is broken.
    """
    path = _path(directory, annotator)
    if not path.exists():
        raise AnnotationError(
            f"{path}: no annotations: there is no such file",
            hint=f"tapwright annotate run {directory.parent} --with {annotator}",
        )
    return _read(path)


def list_annotators(directory: Path) -> list[str]:
    """Lists the annotators of the episode in `directory`, by name.

    Raises:
        AnnotationError: a file there is broken.
    """
    found = []
    for path in sorted((directory / "annotations").glob("*.jsonl")):
        if path.name.endswith((".answers.jsonl", ".reviews.jsonl", ".comments.jsonl")):
            continue
        lines = _read(path)
        found += [lines[0].annotator] if lines else []
    return found


def apply_annotations(episode: Episode, annotations: Sequence[Annotation]) -> Episode:
    """Fills in `reasoning` and `target` of an episode's decisions; empty where only listed.

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
    screens = [step.observation.screenshot.sha256 for step in episode.steps]
    return [(entry.step, entry.frame) for entry in annotations] == list(enumerate(screens))


def _is_annotated(store: EpisodeStore, id_: str, annotator: Annotator) -> bool:
    try:
        found = read_annotations(store.root / directory_name(id_), annotator.name)
        episode = store.read(id_)
    except StoreError:
        return False
    by = {(entry.annotator, entry.version) for entry in found}
    return _belong(found, episode) and by <= {(annotator.name, annotator.version)}


def _read(path: Path) -> list[Annotation]:
    try:
        lines = read_regular(path).splitlines()
    except OSError as error:
        raise AnnotationError(f"{path}: cannot be read: {error.strerror}") from error
    return list(parse_lines(lines, _LINE, path, error=AnnotationError, expected="an annotation"))


def _path(directory: Path, annotator: str) -> Path:
    return directory / "annotations" / f"{directory_name(annotator)}.jsonl"
