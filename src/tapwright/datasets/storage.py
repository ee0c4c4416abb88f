"""What a public bucket of Google Cloud Storage lists, a page of a thousand objects at a time.

https://cloud.google.com/storage/docs/json_api/v1/objects/list states size and MD5 of each object.
"""

import base64
import binascii
import json
import time
from collections.abc import Iterator
from http.client import HTTPException, HTTPResponse
from time import monotonic
from typing import Annotated
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from pydantic import BaseModel, Field, ValidationError

from tapwright.datasets.dataset import Digest, RemoteFile
from tapwright.datasets.errors import DownloadError
from tapwright.datasets.responses import pause_after_status
from tapwright.errors import first_problem

__all__ = ["list_objects"]

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


def list_objects(server: str, bucket: str, prefix: str, part: str) -> Iterator[RemoteFile]:
    """The objects whose names begin with prefix and part; the prefix is cut from their paths.

    Raises:
        DownloadError: the storage does not respond.
    """
    token = ""
    for _ in range(_PAGES):
        query = {"prefix": prefix + part, "maxResults": "1000", "pageToken": token}
        page = _read_page(f"{server}/storage/v1/b/{bucket}/o?{urlencode(query)}")
        for one in page.items:
            if not one.name.endswith("/"):  # a "folder" of the console
                url = f"{server}/{bucket}/{quote(one.name)}"
                yield RemoteFile(one.name.removeprefix(prefix), url, one.size, _md5(one.md5))
        token = page.next
        if not token:
            break


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
