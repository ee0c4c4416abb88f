"""A vision-language model in a directory on this machine, run by vLLM's offline engine.

Follows https://docs.vllm.ai/en/stable/models/generative_models.html (`LLM.chat`). Nothing has to be
served: what waits is handed over as one batch, and vLLM itself decides what runs together. vLLM
needs a GPU, so tapwright's own tests do not run this; for a vLLM server, take the client "openai".
"""

import asyncio
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from time import monotonic
from typing import Any, ClassVar

from pydantic import JsonValue

from tapwright.core.messages import Message
from tapwright.errors import MissingExtraError
from tapwright.models.batches import Batches
from tapwright.models.errors import LOCAL_MODEL
from tapwright.models.local import chat_turn, check_directory
from tapwright.models.model import Completion, Usage

__all__ = ["VllmModel"]

_MOST_PICTURES = 16
"""In one conversation: vLLM reserves memory for as many as it may receive."""


class VllmModel:
    """The model in the directory `name`; requests that wait together are one batch.

    `max_tokens` bounds an answer, `batch` the requests that are handed over at a time. The most
    likely token is taken each time, unless a `temperature` above 0 leaves it to chance. It is
    loaded with the first request.
    """

    takes: ClassVar[Mapping[str, type[float | str]]] = {
        "max_tokens": int, "batch": int, "temperature": float,
    }  # fmt: skip
    """The settings that `--set` may give it."""

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        max_tokens: int = 2048,
        batch: int = 64,
        temperature: float = 0.0,
    ) -> None:
        """Check that the directory is one of a model; it has no server, and so needs no key.

        Raises:
            MissingExtraError: vLLM is not installed.
            ModelError: the directory is not one of a model.
        """
        if find_spec("vllm") is None:
            raise MissingExtraError("the model client 'vllm'", "vllm")
        self._vllm: Any = import_module("vllm")
        self._path = check_directory(name)
        self._max_tokens = max_tokens
        self._batch = batch
        self._temperature = temperature
        self._batches: Batches[list[dict[str, Any]], Completion] = Batches(
            self._answers, most=batch
        )
        self._engine: Any = None

    @property
    def name(self) -> str:
        """The word "vllm/" and the directory as it was given."""
        return f"vllm/{self._path}"

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """Limits and version; what runs together may move the last digits."""
        return {
            "max_tokens": self._max_tokens,
            "batch": self._batch,
            **({"temperature": self._temperature} if self._temperature else {}),
            "vllm": self._vllm.__version__,
        }

    async def complete(self, messages: Sequence[Message]) -> Completion:
        """Complete a conversation; `latency_s` is that of the whole batch.

        Raises:
            ModelError: it cannot be loaded, or does not take a conversation of the batch.
            BadImageError: a picture cannot be decoded.
        """
        return await self._batches.ask(await asyncio.to_thread(_conversation, messages))

    async def close(self) -> None:
        """Let go of the engine, whose memory vLLM gives back; `complete` would load it again."""
        self._engine = None

    def _answers(self, conversations: Sequence[list[dict[str, Any]]]) -> list[Completion]:
        started = monotonic()
        sampling = self._vllm.SamplingParams(
            temperature=self._temperature, max_tokens=self._max_tokens
        )
        try:
            if self._engine is None:
                self._engine = self._vllm.LLM(
                    model=str(self._path),
                    trust_remote_code=False,
                    limit_mm_per_prompt={"image": _MOST_PICTURES},
                )
            outputs = self._engine.chat(list(conversations), sampling, use_tqdm=False)
        except (OSError, ValueError, RuntimeError) as error:
            raise LOCAL_MODEL(f"{self.name}: vLLM gave up: {str(error).strip()}") from error
        took = monotonic() - started
        return [
            Completion(
                text=output.outputs[0].text,
                usage=Usage(len(output.prompt_token_ids), len(output.outputs[0].token_ids)),
                latency_s=took,
                finish=output.outputs[0].finish_reason or "",
            )
            for output in outputs
        ]


def _conversation(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [chat_turn(message, "image_pil") for message in messages]
