"""A message in the ways that trainers have for it: words with `<image>` in them, or parts."""

from typing import TypeAlias

from pydantic import JsonValue

from tapwright.formats.exporters.pictures import image_path
from tapwright.formats.exporters.training_set import TrainingSample, UnusableStepError
from tapwright.messages import Message, Picture, Text, ToolCall

PLACEHOLDER = "<image>"
JsonObject: TypeAlias = dict[str, JsonValue]


def render_text(message: Message) -> str:
    """All that a message says, with `<image>` where a picture stands.

    Raises:
        UnusableError: it has a tool call.
    """
    words = []
    for part in message.parts:
        match part:
            case Text(text=text):
                words.append(text)
            case Picture():
                words.append(PLACEHOLDER)
            case ToolCall():
                raise UnusableStepError("its prompt has a tool call, for which there is no place")
    return "".join(words)


def render_turns(sample: TrainingSample) -> list[JsonObject]:
    """The conversation as {"role", "content"}, the answer last; content is what is `render_text`.

    Raises:
        UnusableError: a turn has a tool call.
    """
    said: list[JsonObject] = [
        {"role": message.role, "content": render_text(message)} for message in sample.prompt
    ]
    return [*said, {"role": "assistant", "content": sample.answer}]


def render_parts(message: Message) -> list[JsonObject]:
    """A message's parts as {"type": "text", "text"} and {"type": "image"}.

    Raises:
        UnusableError: it has a tool call.
    """
    found: list[JsonObject] = []
    for part in message.parts:
        match part:
            case Text(text=text):
                found.append({"type": "text", "text": text})
            case Picture():
                found.append({"type": "image"})
            case ToolCall():
                raise UnusableStepError("its prompt has a tool call, for which there is no place")
    return found


def render_parts_with_paths(message: Message) -> list[JsonObject]:
    """As `render_parts`, each picture with the "path" of its file."""
    paths = [image_path(part.screenshot) for part in message.parts if isinstance(part, Picture)]
    found = render_parts(message)
    for part, path in zip((one for one in found if one["type"] == "image"), paths, strict=True):
        part["path"] = path
    return found


def describe_origin(sample: TrainingSample) -> JsonObject:
    """Where a sample comes from, and its weight where it is not 1."""
    found: JsonObject = {"episode": sample.episode.id, "step": sample.number}
    if sample.weight != 1:
        found["weight"] = sample.weight
    return found
