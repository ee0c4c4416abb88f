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

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa

from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters import parquet, training_set
from tapwright.formats.exporters.check import check_embedded_images, check_placeholders, check_turns
from tapwright.formats.exporters.ground_truth import render_ground_truth
from tapwright.formats.exporters.turns import render_turns
from tapwright.formats.exporters.writers import Trainer

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


def _write_sft(directory: Path, settings: training_set.SftSettings) -> training_set.SftWriter:
    def row(sample: training_set.TrainingSample) -> Mapping[str, object]:
        if any(message.role == "assistant" for message in sample.prompt):
            raise training_set.UnusableStepError(
                "its prompt has earlier answers, and verl trains on them"
            )
        return {
            "messages": render_turns(sample),
            "images": parquet.image_structs(sample.pictures),
            "episode": sample.episode.id,
            "weight": sample.weight,
        }

    return parquet.sample_shards(directory, _SFT, row)


def _write_rl(directory: Path, settings: training_set.SftSettings) -> training_set.SftWriter:
    numbers = count()
    convention = settings.convention.name

    def row(sample: training_set.TrainingSample) -> Mapping[str, object]:
        truth, prompt = render_ground_truth(sample, convention), render_turns(sample)[:-1]
        return {
            "data_source": f"tapwright/{convention}",
            "prompt": prompt,
            "images": parquet.image_structs(sample.pictures),
            "ability": "gui",
            "reward_model": {"style": "rule", "ground_truth": truth},
            "extra_info": {
                "split": sample.split,
                "index": next(numbers),
                "answer": sample.answer,
                "question": sample.instruction,
                "episode": sample.episode.id,
                "step": sample.number,
                "weight": sample.weight,
            },
        }

    return parquet.sample_shards(directory, _RL, row)


def _check_sft(row: dict[str, Any], where: str) -> None:
    """As many `<image>` as pictures, and one answer, at the end."""
    roles = [role for role, _ in check_turns(row["messages"], _ROLES, where)]
    if roles.count("assistant") != 1:
        raise BadTrainingSetError(f"{where}: verl would also train on an answer before the last")
    _check_words(row["messages"], row, where)


def _check_rl(row: dict[str, Any], where: str) -> None:
    """As many `<image>` as pictures, a question and a ground truth."""
    truth = row["reward_model"]["ground_truth"]
    if row["reward_model"]["style"] != "rule" or not truth:
        raise BadTrainingSetError(f"{where}: has no ground truth for a reward")
    check_turns([*row["prompt"], {"role": "assistant", "content": str(truth)}], _ROLES, where)
    _check_words(row["prompt"], row, where)


def _check_words(turns: Sequence[dict[str, str]], row: dict[str, Any], where: str) -> None:
    words = "\n".join(turn["content"] for turn in turns)
    check_placeholders(words, check_embedded_images(row["images"], where), where)


_ASKED = ["prompt", "images", "data_source", "reward_model", "extra_info"]
VERL_RL = Trainer(
    "verl-rl", _write_rl, lambda directory: parquet.check_rows(directory, _ASKED, _check_rl)
)
VERL_SFT = Trainer(
    "verl-sft",
    _write_sft,
    lambda directory: parquet.check_rows(directory, ["messages", "images"], _check_sft),
)
