"""Which names in a directory change while a block runs, whoever changes them.

This is inotify (https://man7.org/linux/man-pages/man7/inotify.7.html), called without a package: a
watch lasts for microseconds here, and nothing waits for events.
"""

import ctypes
import os
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["watching_names"]

_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_OVERFLOW = 0x4000
_EVENT = struct.Struct("iIII")
_QUEUE_BYTES = 1 << 20


@contextmanager
def watching_names(directory: Path) -> Iterator[Callable[[], frozenset[str] | None]]:
    """Call what this yields for the names that were made, removed or renamed since, by anybody.

    It returns None when the system cannot tell. Changes by another machine, of a network file
    system, are never told.
    """
    with _lock:
        watch = _inotify.watch(directory)
        try:
            yield lambda: None if watch is None else _inotify.read(watch)
        finally:
            if watch is not None:
                _inotify.end(watch)


class _Inotify:
    """The one queue of this process: to close one takes the kernel 8 ms, to end a watch 10 us."""

    def __init__(self) -> None:
        self._queue: int | None = None
        try:
            self._system = ctypes.CDLL(None, use_errno=True)
            self._add, self._remove = (
                self._system.inotify_add_watch,
                self._system.inotify_rm_watch,
            )
        except (OSError, AttributeError, TypeError):  # another system than Linux
            self._queue = -1

    def watch(self, directory: Path) -> int | None:
        if self._queue is None:
            self._queue = self._system.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._queue < 0:
            return None
        mask = _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
        watch = int(self._add(self._queue, os.fsencode(directory), mask))
        return None if watch < 0 else watch

    def read(self, watch: int) -> frozenset[str] | None:
        assert self._queue is not None
        names = set[str]()
        while True:
            try:
                data = os.read(self._queue, _QUEUE_BYTES)
            except BlockingIOError:
                return frozenset(names)
            except OSError:
                return None
            at = 0
            while at < len(data):
                number, kind, _, length = _EVENT.unpack_from(data, at)
                at += _EVENT.size + length
                if kind & _OVERFLOW:
                    return None
                if number == watch:
                    names.add(os.fsdecode(data[at - length : at].rstrip(b"\0")))

    def end(self, watch: int) -> None:
        self._remove(self._queue, watch)


_lock = threading.Lock()
_inotify = _Inotify()


def _begin_anew() -> None:
    """A forked process shares the queue of its parent, whose events it must not take."""
    global _lock, _inotify
    _lock, _inotify = threading.Lock(), _Inotify()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
