"""A chat as one training text: the prompt, the completion, and the spans where the loss counts.

Chat templates without `{% generation %}` marks give trainers a loss mask of zeros, so the places
are found by the prefix law: what a template writes for the turns before an answer, with the words
that call for one, is the start of what it writes with the answer.
"""

from dataclasses import dataclass
from typing import Protocol

from tapwright.conventions.android_tools import render_chat
from tapwright.conventions.chat import Chat
from tapwright.conventions.errors import BadChatError, ChatPrefixError

__all__ = ["ChatRenderer", "RenderedChat", "render_pair"]


@dataclass(frozen=True, slots=True)
class RenderedChat:
    """One training text, cut where the model begins to write its last answer.

    `spans` are (start, end) in characters of `text`, end exclusive: every answer in it, in order,
    each with what ends its turn. The last one is `completion`.
    """

    prompt: str
    completion: str
    spans: tuple[tuple[int, int], ...]

    @property
    def text(self) -> str:
        """All of it: `prompt` and `completion`."""
        return self.prompt + self.completion


class ChatRenderer(Protocol):
    """Writes a chat as one text; `tokenizer.apply_chat_template` with `tokenize=False` is one."""

    def __call__(
        self, messages: Chat, tools: Chat | None = None, *, add_generation_prompt: bool = False
    ) -> str:
        """The text; with the words that call for an answer at its end on request."""


def render_pair(
    messages: Chat, tools: Chat | None = None, *, render: ChatRenderer = render_chat
) -> RenderedChat:
    """Render a chat that ends with an answer, and cut it by the prefix law.

    Every message of the role "assistant" is an answer. `plain_chat` is for the caller to apply.

    Raises:
        BadChatError: the last message is no answer.
        ChatPrefixError: the template breaks the law, so the answers of the model cannot be found.
    """
    if not messages or messages[-1].get("role") != "assistant":
        raise BadChatError("the chat does not end with an answer of the role 'assistant'")
    text = render(messages, tools)
    spans = []
    for number, message in enumerate(messages):
        if message.get("role") != "assistant":
            continue
        before = render(messages[:number], tools, add_generation_prompt=True)
        after = text if number + 1 == len(messages) else render(messages[: number + 1], tools)
        if not (after.startswith(before) and text.startswith(after)):
            raise ChatPrefixError(
                f"messages[{number}]: the template writes the turns before this answer otherwise "
                "when more turns follow"
            )
        spans.append((len(before), len(after)))
    cut = spans[-1][0]
    return RenderedChat(text[:cut], text[cut:], tuple(spans))
