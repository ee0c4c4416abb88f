"""Downloads a file over HTTP: continued where it stopped, checked by its hash, then renamed.

Bytes go to `<path>.part`; only a file whose size and hash are right gets its name, so a file with
that name needs no further check. A file that is wrong is removed, and refused. The token goes to
the hub alone: not to another server, and not to one that the hub redirects to.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import aiohttp

from tapwright.datasets.dataset import Access, Digest, RemoteFile
from tapwright.datasets.errors import DownloadError, WrongHashError
from tapwright.datasets.hashing import hash_file
from tapwright.datasets.hub import HUB
from tapwright.datasets.responses import pause_after_failure, pause_after_status
from tapwright.files.atomic import wrap_disk_errors
from tapwright.models.addresses import is_near

__all__ = ["Downloader", "may_redirect", "open_session"]


_CHUNK = 1 << 18
_STALLED_S = 60.0
_REDIRECTS = 5
_ELSEWHERE = frozenset({301, 302, 303, 307, 308})


def open_session() -> aiohttp.ClientSession:
    """A client that gives up on a server that is silent for a minute, and has no login for it."""
    return aiohttp.ClientSession(
        # The hub compresses small texts where it may; hashes and ranges are of the plain bytes.
        headers={"Accept-Encoding": "identity"},
        auto_decompress=False,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=_STALLED_S, sock_read=_STALLED_S),
    )


@dataclass(frozen=True, slots=True)
class Downloader:
    """Downloads files with one client. `on_bytes` is called with bytes done, < 0 when given up."""

    session: aiohttp.ClientSession
    access: Access
    on_bytes: Callable[[int], object] = field(default=lambda _: None)

    async def fetch(self, file: RemoteFile, target: Path) -> str:
        """Download a file to `target`, and return its SHA-256.

        Raises:
            WrongHashError: it is not the published one; it was removed.
            DownloadError: the server has no such file, or does not deliver it.
            DiskError: the disk is full or not writable; what was downloaded is kept.
        """
        with wrap_disk_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
        if (there := _length(target)) > 0:
            with suppress(WrongHashError):  # it was removed, and is downloaded again
                sha256 = await asyncio.to_thread(_check, file, target)
                self.on_bytes(there)
                return sha256
        part = target.with_name(f"{target.name}.part")
        continued = await self._complete(file, part)
        try:
            sha256 = await asyncio.to_thread(_check, file, part)
        except WrongHashError:
            if not continued:
                raise
            # The first bytes may be of another version: the server gets one more chance.
            self.on_bytes(-(file.size or 0))
            await self._complete(file, part)
            sha256 = await asyncio.to_thread(_check, file, part)
        with wrap_disk_errors(target):
            part.replace(target)
        return sha256

    async def _complete(self, file: RemoteFile, part: Path) -> bool:
        """Download what is missing; True when there were bytes of an earlier start."""
        before = _length(part)
        self.on_bytes(before)
        failures = 0
        while file.size is None or _length(part) != file.size or not _exists(part):
            start = _length(part)
            try:
                pause = await self._request(file, part, failures)
                if pause is None:
                    break
            except (aiohttp.ClientError, TimeoutError) as error:
                failures = 0 if _length(part) > start else failures
                pause = pause_after_failure(file.url, error, failures)
            failures += 1
            await asyncio.sleep(pause)
        return before > 0

    async def _request(self, file: RemoteFile, part: Path, failures: int) -> float | None:
        """Append what a server sends; None when it sent all, else how long to wait."""
        start = _length(part)
        if file.size is not None and start > file.size:
            self._drop(part, start)
            start = 0
        headers = {"Range": f"bytes={start}-"} if start else {}
        async with self._get(file.url, headers) as got:
            if got.status == 416:  # longer than the file is now
                self._drop(part, start)
                error = ValueError("it has no such range")
                return pause_after_failure(file.url, error, failures)
            if got.status not in (200, 206):
                gate = _gate(file.url, self.access)
                wait = got.headers.get("Retry-After")
                return pause_after_status(file.url, got.status, wait, failures, gate=gate)
            if got.status == 200 and start:
                self.on_bytes(-start)
            await self._write(got, part, "ab" if got.status == 206 else "wb", file.size)
        if file.size is not None and _length(part) < file.size:
            raise aiohttp.ClientPayloadError(f"{_length(part)} of {file.size} bytes")
        return None

    @asynccontextmanager
    async def _get(
        self, url: str, headers: Mapping[str, str]
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The answer of a server, or of the last one that it redirects to.

        Raises:
            DownloadError: it redirects for ever, or into a network that only this machine is in.
        """
        for _ in range(_REDIRECTS):
            async with self.session.get(
                url,
                headers={**headers, **self._token(url)},
                proxy=self.access.proxies.find(url),
                allow_redirects=False,
            ) as got:
                if got.status not in _ELSEWHERE or "Location" not in got.headers:
                    yield got
                    return
                there = urljoin(url, got.headers["Location"])
            if not may_redirect(url, there):
                raise DownloadError(
                    f"{url} redirects to {there[:200]!r}; expected a public address with https",
                    hint="check HF_ENDPOINT and HTTPS_PROXY",
                )
            url = there
        raise DownloadError(f"{url}: more than {_REDIRECTS} redirects")

    async def _write(
        self, got: aiohttp.ClientResponse, part: Path, mode: str, size: int | None
    ) -> None:
        with wrap_disk_errors(part):
            file = part.open(mode)
        try:
            async for chunk in got.content.iter_chunked(_CHUNK):
                with wrap_disk_errors(part):
                    file.write(chunk)
                    file.flush()  # so that it is there for the next start, also after a kill
                self.on_bytes(len(chunk))
                if size is not None and file.tell() > size:
                    break  # more than was announced, perhaps without an end
        finally:
            with wrap_disk_errors(part):
                file.close()

    def _drop(self, part: Path, length: int) -> None:
        part.unlink()
        self.on_bytes(-length)

    def _token(self, url: str) -> dict[str, str]:
        hub = urlsplit(self.access.hub or HUB)
        asked = urlsplit(url)
        if not self.access.token or (hub.scheme, hub.netloc) != (asked.scheme, asked.netloc):
            return {}
        return {"Authorization": f"Bearer {self.access.token}"}


def may_redirect(url: str, there: str) -> bool:
    """Whether a server may send on to another address: no public one into a private network."""
    try:
        return urlsplit(there).scheme in ("http", "https") and (is_near(url) or not is_near(there))
    except ValueError:
        return False


def _gate(url: str, access: Access) -> str:
    return url.partition("/resolve/")[0] if url.startswith(access.hub or HUB) else ""


def _exists(part: Path) -> bool:
    return part.exists()


def _length(part: Path) -> int:
    try:
        return part.stat().st_size
    except FileNotFoundError:
        return 0


def _check(file: RemoteFile, part: Path) -> str:
    """The SHA-256 of a file that is right; a wrong one is removed."""
    sha256 = hash_file(part, "sha256")
    found = Digest("sha256", sha256)
    if file.digest is not None and file.digest.name != "sha256":
        found = Digest(file.digest.name, hash_file(part, file.digest.name))
    size = _length(part)
    if file.size is not None and size != file.size:
        part.unlink()
        raise WrongHashError(f"{file.url}: {size} bytes; expected {file.size}; it was removed")
    if file.digest is not None and found.value != file.digest.value:
        part.unlink()
        raise WrongHashError(
            f"{file.url}: the {found.name} is {found.value}; expected {file.digest.value}; "
            "it was removed",
            hint="repeat the command; if it comes back, the server or a proxy changes the file",
        )
    return sha256
