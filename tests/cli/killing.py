"""Runs commands in processes that kill themselves (`kill -9`) at a chosen change of the disk.

A change is counted when it begins, so that the process dies before it and after the one before. In
the same way the system refuses all changes from a chosen one on, with a `fault` for it. The
processes are forks of one that has imported the commands already. One that hangs is ended with the
stacks of its threads, and one whose children outlive it is told of.
"""

import errno
import faulthandler
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any, Self

_ROOT = Path(__file__).parents[2]
_CHANGES = {
    *("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.truncate"),
    *("fcntl.flock", "socket.connect", "sqlite3.connect"),
}
FAULTS = {
    "full": (errno.ENOSPC, {"open", "os.mkdir", "os.fsync"}),
    "read-only": (
        errno.EROFS,
        {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.truncate"},
    ),
    "forbidden": (errno.EACCES, {"open", "os.mkdir", "os.rename", "os.remove", "os.link"}),
}
"""What the system answers to which changes."""
# A job takes seconds; what a killed one started ends with it, or soon after.
_HANGING_S = 180
_LEFT_S = 30
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit code, negative for a signal, and its number of changes."""

    code: int
    changes: int
    out: str
    err: str

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL


class Killer:
    """Runs `tapwright` with words until the change with a number, or to its end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.killing"],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def run(
        self,
        words: Sequence[str],
        *,
        cwd: Path,
        kill_at: int | None = None,
        fault: str = "",
        fault_at: int = 0,
        limits: Mapping[str, int] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Ended:
        """Run a command; with `kill_at`, until before its change with this number, from 0.

        With a `fault`, what the system refuses is refused from the change `fault_at` on. `limits`
        are of the process: `file_bytes`, `uid`, `files` that it may open beside those that are,
        and `clock`, 1 when it runs back.
        """
        asked = {
            "words": list(words),
            "cwd": str(cwd),
            "kill_at": kill_at,
            "fault": fault,
            "fault_at": fault_at,
            "limits": limits or {},
            "environment": environment or {},
            "folder": str(self._folder),
        }
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(asked).encode() + b"\n")
        self._server.stdin.flush()
        code = json.loads(self._server.stdout.readline())
        out, err = ((self._folder / name).read_text("utf-8", "replace") for name in ("out", "err"))
        return Ended(code, int((self._folder / "changes").read_text() or 0), out, err)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            self._server.communicate(timeout=_LEFT_S)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.communicate()


def _serve() -> None:
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        folder = Path(asked["folder"])
        (folder / "modules").write_text("[]")
        pipes = {name: os.pipe() for name in ("out", "err")}
        child = os.fork()
        if child == 0:
            try:
                _run(asked, folder, {name: into for name, (_, into) in pipes.items()})
            finally:
                os._exit(70)
        keeping = {}
        for name, (end, into) in pipes.items():
            os.close(into)
            keeping[name] = Thread(target=_keep, args=(end, folder / name), daemon=True)
            keeping[name].start()
        _, status = os.waitpid(child, 0)
        until = time.monotonic() + _LEFT_S
        for name, thread in keeping.items():
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive():
                with (folder / name).open("ab") as file:
                    file.write(f"Traceback: after {_LEFT_S} s a child holds {name}\n".encode())
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()
        for name in json.loads((folder / "modules").read_text() or "[]"):
            with suppress(ImportError):  # some are parts that only their packages import
                importlib.import_module(name)


def _keep(end: int, path: Path) -> None:
    with os.fdopen(end, "rb", buffering=0) as pipe, path.open("wb", buffering=0) as file:
        while said := pipe.read(1 << 16):
            file.write(said)


def _run(asked: Mapping[str, Any], folder: Path, streams: Mapping[str, int]) -> None:
    from tapwright.cli.main import main

    os.dup2(streams["out"], 1)
    os.dup2(streams["err"], 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.update(asked["environment"])
    os.chdir(asked["cwd"])
    tempfile.gettempdir()  # which tries the directory by a file of its own
    sys.argv = ["tapwright", *asked["words"]]
    faulthandler.dump_traceback_later(_HANGING_S, exit=True, file=os.dup(2))
    sys.dont_write_bytecode = True  # which only the first run would do
    changes = os.open(folder / "changes", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    modules = os.open(folder / "modules", os.O_WRONLY | os.O_TRUNC)
    imported = set(sys.modules)
    _limit(asked["limits"])
    _watch_changes(changes, asked["kill_at"], asked["fault"], asked["fault_at"])
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 - as an interpreter ends
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
        resource.setrlimit(limit, (resource.getrlimit(limit)[1],) * 2)
    os.write(modules, json.dumps([name for name in sys.modules if name not in imported]).encode())
    os._exit(code)


def _limit(limits: Mapping[str, int]) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if "file_bytes" in limits:
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits["file_bytes"], hard))
    if "files" in limits:
        used = max(int(one) for one in os.listdir("/proc/self/fd"))
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + limits["files"], hard))
    if "clock" in limits:
        setattr(time, "time", partial(next, count(time.time(), -60)))  # noqa: B010
    if "uid" in limits:
        os.setgroups([])
        os.setgid(limits["uid"])
        os.setuid(limits["uid"])


def _watch_changes(file: int, kill_at: int | None, fault: str, fault_at: int) -> None:
    number = 0
    code, refused = FAULTS.get(fault, (0, set[str]()))

    def see(event: str, path: object = "") -> None:
        nonlocal number
        if number == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        number += 1
        os.pwrite(file, str(number).encode(), 0)
        if event in refused and number > fault_at and not str(path).startswith("/dev/"):
            raise OSError(code, os.strerror(code))

    def watch(event: str, told: tuple[Any, ...]) -> None:
        writes = event == "open" and isinstance(told[2], int) and told[2] & _WRITING
        if writes or event in _CHANGES:
            see(event, told[0])

    def sync(handle: Any) -> None:
        see("os.fsync")
        plain(handle)

    plain = os.fsync
    sys.addaudithook(watch)
    setattr(os, "fsync", sync)  # noqa: B010 - mypy knows it as a function


if __name__ == "__main__":
    _serve()
