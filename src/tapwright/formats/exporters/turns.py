"""Messages in the two forms that trainers take: text with `<image>` in it, or lists of parts."""

from typing import TypeAlias

from pydantic import JsonValue

from tapwright.core.messages import Message, Picture, Text
from tapwright.formats.exporters.pictures import image_path
from tapwright.formats.exporters.training_set import TrainingSample, UnusableStepError

PLACEHOLDER = "<image>"
JsonObject: TypeAlias = dict[str, JsonValue]


def render_text(message: Message) -> str:
    """Renders a message as text, with `<image>` for each picture.

    Raises:
        UnusableStepError: it has a tool call or a sound.
    """
    texts = []
    for part in message.parts:
        match part:
            case Text(text=text):
                texts.append(text)
            case Picture():
                texts.append(PLACEHOLDER)
            case _:
                raise UnusableStepError(
                    f"its prompt has a part {type(part).__name__}, which the format cannot hold"
                )
    return "".join(texts)


def render_turns(sample: TrainingSample) -> list[JsonObject]:
    """The conversation as {"role", "content"}, an answer last; contents are text.

    Raises:
        UnusableStepError: a turn has a tool call or a sound.
    """
    return [
        {"role": message.role, "content": render_text(message)}
        for message in (*sample.prompt, *sample.completion)
    ]


def render_parts(message: Message) -> list[JsonObject]:
    """Renders a message's parts as {"type": "text", "text"} and {"type": "image"}.

    Raises:
        UnusableStepError: it has a tool call or a sound.
    """
    found: list[JsonObject] = []
    for part in message.parts:
        match part:
            case Text(text=text):
                found.append({"type": "text", "text": text})
            case Picture():
                found.append({"type": "image"})
            case _:
                raise UnusableStepError(
                    f"its prompt has a part {type(part).__name__}, which the format cannot hold"
                )
    return found


def render_parts_with_paths(message: Message) -> list[JsonObject]:
    """Renders parts as `render_parts` does, each picture with the "path" of its file."""
    paths = [image_path(part.screenshot) for part in message.parts if isinstance(part, Picture)]
    found = render_parts(message)
    for part, path in zip((one for one in found if one["type"] == "image"), paths, strict=True):
        part["path"] = path
    return found


def describe_origin(sample: TrainingSample) -> JsonObject:
    """Returns the episode and step of a sample, and its weight where it is not 1.

    One of several questions has the "steps" of all, too, in the order of their answers.
    """
    found: JsonObject = {"episode": sample.episode.id, "step": sample.number}
    if sample.follow_ups:
        found["steps"] = [*sample.numbers]
    if sample.weight != 1:
        found["weight"] = sample.weight
    return found
