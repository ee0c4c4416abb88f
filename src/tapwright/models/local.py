"""What clients of models in a directory on this machine share: the check of it, and the turns."""

from pathlib import Path
from typing import Any, Literal

from tapwright.core.messages import Audio, Message, Picture, Text, ToolCall
from tapwright.models.errors import LOCAL_MODEL, ModelRefusedError

__all__ = ["chat_turn", "check_directory"]


def check_directory(name: str) -> Path:
    """The directory `name`.

    Raises:
        ModelError: it is not that of a model.
    """
    path = Path(name)
    if not (path / "config.json").is_file():
        raise LOCAL_MODEL(
            f"{name}: not the directory of a model; it has no config.json",
            hint="name a directory, as in transformers/models/qwen2.5-vl-7b; "
            "`hf download NAME --local-dir DIR` gets one",
        )
    return path


def chat_turn(message: Message, image: Literal["image", "image_pil"]) -> dict[str, Any]:
    """A message as chat templates take it; `image` is the key under which pictures are decoded.

    Raises:
        BadImageError: a picture cannot be decoded.
        ModelRefusedError: it has a sound.
    """
    content: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    for part in message.parts:
        match part:
            case Text(text=text):
                content.append({"type": "text", "text": text})
            case Picture(screenshot=screenshot):
                content.append({"type": image, image: screenshot.image()})
            case Audio(origin=origin):
                raise ModelRefusedError(
                    f"{origin}: a sound is for the model's own processor",
                    hint="hand it over in a function of your own: --hook preprocess=",
                )
            case ToolCall(name=name, arguments=arguments):
                function = {"name": name, "arguments": dict(arguments)}
                calls.append({"type": "function", "function": function})
    turn: dict[str, Any] = {"role": message.role, "content": content}
    return {**turn, "tool_calls": calls} if calls else turn
