"""Data sets in public buckets of Google Cloud Storage, and single files at any address.

A bucket is listed by https://cloud.google.com/storage/docs/json_api/v1/objects/list, which states
size and MD5 of each object; it has no revisions. https://storage.googleapis.com/BUCKET/NAME is the
object itself. STORAGE_EMULATOR_HOST is the variable by which Google's own clients find another
server.
"""

import base64
import binascii
import json
import time
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from time import monotonic
from typing import Annotated
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from pydantic import BaseModel, Field, ValidationError

from tapwright.datasets.dataset import Access, Digest, Listing, RemoteFile
from tapwright.datasets.errors import DownloadError
from tapwright.datasets.responses import pause_after_status
from tapwright.errors import first_problem

__all__ = ["STORAGE", "BucketSource", "FileSource"]

STORAGE = "https://storage.googleapis.com"
_TIMEOUT_S = 60.0
_PAGES = 1000
_MOST = 16 << 20
"""Bytes of a page of 1000 objects."""


class _Object(BaseModel):
    name: str
    size: int
    md5: str | None = Field(default=None, alias="md5Hash")


class _Page(BaseModel):
    items: Annotated[list[_Object], Field(default_factory=list)]
    next: str = Field(default="", alias="nextPageToken")


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
        server = access.storage or STORAGE
        files = [one for part in self.parts for one in self._list(server, self.prefix + part)]
        if not files:
            raise DownloadError(f"{self.address}: there is no such data: it lists no object")
        return Listing(revision, tuple(sorted(files, key=lambda one: one.path)))

    def _list(self, server: str, prefix: str) -> list[RemoteFile]:
        files: list[RemoteFile] = []
        token = ""
        for _ in range(_PAGES):
            query = {"prefix": prefix, "maxResults": "1000", "pageToken": token}
            page = _read_page(f"{server}/storage/v1/b/{self.bucket}/o?{urlencode(query)}")
            for one in page.items:
                if not one.name.endswith("/"):  # a "folder" of the console
                    url = f"{server}/{self.bucket}/{quote(one.name)}"
                    path = one.name.removeprefix(self.prefix)
                    files.append(RemoteFile(path, url, one.size, _md5(one.md5)))
            token = page.next
            if not token:
                break
        return files


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


def _md5(encoded: str | None) -> Digest | None:
    if not encoded:
        return None
    try:
        return Digest("md5", base64.b64decode(encoded, validate=True).hex())
    except binascii.Error as error:
        raise DownloadError(f"the storage states the MD5 sum {encoded!r}: {error}") from error


def _read(response: HTTPResponse) -> bytes:
    """The body of an answer that comes in time, and is not too long."""
    until, body = monotonic() + _TIMEOUT_S, bytearray()
    while part := response.read1(1 << 16):
        body += part
        if len(body) > _MOST or monotonic() > until:
            raise OSError(f"its answer does not end within {_MOST:,} bytes and {_TIMEOUT_S:g} s")
    return bytes(body)


def _read_page(url: str) -> _Page:
    failures = 0
    while True:
        try:
            with urlopen(Request(url), timeout=_TIMEOUT_S) as response:  # noqa: S310 - http(s) only
                return _Page.model_validate(json.loads(_read(response)))
        except HTTPError as error:
            with error:
                wait = error.headers.get("Retry-After")
                time.sleep(pause_after_status(url, error.code, wait, failures))
            failures += 1
        except ValidationError as error:
            raise DownloadError(f"{url}: no list of objects: {first_problem(error)}") from error
        except (URLError, OSError, HTTPException, ValueError, RecursionError) as error:
            raise DownloadError(
                f"{url}: the storage does not respond: {error}",
                hint="check the network and HTTPS_PROXY, and repeat the command",
            ) from error
