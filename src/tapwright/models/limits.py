"""Limits of what a model server may send; `docs/limits.md` lists them."""

__all__ = ["MAX_ANSWER_BYTES"]

MAX_ANSWER_BYTES = 8_000_000
"""Bytes of a server's answer, unpacked where it came compressed."""
