"""Axolotl: https://github.com/axolotl-ai-cloud/axolotl/blob/067b021c8/docs/multimodal.qmd.

    train.jsonl, val.jsonl   {"messages": [{"role", "content": [parts]}]}; pictures by their path
    axolotl.yml              the part of a configuration that reads them

Paths are relative to the training set: run Axolotl in its directory. The key "training" of every
assistant turn says whether it is trained on: answers that a prompt has are not.
"""

from collections.abc import Collection
from pathlib import Path

from pydantic import JsonValue

from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters.check import check_image_files, check_lines, check_turns
from tapwright.formats.exporters.training_set import SftSettings, Split, TrainingSample
from tapwright.formats.exporters.turns import JsonObject, describe_origin, render_parts_with_paths
from tapwright.formats.exporters.writers import JsonRows, Trainer, json_lines

_ROLES = ("system", "user", "assistant", "tool")
_SET = """\
  - path: {split}.jsonl
    ds_type: json
    type: chat_template
    field_messages: messages
    message_property_mappings:
      role: role
      content: content
    roles_to_train: ["assistant"]
    message_field_training: training
"""
_CONFIG = """\
# Merge this into the model's own configuration, and run axolotl in this directory.
skip_prepare_dataset: true
remove_unused_columns: false
sample_packing: false
"""


def _row(sample: TrainingSample) -> JsonObject:
    turns: list[JsonValue] = []
    for messages, taught in ((sample.prompt, False), (sample.completion, True)):
        for message in messages:
            turn: JsonObject = {
                "role": message.role,
                "content": list(render_parts_with_paths(message)),
            }
            if message.role == "assistant":
                turn["training"] = taught
            turns.append(turn)
    return {"messages": turns, **describe_origin(sample)}


def _write(directory: Path, settings: SftSettings) -> JsonRows:
    def configure(splits: Collection[Split]) -> None:
        config = _CONFIG
        for split, name in (("train", "datasets"), ("val", "test_datasets")):
            if split in splits:
                config += f"{name}:\n{_SET.format(split=split)}"
        (directory / "axolotl.yml").write_text(config, encoding="utf-8", newline="\n")

    return json_lines(directory, _row, configure)


def _check(directory: Path) -> int:
    """Known roles, the assistant last, contents of text and image parts, every image a file."""

    def check(sample: JsonObject, where: str) -> None:
        for _, content in check_turns(sample.get("messages"), _ROLES, where):
            check_image_files(_image_paths(content, where), directory, where)

    return check_lines(directory, check)


def _image_paths(content: JsonValue, where: str) -> list[JsonValue]:
    paths: list[JsonValue] = []
    for part in content if isinstance(content, list) else [content]:
        match part:
            case {"type": "text", "text": str()}:
                continue
            case {"type": "image", "path": str(path)}:
                paths.append(path)
            case _:
                raise BadTrainingSetError(f"{where}: a part is neither text nor an image's path")
    return paths


AXOLOTL = Trainer("axolotl", _write, _check, writes_image_files=True, takes_follow_ups=True)
