"""Whether conversations fit a model in a directory: its processor tries them, no weights are read.

What would end a training after hours, or teach nothing, is told before: a directory that is none of
a model, a device that is not there, a tokenizer without the token of a picture, too many tokens.
"""

import sys
from collections.abc import Sequence
from typing import Any

import transformers
from jinja2 import TemplateError

from tapwright.core.messages import Message
from tapwright.models.errors import LOCAL_MODEL, ModelRefusedError
from tapwright.models.local import LOAD_ERRORS, chat_turn, check_device, check_directory, tell_error

__all__ = ["FittingModel"]


class FittingModel:
    """The processor and the configuration of the model in the directory `name`."""

    def __init__(self, name: str, device: str = "") -> None:
        """Load them, and see that the `device` is there if one is named.

        Raises:
            ModelError: the directory is none of a vision-language model, or this machine has
                no such device.
        """
        path = check_directory(name)
        self.name = name
        if device:
            check_device(device)
        known = {"local_files_only": True, "trust_remote_code": False}
        try:
            self._processor: Any = transformers.AutoProcessor.from_pretrained(path, **known)
            config: Any = transformers.AutoConfig.from_pretrained(path, **known)
        except LOAD_ERRORS as error:
            raise LOCAL_MODEL(
                f"{name}: its processor cannot be loaded: {tell_error(error)}",
                hint="it needs config.json, tokenizer and processor files of a vision-language "
                "model that transformers knows",
            ) from error
        if not hasattr(self._processor, "image_processor"):
            raise LOCAL_MODEL(
                f"{name}: it sees no pictures; it has a tokenizer and no image processor",
                hint="name the directory of a vision-language model",
            )
        self._image_token = getattr(config, "image_token_id", None) or getattr(
            config, "image_token_index", None
        )
        text = config.get_text_config()
        self.positions: int = getattr(text, "max_position_embeddings", None) or sys.maxsize
        """How many tokens a sample may have."""

    def count(self, messages: Sequence[Message]) -> int:
        """How many tokens a conversation has, its pictures' included.

        Raises:
            ModelRefusedError: the chat template has no words for it, or it has too many tokens.
            ModelError: tokenizer, processor and configuration do not fit together.
            BadImageError: a picture cannot be decoded.
        """
        turns = [chat_turn(message, "image") for message in messages]
        pictures = [part["image"] for turn in turns for part in turn["content"] if "image" in part]
        try:
            text = self._processor.apply_chat_template(turns, tokenize=False)
        except (TemplateError, TypeError, ValueError) as error:
            raise ModelRefusedError(
                f"{self.name}: its chat template does not take this conversation: "
                f"{tell_error(error)}",
                hint="export for a convention of this model's family",
            ) from error
        try:
            found = self._processor(
                text=[text], images=[pictures] if pictures else None, add_special_tokens=False
            )
        except LOAD_ERRORS as error:
            raise LOCAL_MODEL(
                f"{self.name}: its processor failed: {tell_error(error)}", hint=_ONE_MODEL
            ) from error
        ids = list(found["input_ids"][0])
        if pictures and self._image_token is not None and self._image_token not in ids:
            raise LOCAL_MODEL(
                f"{self.name}: the tokenizer has no token of a picture ({self._image_token}); "
                "the model would see none",
                hint=_ONE_MODEL,
            )
        if len(ids) > self.positions:
            raise ModelRefusedError(
                f"{self.name}: {len(ids):,} tokens, pictures included; the model has "
                f"{self.positions:,} positions",
                hint="export smaller pictures (--max-pixels), or fewer earlier steps (--history)",
            )
        return len(ids)


_ONE_MODEL = "see that tokenizer, processor and config.json are of one model"
