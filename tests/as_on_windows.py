"""Stands in for Windows in one process: `python -m tests.as_on_windows WORDS...` is `tapwright`.

What Windows lacks is hidden from tapwright, and what it refuses is refused, by its documentation.
It is no Windows: paths, the console, rights and `msvcrt` itself are those of this system.

- The modules that POSIX alone has cannot be imported. Those of Python's library that need one, as
  asyncio does, have it by then.
- tapwright's `os` and `signal` have only what https://docs.python.org/3/library/os.html has for
  Windows. A directory cannot be opened, a file is bytes only by `O_BINARY`, `fsync` wants a file
  that may be written.
- Nothing that this process has open is renamed or deleted, nor the directory that it is in
  (https://learn.microsoft.com/windows/win32/fileio/moving-and-replacing-files).
- `msvcrt.locking` locks bytes of an open file for its handle, by the locks of Linux that belong to
  one (https://www.gnu.org/software/libc/manual/html_node/Open-File-Description-Locks.html).
- A text that is read or written without a word about its encoding is an error.
"""

import asyncio
import builtins
import ctypes
import errno
import fcntl
import os
import platform
import signal
import stat
import struct
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

MODULES = (
    *("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"),
    *("curses", "readline"),
)
_OF_POSIX = """
    chown chroot confstr copy_file_range ctermid eventfd fchdir fchmod fchown fdatasync fork
    forkpty fpathconf fstatvfs get_blocking getegid geteuid getgid getgroups getloadavg getpgid
    getpgrp getpriority getresgid getresuid getsid getuid getxattr initgroups killpg lchown
    listxattr lockf login_tty major makedev memfd_create minor mkfifo mknod nice openpty
    pathconf pidfd_open posix_fadvise posix_fallocate posix_spawn posix_spawnp pread preadv
    pwrite pwritev readv register_at_fork removexattr sched_getaffinity sched_setaffinity
    sched_yield sendfile set_blocking setegid seteuid setgid setgroups setns setpgid setpriority
    setregid setresgid setresuid setreuid setsid setuid setxattr splice statvfs sync sysconf
    tcgetpgrp tcsetpgrp ttyname uname unshare wait wait3 wait4 waitid writev CLD_ EX_ F_ GRND_
    MFD_ NGROUPS_MAX POSIX_ PRIO_ P_ALL P_PG P_PID PIDFD_ RTLD_ RWF_ SCHED_ SPLICE_ ST_
    WCONTINUED WCOREDUMP WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED
    WNOHANG WNOWAIT WSTOPPED WSTOPSIG WTERMSIG WUNTRACED XATTR_
"""
_OF_SIGNAL = ("pthread_", "sigwait", "sigpending", "sigtimedwait", "setitimer", "alarm", "pause")
_SIGNALS = ("SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM")
_OPENING = ("O_RDONLY", "O_WRONLY", "O_RDWR", "O_APPEND", "O_CREAT", "O_EXCL", "O_TRUNC")
_O_BINARY = 1 << 30  # no flag of Linux
_LOCK = "hhqqi"  # `struct flock`: type, whence, start, length, process


def become_windows() -> None:
    """Change this process for good; nothing of tapwright may be imported yet."""
    assert not any(name.partition(".")[0] == "tapwright" for name in sys.modules)
    sys.modules["msvcrt"] = _msvcrt()
    hide(MODULES)
    changed = {"os": _os(), "signal": _signal(), "ctypes": _ctypes(), "platform": _platform()}
    _give_tapwright(changed)
    for name in ("rename", "replace", "unlink", "remove", "rmdir"):
        setattr(os, name, _refusing_what_is_open(getattr(os, name)))
    loop, none = asyncio.unix_events._UnixSelectorEventLoop, asyncio.AbstractEventLoop
    setattr(loop, "add_signal_handler", none.add_signal_handler)  # noqa: B010 - a method
    warnings.simplefilter("ignore", EncodingWarning)
    warnings.filterwarnings("error", category=EncodingWarning, module=r"tapwright\b")


def hide(modules: tuple[str, ...]) -> None:
    """Let no module be imported that is not yet a part of another one."""
    for name in modules:
        sys.modules[name] = None  # type: ignore[assignment]


