"""What a WebDriver server may cost."""

__all__ = ["MAX_ANSWER", "MAX_CAPABILITIES"]

MAX_ANSWER = 64_000_000
"""Bytes of one answer of a server."""
MAX_CAPABILITIES = 1_000_000
"""Bytes of a file of capabilities."""
