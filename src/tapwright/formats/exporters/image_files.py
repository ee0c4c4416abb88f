"""The image files of a training set: each is written with the first sample that has it.

So those of steps that are dropped after all never get there, and nothing has to be remembered of
the others: a set of a million pictures needs no more memory than one of ten.
"""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tapwright.core.screenshot import Screenshot
from tapwright.files.atomic import wrap_disk_errors
from tapwright.formats.exporters.pictures import FOLDER, image_path

__all__ = ["ImageFiles"]


class ImageFiles:
    """The images of the set in `directory`; `count` files were written."""

    def __init__(self, directory: Path) -> None:
        self.count = 0
        self._directory = directory
        (directory / FOLDER).mkdir()

    def keep(self, pictures: Iterable[Screenshot]) -> None:
        """Write the files of a sample's pictures, but for those that the set has.

        Raises:
            DiskError: one cannot be written.
        """
        for picture in pictures:
            path = f"{self._directory}/{image_path(picture)}"
            # One system call says whether the set has it, and makes the file if not.
            with wrap_disk_errors(path), suppress(FileExistsError), open(path, "xb") as file:
                file.write(picture.data)
                self.count += 1
