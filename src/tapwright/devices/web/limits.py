"""What pages may do to the machine that shows them."""

__all__ = ["MAX_DOWNLOAD_BYTES", "MAX_TABS"]

MAX_TABS = 20
"""Tabs of a browser; those that pages open beyond are closed at once."""
MAX_DOWNLOAD_BYTES = 100_000_000
"""Bytes of all files that pages download until the next reset; one beyond is refused."""
