"""Collects what the data set card of a store tells: statistics, sources, findings, samples."""

from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from tapwright.core.episode import describe_actions
from tapwright.core.language import language_of
from tapwright.errors import BadImageError, NothingFoundError, StoreError, quote_path
from tapwright.store.store import EpisodeStore
from tapwright.workflows.progress import ShowProgress, no_progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tapwright.visualize.card import Card, CardSource, SamplePicture

__all__ = ["collect_card"]

_WIDTH_PX = 240


def collect_card(
    store: EpisodeStore,
    *,
    title: str = "",
    pictures: int = 8,
    show_progress: ShowProgress = no_progress,
) -> "Card":
    """Collect a card; every file of the store is checked. `pictures` samples are drawn.

    Raises:
        NothingFoundError: the store has no episode that can be read.
        LedgerError: the store's record of imports is not one.
    """
    from tapwright.visualize.card import Card
    from tapwright.visualize.stats import collect_stats

    defects = _count_defects(store, show_progress)  # which holds more than what is kept of it
    stats = collect_stats(store)
    if not stats.episodes:
        raise NothingFoundError(
            f"{store.root}: no episodes that can be read",
            hint=f"tapwright episodes ls {quote_path(store.root)}",
        )
    ids = [id_ for id_ in store.scan()[0] if id_ not in stats.unreadable]
    languages = Counter(language_of(store.open(id_).instruction) for id_ in ids)
    return Card(
        title or f"Episodes in {store.root.resolve().name}",
        stats,
        dict(languages.most_common()),
        _list_sources(store, ids),
        defects,
        _draw_samples(store, ids, pictures),
    )


def _count_defects(store: EpisodeStore, show_progress: ShowProgress) -> dict[str, tuple[int, int]]:
    """How many of each kind the check finds, and in how many episodes."""
    from tapwright.curate.check.store import check_episodes, compare_episodes, list_checked

    checked, broken = list_checked(store)
    with show_progress("check", len(checked)) as advance:
        found = chain(
            broken,
            check_episodes(store, checked, advance=advance),
            compare_episodes(store, checked),
        )
        counts = Counter((one.kind, one.episode) for one in found)
    kinds, episodes = Counter[str](), Counter[str](kind for kind, _ in counts)
    for (kind, _), count in counts.items():
        kinds[kind] += count
    return {kind: (count, episodes[kind]) for kind, count in kinds.most_common()}


def _list_sources(store: EpisodeStore, ids: "Sequence[str]") -> "list[CardSource]":
    """Data sets and files that episodes were imported from; the others were recorded."""
    from tapwright.formats.importers.job import read_imported
    from tapwright.visualize.card import CardSource

    origin: Mapping[str, str] = read_imported(store)
    facts: dict[str, tuple[str, str, str]] = {}
    counts: Counter[tuple[str, str, str]] = Counter()
    for id_ in ids:
        source = origin.get(id_)
        if source is None:
            counts["recorded with tapwright", "", ""] += 1
            continue
        folder = str(Path(source).parent)
        if folder not in facts:
            facts[folder] = _find_facts(Path(source))
        counts[facts[folder]] += 1
    return [CardSource(*found, episodes=count) for found, count in counts.most_common()]


def _find_facts(source: Path) -> tuple[str, str, str]:
    """Name, licence and address of the data set by name that a file belongs to."""
    from tapwright.datasets import datasets
    from tapwright.datasets.home import read_name

    for folder in (source, *source.parents):
        name = read_name(folder)
        if name in datasets.names():
            dataset = datasets.get(name)
            return dataset.title, dataset.licence, dataset.source.address
    return f"imported from {source.parent.name or source.name}", "", ""


def _draw_samples(store: EpisodeStore, ids: "Sequence[str]", count: int) -> "list[SamplePicture]":
    """Steps from the middle of episodes that lie evenly in the store."""
    from tapwright.visualize.card import SamplePicture
    from tapwright.visualize.frames import mark_step

    drawn: list[SamplePicture] = []
    chosen = dict.fromkeys(ids[number * len(ids) // count] for number in range(count))
    for id_ in chosen:
        episode = store.open(id_)
        if not episode.steps:
            continue
        try:
            step = episode.steps[len(episode.steps) // 2]
            picture = mark_step(step, width_px=_WIDTH_PX)
        except (BadImageError, StoreError):
            continue  # the defects tell it
        words = f"{episode.instruction}: {describe_actions(step.decision.actions)}"
        drawn.append(SamplePicture(picture, words))
    return drawn
