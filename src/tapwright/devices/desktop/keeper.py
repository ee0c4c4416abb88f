"""The parent of everything that runs on a desktop: starts programs, and ends all of them at once.

Run as a program of its own (`python -I -S keeper.py`), with nothing but the standard library. It
adopts what its children leave behind (PR_SET_CHILD_SUBREAPER of prctl(2)), so that no program gets
away by forking twice. Requests are lines of JSON on its standard input, answered in order, one line
each. When the input ends, as it does however its owner ends, it kills all that is left, and itself.
"""

import ctypes
import json
import os
import signal
import sys
import time
from typing import Any

_SUBREAPER, _DEATH_SIGNAL = 36, 1  # PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG
_END_S = 5.0
_libc = ctypes.CDLL(None)
_ended: dict[int, int] = {}


def main() -> None:
    """Serve requests until there are no more."""
    _libc.prctl(_SUBREAPER, 1, 0, 0, 0)
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)  # it ends with its owner, not before
    try:
        for line in sys.stdin.buffer:
            reply = json.dumps(_answer(json.loads(line)))
            sys.stdout.buffer.write(reply.encode() + b"\n")
            sys.stdout.buffer.flush()
    finally:
        _end_all(frozenset())


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    _reap()
    match request["do"]:
        case "start":
            return {"pid": _start(request)}
        case "status":  # None while it runs
            return {"status": _ended.get(request["pid"])}
        case "end":
            return {"left": _end_all(frozenset(request["but"]))}
        case "family":
            return {"pids": sorted(_descendants(request["pid"]))}
    return {}


def _start(request: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        _ended.pop(pid, None)  # numbers come again: this is not the one that had it before
        return pid
    try:
        _libc.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        os.setsid()
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, signal.SIG_DFL)
        quiet = os.open(os.devnull, os.O_RDONLY)
        log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        report = os.open(request["report"], os.O_WRONLY | os.O_CREAT, 0o600)
        for number, target in ((quiet, 0), (log, 1), (log, 2), (report, 3)):
            os.dup2(number, target)
        os.chdir(request["folder"])
        os.execve(request["argv"][0], request["argv"], request["environment"])  # noqa: S606
    except OSError as error:
        os.write(2, f"{request['argv'][0]}: {error}\n".encode())
    finally:
        os._exit(127)


def _reap() -> None:
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            _ended[pid] = os.waitstatus_to_exitcode(status)
    except ChildProcessError:
        return


def _end_all(kept: frozenset[int]) -> int:
    """Kill every descendant but those `kept`; returns how many are left after the time limit."""
    until = time.monotonic() + _END_S
    while True:
        _reap()
        left = _descendants(os.getpid()) - kept
        if not left or time.monotonic() > until:
            return len(left)
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        # To look at these alone is quick; all processes of a machine are many.
        while time.monotonic() < until and any(_parent(pid) is not None for pid in left):
            time.sleep(0.001)
            _reap()


def _descendants(pid: int) -> set[int]:
    """The processes below one, those that ended and wait to be read left out."""
    below: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        parent = _parent(int(name)) if name.isdigit() else None
        if parent is not None:
            below.setdefault(parent, []).append(int(name))
    found: set[int] = set()
    stack = [pid]
    while stack:
        children = below.get(stack.pop(), [])
        found.update(children)
        stack.extend(children)
    return found


def _parent(pid: int) -> int | None:
    """Whose child a process is; None if there is none, or it ended and waits to be read by another.

    One that waits for us is still there: what `_reap` has not read may be ours to wait for.
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, parent = file.read().rpartition(b")")[2].split()[:2]
    except OSError:
        return None
    return int(parent) if state not in b"ZX" or int(parent) == os.getpid() else None


if __name__ == "__main__":
    main()
