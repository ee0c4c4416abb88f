"""Hugging Face `datasets`: https://huggingface.co/docs/datasets/image_load.

    data/train-00000.parquet, data/val-00000.parquet   one row per sample, with all its data
    README.md                                          the splits, for `load_dataset(directory)`

`action` is tapwright's own JSON as a string: as a column of its own, the fields of one action would
come back as nulls in every other.
"""

from pathlib import Path

import pyarrow as pa
from pydantic import ValidationError

from tapwright.core.actions import ActionAdapter
from tapwright.core.episode import dump_actions
from tapwright.errors import first_problem
from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters import parquet
from tapwright.formats.exporters.check import check_embedded_images, check_turns
from tapwright.formats.exporters.training_set import SftSettings, SftWriter, TrainingSample
from tapwright.formats.exporters.trl import TURN_LIST_TYPE
from tapwright.formats.exporters.turns import render_parts
from tapwright.formats.exporters.writers import SplitWriter

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


class HuggingFace:
    """Writes and checks data sets for `datasets` and the Hub."""

    name = "hf"
    writes_image_files = False
    learns_from_play = False
    takes_follow_ups = False

    def writer(self, directory: Path, settings: SftSettings) -> SftWriter:
        """Start a data set."""
        return _Writer(directory)

    def check(self, directory: Path) -> int:
        """Check all shards; returns the number of rows.

        Known roles, the assistant last, an image part for each picture, an action that can be read.
        """
        count = 0
        for where, row in parquet.read_parquet_rows(directory, [field.name for field in _SCHEMA]):
            check_turns(row["messages"], _ROLES, where)
            kinds = [part["type"] for turn in row["messages"] for part in turn["content"]]
            if kinds.count("image") != check_embedded_images(row["images"], where):
                raise BadTrainingSetError(
                    f"{where}: {kinds.count('image')} image parts, and {len(row['images'])} images"
                )
            try:
                ActionAdapter.validate_json(row["action"])
            except ValidationError as error:
                raise BadTrainingSetError(
                    f"{where}: not an action: {first_problem(error)}"
                ) from error
            count += 1
        return count


HUGGING_FACE = HuggingFace()


class _Writer:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._sets = SplitWriter(
            lambda split: parquet.ParquetShardWriter(directory / "data" / split, _SCHEMA)
        )

    def add(self, sample: TrainingSample) -> None:
        answer = {"type": "text", "text": sample.answer}
        turns = [{"role": one.role, "content": render_parts(one)} for one in sample.prompt]
        decision, seen = sample.step.decision, sample.step.observation
        self._sets.add(
            sample.split,
            {
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
            },
        )

    def close(self) -> None:
        self._sets.close()
        parquet.write_dataset_card(self._directory, self._sets.writers)
