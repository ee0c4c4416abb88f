"""Runs commands in processes that kill themselves (`kill -9`) at a chosen change of the disk.

A change is counted when it begins, so that the process dies before it and after the one before.
The processes are forks of one that has imported the commands already.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

_ROOT = Path(__file__).parents[2]
_CHANGES = {
    *("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.truncate"),
    *("fcntl.flock", "socket.connect", "sqlite3.connect"),
}
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
            [sys.executable, "-W", "error", "-m", "tests.cli.killing"],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def run(
        self, words: Sequence[str], *, cwd: Path, kill_at: int | None = None, **environment: str
    ) -> Ended:
        """Run a command; with `kill_at`, until before its change with this number, from 0."""
        asked = {
            "words": list(words),
            "cwd": str(cwd),
            "kill_at": kill_at,
            "environment": environment,
            "folder": str(self._folder),
        }
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(asked).encode() + b"\n")
        self._server.stdin.flush()
        code = json.loads(self._server.stdout.readline())
        out, err = ((self._folder / name).read_text() for name in ("out", "err"))
        return Ended(code, int((self._folder / "changes").read_text() or 0), out, err)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.communicate()


def _serve() -> None:
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        folder = Path(asked["folder"])
        (folder / "modules").write_text("[]")
        child = os.fork()
        if child == 0:
            try:
                _run(asked, folder)
            finally:
                os._exit(70)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()
        for name in json.loads((folder / "modules").read_text()):
            importlib.import_module(name)


def _run(asked: Mapping[str, Any], folder: Path) -> None:
    from tapwright.cli.main import main

    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.update(asked["environment"])
    os.chdir(asked["cwd"])
    tempfile.gettempdir()  # which tries the directory by a file of its own
    sys.argv = ["tapwright", *asked["words"]]
    changes = os.open(folder / "changes", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    imported = set(sys.modules)
    _count_changes(changes, asked["kill_at"])
    try:
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    more = [name for name in sys.modules if name not in imported and name.startswith("tapwright.")]
    handle = os.open(folder / "modules", os.O_WRONLY | os.O_TRUNC)
    os.write(handle, json.dumps(more).encode())
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _count_changes(file: int, kill_at: int | None) -> None:
    number = 0

    def count() -> None:
        nonlocal number
        if number == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        number += 1
        os.pwrite(file, str(number).encode(), 0)

    def watch(event: str, told: tuple[Any, ...]) -> None:
        writes = event == "open" and isinstance(told[2], int) and told[2] & _WRITING
        if writes or event in _CHANGES:
            count()

    sys.addaudithook(watch)
    setattr(os, "fsync", _counted(os.fsync, count))  # noqa: B010  mypy knows it as a function


def _counted(call: Callable[[Any], None], count: Callable[[], None]) -> Callable[[Any], None]:
    def counted(file: Any) -> None:
        count()
        call(file)

    return counted


if __name__ == "__main__":
    _serve()
