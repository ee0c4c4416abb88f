"""What reading a desktop may cost."""

__all__ = ["MAX_CELLS", "MAX_DESKTOP_NODES", "MAX_DOCUMENT_PART", "MAX_HOME_FILE", "MAX_PARAGRAPHS"]

MAX_DESKTOP_NODES = 50_000
"""Elements of a desktop that one look reads; the rest is left out, and the look marked stale."""
MAX_HOME_FILE = 16_000_000
"""Bytes of a file in a desktop's home that a check reads."""
MAX_DOCUMENT_PART = 16_000_000
"""Bytes that a part of an office document in a desktop's home may unpack to."""
MAX_CELLS = 100_000
"""Filled cells of a spreadsheet that a check reads."""
MAX_PARAGRAPHS = 20_000
"""Paragraphs of a text document that a check reads."""
