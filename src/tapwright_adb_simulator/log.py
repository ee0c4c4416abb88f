"""The phone's log as `logcat` sees it: the device's lines, followed by any number of readers."""

import asyncio
from collections.abc import Awaitable, Iterable, Sequence

__all__ = ["DeviceLog"]


class DeviceLog:
    """Lines in logcat's "threadtime" form, oldest first; used in the loop's thread only."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._cleared = 0
        self._news = asyncio.Event()

    def extend(self, lines: Iterable[str]) -> None:
        """Add lines and wake the readers that wait."""
        before = len(self._lines)
        self._lines.extend(lines)
        if len(self._lines) > before:
            self._news.set()
            self._news = asyncio.Event()

    def clear(self) -> None:
        """Forget the lines so far, as `logcat -c` does."""
        self._cleared += len(self._lines)
        self._lines.clear()

    @property
    def end(self) -> int:
        """The number that the next line gets; numbers are never used again."""
        return self._cleared + len(self._lines)

    def since(self, number: int) -> Sequence[str]:
        """The lines from `number` on that are kept."""
        return self._lines[max(number - self._cleared, 0) :]

    def wait(self) -> Awaitable[object]:
        """An awaitable that completes when a line is added after this call."""
        return self._news.wait()
