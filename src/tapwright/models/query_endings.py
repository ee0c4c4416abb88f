"""The ways in which a query ends: one table, by which every client, score and page counts alike.

Servers tell why a model stopped in words of their own (`finish_reason`, `stop_reason`,
`finishReason`, the reason of an incomplete response). A log keeps the word, so that of an older
log the ending is found the same way.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tapwright.models.errors import ModelUnavailableError, ServerDownError

__all__ = ["ENDINGS", "EndingKind", "QueryEnding", "answer_ending", "failed_ending", "query_ending"]

QueryEnding: TypeAlias = Literal[
    "answered", "unread", "refused", "cut", "empty", "malformed", "failed", "unavailable"
]


@dataclass(frozen=True, slots=True)
class EndingKind:
    """What one ending means and what follows of it.

    With `has_answer` what came back is read and scored as it stands; else there is no answer, and
    so no score, but under a rule that counts failures as wrong (`ChoiceRule.counts_failures`).
    The client repeats a request without an answer; `advice` is the way out when there are many.
    """

    meaning: str
    advice: str = ""
    has_answer: bool = True


_AGAIN = "when that is mended, the same command asks them again"
ENDINGS: Mapping[QueryEnding, EndingKind] = {
    "answered": EndingKind("an answer that was read"),
    "unread": EndingKind(
        "an answer that is outside the form asked for",
        "see how they are read: --convention, --space",
    ),
    "refused": EndingKind(
        "the model or a filter declined to answer",
        "see the answers; a provider's filter is mostly set in its console",
    ),
    "cut": EndingKind(
        "an answer that was cut off at the limit of tokens",
        "raise max_tokens, or shorten the reasoning",
    ),
    "empty": EndingKind("an answer without words"),
    "malformed": EndingKind(
        "a call of a tool that the provider could not form",
        "ask without tools, or see that the model was trained with them",
    ),
    "failed": EndingKind("the provider told an error", _AGAIN, has_answer=False),
    "unavailable": EndingKind("the server was not there, or not in time", _AGAIN, has_answer=False),
}
"""In the order in which they are shown. A refused request ("failed") is not repeated."""

_WORDS: Mapping[str, QueryEnding] = {
    **dict.fromkeys(
        (
            # OpenAI, Azure; Anthropic; Bedrock; Zhipu
            "content_filter", "refusal", "content_filtered", "guardrail_intervened", "sensitive",
            # Gemini's finishReason and blockReason
            "safety", "recitation", "language", "blocklist", "prohibited_content", "spii",
            "image_safety", "image_prohibited_content", "image_recitation", "model_armor",
            "block_reason_unspecified", "block_reason_other",
        ),
        "refused",
    ),
    **dict.fromkeys(
        (
            # OpenAI; Anthropic and Gemini; OpenAI's responses; Anthropic; Mistral
            "length", "max_tokens", "max_output_tokens", "model_context_window_exceeded",
            "model_length", "incomplete",
        ),
        "cut",
    ),
    **dict.fromkeys(
        (
            # Gemini; Bedrock
            "malformed_function_call", "unexpected_tool_call", "too_many_tool_calls",
            "malformed_response", "malformed_model_output", "malformed_tool_use",
        ),
        "malformed",
    ),
}  # fmt: skip
"""The words that name an ending, in lower case; with any other one the model ended by itself."""
_AWAY = frozenset({ModelUnavailableError.code, ServerDownError.code})


def answer_ending(text: str, finish: str) -> QueryEnding:
    """How a query ended that was answered, before its answer is read."""
    return _WORDS.get(finish.lower()) or ("answered" if text.strip() else "empty")


def failed_ending(code: str) -> QueryEnding:
    """How a query ended that has an error of this code in place of an answer."""
    return "unavailable" if code in _AWAY else "failed"


def query_ending(
    text: str | None, finish: str, *, is_read: bool, declines: bool = False
) -> QueryEnding:
    """How a query without an error ended, by what a log keeps of it.

    `text` is the answer, None where there is none. `is_read` is whether it was understood, and
    `declines` whether it was as words that there is nothing to answer.
    """
    found = _WORDS.get(finish.lower())
    if found is not None:
        return found
    if is_read or text is None:  # a task that was played has a verdict and perhaps no answer
        return "answered"
    if not text.strip():
        return "empty"
    return "refused" if declines else "unread"
