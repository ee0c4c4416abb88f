"""Watches over one process that reads hostile inputs: its memory, its time, and what it starts."""

import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tapwright.errors import TapwrightError

MAX_SECONDS = 30.0
"""Processor time of one input. The goal is 5 s; more here, as it is a guard against hanging."""
MAX_GROWTH_KB = 1 << 20
_HARD_LIMIT = 8 << 30

_FORBIDDEN = frozenset({
    "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork",
    "subprocess.Popen", "pty.spawn", "socket.connect", "os.startfile", "webbrowser.open",
    "ctypes.dlopen",
})  # fmt: skip
_MOVES = frozenset({
    "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate",
    "os.chmod", "shutil.rmtree", "shutil.move",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Misdeed:
    """What reading an input did and must not; `case` is enough to make the input again."""

    case: str
    what: str


class Watch:
    """What the reading of one input may not do, noted by an audit hook of this process."""

    def __init__(self) -> None:
        self.root = ""
        self.seen: list[str] = []

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        """Note an event; Python calls this for every one."""
        if not self.root:
            return
        if event in _FORBIDDEN:
            self.seen.append(f"{event} {arguments!r}"[:300])
        elif (event == "open" and self._writes(arguments)) or event in _MOVES:
            self._note_outside(event, _full_path(arguments))

    def _writes(self, arguments: tuple[object, ...]) -> bool:
        flags = arguments[2] if len(arguments) > 2 else 0
        return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))

    def _note_outside(self, event: str, path: object) -> None:
        if isinstance(path, str | bytes | os.PathLike):
            real = os.path.realpath(os.fsdecode(path))
            if not real.startswith((self.root, "/dev/", "/proc/")) and "__pycache__" not in real:
                self.seen.append(f"{event} {real}"[:300])


def _full_path(arguments: tuple[object, ...]) -> object:
    """The path of an event, which may be relative to an open directory."""
    path, last = arguments[0], arguments[-1]
    if len(arguments) == 2 and isinstance(path, str) and isinstance(last, int) and last >= 0:
        return os.path.join(os.readlink(f"/proc/self/fd/{last}"), path)
    return path


_watch = Watch()


def start() -> None:
    """Set the limits of this process, once."""
    sys.addaudithook(_watch)
    resource.setrlimit(resource.RLIMIT_AS, (_HARD_LIMIT, _HARD_LIMIT))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 30, 2 << 30))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def run(case: str, root: Path, read: Callable[[], object]) -> Misdeed | None:
    """Read one input whose files lie in `root`; what it did wrong, if it did."""
    _watch.seen.clear()
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.process_time()
    _watch.root = os.path.realpath(root)
    wrong = ""
    try:
        read()
    except TapwrightError as error:
        if not str(error).strip():
            wrong = f"{type(error).__name__} says nothing"
    except BaseException as error:  # noqa: BLE001 - which it is, is what is looked for
        last = "".join(traceback.format_tb(error.__traceback__)[-2:])
        wrong = f"{type(error).__name__}: {str(error)[:300]}\n{last}"
    finally:
        _watch.root = ""
    spent = time.process_time() - begun
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb
    if _watch.seen:
        wrong = "; ".join(_watch.seen[:5])
    elif spent > MAX_SECONDS:
        wrong = f"{spent:.1f} s"
    elif grown_kb > MAX_GROWTH_KB:
        wrong = f"{grown_kb / 1024:.0f} MB"
    elif os.environ.get("TAPWRIGHT_TEST_CANARY"):
        wrong = "ran what it names"
    return Misdeed(case, wrong) if wrong else None
