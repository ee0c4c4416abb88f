"""Errors of conventions and chat templates."""

from tapwright.errors import TapwrightError

__all__ = [
    "BadChatError",
    "ChatPrefixError",
]


class BadChatError(TapwrightError, ValueError):
    """A chat holds what its template cannot write, or would write as something else."""

    code = "TW430"


class ChatPrefixError(TapwrightError):
    """A chat template writes a conversation so that a prompt is not the start of its whole text."""

    code = "TW431"
