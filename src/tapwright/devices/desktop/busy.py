"""Whether programs have work that they have not done yet, as the kernel tells (proc(5)).

A program that waits for a processor, however busy the machine is, is not at rest; one that waits
for events, or for a timer, is.
"""

import os
from collections.abc import Iterable

__all__ = ["is_any_busy"]

_BUSY = (b"R", b"D")  # runs or waits for a processor; waits for a disk


def is_any_busy(pids: Iterable[int]) -> bool:
    """Whether a thread of one of these processes runs, or would if it could; ended ones do not."""
    return any(_is_busy(pid) for pid in pids)


def _is_busy(pid: int) -> bool:
    try:
        return any(_state(pid, thread) in _BUSY for thread in os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return False


def _state(pid: int, thread: str) -> bytes:
    try:
        with open(f"/proc/{pid}/task/{thread}/stat", "rb") as file:
            return file.read().rpartition(b")")[2][1:2]
    except OSError:
        return b""
