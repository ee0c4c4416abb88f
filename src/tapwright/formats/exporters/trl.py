"""TRL: https://github.com/huggingface/trl/blob/f2cd57710/docs/source/dataset_formats.md.

    data/train-00000.parquet, data/val-00000.parquet   prompt, completion, images
    README.md                                          the splits, for `load_dataset(directory)`

Contents are always lists of parts, as no Arrow column can hold both texts and lists.
TRL counts placeholders in every turn but a tool's.

What follows on an answer is of the completion, too, so TRL's loss counts all of it: the words of
further questions and their answers. Sets with several questions a picture have a column more: the
`steps` of all of a row.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from tapwright.core.messages import Message
from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters import parquet
from tapwright.formats.exporters.check import check_embedded_images, check_turns
from tapwright.formats.exporters.training_set import SftSettings, TrainingSample
from tapwright.formats.exporters.turns import JsonObject, render_parts
from tapwright.formats.exporters.writers import SampleRows, Trainer

PART_TYPE = pa.struct({"type": pa.string(), "text": pa.string()})
TURN_LIST_TYPE = pa.list_(pa.struct({"role": pa.string(), "content": pa.list_(PART_TYPE)}))
_ROLES = ("system", "user", "assistant", "tool")
_SCHEMA = pa.schema(
    {
        "prompt": TURN_LIST_TYPE,
        "completion": TURN_LIST_TYPE,
        "images": parquet.IMAGE_LIST_TYPE,
        "episode": pa.string(),
        "step": pa.int64(),
        "weight": pa.float64(),
    }
)
_STEPS = pa.field("steps", pa.list_(pa.int64()))


def check_trl_turns(
    prompt: Sequence[JsonObject],
    answer: Sequence[JsonObject],
    images: Sequence[dict[str, Any]],
    where: str,
) -> None:
    """Check a prompt with what follows it and its images, by TRL's rules.

    Known roles, a completion of one answer or of several with a question between them, parts that
    are text or image, as many image parts outside tool turns as pictures.

    Raises:
        BadTrainingSetError: a rule is broken; names `where`.
    """
    roles = [turn.get("role") for turn in answer]
    if roles != ["assistant", *["user", "assistant"] * (len(roles) // 2)]:
        raise BadTrainingSetError(
            f"{where}: the answer is by {', '.join(map(str, roles)) or 'nobody'}; expected "
            "assistant, and user before each further one"
        )
    turns = check_turns([*prompt, *answer], _ROLES, where)
    kinds = [
        (role, part.get("type"))
        for role, content in turns
        for part in (content if isinstance(content, list) else [])
        if isinstance(part, dict)
    ]
    if not {kind for _, kind in kinds} <= {"text", "image"}:
        raise BadTrainingSetError(f"{where}: a part is neither text nor image")
    places = sum(kind == "image" and role != "tool" for role, kind in kinds)
    if places != check_embedded_images(images, where):
        raise BadTrainingSetError(f"{where}: {places} image parts, and {len(images)} images")


def _turns(messages: Sequence[Message]) -> list[JsonObject]:
    return [{"role": one.role, "content": list(render_parts(one))} for one in messages]


def _row(sample: TrainingSample) -> dict[str, object]:
    return {
        "prompt": _turns(sample.prompt),
        "completion": _turns(sample.completion),
        "images": parquet.image_structs(sample.pictures),
        "episode": sample.episode.id,
        "step": sample.number,
        "weight": sample.weight,
    }


def _write(directory: Path, settings: SftSettings) -> SampleRows:
    if settings.per_picture == 1:
        return parquet.carded_shards(directory, _SCHEMA, _row)
    schema = _SCHEMA.append(_STEPS)
    return parquet.carded_shards(directory, schema, lambda one: {**_row(one), "steps": one.numbers})


def _check(directory: Path) -> int:
    def check(row: dict[str, Any], where: str) -> None:
        check_trl_turns(row["prompt"], row["completion"], row["images"], where)

    return parquet.check_rows(directory, ["prompt", "completion", "images"], check)


TRL = Trainer("trl", _write, _check, takes_follow_ups=True)
