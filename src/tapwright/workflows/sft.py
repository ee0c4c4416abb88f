"""Writes training sets from stores of episodes."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from tapwright import errors
from tapwright.core.episode import GROUP
from tapwright.core.fit import UNLABELLED
from tapwright.core.geometry import Size
from tapwright.core.language import counted
from tapwright.core.screenshot import Screenshot
from tapwright.files.regular import read_regular
from tapwright.store.catalog import Catalog
from tapwright.store.errors import no_episodes
from tapwright.store.ids import directory_name
from tapwright.store.selection import EVERYTHING, Selection
from tapwright.store.store import EpisodeStore
from tapwright.workflows.engine import Engine
from tapwright.workflows.progress import ShowProgress, no_progress

if TYPE_CHECKING:
    from tapwright.core.episode import Episode
    from tapwright.core.outcomes import InstructionLevel
    from tapwright.formats.exporters.samples import TrainingEpisode
    from tapwright.formats.exporters.stats import SampleStats
    from tapwright.formats.exporters.training_set import (
        DroppedStep,
        SftFormat,
        SftReport,
        SftSettings,
    )

__all__ = [
    "SampleConfig", "collect_training_stats", "export_training_set",
    "open_sft_format", "select_training_episodes", "try_on_model",
]  # fmt: skip


_MANY = 100
"""From so many episodes on other processes make rows, too."""


@dataclass(frozen=True, slots=True)
class SampleConfig:
    """Which episodes become training samples, and how.

    Of each store those of the `selection` that have the `outcome`, or "any"; with the reasoning of
    `annotator`, or the recorded one; `approved_only` keeps the steps that a person approved.
    Pictures are scaled by `scale`, to at most `max_pixels` and sides of at most
    `max_side`. `weights`, `paraphrases` and
    `template` are files. With `actions_only` steps without a reasoning are samples, too, where the
    convention's answers have no place for one. With the `level` "low" a sample has the instruction
    of its step.

    With `targets`, the name of a grounding benchmark, the stores are directories of its data
    instead, and each sample is one of its elements, or a conversation about up to `per_picture`
    elements of one picture; nothing of it depends on recordings.
    """

    convention: str
    annotator: str | None = None
    approved_only: bool = False
    outcome: str = "success"
    seed: int = 0
    val_share: float = 0.0
    history: str = "full"
    scale: float = 1.0
    max_pixels: int | None = None
    max_side: int | None = None
    jpeg_quality: int | None = None
    weights: Path | None = None
    paraphrases: Path | None = None
    template: Path | None = None
    level: "InstructionLevel" = "high"
    selection: Selection = EVERYTHING
    targets: str = ""
    per_picture: int = 1
    actions_only: bool = False

    def read(self) -> "SftSettings":
        """The settings of a training set, with the files read.

        Raises:
            UnknownNameError: there is no such convention.
            UsageError: a file cannot be read, or there is no such history policy.
        """
        from tapwright.conventions import conventions
        from tapwright.conventions.history import HistoryPolicy
        from tapwright.formats.exporters.training_set import SftSettings
        from tapwright.formats.exporters.weights import read_paraphrases, read_weights

        return SftSettings(
            conventions.get(self.convention),
            seed=self.seed,
            val_share=self.val_share,
            history=HistoryPolicy.from_text(self.history),
            scale=self.scale,
            max_pixels=self.max_pixels,
            max_side=self.max_side,
            jpeg_quality=self.jpeg_quality,
            weights=read_weights(self.weights) if self.weights else (),
            paraphrases=read_paraphrases(self.paraphrases) if self.paraphrases else {},
            template=_read_template(self.template) if self.template else "",
            level="low" if self.targets else self.level,
            per_picture=self.per_picture,
            actions_only=self.actions_only,
        )


def export_training_set(
    stores: Sequence[Path],
    out: Path,
    config: SampleConfig,
    *,
    format_name: str,
    engine: Engine | None = None,
    show_progress: ShowProgress = no_progress,
) -> "SftReport":
    """Write a training set of a trainer's format into a new directory, and check it.

    The workers of a cluster encode pictures, which is what takes the time; pictures that stay as
    they were recorded leave them nothing to do. Without them each core makes rows of many episodes.
    """
    from tapwright.formats.exporters.job import export_sft
    from tapwright.workflows.training_rows import spread_rows

    engine = engine or Engine()
    format_ = open_sft_format(format_name)
    settings = config.read()
    episodes, dropped = select_training_episodes(stores, config, show_progress=show_progress)
    with show_progress(f"sft ({format_name})", len(episodes)) as advance:
        write = partial(
            export_sft, format_, episodes, out, settings, dropped=dropped, advance=advance
        )
        if engine.is_remote:
            import asyncio

            return asyncio.run(_write_with_workers(write, engine))
        # Elements of a benchmark are read here, out of one file.
        many = len(episodes) >= _MANY and not config.targets
        return write(spread=partial(spread_rows, config, format_name) if many else None)


async def _write_with_workers(write: "Callable[..., SftReport]", engine: Engine) -> "SftReport":
    """What `write` returns when workers encode the pictures."""
    from tapwright.workflows.workers import open_encoding

    loop = asyncio.get_running_loop()
    async with engine.start(open_encoding, items=engine.workers) as workers:
        assert workers is not None  # the engine is remote

        def encode(picture: Screenshot, size: Size, jpeg_quality: int | None) -> Screenshot:
            encoding = workers((picture.data, picture.origin, size, jpeg_quality))
            data = asyncio.run_coroutine_threadsafe(encoding, loop).result()
            return Screenshot(data, origin=picture.origin)

        return await asyncio.to_thread(write, encode=encode, threads=engine.workers)


def collect_training_stats(
    stores: Sequence[Path],
    config: SampleConfig,
    *,
    tokenizer: Path | None = None,
    show_progress: ShowProgress = no_progress,
) -> "SampleStats":
    """Count the samples that stores make; lengths in tokens of a `tokenizer`, or in characters.

    Raises:
        MissingExtraError: there is a tokenizer, and tokenizers is not installed.
        UsageError: the tokenizer cannot be read.
        NothingFoundError: there are no episodes.
    """
    from tapwright.formats.exporters.pictures import PictureEncoder
    from tapwright.formats.exporters.samples import make_samples
    from tapwright.formats.exporters.stats import collect_sample_stats, open_token_counter

    count_length = len if tokenizer is None else open_token_counter(tokenizer)
    settings = config.read()
    episodes, dropped = select_training_episodes(stores, config)

    with show_progress("sft stats", len(episodes)) as advance, PictureEncoder(settings) as pictures:

        def read() -> "Iterator[TrainingEpisode]":
            for episode in episodes:
                yield episode
                advance(1)

        samples = make_samples(read(), frozenset(), pictures, settings)
        return collect_sample_stats(chain(dropped, samples), count_length)


def open_sft_format(name: str) -> "SftFormat":
    """The format of training sets of this name.

    Raises:
        UnknownNameError: there is no such format.
        UsageError: it is a format of something else.
    """
    from tapwright.formats import formats
    from tapwright.formats.exporters.training_set import SftFormat

    format_ = formats.get(name)
    if not isinstance(format_, SftFormat):
        raise errors.UsageError(f"{name} is not a format of training sets")
    return format_


def try_on_model(
    directory: Path,
    format_name: str,
    model: Path,
    device: str,
    samples: int,
    *,
    show_progress: ShowProgress = no_progress,
) -> tuple[int, int]:
    """Try a set on the processor of a model, before it is trained.

    Returns:
        The tokens of the longest sample, and how many the model takes.

    Raises:
        MissingExtraError: transformers is not installed.
        UsageError: sets of this format cannot be tried.
        BadTrainingSetError: the set cannot be read.
        ModelError: the model does not take a sample, which is named, or there is none such.
    """
    from tapwright.formats.exporters.conversations import read_conversations

    conversations = read_conversations(format_name, directory)
    try:
        from tapwright.models.fitting import FittingModel
    except ModuleNotFoundError as error:
        raise errors.MissingExtraError("trying a set on a model", "hf") from error
    fitting, longest, last = FittingModel(str(model), device), 0, ""
    with show_progress(f"on {model.name}", samples) as advance:
        for where, messages in conversations:
            try:
                longest = max(longest, fitting.count(messages))
            except (errors.ModelError, errors.BadImageError) as error:
                hint = error.hint or "write the set again: tapwright sft export … -o NEW"
                raise type(error)(f"{where}: {error}", hint=hint) from error
            advance(int(where != last))
            last = where
    return longest, fitting.positions


def select_training_episodes(
    stores: Sequence[Path], config: SampleConfig, *, show_progress: ShowProgress = no_progress
) -> "tuple[list[TrainingEpisode], list[DroppedStep]]":
    """The episodes of a configuration, each read when its turn comes, and the broken ones.

    Where some are held out for validation, those that are nearly the same are a group, also of two
    stores.

    Raises:
        UsageError: approved steps are wanted, and no annotator is given; or an option is for
            recordings, and the stores are a benchmark's data.
        NothingFoundError: there are none.
    """
    from tapwright.conventions import conventions
    from tapwright.formats.exporters.samples import TrainingEpisode
    from tapwright.formats.exporters.training_set import DroppedStep

    if config.targets:
        from tapwright.workflows.target_episodes import list_target_episodes

        _refuse_for_targets(config)
        return list_target_episodes(config.targets, stores, conventions.get(config.convention))
    if config.per_picture > 1:
        raise errors.UsageError(
            "--per-picture has no effect: each step of a recording has a picture of its own",
            hint="it is for the elements of a benchmark: --targets l2",
        )
    if config.approved_only and config.annotator is None:
        raise errors.UsageError(
            "--only approved needs to know whose annotations were reviewed",
            hint="add --annotator NAME",
        )
    episodes: list[TrainingEpisode] = []
    dropped: list[DroppedStep] = []
    others: Counter[str] = Counter()
    ids: dict[EpisodeStore, list[str]] = {}
    taken: set[str] = set()
    for path in stores:
        store = EpisodeStore(path)
        ids[store] = []
        for id_ in _list_ids(store, config.selection, dropped):
            try:
                episode = store.open(id_)
            except errors.StoreError as error:
                dropped.append(DroppedStep(id_, None, str(error), error.code))
                continue
            if config.outcome not in ("any", episode.outcome):
                others[episode.outcome] += 1
                dropped.append(DroppedStep(id_, None, _OTHER_OUTCOME.format(episode.outcome)))
            else:
                read = partial(_read, store, id_, config)
                group = episode.extra.get(GROUP, "")
                is_claimed = episode.evidence == "claimed"
                episodes.append(TrainingEpisode(id_, episode.task_id, read, group, is_claimed))
                if id_ not in taken:  # of two with one id the first is exported
                    taken.add(id_)
                    ids[store].append(id_)
    if config.val_share and episodes:
        episodes = _join_duplicates(ids, episodes, show_progress)
    if not episodes and not any(one.code for one in dropped):
        raise _nothing_found(stores, config, others)
    return episodes, dropped


_OTHER_OUTCOME = "the outcome is {}; --outcome any takes it, episodes rejudge may prove another"


def _nothing_found(
    stores: Sequence[Path], config: SampleConfig, others: Counter[str]
) -> errors.NothingFoundError:
    """That no episode was taken; `others` are the outcomes of those that are there."""
    names = ", ".join(str(path) for path in stores)
    fit = "" if config.selection.is_everything else " that fit the filter"
    if not others:
        if len(stores) == 1 and not fit:
            return no_episodes(stores[0])
        return errors.NothingFoundError(f"{names}: no episodes{fit}")
    found = ", ".join(
        f"{counted(many, 'time')}: the outcome is {outcome}"
        for outcome, many in others.most_common()
    )
    both = "," if fit else ""
    return errors.NothingFoundError(
        f"{names}: no episodes{fit}{both} with the outcome {config.outcome!r}; {found}",
        hint="take them all with --outcome any, or have them judged: tapwright episodes rejudge",
    )


def find_annotators(stores: Sequence[Path], dropped: "Sequence[DroppedStep]") -> list[str]:
    """Who has explained steps that were left out because nobody's reasoning was asked for."""
    from tapwright.store.annotations import list_annotators

    ids = {one.episode for one in dropped if one.reason.startswith(UNLABELLED)}
    homes = (store / directory_name(id_) for store in stores for id_ in ids)
    return sorted({name for home in homes if home.is_dir() for name in list_annotators(home)})


