"""Annotates the episodes of a store, or estimates what a model would need for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from tapwright.errors import StoreError, UsageError
from tapwright.jobs.job import ItemFailed
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore
from tapwright.workflows.annotators import AnnotatorConfig, open_annotator, open_model_annotator
from tapwright.workflows.engine import Engine
from tapwright.workflows.host import HostConfig
from tapwright.workflows.progress import ShowProgress, no_progress
from tapwright.workflows.selecting import select_episodes
from tapwright.workflows.workers import open_annotating

__all__ = ["Estimate", "annotate_episodes", "estimate_annotation"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """What annotating would take; `answered` questions are on disk, `cost` needs a price.

    `left_out` counts the steps that are no targets, and that no question is about.
    """

    episodes: int
    left_out: int
    questions: int
    answered: int
    images: int
    tokens_in: int
    tokens_out: int
    cost: float | None


async def annotate_episodes(
    store: EpisodeStore,
    config: AnnotatorConfig,
    host: HostConfig,
    episode_ids: Sequence[str] = (),
    *,
    again: bool = False,
    engine: Engine | None = None,
    show_progress: ShowProgress = no_progress,
) -> list[ItemFailed]:
    """Annotate episodes (all by default); the ones that failed.

    With `again` the episodes are annotated although they are; answers on disk are used.

    Raises:
        UsageError: a cost limit cannot be kept by the workers of a cluster, or has no price.
        NothingFoundError: the store has no episodes.
    """
    from tapwright.annotate.run import annotate_store

    engine = engine or Engine()
    if engine.is_remote and config.max_cost is not None:
        raise UsageError(
            "--max-cost is enforced by one process, and a cluster has several",
            hint="see what it would cost with --dry-run, or leave out --engine ray",
        )
    selected = select_episodes(store, episode_ids)
    annotator, model = open_annotator(store, config, selected, host)
    failures: list[ItemFailed] = []
    location = engine.directories.location(store.root)
    open_work = partial(open_annotating, location, config, host.shared_models, engine.read_host)
    try:
        with show_progress(f"annotate ({config.name})", len(selected)) as advance:
            async with engine.start(
                open_work, items=len(selected), each=config.concurrency
            ) as workers:
                async for ended in annotate_store(
                    store, annotator, ids=selected, concurrency=config.concurrency, again=again,
                    workers=workers,
                ):  # fmt: skip
                    advance(1)
                    if isinstance(ended, ItemFailed):
                        failures.append(ended)
            if engine.is_remote:
                names = [f"{directory_name(id_)}/annotations" for id_ in selected]
                engine.directories.fetch_again(store.root, names)
    finally:
        if model is not None:
            await model.close()
    return failures


async def estimate_annotation(
    store: EpisodeStore,
    config: AnnotatorConfig,
    host: HostConfig,
    episode_ids: Sequence[str] = (),
    *,
    report_error: Callable[[str, StoreError], None] = lambda id_, error: None,
) -> Estimate:
    """What a model would need to annotate episodes (all by default); it is not queried.

    `report_error` is called with the id of an episode that cannot be read, which is not counted.
    No key is needed.

    Raises:
        UsageError: the annotator is not a model.
        NothingFoundError: the store has no episodes.
    """
    if not config.is_model:
        raise UsageError(f"{config.name} queries no model, so there is nothing to estimate")
    selected = select_episodes(store, episode_ids)
    annotator, model = open_model_annotator(store, config, selected, host, sends=False)
    await model.close()
    questions = images = tokens_in = tokens_out = episodes = windows = left_out = 0
    for id_ in selected:
        try:
            episode = store.read(id_)
            split = annotator.windows(episode)
            unanswered = annotator.unanswered(episode, split)
        except StoreError as error:
            report_error(id_, error)
            continue
        episodes += bool(unanswered)
        windows += len(split)
        asked = {step for first, last in split for step in range(first, last + 1)}
        left_out += len(episode.steps) - len(asked)
        questions += len(unanswered)
        for one in unanswered:
            more_in, more_out = one.estimate()
            tokens_in, tokens_out = tokens_in + more_in, tokens_out + more_out
            images += len(one.shown)
    price = config.price
    return Estimate(
        episodes,
        left_out,
        questions,
        windows - questions,
        images,
        tokens_in,
        tokens_out,
        None if price is None else price.cost(tokens_in, tokens_out, images),
    )
