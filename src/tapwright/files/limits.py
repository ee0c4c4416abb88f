"""Limits of files that are read; `docs/limits.md` lists them."""

__all__ = ["MAX_FILE_BYTES"]

MAX_FILE_BYTES = 2_000_000_000
"""Bytes of a file that is read as a whole."""
