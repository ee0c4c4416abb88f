"""Limits of what desktops, pages and WebDriver servers may cost; `docs/limits.md` lists them."""

__all__ = [
    "MAX_ANSWER", "MAX_CAPABILITIES", "MAX_CELLS", "MAX_DESKTOP_NODES", "MAX_DOCUMENT_PART",
    "MAX_DOWNLOAD_BYTES", "MAX_HOME_FILE", "MAX_PARAGRAPHS", "MAX_TABS",
]  # fmt: skip

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

MAX_TABS = 20
"""Tabs of a browser; those that pages open beyond are closed at once."""
MAX_DOWNLOAD_BYTES = 100_000_000
"""Bytes of all files that pages download until the next reset; one beyond is refused."""

MAX_ANSWER = 64_000_000
"""Bytes of one answer of a server."""
MAX_CAPABILITIES = 1_000_000
"""Bytes of a file of capabilities."""
