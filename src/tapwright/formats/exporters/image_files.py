"""The image files of a training set: each is written with the first sample that has it.

So those of steps that are dropped after all never get there, and nothing has to be remembered of
the others: a set of a million pictures needs no more memory than one of ten.
"""

from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tapwright.core.screenshot import Screenshot
from tapwright.files.atomic import wrap_disk_errors
from tapwright.formats.exporters.pictures import FOLDER, image_path

__all__ = ["ImageFiles"]

_THREADS = 4
_PENDING = 16
"""Files that may wait to be written: making one takes a disk longer than a sample takes us."""


class ImageFiles:
    """The images of the set in `directory`, written in threads; `count` files were written.

    As a context manager it waits for the last of them, after which the count is right.
    """

    def __init__(self, directory: Path) -> None:
        self.count = 0
        self._directory = directory
        (directory / FOLDER).mkdir()
        self._pool = ThreadPoolExecutor(_THREADS)
        self._pending: deque[Future[int]] = deque()

    def keep(self, pictures: Iterable[Screenshot]) -> None:
        """Write the files of a sample's pictures, but for those that the set has.

        Raises:
            DiskError: one cannot be written, perhaps one of an earlier sample.
        """
        for picture in pictures:
            self._pending.append(self._pool.submit(self._write, picture))
            self._wait(_PENDING)

    def _write(self, picture: Screenshot) -> int:
        path = f"{self._directory}/{image_path(picture)}"
        # One system call says whether the set has it, and makes the file if not.
        with wrap_disk_errors(path), suppress(FileExistsError), open(path, "xb") as file:
            file.write(picture.data)
            return 1
        return 0

    def _wait(self, most: int) -> None:
        while len(self._pending) > most:
            self.count += self._pending.popleft().result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self._wait(0)
        finally:
            self._pool.shutdown(cancel_futures=True)
