"""The image files of a training set: made aside, and moved into it by the first sample with them.

So those of steps that are dropped after all never get there, and nothing has to be remembered of
the others: a set of a million pictures needs no more memory than one of ten.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

from tapwright.formats.exporters.pictures import FOLDER, image_path
from tapwright.screenshot import Screenshot

__all__ = ["ImageFiles"]


class ImageFiles:
    """The images of the set in `directory`, which encoders write into the directory `made`."""

    def __init__(self, directory: Path) -> None:
        self.count = 0
        self.made = directory / ".made"
        self._directory = directory
        for home in (directory, self.made):
            (home / FOLDER).mkdir(parents=True)

    def keep(self, pictures: Iterable[Screenshot]) -> None:
        """Take the files of a sample's pictures into the set, but for those that it has."""
        for picture in pictures:
            name = image_path(picture)
            made, target = self.made / name, self._directory / name
            if target.exists():
                made.unlink(missing_ok=True)  # made once more for another episode
            else:
                made.rename(target)
                self.count += 1

    def close(self) -> None:
        """Delete what no sample has; nothing may be writing into `made` any more."""
        shutil.rmtree(self.made)
