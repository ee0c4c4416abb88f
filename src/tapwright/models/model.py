"""What every model client can do: complete a conversation, and say what it cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from tapwright.messages import Message

__all__ = [
    "Adjustable",
    "Completion",
    "Model",
    "ModelFactory",
    "Usage",
]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request as the server counted them, or 0 where it did not say."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens
        )


@dataclass(frozen=True, slots=True)
class Completion:
    """What came back: the text, its cost, and seconds from sending to the last byte.

    `latency_s` is that of the attempt that succeeded, `attempts` counts it and those before it.
    `finish` is why the model stopped, in the server's word: "length" means that it was cut off.
    """

    text: str
    usage: Usage = Usage()
    latency_s: float = 0.0
    attempts: int = 1
    finish: str = ""


@runtime_checkable
class Model(Protocol):
    """A wire to a model."""

    @property
    def name(self) -> str:
        """How run logs call it: "openai/qwen2.5-vl-7b"."""

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """What else makes its answers differ: address, temperature, …; never a secret."""

    async def complete(self, messages: Sequence[Message]) -> Completion:
        """Ask once, retrying what is worth retrying.

        Raises:
            ModelRefusedError: the server refused, and asking again would not help.
            ModelUnavailableError: the retries are used up.
        """

    async def close(self) -> None:
        """Close its connections; more than once is allowed."""


@runtime_checkable
class Adjustable(Protocol):
    """What a model has besides when one question can have settings of its own."""

    async def complete_with(
        self, messages: Sequence[Message], settings: Mapping[str, JsonValue]
    ) -> Completion:
        """`complete`, with these settings (`temperature`, `max_tokens`) over the model's own.

        Raises:
            ModelRefusedError: the server refused, and asking again would not help.
            ModelUnavailableError: the retries are used up.
        """


class ModelFactory(Protocol):
    """Makes a client from the part of "client/name" after the slash."""

    def __call__(
        self, name: str, *, base_url: str | None = None, api_key: str | None = None
    ) -> Model:
        """The client for the model called `name`.

        `base_url` is where its server is, None for the client's own default. A client that needs
        neither takes them and ignores them.

        Raises:
            MissingKeyError: the server wants a key and there is none.
        """