def _msvcrt() -> ModuleType:
    module = ModuleType("msvcrt")
    module.LK_UNLCK, module.LK_LOCK, module.LK_NBLCK = 0, 1, 2  # type: ignore[attr-defined]
    module.locking = _locking  # type: ignore[attr-defined]
    return module


def _locking(handle: int, mode: int, length: int) -> None:
    """https://docs.python.org/3/library/msvcrt.html#msvcrt.locking, but for its ten tries."""
    assert mode in (0, 2)
    writes = fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
    # Linux locks for others' reading what one may read alone; a holder who writes excludes both.
    kind = fcntl.F_UNLCK if mode == 0 else fcntl.F_WRLCK if writes else fcntl.F_RDLCK
    try:
        lock = struct.pack(_LOCK, kind, os.SEEK_CUR, 0, length, 0)
        fcntl.fcntl(handle, fcntl.F_OFD_SETLK, lock)
    except OSError as error:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES)) from error


def _os() -> ModuleType:
    names = _OF_POSIX.split()
    posix = tuple(one for one in names if one.endswith("_"))
    gone = {one for one in names if not one.endswith("_")}
    gone |= {name for name in dir(os) if name.startswith(posix)}
    gone |= {name for name in dir(os) if name.startswith("O_") and name not in _OPENING}
    module = _copy(os, gone)
    module.O_BINARY = _O_BINARY  # type: ignore[attr-defined]
    module.open, module.fsync = _open, _fsync  # type: ignore[attr-defined]
    return module


def _signal() -> ModuleType:
    gone = {name for name in dir(signal) if name.startswith(("SIG", *_OF_SIGNAL))}
    return _copy(signal, gone - {*_SIGNALS, "SIG_DFL", "SIG_IGN"})


def _ctypes() -> ModuleType:
    module = _copy(ctypes, set())
    module.CDLL = _load_library  # type: ignore[attr-defined]
    return module


def _load_library(name: str | None, *rest: Any, **named: Any) -> ctypes.CDLL:
    if name is None:
        raise TypeError("LoadLibrary() argument 1 must be str, not None")
    return ctypes.CDLL(name, *rest, **named)


def _platform() -> ModuleType:
    module = _copy(platform, set())
    module.system = lambda: "Windows"  # type: ignore[attr-defined]
    return module


def _copy(module: ModuleType, gone: set[str]) -> ModuleType:
    copy = ModuleType(module.__name__)
    copy.__dict__.update({name: it for name, it in vars(module).items() if name not in gone})
    return copy


def _give_tapwright(modules: Mapping[str, ModuleType]) -> None:
    load = builtins.__import__

    def give(name: str, globals_: Any = None, *rest: Any, **named: Any) -> ModuleType:
        asking = (globals_ or {}).get("__name__", "").partition(".")[0]
        if asking == "tapwright" and name in modules:
            return modules[name]
        return load(name, globals_, *rest, **named)

    setattr(builtins, "__import__", give)  # noqa: B010 - its type is narrower


def _open(path: Any, flags: int, mode: int = 0o777) -> int:
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    assert flags & _O_BINARY, f"{path} is opened as a text"
    return os.open(path, flags & ~_O_BINARY, mode)


def _fsync(handle: int) -> None:
    if fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    os.fsync(handle)


def _refusing_what_is_open(change: Callable[..., None]) -> Callable[..., None]:
    def refusing(*paths: Any, dir_fd: int | None = None, **named: Any) -> None:
        for path in paths:
            folder = os.getcwd() if dir_fd is None else os.readlink(f"/proc/self/fd/{dir_fd}")
            whole = os.path.join(folder, os.fspath(path))
            if any(one == whole or one.startswith(f"{whole}/") for one in _open_files()):
                raise PermissionError(errno.EACCES, "another has it open", whole)
        change(*paths, **named if dir_fd is None else {**named, "dir_fd": dir_fd})

    return refusing


def _open_files() -> set[str]:
    """The files that this process has open, or in its memory."""
    found = set()
    for one in os.listdir("/proc/self/fd"):
        try:
            if stat.S_ISREG(os.stat(f"/proc/self/fd/{one}").st_mode):
                found.add(os.readlink(f"/proc/self/fd/{one}"))
        except OSError:  # that of the listing
            continue
    mapped = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return found | {words[5] for line in mapped if len(words := line.split(maxsplit=5)) == 6}


if __name__ == "__main__":
    become_windows()
    from tapwright.cli.main import main

    main()
