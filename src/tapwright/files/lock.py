"""One process at a time: locks on files and directories themselves.

A lock is the kernel's (`flock`), so it ends with the process however that ends, `kill -9` included,
and leaves nothing behind. The library filelock would need a lock file beside each ledger and each
episode, which it removes again: stores are copied and mirrored file by file while they are in use.
"""

import fcntl
from typing import Protocol

__all__ = ["try_lock", "unlock", "wait_for_lock"]


class _HasFileno(Protocol):
    def fileno(self) -> int: ...


def try_lock(file: int | _HasFileno) -> bool:
    """Lock an open file or directory until it is closed; False when another holder has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_for_lock(file: int | _HasFileno) -> None:
    """Lock an open file until it is closed, after every other holder has closed it."""
    fcntl.flock(file, fcntl.LOCK_EX)


def unlock(file: int | _HasFileno) -> None:
    """Give a lock back before the file is closed.

    A process that another thread is just starting holds every open file for a moment, and with it
    a lock that only its closing would end.
    """
    fcntl.flock(file, fcntl.LOCK_UN)