def _join_duplicates(
    ids: Mapping[EpisodeStore, Sequence[str]],
    episodes: "Sequence[TrainingEpisode]",
    show_progress: ShowProgress,
) -> "list[TrainingEpisode]":
    """The same episodes; near-duplicates, and the groups of plays that they are in, are one group.

    They are those of `episodes dedupe`: the same actions on screens that look nearly the same; and
    one search goes over all stores, each with its `ids`.
    """
    from tapwright.curate.duplicates import FindDuplicates

    (first, own), *others = [(Catalog(store), found) for store, found in ids.items() if found]
    search = FindDuplicates(first, own, others)
    show = show_progress if search.pictures else no_progress
    with show("look for near-duplicates", search.pictures) as advance:
        found = search.run(advance=advance)
    units: dict[str, str] = {}
    for one in episodes:
        units.setdefault(one.id, one.group or one.id)
    joined: dict[str, str] = {}

    def find(unit: str) -> str:
        while unit in joined:
            unit = joined[unit]
        return unit

    for group in found:
        unit, *same = sorted({find(units[id_]) for id_ in group.ids})
        joined.update(dict.fromkeys(same, unit))
    together = {find(units[id_]) for group in found for id_ in group.ids}
    return [
        replace(one, group=unit) if (unit := find(units[one.id])) in together else one
        for one in episodes
    ]


