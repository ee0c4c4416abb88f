"""What a data set is by name: where its files are, how they are packed, and under what licence.

A source lists its files before any is downloaded, each with its size and with the hash that its
server publishes: SHA-256 of large files on the Hugging Face hub, git's blob id of its small ones,
MD5 in a Google Cloud bucket.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from tapwright.models.addresses import Proxies

__all__ = [
    "Access", "Archive", "Dataset", "DatasetSource", "Digest", "HashName", "Listing", "RemoteFile",
]  # fmt: skip

HashName: TypeAlias = Literal["sha256", "git-sha1", "md5"]


@dataclass(frozen=True, slots=True)
class Digest:
    """A hash in hexadecimal; "git-sha1" is that of git's blob with the content."""

    name: HashName
    value: str


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file at a server. `path` is where it lies below the data set, with slashes.

    `size` is in bytes, None when the server does not announce it.
    """

    path: str
    url: str
    size: int | None = None
    digest: Digest | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a data set at one revision, "" where the server has none."""

    revision: str
    files: tuple[RemoteFile, ...]


@dataclass(frozen=True, slots=True)
class Access:
    """The servers, and the token that only the hub is sent; "" stands for the public ones."""

    hub: str = ""
    storage: str = ""
    token: str | None = field(default=None, repr=False)
    proxies: Proxies = field(default_factory=Proxies)


class DatasetSource(Protocol):
    """Where the files of a data set are."""

    @property
    def revision(self) -> str:
        """The commit that is downloaded; "" when the first download fixes it."""

    @property
    def address(self) -> str:
        """The page of the data set, for people."""

    def list_files(self, access: Access, revision: str) -> Listing:
        """The files at a revision, at the newest one for "".

        Raises:
            DownloadError: the server has no such data, or does not respond.
        """


@dataclass(frozen=True, slots=True)
class Archive:
    """A zip or tar file, or the last part of a split zip, and what is taken out of it.

    What lies below a folder whose path ends with `folder` is put into `into`, below the data set.
    An archive without such a folder is taken to hold its content. Without a `folder` only the
    files' names are kept, as `unzip -j` does.
    """

    path: str
    folder: str
    into: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set by name.

    `size` is about what is downloaded, in bytes. `sums` are SHA-256 sums that are known from
    elsewhere, by path; that of "" is `hash_folder` of the whole. `marks` are patterns of which
    each finds a file when the layout is the one that is read. `benchmarks` use it; `format` is that
    of its episodes. `evidence` names where each of these facts was read.
    """

    name: str
    title: str
    source: DatasetSource
    licence: str
    size: int
    citation: str
    evidence: str
    marks: tuple[str, ...]
    archives: tuple[Archive, ...] = ()
    sums: Mapping[str, str] = field(default_factory=dict)
    benchmarks: tuple[str, ...] = ()
    format: str = ""

    def is_laid_out(self, root: Path) -> bool:
        """Whether `root` has the layout that is read."""
        return all(any(root.glob(mark)) for mark in self.marks)
