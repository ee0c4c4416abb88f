"""Training sets that grow by a group of plays at a time, and can be read at any moment.

A group is a shard of its own, `train-<group>-00000.parquet`, which comes and is replaced in one
move. So a set has whole groups alone, whatever is killed when, and a group that is written again is
there once.
"""

from collections import Counter
from collections.abc import Sequence
from glob import escape
from pathlib import Path

from tapwright.errors import NothingFoundError
from tapwright.files.atomic import atomic_files, wrap_disk_errors
from tapwright.formats.exporters import training_set
from tapwright.formats.exporters.pictures import PictureEncoder
from tapwright.formats.exporters.samples import TrainingEpisode, make_samples
from tapwright.store.ids import directory_name

__all__ = ["add_group"]


def add_group(
    format_: training_set.SftFormat,
    directory: Path,
    settings: training_set.SftSettings,
    group: str,
    episodes: Sequence[TrainingEpisode],
) -> tuple[int, Counter[str]]:
    """Add what a group teaches to the set in `directory`.

    What was played counts as it was said, without a reasoning, too. There is none where the plays
    teach nothing, such as those that were all rewarded the same. What the group had there goes.

    Returns:
        How many rows, checked, that is; and why how many steps are in none.

    Raises:
        DiskError: the disk is full or not writable; the set is as it was.
        BadTrainingSetError: what was written breaks the trainer's rules; the set is as it was.
    """
    rows, waiting, shards, own = 0, 0, set[str](), directory_name(group)
    left_out = Counter[str]()
    try:
        with atomic_files(directory) as beside, PictureEncoder(settings) as pictures:
            writer = format_.writer(beside, settings)
            for sample in make_samples(
                episodes, frozenset(), pictures, settings, without_reasoning=True
            ):
                if isinstance(sample, training_set.DroppedStep):
                    left_out[sample.reason] += 1
                    continue
                try:
                    writer.add(sample)
                    waiting += 1
                except training_set.UnusableStepError as error:
                    left_out[str(error)] += 1
            if not waiting:
                raise NothingFoundError(f"{group}: no step can become a sample")
            left_out.update(one.reason for one in writer.close() or ())
            rows = format_.check(beside)
            for path in list(beside.rglob("*.parquet")):
                split, _, shard = path.name.partition("-")
                shards.add(path.rename(path.with_name(f"{split}-{own}-{shard}")).name)
    except NothingFoundError as error:
        if waiting:
            left_out[str(error)] += waiting
    with wrap_disk_errors(directory):
        for path in list(directory.rglob(f"*-{escape(own)}-{'[0-9]' * 5}.parquet")):
            if path.name not in shards and path.name.partition("-")[2][: len(own)] == own:
                path.unlink()
    return rows, left_out
