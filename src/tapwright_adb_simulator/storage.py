"""The phone's files: a tree in memory, so that no request of a client touches this machine's."""

import posixpath
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["MAX_STORED", "FileNode", "FileProblem", "Storage"]

MAX_STORED = 256 << 20
"""The capacity of the phone in bytes, for all files together."""

_FOLDERS = (
    "/data/local/tmp",
    "/dev",
    "/sdcard/Android/data",
    "/sdcard/DCIM",
    "/sdcard/Download",
    "/sdcard/Pictures",
    "/system/bin",
)
_LINKS = {
    "/data/media/0": "/sdcard",
    "/mnt/sdcard": "/sdcard",
    "/storage/emulated/0": "/sdcard",
    "/storage/self/primary": "/sdcard",
}


class FileProblem(Exception):  # noqa: N818 - a response to the client, in the kernel's words
    """A file cannot be read or written; `number` is errno's on Linux."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(reason)
        self.number = number


@dataclass(slots=True)
class FileNode:
    """A file with its bytes, or a folder with its entries; times in seconds since 1970."""

    mode: int
    time_s: int = 0
    data: bytes = b""
    entries: dict[str, "FileNode"] = field(default_factory=dict)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return stat.S_ISDIR(self.mode)


def _folder() -> FileNode:
    return FileNode(stat.S_IFDIR | 0o771)


class Storage:
    """Files by absolute path; "." and ".." are followed, links are other names of a folder."""

    def __init__(self) -> None:
        self._root = _folder()
        for path in _FOLDERS:
            self.make_folder(path)

    def find(self, path: str) -> FileNode:
        """The file or folder at `path`.

        Raises:
            FileProblem: there is none.
        """
        node = self._root
        for name in _names(path):
            if not node.is_folder:
                raise FileProblem(20, "Not a directory")
            if name not in node.entries:
                raise FileProblem(2, "No such file or directory")
            node = node.entries[name]
        return node

    def list(self, path: str) -> Sequence[tuple[str, FileNode]]:
        """The entries of a folder, by name; none for a file.

        Raises:
            FileProblem: there is nothing at `path`.
        """
        return sorted(self.find(path).entries.items())

    def read(self, path: str) -> bytes:
        """A file's bytes.

        Raises:
            FileProblem: there is none, or it is a folder.
        """
        node = self.find(path)
        if node.is_folder:
            raise FileProblem(21, "Is a directory")
        return node.data

    def write(self, path: str, data: bytes, *, mode: int = 0o660, time_s: int = 0) -> None:
        """Make or replace a file, and the folders above it.

        Raises:
            FileProblem: a folder is in the way, or the phone is full.
        """
        *above, name = _names(path) or [""]
        folder = self._enter(above)
        there = folder.entries.get(name)
        if not name or (there is not None and there.is_folder):
            raise FileProblem(21, "Is a directory")
        if self._used() - (len(there.data) if there else 0) + len(data) > MAX_STORED:
            raise FileProblem(28, "No space left on device")
        folder.entries[name] = FileNode(stat.S_IFREG | (mode & 0o777), time_s, data)

    def make_folder(self, path: str) -> None:
        """Make a folder and those above it; one that is there stays as it is.

        Raises:
            FileProblem: a file is in the way.
        """
        self._enter(_names(path))

    def remove(self, path: str, *, folders: bool = False) -> None:
        """Remove a file, or with `folders` a folder with all that is in it.

        Raises:
            FileProblem: there is none, or it is a folder.
        """
        node = self.find(path)
        *above, name = _names(path) or [""]
        if not name or (node.is_folder and not folders):
            raise FileProblem(21, "Is a directory")
        del self._enter(above).entries[name]

    def _enter(self, names: Sequence[str]) -> FileNode:
        node = self._root
        for name in names:
            node = node.entries.setdefault(name, _folder())
            if not node.is_folder:
                raise FileProblem(20, "Not a directory")
        return node

    def _used(self) -> int:
        total, stack = 0, [self._root]
        while stack:
            node = stack.pop()
            total += len(node.data)
            stack.extend(node.entries.values())
        return total


def _names(path: str) -> list[str]:
    whole = posixpath.normpath("/" + path.lstrip("/"))  # two slashes would stay two
    for link, target in _LINKS.items():
        if f"{whole}/".startswith(f"{link}/"):
            whole = target + whole[len(link) :]
    names = [name for name in whole.split("/") if name]
    if len(names) > 64 or any(len(name.encode("utf-8", "surrogateescape")) > 255 for name in names):
        raise FileProblem(36, "File name too long")
    return names
