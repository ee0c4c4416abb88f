"""A Python that has started already: runs what `python -c` is asked to, each in a fork of its own.

To start Python and to import what acts on the desktop takes longer than most actions. This program
has done both, and listens on the Unix socket that is its argument. A request is a line of JSON with
the code, its arguments, its folder and the files for its output; answers are a line with the number
of its process, and one with what that ended with, minus the signal's number. Nothing that code does
to its Python, its folder or its environment is seen by the next; programs that it leaves behind
stay. Nothing but the standard library is imported.
"""

import builtins
import ctypes
import gc
import json
import os
import selectors
import signal
import socket
import sys
import traceback
import types
from typing import Any

import pyautogui  # noqa: F401 - imported once for all forks, as is the next
import pyperclip  # noqa: F401

_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)
_REQUEST_S = 5.0  # a program that connects and says nothing keeps nobody waiting
_prctl = ctypes.CDLL(None).prctl


def main() -> None:
    """Serve until killed; in a fork, run what was asked for."""
    asked = _serve(sys.argv[1])
    _become(asked)
    code = compile(asked["code"], "<string>", "exec", dont_inherit=True)
    exec(code, sys.modules["__main__"].__dict__)  # noqa: S102 - as python -c does


def _serve(address: str) -> dict[str, Any]:
    """Returns in forks alone, with what each is to run."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    woken, wake = socket.socketpair()
    for one in (woken, wake):
        one.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # or the one below is not told
    signal.set_wakeup_fd(wake.fileno())
    waiting: dict[int, socket.socket] = {}
    gc.freeze()
    with selectors.DefaultSelector() as selector:
        for one in (listener, woken):
            selector.register(one, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is woken:
                    woken.recv(4096)
                    _tell_ended(waiting)
                    continue
                connection, _ = listener.accept()
                if not (asked := _read(connection)):
                    connection.close()
                    continue
                if not (pid := os.fork()):
                    signal.set_wakeup_fd(-1)
                    for one in (listener, woken, wake, connection, *waiting.values()):
                        one.close()
                    return asked
                waiting[pid] = connection
                _tell(connection, pid=pid)


def _read(connection: socket.socket) -> dict[str, Any]:
    """A request; an empty one if it does not come."""
    connection.settimeout(_REQUEST_S)
    try:
        with connection.makefile("rb") as lines:
            asked: dict[str, Any] = json.loads(lines.readline())
    except (OSError, ValueError):
        return {}
    return asked


def _tell(connection: socket.socket, **answer: int) -> None:
    try:
        connection.sendall(json.dumps(answer).encode() + b"\n")
    except OSError:  # who asked has gone
        return


def _tell_ended(waiting: dict[int, socket.socket]) -> None:
    while waiting:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with waiting.pop(pid) as connection:
            _tell(connection, status=os.waitstatus_to_exitcode(status))


def _become(asked: dict[str, Any]) -> None:
    """Make this fork what a new Python would be."""
    _prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for name, number in (("out", 1), ("err", 2)):
        output = os.open(asked[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        os.dup2(output, number)
    os.chdir(asked["folder"])
    sys.argv = ["-c", *asked["argv"]]
    sys.path[0] = ""
    sys.modules["__main__"] = main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    sys.excepthook = _tell_fault


def _tell_fault(
    kind: type[BaseException], fault: BaseException, trace: types.TracebackType | None
) -> None:
    """As Python tells it, without the lines of this file."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    traceback.print_exception(kind, fault, trace)


if __name__ == "__main__":
    main()
