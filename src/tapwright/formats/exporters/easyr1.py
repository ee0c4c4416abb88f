"""EasyR1: https://github.com/hiyouga/EasyR1/blob/b44b311/verl/utils/dataset.py, as Parquet.

    train-00000.parquet, val-00000.parquet   problem (with `<image>`), answer, images

A problem is a single user turn, so the system prompt comes first in it, and a prompt with earlier
answers is refused. `answer` is what `compute_score` receives as "ground_truth".
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters import parquet, training_set
from tapwright.formats.exporters.check import check_embedded_images, check_placeholders
from tapwright.formats.exporters.ground_truth import render_ground_truth
from tapwright.formats.exporters.turns import render_text
from tapwright.formats.exporters.writers import Trainer

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


def _write(directory: Path, settings: training_set.SftSettings) -> training_set.SftWriter:
    def row(sample: training_set.TrainingSample) -> Mapping[str, object]:
        if any(message.role not in ("system", "user") for message in sample.prompt):
            raise training_set.UnusableStepError(
                "its prompt has earlier answers, and EasyR1 prompts in one turn"
            )
        return {
            "images": parquet.image_structs(sample.pictures),
            "problem": "\n\n".join(render_text(message) for message in sample.prompt),
            "answer": render_ground_truth(sample, settings.convention.name),
            "episode": sample.episode.id,
            "step": sample.number,
            "weight": sample.weight,
        }

    return parquet.sample_shards(directory, _SCHEMA, row)


def _check(row: dict[str, Any], where: str) -> None:
    """A problem with as many `<image>` as pictures, and an answer."""
    if not row["problem"] or not row["answer"]:
        raise BadTrainingSetError(f"{where}: its problem or answer is empty")
    check_placeholders(row["problem"], check_embedded_images(row["images"], where), where)


EASYR1 = Trainer(
    "easyr1",
    _write,
    lambda directory: parquet.check_rows(directory, ["problem", "answer", "images"], _check),
)
