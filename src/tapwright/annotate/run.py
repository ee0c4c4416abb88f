"""Annotates the episodes of a store; what is written beside them is in `store.annotations`."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue

from tapwright.annotate.annotator import Annotator, Reasoning
from tapwright.core.episode import Episode
from tapwright.core.fit import find_fit
from tapwright.errors import StoreError
from tapwright.jobs.cluster import RayWork
from tapwright.jobs.job import ItemResult, Job
from tapwright.store import annotations
from tapwright.store.errors import AnnotationError
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore

__all__ = ["EpisodeAnnotator", "annotate_store", "write_annotations"]


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
        listed = sum(entry.codes not in ((), (annotations.NOT_ASKED,)) for entry in reasonings)
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
        annotations.Annotation(
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
    annotations.replace_annotations(directory, annotator, lines)


def _is_annotated(store: EpisodeStore, id_: str, annotator: Annotator) -> bool:
    try:
        found = annotations.read_annotations(store.root / directory_name(id_), annotator.name)
        episode = store.read(id_)
        if not annotations.belong_to(found, episode):
            return False
        pairs = zip(found, episode.steps, strict=True)
        # A step that was no target may be one since: who refused it was wrong, or it was edited.
        if any(
            entry.codes == (annotations.NOT_ASKED,) and not find_fit(step).target
            for entry, step in pairs
        ):
            return False
    except StoreError:
        return False
    by = {(entry.annotator, entry.version) for entry in found}
    return by <= {(annotator.name, annotator.version)}
