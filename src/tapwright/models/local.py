"""What clients of models in a directory on this machine share: checks, errors, and the turns.

Nearly everything comes out of transformers: a JSON file that holds something else ends in a
TypeError, a field of another kind in a class of the hub library, a GPU that torch was built without
in an AssertionError.
"""

from pathlib import Path
from typing import Any, Literal

import torch
from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError

from tapwright.core.messages import Audio, Message, Picture, Text, ToolCall
from tapwright.models.errors import LOCAL_MODEL, ModelRefusedError

__all__ = ["LOAD_ERRORS", "chat_turn", "check_device", "check_directory", "tell_error"]

LOAD_ERRORS = (
    AssertionError, AttributeError, ImportError, LookupError, OSError, RuntimeError,
    SafetensorError, StrictDataclassError, TypeError, ValueError,
)  # fmt: skip
_LENGTH = 300


def tell_error(error: Exception) -> str:
    """What an error says, in one line of at most 300 characters."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= _LENGTH else f"{text[: _LENGTH - 1]}…"


def check_device(device: str) -> None:
    """See that torch can use a device, such as "cuda:0".

    Raises:
        ModelError: this machine, or its torch, has no such device.
    """
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise LOCAL_MODEL(
            f"{device}: this machine, or its torch, has no such device: {tell_error(error)}",
            hint="name cpu, or none: --device of sft check, --set device=cpu of eval run; "
            "`nvidia-smi` lists a machine's GPUs",
        ) from error


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
