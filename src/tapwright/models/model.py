"""The protocol of model clients: complete a conversation, and report its usage."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

from pydantic import JsonValue

from tapwright.core.messages import Message
from tapwright.jobs.spans import span
from tapwright.models.query_endings import QueryEnding, answer_ending

__all__ = [
    "Adjustable", "Completion", "LocalModel", "Model", "ModelFactory", "Prepare", "ReadOutputs",
    "Usage", "complete_with",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request as the server counted them, or 0 where it did not."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer: its text, its usage, and the seconds from sending to the last byte.

    `latency_s` is that of the attempt that succeeded, `attempts` counts it and those before it.
    `finish` is why the model stopped, in the server's word: "length" means that it was cut off.
    `reasoning` is what the server gave apart from the answer: reasoning, thinking blocks.
    `changed` are the settings that were sent in place of the model's own, since the server had
    refused those; null stands for one that was left out. `odd` counts fields of the response that
    were ignored, since they are of another type than documented.
    """

    text: str
    usage: Usage = Usage()
    latency_s: float = 0.0
    attempts: int = 1
    finish: str = ""
    reasoning: str = ""
    changed: Mapping[str, JsonValue] = field(default_factory=dict)
    odd: int = 0

    @property
    def ending(self) -> QueryEnding:
        """How the query ended, before its answer is read."""
        return answer_ending(self.text, self.finish)


@runtime_checkable
class Model(Protocol):
    """A client of a model."""

    @property
    def name(self) -> str:
        """Its name in run logs: "openai/qwen2.5-vl-7b"."""

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """What else its answers depend on: address, temperature, …; never a secret."""

    async def complete(self, messages: Sequence[Message]) -> Completion:
        """Complete a conversation; failed requests are retried where that may help.

        Raises:
            ModelRefusedError: the server refused, and a retry would not help.
            ModelError: the retries are used up.
        """

    async def close(self) -> None:
        """Close its connections; more than once is allowed."""


@runtime_checkable
class Adjustable(Protocol):
    """A model that takes settings for a single request."""

    async def complete_with(
        self, messages: Sequence[Message], settings: Mapping[str, JsonValue]
    ) -> Completion:
        """`complete`, with these settings (`temperature`, `max_tokens`) over the model's own.

        Raises:
            ModelRefusedError: the server refused, and a retry would not help.
            ModelError: the retries are used up.
        """


Prepare: TypeAlias = Callable[[Any, Any], "Sequence[Message] | Mapping[str, Any]"]
"""From model and processor, a conversation or the inputs of the model's `generate`."""
ReadOutputs: TypeAlias = Callable[[Any, Any, Any], str]
"""From ids, those of the prompt first, with model and processor, the answer."""


@runtime_checkable
class LocalModel(Protocol):
    """A model of transformers in this process, which hands itself to functions."""

    async def complete_by(self, prepare: Prepare, read: ReadOutputs | None) -> Completion:
        """The answer to what `prepare` makes, as `read` reads it, or in its new tokens' words.

        What the functions raise is raised here.

        Raises:
            ModelRefusedError: the question is too long, or no conversation of its chat template.
            ModelError: it cannot be loaded, or failed on the question.
        """


async def complete_with(
    model: Model, messages: Sequence[Message], settings: Mapping[str, JsonValue]
) -> Completion:
    """The model's completion, with these settings where its client takes such.

    Raises:
        ModelRefusedError: the server refused, and a retry would not help.
        ModelUnavailableError: the retries are used up.
    """
    client, _, named = model.name.partition("/")
    name = named or client
    asked = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": client,
             "gen_ai.request.model": name}  # fmt: skip
    with span(f"chat {name}", asked, is_request=True) as request:
        if settings and isinstance(model, Adjustable):
            completion = await model.complete_with(messages, settings)
        else:
            completion = await model.complete(messages)
        request.set_attributes(
            {
                "gen_ai.usage.input_tokens": completion.usage.input_tokens,
                "gen_ai.usage.output_tokens": completion.usage.output_tokens,
                "gen_ai.response.finish_reasons": (completion.finish,),
                "tapwright.attempts": completion.attempts,
            }
        )
    return completion


class ModelFactory(Protocol):
    """Makes a client from the part of "client/name" after the slash."""

    def __call__(
        self, name: str, *, base_url: str | None = None, api_key: str | None = None
    ) -> Model:
        """The client for the model called `name`.

        `base_url` is where its server is, None for the client's own default. A client that needs
        neither takes them and ignores them.

        Raises:
            ModelError: the server wants a key and there is none.
        """
