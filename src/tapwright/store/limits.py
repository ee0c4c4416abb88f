"""Limits of what an episode on disk may hold; `docs/limits.md` lists them."""

__all__ = ["MAX_STATE_BYTES"]

MAX_STATE_BYTES = 32_000_000
"""Bytes of a value of an app's state, or of a view hierarchy, when it is unpacked."""
