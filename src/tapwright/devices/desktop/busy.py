"""Whether programs have work that they have not done yet, as the kernel tells (proc(5)).

A program that waits for a processor, however busy the machine is, is not at rest; one that waits
for events is. One that waits for a timer is about to do something, as GTK 3 hides a list of
completions a tenth of a second after the last letter: how long its main loop waits is in its call
of poll, from when that began.
"""

import os
import struct
from collections.abc import Iterable

__all__ = ["is_any_busy", "is_any_due"]

_BUSY = (b"R", b"D")  # runs or waits for a processor; waits for a disk
# poll takes milliseconds, ppoll a struct timespec. By the machine, as the numbers of calls differ.
_POLL = {"x86_64": 7}
_PPOLL = {"x86_64": 271, "aarch64": 73}
_MACHINE = os.uname().machine if hasattr(os, "uname") else ""
_TIMESPEC = struct.Struct("=qq")


def is_any_busy(pids: Iterable[int]) -> bool:
    """Whether a thread of one of these processes runs, or would if it could; ended ones do not."""
    return any(_is_busy(pid) for pid in pids)


def is_any_due(pids: Iterable[int], within_s: float) -> bool:
    """Whether the main thread of one waits no longer than this, though nothing may happen.

    False where the system does not tell.
    """
    return any(_wait_s(pid) <= within_s for pid in pids)


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


def _wait_s(pid: int) -> float:
    """The limit of the wait that a main thread is in; infinity without one."""
    try:
        with open(f"/proc/{pid}/syscall", encoding="ascii") as file:
            number, *given = (int(word, 0) for word in file.read().split())
        if number == _POLL.get(_MACHINE):
            milliseconds = given[2] & 0xFFFFFFFF
            return milliseconds / 1000 if milliseconds < 1 << 31 else float("inf")
        if number == _PPOLL.get(_MACHINE) and given[2]:
            with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
                memory.seek(given[2])
                seconds, nanoseconds = _TIMESPEC.unpack(memory.read(_TIMESPEC.size))
            return float(seconds + nanoseconds / 1e9)
    except (OSError, ValueError, IndexError, struct.error):
        pass  # it runs, has ended, or nobody may know
    return float("inf")
