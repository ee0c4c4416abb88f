"""Files at a URL of fsspec's that many machines read and write: whole ones, put once.

`put_new` is what lets writers agree: of any number that put one name, one succeeds. Object stores
do it by a conditional request (If-None-Match), a file system by a link to a file that is whole.
An answer may be lost after the request was done, and is then asked for again: so a name that is
taken may have been taken by oneself, which only the contents tell.
https://filesystem-spec.readthedocs.io/en/latest/
https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
"""

import os
import random
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from tapwright.errors import MissingExtraError
from tapwright.files.atomic import atomic_file, write_atomically
from tapwright.files.errors import RemoteFileError
from tapwright.files.regular import open_regular
from tapwright.files.urls import file_path, url_of

__all__ = ["HUB_WRITES", "Place", "failures", "is_hub", "open_system"]

T = TypeVar("T")

_ATTEMPTS = 5
_WAIT_S = 0.2
_UNCACHED = {"use_listings_cache": False}
_LIBRARIES = (
    ("botocore.exceptions", "BotoCoreError"),
    ("aiohttp", "ClientError"),
    ("azure.core.exceptions", "AzureError"),
    ("google.auth.exceptions", "GoogleAuthError"),
    ("gcsfs.retry", "HttpError"),
    ("httpx", "HTTPError"),
    ("httpx2", "HTTPError"),
    ("paramiko.ssh_exception", "SSHException"),
    ("asyncssh", "Error"),
)
"""Errors that fsspec's file systems let through, of the libraries below them."""
HUB_WRITES = "on the hub each file would be a commit of its own; write it here, and send all in one"
"""Why nothing is written to the hub file by file."""


def open_system(url: str, **options: object) -> tuple[Any, str]:
    """Fsspec's file system of a URL, and the path in it.

    Raises:
        MissingExtraError: fsspec is not installed.
        RemoteFileError: there is no such kind of URL, or what it needs is not installed; or it is
            a file of another machine.
    """
    try:
        import fsspec
    except ModuleNotFoundError as error:
        raise MissingExtraError("a URL", "ray") from error
    if (here := file_path(url)) is not None:
        return fsspec.filesystem("file", **options), here.as_posix().rstrip("/")
    try:
        found: tuple[Any, str] = fsspec.core.url_to_fs(url, **options)
    except ImportError as error:
        raise _unusable(url, error) from error
    except failures() as error:
        raise _unusable(url, error) from error
    return found[0], found[1].rstrip("/")


def _unusable(url: str, error: Exception) -> RemoteFileError:
    return RemoteFileError(
        f"{url}: {error}", hint="such as s3://bucket/run, which needs: pip install s3fs"
    )


