"""A browser's profile folder, removed with the browser, or later if its owner was killed.

Each folder holds a lock for as long as its owner lives; the kernel lets go of it however that
ends. Whoever makes the next profile removes those that nobody holds.
"""

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from tapwright.files.lock import try_lock

_PREFIX = "tapwright-chromium-"
_LOCK = "owner.lock"
# A folder is made a moment before it is locked.
_YOUNG_S = 60.0


class Profile:
    """A new, empty folder at `path`."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try_lock(self._lock)
        _sweep(self.path.parent)

    def remove(self) -> None:
        """Remove it with all that is in it; once only."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _sweep(folder: Path) -> None:
    for path in folder.glob(f"{_PREFIX}*"):
        # Another process may sweep at the same time, and other users' folders are not ours.
        with suppress(OSError):
            if time.time() - path.stat().st_mtime < _YOUNG_S:
                continue
            lock = os.open(path / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                if try_lock(lock):
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(lock)
