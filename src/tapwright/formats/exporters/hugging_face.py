"""Hugging Face `datasets`: https://huggingface.co/docs/datasets/image_load.

    data/train-00000.parquet, data/val-00000.parquet   one row per sample, with all its data
    README.md                                          the splits, for `load_dataset(directory)`

`action` is tapwright's own JSON as a string: as a column of its own, the fields of one action would
come back as nulls in every other.
"""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from pydantic import ValidationError

from tapwright.core.actions import ActionAdapter
from tapwright.core.episode import dump_actions
from tapwright.errors import first_problem
from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters import parquet
from tapwright.formats.exporters.check import check_embedded_images, check_turns
from tapwright.formats.exporters.training_set import TrainingSample
from tapwright.formats.exporters.trl import TURN_LIST_TYPE
from tapwright.formats.exporters.turns import render_parts
from tapwright.formats.exporters.writers import Trainer

_ROLES = ("system", "user", "assistant", "tool")
_SCHEMA = pa.schema(
    {
        "images": parquet.IMAGE_LIST_TYPE,
        "messages": TURN_LIST_TYPE,
        "instruction": pa.string(),
        "action": pa.string(),
        "reasoning": pa.string(),
        "target": pa.string(),
        "app": pa.string(),
        "width": pa.int64(),
        "height": pa.int64(),
        "task": pa.string(),
        "episode": pa.string(),
        "step": pa.int64(),
        "weight": pa.float64(),
    }
)


def _row(sample: TrainingSample) -> Mapping[str, object]:
    answer = {"type": "text", "text": sample.answer}
    turns = [{"role": one.role, "content": render_parts(one)} for one in sample.prompt]
    decision, seen = sample.step.decision, sample.step.observation
    return {
        "images": parquet.image_structs(sample.pictures),
        "messages": [*turns, {"role": "assistant", "content": [answer]}],
        "instruction": sample.instruction,
        "action": dump_actions(decision.actions),
        "reasoning": decision.reasoning,
        "target": decision.target,
        "app": seen.app,
        "width": seen.size.width,
        "height": seen.size.height,
        "task": sample.episode.task_id,
        "episode": sample.episode.id,
        "step": sample.number,
        "weight": sample.weight,
    }


def _check(row: dict[str, Any], where: str) -> None:
    """Known roles, the assistant last, an image part for each picture, a readable action."""
    check_turns(row["messages"], _ROLES, where)
    kinds = [part["type"] for turn in row["messages"] for part in turn["content"]]
    if kinds.count("image") != check_embedded_images(row["images"], where):
        raise BadTrainingSetError(
            f"{where}: {kinds.count('image')} image parts, and {len(row['images'])} images"
        )
    try:
        ActionAdapter.validate_json(row["action"])
    except ValidationError as error:
        raise BadTrainingSetError(f"{where}: not an action: {first_problem(error)}") from error


HUGGING_FACE = Trainer(
    "hf",
    lambda directory, _: parquet.carded_shards(directory, _SCHEMA, _row),
    lambda directory: parquet.check_rows(directory, _SCHEMA.names, _check),
)
