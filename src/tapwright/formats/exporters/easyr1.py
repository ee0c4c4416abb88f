"""EasyR1: https://github.com/hiyouga/EasyR1/blob/b44b311/verl/utils/dataset.py, as Parquet.

    train-00000.parquet, val-00000.parquet   problem (with `<image>`), answer, images

A problem is a single user turn, so the system prompt comes first in it, and a prompt with earlier
answers is refused. `answer` is what `compute_score` receives as "ground_truth".
"""

from pathlib import Path

import pyarrow as pa

from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters import parquet, training_set
from tapwright.formats.exporters.check import check_embedded_images, check_placeholders
from tapwright.formats.exporters.ground_truth import render_ground_truth
from tapwright.formats.exporters.turns import render_text
from tapwright.formats.exporters.writers import SplitWriter

_SCHEMA = pa.schema(
    {
        "images": parquet.IMAGE_LIST_TYPE,
        "problem": pa.string(),
        "answer": pa.string(),
        "episode": pa.string(),
        "step": pa.int64(),
        "weight": pa.float64(),
    }
)


class EasyR1:
    """Writes and checks training sets for EasyR1."""

    name = "easyr1"
    writes_image_files = False
    learns_from_play = False
    takes_follow_ups = False

    def writer(self, directory: Path, settings: training_set.SftSettings) -> training_set.SftWriter:
        """Start a training set."""
        return _Writer(directory, settings.convention.name)

    def check(self, directory: Path) -> int:
        """Check all shards; returns the number of samples.

        A problem with as many `<image>` as pictures, and an answer.
        """
        count = 0
        for where, row in parquet.read_parquet_rows(directory, ["problem", "answer", "images"]):
            if not row["problem"] or not row["answer"]:
                raise BadTrainingSetError(f"{where}: its problem or answer is empty")
            check_placeholders(row["problem"], check_embedded_images(row["images"], where), where)
            count += 1
        return count


EASYR1 = EasyR1()


class _Writer:
    def __init__(self, directory: Path, convention: str) -> None:
        self._convention = convention
        self._sets = SplitWriter(
            lambda split: parquet.ParquetShardWriter(directory / split, _SCHEMA)
        )

    def add(self, sample: training_set.TrainingSample) -> None:
        if any(message.role not in ("system", "user") for message in sample.prompt):
            raise training_set.UnusableStepError(
                "its prompt has earlier answers, and EasyR1 prompts in one turn"
            )
        self._sets.add(
            sample.split,
            {
                "images": parquet.image_structs(sample.pictures),
                "problem": "\n\n".join(render_text(message) for message in sample.prompt),
                "answer": render_ground_truth(sample, self._convention),
                "episode": sample.episode.id,
                "step": sample.number,
                "weight": sample.weight,
            },
        )

    def close(self) -> None:
        self._sets.close()
