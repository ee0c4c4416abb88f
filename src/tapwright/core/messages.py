"""What models read and write: messages of text, images, sounds and tool calls.

The shape follows the chat API that OpenAI-compatible servers share; how it goes over the wire is
each model client's matter.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.core.screenshot import Screenshot

__all__ = ["Audio", "Message", "Part", "Picture", "Role", "Text", "ToolCall"]

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
_SOUNDS = {b"ID3": "mp3", b"\xff\xfb": "mp3", b"\xff\xf3": "mp3", b"fLaC": "flac", b"OggS": "ogg"}


@dataclass(frozen=True, slots=True)
class Text:
    """Words."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """An image, sent as the bytes that it has."""

    screenshot: Screenshot


@dataclass(frozen=True, slots=True)
class Audio:
    """A sound, sent as the bytes that it has; `origin` is the file that they are from."""

    data: bytes = field(repr=False)
    origin: str = ""

    @property
    def kind(self) -> str:
        """How it is encoded, by its first bytes: "wav", "mp3", "flac" or "ogg"."""
        return next((kind for start, kind in _SOUNDS.items() if self.data.startswith(start)), "wav")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that a model wants called; `arguments` as parsed JSON."""

    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)


Part: TypeAlias = Text | Picture | Audio | ToolCall


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation: who speaks, and its parts in order."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """All its text parts, joined without a separator."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))
