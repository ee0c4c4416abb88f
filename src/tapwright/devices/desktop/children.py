"""The programs of a desktop, started and ended through their keeper."""

import contextlib
import json
import os
import select
import subprocess
import sys
import time
import weakref
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from tapwright.errors import DeviceLostError

__all__ = ["Children"]

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
