"""The hashes that servers publish, of files here."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from tapwright.datasets.dataset import HashName
from tapwright.files.regular import open_regular

if TYPE_CHECKING:
    from hashlib import _Hash

__all__ = ["hash_file", "start_hash"]


def start_hash(name: HashName, size: int) -> "_Hash":
    """A hash to feed with the bytes of a file; git's begins with the size of the file."""
    match name:
        case "sha256":
            return hashlib.sha256()
        case "md5":
            return hashlib.md5(usedforsecurity=False)
        case "git-sha1":
            return hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)


def hash_file(path: Path, name: HashName) -> str:
    """The hash of a file, in hexadecimal.

    Raises:
        OSError: it cannot be read.
    """
    digest = start_hash(name, path.stat().st_size)
    with open_regular(path) as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
