"""verl, for reinforcement learning and for fine-tuning, as Parquet.

    train-00000.parquet, val-00000.parquet
        verl-rl    data_source, prompt, images, ability, reward_model, extra_info
        verl-sft   messages, images

After https://github.com/volcengine/verl: `examples/data_preprocess/geo3k.py` with
`verl/utils/dataset/rl_dataset.py`, and `verl/utils/dataset/multiturn_sft_dataset.py`. Contents are
texts that verl splits at `<image>`. It trains on every assistant turn, so a prompt with
earlier answers is refused for fine-tuning. Nothing is stored as Arrow's JSON type, which pandas,
verl's reader, does not support.
"""

from pathlib import Path
from typing import Any

import pyarrow as pa

from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters import parquet, training_set
from tapwright.formats.exporters.check import check_embedded_images, check_placeholders, check_turns
from tapwright.formats.exporters.ground_truth import render_ground_truth
from tapwright.formats.exporters.turns import render_turns
from tapwright.formats.exporters.writers import SplitWriter

_ROLES = ("system", "user", "assistant", "tool")
_TURNS = pa.list_(pa.struct({"role": pa.string(), "content": pa.string()}))
_SFT = pa.schema(
    {
        "messages": _TURNS,
        "images": parquet.IMAGE_LIST_TYPE,
        "episode": pa.string(),
        "weight": pa.float64(),
    }
)
_RL = pa.schema(
    {
        "data_source": pa.string(),
        "prompt": _TURNS,
        "images": parquet.IMAGE_LIST_TYPE,
        "ability": pa.string(),
        "reward_model": pa.struct({"style": pa.string(), "ground_truth": pa.string()}),
        "extra_info": pa.struct(
            {
                "split": pa.string(),
                "index": pa.int64(),
                "answer": pa.string(),
                "question": pa.string(),
                "episode": pa.string(),
                "step": pa.int64(),
                "weight": pa.float64(),
            }
        ),
    }
)


class Verl:
    """Writes and checks training sets for verl: "verl-rl" or "verl-sft"."""

    writes_image_files = False
    learns_from_play = False
    takes_follow_ups = False

    def __init__(self, name: str) -> None:
        self.name = name

    def writer(self, directory: Path, settings: training_set.SftSettings) -> training_set.SftWriter:
        """Start a training set."""
        if self.name == "verl-sft":
            return _SftWriter(directory)
        return _RlWriter(directory, settings.convention.name)

    def check(self, directory: Path) -> int:
        """Check all shards; returns the number of samples.

        As many `<image>` as pictures; for fine-tuning one answer, at the end; for reinforcement
        learning a question and a ground truth.
        """
        rl = self.name == "verl-rl"
        column = "prompt" if rl else "messages"
        more = ["data_source", "reward_model", "extra_info"] if rl else []
        count = 0
        for where, row in parquet.read_parquet_rows(directory, [column, "images", *more]):
            turns = row[column]
            if rl:
                turns = [*turns, {"role": "assistant", "content": _truth(row, where)}]
            roles = [role for role, _ in check_turns(turns, _ROLES, where)]
            if not rl and roles.count("assistant") != 1:
                raise BadTrainingSetError(
                    f"{where}: verl would also train on an answer before the last"
                )
            words = "\n".join(turn["content"] for turn in row[column])
            check_placeholders(words, check_embedded_images(row["images"], where), where)
            count += 1
        return count


VERL_RL = Verl("verl-rl")
VERL_SFT = Verl("verl-sft")


class _SftWriter:
    def __init__(self, directory: Path) -> None:
        self._sets = SplitWriter(lambda split: parquet.ParquetShardWriter(directory / split, _SFT))

    def add(self, sample: training_set.TrainingSample) -> None:
        if any(message.role == "assistant" for message in sample.prompt):
            raise training_set.UnusableStepError(
                "its prompt has earlier answers, and verl trains on them"
            )
        self._sets.add(
            sample.split,
            {
                "messages": render_turns(sample),
                "images": parquet.image_structs(sample.pictures),
                "episode": sample.episode.id,
                "weight": sample.weight,
            },
        )

    def close(self) -> None:
        self._sets.close()


class _RlWriter:
    def __init__(self, directory: Path, convention: str) -> None:
        self._convention = convention
        self._sets = SplitWriter(lambda split: parquet.ParquetShardWriter(directory / split, _RL))
        self._count = 0

    def add(self, sample: training_set.TrainingSample) -> None:
        truth = render_ground_truth(sample, self._convention)
        self._sets.add(
            sample.split,
            {
                "data_source": f"tapwright/{self._convention}",
                "prompt": render_turns(sample)[:-1],
                "images": parquet.image_structs(sample.pictures),
                "ability": "gui",
                "reward_model": {"style": "rule", "ground_truth": truth},
                "extra_info": {
                    "split": sample.split,
                    "index": self._count,
                    "answer": sample.answer,
                    "question": sample.instruction,
                    "episode": sample.episode.id,
                    "step": sample.number,
                    "weight": sample.weight,
                },
            },
        )
        self._count += 1

    def close(self) -> None:
        self._sets.close()


def _truth(row: dict[str, Any], where: str) -> str:
    truth = row["reward_model"]["ground_truth"]
    if row["reward_model"]["style"] != "rule" or not truth:
        raise BadTrainingSetError(f"{where}: has no ground truth for a reward")
    return str(truth)
