"""The programs of a desktop, started and ended through their keeper."""

import contextlib
import json
import os
import select
import struct
import subprocess
import sys
import time
import weakref
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tapwright.errors import DeviceLostError

__all__ = ["Children", "is_any_busy", "is_any_due"]


_KEEPER = Path(__file__).with_name("keeper.py")
_LIMIT_S = 15.0


class Children:
    """Programs that end with this process, however it ends, and all that they start.

    Used from one thread at a time.
    """

    def __init__(self) -> None:
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_KEEPER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.defpath},
            start_new_session=True,  # Ctrl-C in a terminal is for its owner
        )
        self._finalizer = weakref.finalize(self, _end, os.getpid(), self._keeper)

    def start(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: Path,
        log: Path,
        report: Path = Path(os.devnull),
    ) -> int:
        """Start a program by its path; returns its process's id.

        Its output is added to `log`; what it writes to descriptor 3 goes to `report`.
        """
        reply = self._ask(
            do="start", argv=list(argv), environment=dict(environment), folder=str(folder),
            log=str(log), report=str(report),
        )  # fmt: skip
        return int(reply["pid"])

    def status(self, pid: int) -> int | None:
        """What a program that was started ended with, minus the signal's number; None if not."""
        status = self._ask(do="status", pid=pid)["status"]
        return None if status is None else int(status)

    def family(self, pid: int) -> set[int]:
        """The programs that one has started, and those that they have."""
        return set(self._ask(do="family", pid=pid)["pids"])

    def end(self, *, but: Collection[int] = ()) -> None:
        """Kill every program with all that it started, except those named; they are gone then.

        Raises:
            DeviceLostError: one cannot be killed.
        """
        left = self._ask(do="end", but=list(but))["left"]
        if left:
            raise DeviceLostError(f"{left} programs of the desktop do not end when killed")

    def close(self) -> None:
        """End all of them; more than once is allowed."""
        self._finalizer()

    def _ask(self, **request: object) -> dict[str, Any]:
        assert self._keeper.stdin is not None  # both are pipes
        assert self._keeper.stdout is not None
        try:
            self._keeper.stdin.write(json.dumps(request).encode() + b"\n")
            self._keeper.stdin.flush()
            until = time.monotonic() + _LIMIT_S
            output, line = self._keeper.stdout.fileno(), b""
            while not line.endswith(b"\n"):
                if not select.select([output], [], [], max(until - time.monotonic(), 0))[0]:
                    raise DeviceLostError(
                        f"the keeper of the desktop's programs did not answer in {_LIMIT_S:g} s"
                    )
                part = os.read(output, 65536)
                if not part:
                    raise DeviceLostError("the keeper of the desktop's programs was killed")
                line += part
        except (OSError, ValueError) as error:
            raise DeviceLostError("the keeper of the desktop's programs is gone") from error
        reply: dict[str, Any] = json.loads(line)
        return reply


def _end(owner: int, keeper: "subprocess.Popen[bytes]") -> None:
    if os.getpid() != owner:  # a fork of this process has the object, but does not own the desktop
        return
    for pipe in (keeper.stdin, keeper.stdout):
        assert pipe is not None
        with contextlib.suppress(OSError):
            pipe.close()
    try:
        keeper.wait(_LIMIT_S)
    except subprocess.TimeoutExpired:
        keeper.kill()
        keeper.wait()


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
