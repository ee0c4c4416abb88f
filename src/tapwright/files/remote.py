"""A local directory whose files are kept at a URL, too: an object store or a file system.

The URL is one of fsspec's: `s3://bucket/run`, `gs://…`, `sftp://…`, `file:///mnt/run`. What is
kept there is whole files. Ledgers go last, as they were before the others were read, so that none
names a file that is missing. An object store writes each file in one piece; on another file system
an interrupted write may leave half a file, which the next `push` replaces, and of a ledger only the
last line is lost. fsspec takes keys from the environment.
https://filesystem-spec.readthedocs.io/en/latest/
"""

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

from tapwright.files.errors import RemoteFileError
from tapwright.files.place import HUB_WRITES, failures, is_hub, open_system

__all__ = ["Mirror"]

_OF_HERE = {".live", ".catalog"}
"""What is of this machine alone: where players speak with who watches them (`environment.live`),
and what is derived (`store.catalog`), so that who only reads writes nothing."""


class Mirror:
    """Fetches the files of a URL into a directory, and pushes changes back.

    One process at a time may push a file; workers push files of their own. What is deleted locally
    stays at the URL.
    """

    def __init__(self, url: str, directory: Path) -> None:
        """Nothing is fetched yet; raises as `open_system` does."""
        self.url = url
        self.directory = directory
        self._known: dict[str, tuple[int, int]] = {}
        self._pushed: set[str] = set()
        self._lock = Lock()
        self._remote, self._root = open_system(url)

    def fetch(self, below: str = "", *, again: bool = False) -> None:
        """Fetch the files that are missing locally, all or those below a directory.

        With `again` local files are replaced, too, unless they were changed or pushed from here.

        Raises:
            RemoteFileError: it cannot be read.
        """
        with self._lock:
            try:
                for path in self._remote.find(f"{self._root}/{below}".rstrip("/")):
                    name = str(path)[len(self._root) :].lstrip("/")
                    here = self.directory / name
                    if not _OF_HERE.union([".."]).isdisjoint(Path(name).parts):
                        continue
                    known = self._known.get(name)
                    is_ours = name in self._pushed or not again  # such as a ledger that is open
                    if here.exists() and (is_ours or known != _stamp(here)):
                        continue
                    here.parent.mkdir(parents=True, exist_ok=True)
                    self._remote.get_file(path, str(here))
                    self._known[name] = _stamp(here)
            except FileNotFoundError:
                pass  # nothing was pushed yet
            except failures() as error:
                raise RemoteFileError(f"{self.url}: cannot be fetched: {error}") from error

    def push(self) -> None:
        """Push the files that are new, or have changed since.

        Raises:
            RemoteFileError: it cannot be written; what is here stays.
        """
        with self._lock:
            ledgers = {
                path.name: (_stamp(path), path.read_bytes())
                for path in sorted(self.directory.glob("*.jsonl"))
            }
            try:
                for path in sorted(self._find()):
                    name = path.relative_to(self.directory).as_posix()
                    if name not in ledgers:
                        self._put(name, path)
                for ledger, (stamp, data) in ledgers.items():
                    if self._known.get(ledger) != stamp:
                        self._check_writable()
                        self._remote.makedirs(self._root, exist_ok=True)
                        self._remote.pipe_file(f"{self._root}/{ledger}", data)
                        self._known[ledger] = stamp
                        self._pushed.add(ledger)
            except failures() as error:
                raise RemoteFileError(
                    f"{self.url}: cannot be written: {error}",
                    # Where a copy is named whole, commands display its URL instead.
                    hint=f"it stays here: {self.directory.name} in {self.directory.parent}",
                ) from error

    def _find(self) -> Iterator[Path]:
        """What is kept; a directory that goes meanwhile, as a player's does, has nothing."""
        for folder, below, names in os.walk(self.directory):
            below[:] = [one for one in below if one not in _OF_HERE and not one.endswith(".part")]
            yield from (Path(folder, one) for one in names if not one.endswith(".part"))

    def _check_writable(self) -> None:
        if is_hub(self.url):
            raise ValueError(f"{HUB_WRITES}: tapwright data push")

    def _put(self, name: str, path: Path) -> None:
        try:
            stamp = _stamp(path)
        except FileNotFoundError:
            return  # it was deleted or renamed
        if self._known.get(name) == stamp or not path.is_file():
            return
        self._check_writable()
        target = f"{self._root}/{name}"
        self._remote.makedirs(target.rpartition("/")[0], exist_ok=True)
        try:
            self._remote.put_file(str(path), target)
        except FileNotFoundError:
            if path.exists():
                raise
            return
        self._known[name] = stamp
        self._pushed.add(name)


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size
