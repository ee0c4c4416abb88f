"""A directory here whose files are kept at a URL, too: an object store, or another file system.

The URL is one of fsspec's: `s3://bucket/run`, `gs://…`, `sftp://…`, `file:///mnt/run`. What is
kept there is whole files. Ledgers go last, as they were before the others were looked at, so that
none names what is not there yet. An object store puts each file in one piece; another file system
may have half a file of the moment in which it broke off, which the next `keep` replaces and of
which a ledger leaves its last line out. Who is to read a key, fsspec asks the environment.
https://filesystem-spec.readthedocs.io/en/latest/
"""

from pathlib import Path
from threading import Lock
from typing import Any

from tapwright.errors import MissingExtraError
from tapwright.files.errors import RemoteFileError

__all__ = ["Mirror"]


class Mirror:
    """Brings the files of a URL into a directory, and keeps there what becomes of them.

    One process at a time may keep a file; workers keep files of their own. What is taken away here
    stays there.
    """

    def __init__(self, url: str, directory: Path) -> None:
        """Nothing is fetched yet.

        Raises:
            MissingExtraError: fsspec is not installed.
            RemoteFileError: there is no such kind of URL, or what it needs is not installed.
        """
        try:
            import fsspec
        except ModuleNotFoundError as error:
            raise MissingExtraError("a URL", "ray") from error
        self.url = url
        self.directory = directory
        self._known: dict[str, tuple[int, int]] = {}
        self._lock = Lock()
        try:
            found: tuple[Any, str] = fsspec.core.url_to_fs(url)
        except (ImportError, ValueError, OSError) as error:
            raise RemoteFileError(
                f"{url}: {error}", hint="such as s3://bucket/run, which needs: pip install s3fs"
            ) from error
        self._there, root = found
        self._root = root.rstrip("/")

    def fetch(self, below: str = "", *, again: bool = False) -> None:
        """Bring what is there and not here, of all or of what is below a directory.

        With `again` what is here is replaced, too, unless it was changed here.

        Raises:
            RemoteFileError: it cannot be read.
        """
        with self._lock:
            try:
                for path in self._there.find(f"{self._root}/{below}".rstrip("/")):
                    name = str(path)[len(self._root) :].lstrip("/")
                    here = self.directory / name
                    if ".." in Path(name).parts:
                        continue
                    if here.exists() and not (again and self._known.get(name) == _stamp(here)):
                        continue
                    here.parent.mkdir(parents=True, exist_ok=True)
                    self._there.get_file(path, str(here))
                    self._known[name] = _stamp(here)
            except FileNotFoundError:
                pass  # nothing was kept there yet
            except (OSError, ValueError) as error:
                raise RemoteFileError(f"{self.url}: cannot be fetched: {error}") from error

    def keep(self) -> None:
        """Put there what is new here, or has changed since.

        Raises:
            RemoteFileError: it cannot be written; what is here stays.
        """
        with self._lock:
            ledgers = {
                path.name: (_stamp(path), path.read_bytes())
                for path in sorted(self.directory.glob("*.jsonl"))
            }
            try:
                for path in sorted(self.directory.rglob("*")):
                    name = path.relative_to(self.directory)
                    if name.name in ledgers and len(name.parts) == 1:
                        continue
                    if not any(part.endswith(".part") for part in name.parts):
                        self._put(name.as_posix(), path)
                for ledger, (stamp, data) in ledgers.items():
                    if self._known.get(ledger) != stamp:
                        self._there.makedirs(self._root, exist_ok=True)
                        self._there.pipe_file(f"{self._root}/{ledger}", data)
                        self._known[ledger] = stamp
            except (OSError, ValueError) as error:
                raise RemoteFileError(
                    f"{self.url}: cannot be written: {error}",
                    hint=f"all of it is in {self.directory}",
                ) from error

    def _put(self, name: str, path: Path) -> None:
        try:
            stamp = _stamp(path)
        except FileNotFoundError:
            return  # it was taken away, or renamed
        if self._known.get(name) == stamp or not path.is_file():
            return
        there = f"{self._root}/{name}"
        self._there.makedirs(there.rpartition("/")[0], exist_ok=True)
        self._there.put_file(str(path), there)
        self._known[name] = stamp


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size
