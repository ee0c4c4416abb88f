"""Reads the samples of a written training set back as conversations, to try a model's processor on.

The forms that hold turns are read: `trl` and what is learnt from play, `llamafactory`, `ms-swift`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast

from tapwright.core.messages import Message, Part, Picture, Role, Text
from tapwright.core.screenshot import Screenshot
from tapwright.errors import UsageError
from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters.check import read_json, read_json_lines, read_json_list
from tapwright.formats.exporters.parquet import read_parquet_rows
from tapwright.formats.exporters.turns import PLACEHOLDER

__all__ = ["read_conversations"]

Conversation: TypeAlias = tuple[str, list[Message]]
"""Where a sample is, and its turns with the answer as the last one."""

_SPEAKERS: Mapping[str, Role] = {
    "system": "system", "human": "user", "gpt": "assistant", "observation": "tool",
    "function_call": "assistant",
}  # fmt: skip


def read_conversations(format_name: str, directory: Path) -> Iterator[Conversation]:
    """Yields each sample of a set, once for each of its answers.

    Raises:
        UsageError: sets of this format hold no turns.
        BadTrainingSetError: a file cannot be read; names it.
    """
    if format_name not in _READERS:
        raise UsageError(
            f"sets of {format_name} cannot be tried on a model",
            hint=f"export the same samples as one of {', '.join(_READERS)}",
        )
    return _READERS[format_name](directory)


def _read_trl(*answers: str) -> Callable[[Path], Iterator[Conversation]]:
    def read(directory: Path) -> Iterator[Conversation]:
        for where, row in read_parquet_rows(directory, ["prompt", "images", *answers]):
            for given in [turns for name in answers for turns in _answers(row[name])] or [[]]:
                pictures = iter([Picture(Screenshot(one["bytes"])) for one in row["images"]])
                yield where, [_from_parts(turn, pictures) for turn in [*row["prompt"], *given]]

    return read


def _answers(value: list[Any]) -> list[list[Mapping[str, Any]]]:
    """The turns of one answer, or the texts of several, as answers of one turn each."""
    if not all(isinstance(one, str) for one in value):
        return [value]
    return [[{"role": "assistant", "content": [{"type": "text", "text": text}]}] for text in value]


def _from_parts(turn: Mapping[str, Any], pictures: Iterator[Picture]) -> Message:
    parts: list[Part] = [
        next(pictures) if part["type"] == "image" else Text(part["text"])
        for part in turn["content"]
    ]
    return Message(turn["role"], tuple(parts))


def _read_llamafactory(directory: Path) -> Iterator[Conversation]:
    sets = cast(dict[str, dict[str, str]], read_json(directory / "dataset_info.json"))
    for entry in sets.values():
        for where, row in read_json_list(directory / entry["file_name"]):
            try:
                turns = cast(list[dict[str, str]], row["conversations"])
                said = [(_SPEAKERS[turn["from"]], turn["value"]) for turn in turns]
            except KeyError as error:
                raise BadTrainingSetError(
                    f"{where}: {error} is not as tapwright writes such sets",
                    hint="without --model the set is checked by LLaMA-Factory's own rules",
                ) from error
            yield where, _from_texts(said, row, directory)


def _read_ms_swift(directory: Path) -> Iterator[Conversation]:
    for path in sorted(directory.glob("*.jsonl")):
        for where, row in read_json_lines(path):
            turns = cast(list[dict[str, str]], row["messages"])
            said = [(cast(Role, turn["role"]), turn["content"]) for turn in turns]
            yield where, _from_texts(said, row, directory)


def _from_texts(
    turns: Sequence[tuple[Role, str]], row: Mapping[str, Any], directory: Path
) -> list[Message]:
    pictures = iter(
        [Picture(Screenshot((directory / path).read_bytes())) for path in row.get("images", ())]
    )
    made: list[Message] = []
    for role, text in turns:
        before, *after = text.split(PLACEHOLDER)
        parts: list[Part] = [Text(before)] if before else []
        for words in after:
            parts.append(next(pictures))
            if words:
                parts.append(Text(words))
        made.append(Message(role, tuple(parts)))
    return made


_READERS: Mapping[str, Callable[[Path], Iterator[Conversation]]] = {
    "trl": _read_trl("completion"),
    "trl-dpo": _read_trl("chosen", "rejected"),
    "trl-kto": _read_trl("completion"),
    "trl-grpo": _read_trl(),
    "trl-rollouts": _read_trl("answers"),
    "llamafactory": _read_llamafactory,
    "ms-swift": _read_ms_swift,
}
