"""Places that a URL names: whether a text is one, and which path of this machine a file URL means.

https://www.rfc-editor.org/rfc/rfc8089 (file URLs). One is decoded here, once: fsspec takes what it
says as a path as it stands. A "?" or "#" in one is part of the path, since no file has a query.
"""

import os
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes

from tapwright.files.errors import RemoteFileError

__all__ = ["MARK", "copy_name", "file_path", "is_url", "url_of"]

MARK = "shared.json"
"""The file by which a shared store (`formats.shared`) is known."""

_URL = re.compile(r"file:/|[^/]*://", re.IGNORECASE)
_FILE = re.compile(r"file:(?://(?P<host>[^/]*))?(?P<path>/.*|$)", re.IGNORECASE | re.DOTALL)
_SHARE = r"mount its share, and name the path there: file:///mnt/run; on Windows \\server\share\run"
_DRIVE = re.compile(r"/?[A-Za-z]:")


def is_url(location: Path | str) -> bool:
    """Whether it is a URL: `s3://bucket/run`, `file:///mnt/run`; no path is one."""
    return isinstance(location, str) and _URL.match(location) is not None


def url_of(location: Path | str) -> str:
    """The URL of a place, given by that or by a path: the same one however it is spelled.

    Raises:
        RemoteFileError: it is a file URL that names no path of this machine.
    """
    if not isinstance(location, str) or not is_url(location):
        return Path(location).absolute().as_uri()
    path = file_path(location)
    return location.rstrip("/") if path is None else path.as_uri()


def file_path(url: str) -> Path | None:
    """The path that a file URL means; None for another URL.

    Raises:
        RemoteFileError: it names another machine, or no path.
    """
    found = _FILE.fullmatch(url)
    if found is None:
        return None
    host, path = found["host"] or "", os.fsdecode(unquote_to_bytes(found["path"]))
    if host.startswith("~"):  # as fsspec has it
        return Path(host + path).expanduser()
    if os.name == "nt" and _DRIVE.match(host or path):
        return Path((host + path).removeprefix("/"))
    if host.lower() not in ("", "localhost") or not path or "\0" in path:
        what = f"the machine {host!r}" if host else "no path"
        raise RemoteFileError(
            f"{url}: names {what}; expected a path of this machine",
            hint=_SHARE if host else "file:///mnt/run, or the path itself",
        )
    return Path(path)


def copy_name(url: str) -> str:
    """What a directory here is called that is a copy of that at a URL: as that, if a disk can."""
    last = os.fsdecode(unquote_to_bytes(url.rpartition("/")[2]))
    return re.sub(r"[^A-Za-z0-9._-]+", "-", last).lstrip(".")[:40] or "place"
