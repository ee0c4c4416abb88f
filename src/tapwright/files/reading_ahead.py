"""Asks the system for files before they are read, so that a disk reads many of them at a time.

Thousands of small files that are not in memory take a disk a millisecond each when one is read
after the other. This follows posix_fadvise(2), whose POSIX_FADV_WILLNEED does not wait.
"""

import os
from collections.abc import Iterable
from contextlib import suppress

from tapwright.files.opening import BYTES, NO_WAIT

__all__ = ["read_ahead"]


def read_ahead(paths: Iterable[str]) -> None:
    """Ask for these files, where the system takes such wishes; what cannot be opened is skipped."""
    if not hasattr(os, "posix_fadvise"):
        return  # macOS, Windows
    for path in paths:
        with suppress(OSError):
            handle = os.open(path, os.O_RDONLY | BYTES | NO_WAIT)
            try:
                os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_WILLNEED)
            finally:
                os.close(handle)