class Place:
    """The files below a URL or a directory, by their paths below it; any thread may use it.

    What fails is tried again a few times; what is forbidden once, with the credentials read anew,
    as they may have expired and been renewed.
    """

    def __init__(self, url: str) -> None:
        """Nothing is read yet; raises as `open_system` does."""
        self.url = url_of(url)
        self._system, self._root = open_system(self.url, **_UNCACHED)
        protocol = self._system.protocol
        self._is_local = "file" in ((protocol,) if isinstance(protocol, str) else protocol)

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes | None:
        """A file's bytes, or those of a part of it; None where there is no such file.

        Raises:
            RemoteFileError: it cannot be read.
        """
        path = self._path(name)

        def get() -> bytes | None:
            try:
                if not self._is_local:
                    return bytes(self._system.cat_file(path, start=start, end=end))
                with open_regular(Path(path), follow=False) as file:
                    file.seek(start)
                    return file.read(-1 if end is None else end - start)
            except FileNotFoundError:
                return None

        return self._attempt(name, get)

    def list(self, below: str) -> list[str]:
        """The names of the files in a directory, sorted; a store may lag behind what was put.

        Raises:
            RemoteFileError: it cannot be listed.
        """

        def find() -> list[str]:
            try:
                found = self._system.ls(self._path(below), detail=False)
            except FileNotFoundError:
                return []
            return sorted(str(path).rstrip("/").rpartition("/")[2] for path in found)

        return self._attempt(below, find)

    def put(self, name: str, data: bytes | Path) -> None:
        """Put a whole file, given by its bytes or by its path here.

        Raises:
            RemoteFileError: it cannot be written.
        """
        path = self._writable(name)

        def write() -> None:
            if isinstance(data, bytes):
                if self._is_local:
                    write_atomically(Path(path), data)
                else:
                    self._system.pipe_file(path, data)
            elif self._is_local:
                with data.open("rb") as source, atomic_file(Path(path)) as file:
                    shutil.copyfileobj(source, file)
            else:
                self._system.put_file(str(data), path)

        self._attempt(name, write)

    def put_new(self, name: str, data: bytes) -> bool:
        """Put a whole file unless there is one, of which False tells; it may be one's own.

        Raises:
            RemoteFileError: it cannot be written; it may be there all the same.
        """
        path = self._writable(name)

        def write() -> bool:
            try:
                if self._is_local:
                    _link_new(Path(path), data)
                else:
                    self._system.pipe_file(path, data, mode="create")
            except FileExistsError:
                return False
            return True

        return self._attempt(name, write)

    def fetch(self, name: str, path: Path) -> None:
        """Fetch a whole file to a path here, above which directories are made.

        Raises:
            RemoteFileError: there is none, or it cannot be read.
        """
        path.parent.mkdir(parents=True, exist_ok=True)

        def get() -> None:
            if not self._is_local:
                self._system.get_file(self._path(name), str(path))
                return
            there = Path(self._path(name))
            with open_regular(there, follow=False) as source, path.open("wb") as file:
                shutil.copyfileobj(source, file)

        self._attempt(name, get)

    def modified(self, name: str) -> datetime:
        """When a file was put, by the clock of the place.

        Raises:
            RemoteFileError: there is none, or it cannot be asked.
        """
        found: datetime = self._attempt(name, lambda: self._system.modified(self._path(name)))
        return found

    def delete(self, names: Iterable[str]) -> None:
        """Delete files, those that are there.

        Raises:
            RemoteFileError: one cannot be deleted.
        """
        for name in names:

            def remove(path: str = self._path(name)) -> None:
                if self._system.exists(path):
                    self._system.rm(path, recursive=True)

            self._attempt(name, remove)

    def _writable(self, name: str) -> str:
        if is_hub(self.url):
            raise RemoteFileError(
                f"{self.url}: {HUB_WRITES}", hint="tapwright data push DIR OWNER/NAME"
            )
        return self._path(name)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    def _attempt(self, name: str, call: Callable[[], T]) -> T:
        """What a call returns; it is tried again after a pause, some times."""
        for attempt in range(_ATTEMPTS):
            try:
                return call()
            except PermissionError as error:
                if attempt:
                    raise self._error(name, error, _how_to_be_let_in(error)) from error
                self._system, self._root = open_system(
                    self.url, skip_instance_cache=True, **_UNCACHED
                )
            except FileNotFoundError as error:
                raise self._error(name, error, "make the bucket or the directory first") from error
            except failures() as error:
                if attempt == _ATTEMPTS - 1 or "Credential" in type(error).__name__:
                    raise self._error(name, error, "the same command goes on") from error
                time.sleep(_WAIT_S * 2**attempt * random.uniform(0.5, 1.5))
        raise AssertionError  # the last attempt has returned or raised

    def _error(self, name: str, error: Exception, hint: str) -> RemoteFileError:
        reason = str(error) or type(error).__name__
        return RemoteFileError(f"{self.url}/{name}: {reason}", hint=hint)


def _how_to_be_let_in(error: PermissionError) -> str:
    # https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html#ErrorCodeList
    if "RequestTimeTooSkewed" in str(error.__cause__):
        return "set the clock of this machine: S3 refuses one that is over 15 minutes off"
    return "ask for the right, or renew the keys"


def is_hub(url: str) -> bool:
    """Whether it is of the Hugging Face hub, which is read alone."""
    return url.startswith("hf://")


def failures() -> tuple[type[Exception], ...]:
    """The errors that a file system of fsspec's may raise."""
    found = (getattr(sys.modules.get(module), name, None) for module, name in _LIBRARIES)
    return (OSError, ValueError, *(one for one in found if one is not None))


def _link_new(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.part")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.link(beside, path)
    finally:
        beside.unlink(missing_ok=True)
