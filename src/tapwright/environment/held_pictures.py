"""The live pictures of a held attempt, from its device to the file that watchers read."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Condition, Thread

from tapwright.devices.device import LiveFrame
from tapwright.devices.live_pictures import NumberedFrame, StillDecoder
from tapwright.files.closing import Closing

__all__ = ["HeldPictures"]


class HeldPictures(Closing):
    """Keeps the newest live picture in a file, as a still, until it is closed.

    A thread of its own writes it, and decodes what comes as a stream with `decoder`, so that
    neither a slow disk nor a codec holds a device up: what is older than the newest is left out.
    `number` is that of the picture in the file, 0 before the first.
    """

    def __init__(self, path: Path, decoder: StillDecoder | None) -> None:
        self.number = 0
        self._path = path
        self._decoder = decoder
        self._waiting: list[NumberedFrame] = []
        self._is_closed = False
        self._changed = Condition()
        self._thread = Thread(target=self._write_all, name="held-pictures", daemon=True)
        self._thread.start()

    def add(self, number: int, acts: int, frame: LiveFrame) -> None:
        """Show this picture from now on; from any thread."""
        with self._changed:
            if frame.key:
                self._waiting.clear()
            self._waiting.append(NumberedFrame(number, acts, frame))
            self._changed.notify()

    def close(self) -> None:
        """Write no more; the file stays for who has just been told of it."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()

    def _write_all(self) -> None:
        beside = self._path.with_suffix(".part")
        while frames := self._take():
            still = self._still(frames)
            if still is not None:
                with suppress(OSError):  # a full disk shows what it has
                    beside.write_bytes(still.pack())  # not synced: it is gone after a crash
                    os.replace(beside, self._path)
                    self.number = still.number

    def _take(self) -> Sequence[NumberedFrame]:
        """All that came since the last time; none once it is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            taken, self._waiting = self._waiting, []
            return () if self._is_closed else taken

    def _still(self, frames: Sequence[NumberedFrame]) -> NumberedFrame | None:
        last = frames[-1]
        if last.frame.kind == "jpeg":
            return last
        if self._decoder is None:
            return None
        still = self._decoder.decode([one.frame for one in frames if one.frame.kind == "h264"])
        return None if still is None else replace(last, frame=still)
