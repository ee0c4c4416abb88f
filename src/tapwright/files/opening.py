"""Flags for `os.open` that every system takes: what one does not have is 0 there.

Windows would read a file as text, to the first Ctrl+Z and without its carriage returns, unless it
is told that these are bytes (https://docs.python.org/3/library/os.html#os.O_BINARY).
"""

import os
from typing import Final

__all__ = ["BYTES", "NO_LINK", "NO_WAIT", "OPENS_DIRECTORIES", "OWN"]

BYTES: Final[int] = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
"""For every file: bytes as they are, for this process alone."""
NO_LINK: Final[int] = getattr(os, "O_NOFOLLOW", 0)
NO_WAIT: Final[int] = getattr(os, "O_NONBLOCK", 0)
OWN: Final[int] = BYTES | NO_LINK | NO_WAIT
"""For a file that is added to: a link or a named pipe in its place is refused, not followed."""
OPENS_DIRECTORIES: Final = hasattr(os, "O_DIRECTORY")
"""Whether a directory can be opened, as it can not on Windows."""
