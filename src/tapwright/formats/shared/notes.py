"""Notes beside the episodes of a local copy: which commit each is of, and its files at that."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from tapwright.files.atomic import wrap_disk_errors, write_atomically
from tapwright.formats.shared.texts import stamp_texts

__all__ = ["Note", "Notes"]


@dataclass(frozen=True, slots=True)
class Note:
    """What an episode here was at a commit: its files' stamp, and their lengths and hashes."""

    revision: int
    stamp: str
    files: Mapping[str, tuple[int, str]]

    def fits(self, directory: Path) -> bool:
        """Whether the files there are as they were; not where one cannot be looked at."""
        try:
            return self.stamp == stamp_texts(directory)
        except OSError:
            return False


class Notes:
    """The notes of the local copy at `root`."""

    def __init__(self, root: Path) -> None:
        self._root, self.directory = root, root / ".shared"
        with wrap_disk_errors(self.directory):
            self.directory.mkdir(parents=True, exist_ok=True)

    def names(self) -> set[str]:
        """The directories of the episodes that have one."""
        return {path.stem for path in self.directory.glob("*.json")}

    def read(self, name: str) -> Note | None:
        """The note of the episode in a directory; None for none, and for a broken one."""
        try:
            found = json.loads(self._path(name).read_bytes())
            files = {one: (int(size), str(hash_)) for one, (size, hash_) in found["files"].items()}
            return Note(int(found["revision"]), str(found["stamp"]), files)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None  # then the episode is compared with what is put

    def write(
        self, name: str, revision: int, texts: Mapping[str, bytes], stamp: str | None = None
    ) -> None:
        """Note that an episode is of a commit with these files; of the `stamp` that it has now.

        Raises:
            DiskError: the disk is full or not writable.
        """
        if stamp is None:
            stamp = stamp_texts(self._root / name)
        files = {one: (len(data), hashlib.sha256(data).hexdigest()) for one, data in texts.items()}
        note = asdict(Note(revision, stamp, files))
        write_atomically(self._path(name), json.dumps(note).encode())

    def remove(self, name: str) -> None:
        """Remove the note of an episode, if it has one."""
        self._path(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self.directory / f"{name}.json"
