"""ms-swift: its "Custom-dataset" page, at https://github.com/modelscope/ms-swift/tree/3602360a5.

    train.jsonl, val.jsonl   {"messages": [{"role", "content"}], "images": [path]}

Answers that a prompt has are not trained on: they have "loss": false. Coordinates are those of
the convention, so no "objects" are given, which ms-swift would rescale.
"""

from pathlib import Path

from pydantic import JsonValue

from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters import check as checks
from tapwright.formats.exporters.pictures import image_path
from tapwright.formats.exporters.training_set import TrainingSample
from tapwright.formats.exporters.turns import JsonObject, describe_origin, render_turns
from tapwright.formats.exporters.writers import Trainer, json_lines

_ROLES = ("system", "user", "assistant", "tool", "tool_call", "tool_response")


def _row(sample: TrainingSample) -> JsonObject:
    turns = render_turns(sample)
    for turn in turns[: len(sample.prompt)]:
        if turn["role"] == "assistant":
            turn["loss"] = False
    images: list[JsonValue] = [image_path(picture) for picture in sample.pictures]
    return {"messages": [*turns], "images": images, **describe_origin(sample)}


def _check(directory: Path) -> int:
    """Known roles, the assistant last, `<image>` as often as images, all files; no `<bbox>`."""

    def check(sample: JsonObject, where: str) -> None:
        turns = checks.check_turns(sample.get("messages"), _ROLES, where)
        words = "\n".join(str(content) for _, content in turns)
        checks.check_placeholders(
            words, checks.check_image_files(sample.get("images"), directory, where), where
        )
        if "<bbox>" in words or "<ref-object>" in words:
            raise BadTrainingSetError(f"{where}: names a box, and has no objects")

    return checks.check_lines(directory, check)


MS_SWIFT = Trainer(
    "ms-swift",
    lambda directory, _: json_lines(directory, _row),
    _check,
    writes_image_files=True,
    takes_follow_ups=True,
)