def _refuse_for_targets(config: SampleConfig) -> None:
    """Refuse what chooses recordings, or says what of them is told."""
    given = {
        "--where": config.selection != EVERYTHING,
        "--annotator": config.annotator is not None,
        "--only approved": config.approved_only,
        "--outcome": config.outcome != "success",
        "--history": config.history != "full",
        "--paraphrases": config.paraphrases is not None,
    }
    unused = [option for option, is_given in given.items() if is_given]
    if unused:
        raise errors.UsageError(
            f"{', '.join(unused)} has no effect: elements of {config.targets} are no recordings",
            hint=f"leave out {unused[0]}",
        )


def _list_ids(
    store: EpisodeStore, selection: Selection, dropped: "list[DroppedStep]"
) -> Iterator[str]:
    from tapwright.formats.exporters.training_set import DroppedStep

    catalog = Catalog(store)
    yield from catalog.ids(selection)
    for name, error in catalog.unreadable().items():
        dropped.append(DroppedStep(name, None, str(error), error.code))


def _read(
    store: EpisodeStore, id_: str, config: SampleConfig
) -> "tuple[Episode, Mapping[int, str]]":
    from tapwright.annotate.review import apply_reviews, read_reviews
    from tapwright.store.annotations import apply_annotations, read_annotations

    episode = store.read(id_)
    if config.annotator is None:
        return episode, {}
    directory = store.root / directory_name(id_)
    episode = apply_annotations(episode, read_annotations(directory, config.annotator))
    if config.approved_only:
        return apply_reviews(episode, read_reviews(directory, config.annotator))
    return episode, {}


def _read_template(path: Path) -> str:
    try:
        return read_regular(path).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise errors.UsageError(f"{path}: cannot be read as a chat template: {error}") from error
