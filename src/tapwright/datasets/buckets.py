"""Data sets in public buckets of Google Cloud Storage, and single files at any address.

A bucket has no revisions. https://storage.googleapis.com/BUCKET/NAME is the
object itself. STORAGE_EMULATOR_HOST is the variable by which Google's own clients find another
server.
"""

from dataclasses import dataclass

from tapwright.datasets.dataset import Access, Digest, Listing, RemoteFile
from tapwright.datasets.errors import DownloadError

__all__ = ["STORAGE", "BucketSource", "FileSource"]

STORAGE = "https://storage.googleapis.com"


@dataclass(frozen=True, slots=True)
class BucketSource:
    """The objects of a bucket whose names begin with `prefix`, which is cut from their paths."""

    bucket: str
    prefix: str
    parts: tuple[str, ...] = ("",)
    revision: str = ""

    @property
    def address(self) -> str:
        """Its page."""
        return f"https://console.cloud.google.com/storage/browser/{self.bucket}/{self.prefix}"

    def list_files(self, access: Access, revision: str) -> Listing:
        """The objects, with the MD5 sums that the storage states.

        Raises:
            DownloadError: there are none, or the storage does not respond.
        """
        from tapwright.datasets.storage import list_objects

        server, files = access.storage or STORAGE, list[RemoteFile]()
        for part in self.parts:
            files += list_objects(server, self.bucket, self.prefix, part)
        if not files:
            raise DownloadError(f"{self.address}: there is no such data: it lists no object")
        return Listing(revision, tuple(sorted(files, key=lambda one: one.path)))


@dataclass(frozen=True, slots=True)
class FileSource:
    """One file at an address, of which no hash is published; the first download fixes it."""

    url: str
    path: str
    address: str
    revision: str = ""
    digest: Digest | None = None

    def list_files(self, access: Access, revision: str) -> Listing:
        """The file; nothing is asked of its server yet."""
        return Listing(revision, (RemoteFile(self.path, self.url, None, self.digest),))
