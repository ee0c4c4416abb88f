"""Errors of conventions and chat templates."""

from tapwright.errors import TapwrightError

__all__ = ["BadChatError", "ChatPrefixError"]


class BadChatError(TapwrightError, ValueError, code="TW430"):
    """A chat holds what its template cannot write, or would write as something else."""


class ChatPrefixError(TapwrightError, code="TW431"):
    """A chat template writes a conversation so that a prompt is not the start of its whole text."""
