"""What reading a desktop may cost."""

__all__ = ["MAX_DESKTOP_NODES", "MAX_HOME_FILE"]

MAX_DESKTOP_NODES = 50_000
"""Elements of a desktop that one look reads; the rest is left out, and the look marked stale."""
MAX_HOME_FILE = 16_000_000
"""Bytes of a file in a desktop's home that a check reads."""
