"""Makes the rows of a large training set in several processes, some episodes at a time."""

from collections.abc import Generator, Sequence
from contextlib import closing
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from tapwright.errors import TapwrightError
from tapwright.formats import formats
from tapwright.formats.exporters.job import ImageFiles, MadeRows, make_rows
from tapwright.formats.exporters.pictures import PictureEncoder
from tapwright.formats.exporters.samples import TrainingEpisode, make_samples
from tapwright.formats.exporters.training_set import SftFormat, SftSettings
from tapwright.formats.exporters.writers import JsonRows
from tapwright.jobs.processes import map_batches
from tapwright.workflows.own_names import admit_convention, tell_own_fault

if TYPE_CHECKING:
    from tapwright.workflows.sft import SampleConfig

__all__ = ["spread_rows"]

_BATCH = 2
"""Episodes: rows of some hundred steps come back at once, each of some kilobytes of text."""

# Code of the user's own raises whatever its libraries define.
_ANY_FAULT: tuple[type[Exception], ...] = (Exception,)


def spread_rows(
    config: "SampleConfig",
    format_name: str,
    episodes: Sequence[TrainingEpisode],
    held_out: frozenset[str],
    directory: Path,
) -> Generator[MadeRows, None, None]:
    """Yields the rows of some episodes at a time, in order, as `MakeRows` does.

    What the set is made by goes to the processes by its names: conventions hold functions.
    """
    items = [(episode, episode.id in held_out) for episode in episodes]
    work = partial(_make, config, format_name, directory)
    with closing(map_batches(work, items, _BATCH)) as batches:
        for _, made in batches:
            yield made


def _make(
    config: "SampleConfig",
    format_name: str,
    directory: Path,
    batch: Sequence[tuple[TrainingEpisode, bool]],
) -> MadeRows:
    try:
        return _make_rows(config, format_name, directory, batch)
    except (TapwrightError, MemoryError):
        raise
    except _ANY_FAULT as error:
        # Between processes an exception loses the lines that it went through.
        own = tell_own_fault(error)
        if own is None:
            raise
        raise own from error


def _make_rows(
    config: "SampleConfig",
    format_name: str,
    directory: Path,
    batch: Sequence[tuple[TrainingEpisode, bool]],
) -> MadeRows:
    settings, rows, without_reasoning = _open(config, format_name, directory)
    images = ImageFiles(directory)
    with PictureEncoder(settings, threads=0) as pictures:
        found = make_samples(
            [episode for episode, _ in batch],
            frozenset(episode.id for episode, is_held_out in batch if is_held_out),
            pictures,
            settings,
            without_reasoning=without_reasoning,
        )
        made = list(make_rows(found, rows.render, images))
    return MadeRows(len(batch), made, images.count)


@lru_cache(maxsize=1)
def _open(
    config: "SampleConfig", format_name: str, directory: Path
) -> tuple[SftSettings, JsonRows, bool]:
    """The settings, what makes rows, and whether what was played needs no reasoning."""
    admit_convention(config.convention)
    settings, format_ = config.read(), formats.get(format_name)
    assert isinstance(format_, SftFormat)  # the driver has checked it
    rows = format_.writer(directory, settings)
    assert isinstance(rows, JsonRows)  # as `export_sft` has
    return settings, rows, format_.learns_from_play
