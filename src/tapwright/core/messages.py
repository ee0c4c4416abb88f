"""What models read and write: messages of text, images and tool calls.

The shape follows the chat API that OpenAI-compatible servers share; how it goes over the wire is
each model client's matter.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.core.screenshot import Screenshot

__all__ = [
    "Message",
    "Part",
    "Picture",
    "Role",
    "Text",
    "ToolCall",
]

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Text:
    """Words."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """An image, sent as the bytes that it has."""

    screenshot: Screenshot


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that a model wants called; `arguments` as parsed JSON."""

    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)


Part: TypeAlias = Text | Picture | ToolCall


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation: who speaks, and its parts in order."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """All its text parts, joined without a separator."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))
