"""Sends a request to a model server until there is an answer: attempts, faults, refusals.

A request that failed is repeated, with a longer wait each time; one that the server refused is not,
unless what it refused can be left out. With several endpoints each request goes to the one with the
fewest under way (`models.endpoints`, which also judges them). The key goes into the headers and
nowhere else: it is redacted in whatever a server returns.
"""

import asyncio
import json
import random
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Generic, TypeVar
from urllib.parse import urlsplit

import aiohttp

from tapwright.models import endpoints
from tapwright.models.addresses import Proxies
from tapwright.models.errors import (
    ModelFailedError,
    ModelRefusedError,
    ModelUnavailableError,
    UnreadableResponseError,
)
from tapwright.models.retry_after import retry_after_s
from tapwright.models.server_errors import Cause, FailedAnswerError, read_error

__all__ = [
    "MAX_ANSWER_BYTES", "Delivery", "OversizedAnswerError", "Response", "Transport", "WireRequest",
    "read_body",
]  # fmt: skip

MAX_ANSWER_BYTES = 8_000_000
"""Bytes of a server's answer, unpacked where it came compressed."""

T = TypeVar("T")

_NAMES = "check the model's name, and that the address ends as the server wants it, mostly in /v1"
_ELSEWHERE = "the server sends elsewhere: give the address that it has now in --base-url"
_HINTS: Mapping[Cause, str] = {
    "key": "check that the API key is the one of this server",
    "model": _NAMES,
    "quota": "add credit or raise the limit at the provider, or give another key",
    "blind": "name a model that sees pictures; a server of your own may want to be told that its "
    "model does (llama.cpp: --mmproj)",
    "plain": "the server speaks https: give --base-url https://…",
    "pictures": "send fewer or smaller pictures: --max-pixels N, a shorter history (last:1); a "
    "server of your own may take more (vLLM: --limit-mm-per-prompt)",
    "length": "send less: --max-pixels N for smaller pictures, a history of last:1 for fewer "
    "steps, --set max_tokens=N for a shorter answer; a server of your own may take more (vLLM: "
    "--max-model-len)",
    "system": "--plan system=model_default sends no system message",
}
_STATUS_HINTS = {
    **dict.fromkeys((301, 302, 303, 307, 308), _ELSEWHERE),
    400: "`--set KEY=none` leaves a field out of the requests, `--set KEY=VALUE` changes it",
    401: "check that the API key is the one of this server",
    403: "check that the API key may use this model",
    404: _NAMES,
    407: "the proxy wants a user: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT",
    422: "check what this server takes; `--set KEY=VALUE` adds a field to the requests",
}
_ABOUT_ALL = frozenset({"access", "quota", "key", "model", "blind", "plain"})
"""What is refused whatever is asked."""
_CERTIFICATE = (
    "a server's own certificate is named by SSL_CERT_FILE=FILE.pem in the environment; "
    "http:// is without one"
)
_NOT_ITS_NAME = "name the server in --base-url as its certificate does"
_TLS_HINTS: Mapping[object, str] = {
    "WRONG_VERSION_NUMBER": "the server does not speak https: give --base-url http://…",
    10: "the server's certificate has expired: it wants a new one, or this machine the right time",
    62: _NOT_ITS_NAME,
    64: _NOT_ITS_NAME,
}
"""By OpenSSL's reason, or its code: expired, another host name, another IP address."""
_NOT_HERE = "check the address, and that the server is up"
_FIRST_WAIT_S = 0.5
_LONGEST_BACK_OFF_S = 30.0
_SHOWN_CHARACTERS = 400
_SHORTEST_SECRET = 8
"""Local servers are given words like "EMPTY" for a key, which may well stand in an answer."""


@dataclass(frozen=True, slots=True)
class WireRequest(Generic[T]):
    """A request: its path below the address, its body, how its response is read.

    `read` raises `UnreadableResponseError`, or `FailedAnswerError`, which counts as a response with
    the status that it stands for. `declined` is the answer when a filter refuses with an error.
    `negotiate` is given the status and the payload of a refusal, and returns whether `body` now
    differs, so that sending it again may help.
    """

    path: str
    body: Callable[[], bytes]
    read: Callable[[bytes], T]
    declined: Callable[[], T]
    negotiate: Callable[[int, bytes], bool]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Delivery(Generic[T]):
    """What came back, the attempts that it took, and the seconds of the last one."""

    answer: T
    attempts: int
    latency_s: float


@dataclass(frozen=True, slots=True)
class Response:
    """What a server sent back."""

    status: int
    headers: Mapping[str, str]
    payload: bytes


class Transport:
    """Sends the requests of one client; many may run at a time, in one event loop.

    `who` is the client's name in messages, `headers` carry the key, and `secrets` are redacted in
    all that comes back. `timeout_s` bounds each attempt, `retries` counts the attempts after the
    first; `sleep`, `clock` and `chance` are how it waits, what tells the time in seconds, and what
    spreads the waiting.
    """

    def __init__(
        self,
        who: str,
        urls: Sequence[str],
        *,
        headers: Mapping[str, str],
        secrets: Sequence[str],
        timeout_s: float,
        retries: int,
        proxies: Proxies,
        keyless: str = "",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """Find the proxies; nothing is sent yet. `keyless` is the way out where a key is asked for.

        Raises:
            UsageError: a proxy is none.
        """
        self._who = who
        self._endpoints = endpoints.Endpoints(
            who, [endpoints.Endpoint(url, proxies.find(url), clock) for url in urls]
        )
        # aiohttp would offer zstd and brotli, which `read_body` does not unpack.
        packed = {"Accept-Encoding": "gzip"}
        self._headers = {"Content-Type": "application/json", **packed, **headers}
        passwords = [urlsplit(one.proxy).password or "" for one in self._endpoints.all if one.proxy]
        self._secrets = [one for one in (*secrets, *passwords) if len(one) >= _SHORTEST_SECRET]
        self._keyless = keyless
        self._timeout_s = timeout_s
        self._retries = retries
        self._sleep = sleep
        self._chance = chance
        self._session: aiohttp.ClientSession | None = None

    async def send(self, request: WireRequest[T]) -> Delivery[T]:
        """Send the request, and repeat it while that may help.

        Raises:
            ModelRefusedError: the server refused, and a retry would not help.
            RepeatedRefusalError: it has refused in the same words several times in a row.
            ModelUnavailableError: the retries are used up; the message has every cause.
            ServerDownError: no server has answered for a while, whatever was asked.
        """
        faults: list[endpoints.Fault] = []
        owed_s, owed_since = 0.0, 0.0
        while True:
            endpoint = await self._endpoints.take()
            try:
                if endpoint.is_paused:
                    owed_s = max(owed_s, endpoint.pause_s)
                else:
                    owed_s -= endpoint.clock() - owed_since
                if owed_s > 0:
                    await self._sleep(owed_s)
                started = monotonic()
                got = await self._attempt(endpoint, request)
                if isinstance(got, Delivery):
                    self._endpoints.note_answer(endpoint)
                    return Delivery(got.answer, len(faults) + 1, monotonic() - started)
                self._endpoints.note_fault(endpoint, got)
            finally:
                self._endpoints.give_back(endpoint)
            faults.append(got)
            self._endpoints.check()
            if len(faults) > self._retries:
                raise self._unavailable(faults)
            owed_s, owed_since = 0.0, endpoint.clock()
            if not self._endpoints.is_other_ready():
                owed_s = self._wait_s(faults)
            if owed_s and not endpoint.is_paused:
                await self._sleep(owed_s)
                owed_s = 0.0

    async def close(self) -> None:
        """Close the connections; the next request would open them again."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def redacted(self, text: str) -> str:
        """The text with every secret replaced."""
        for secret in self._secrets:
            for form in {secret, json.dumps(secret)[1:-1], repr(secret)[1:-1]}:
                text = text.replace(form, "***")
        return text

    def _wait_s(self, faults: Sequence[endpoints.Fault]) -> float:
        back_off = min(_FIRST_WAIT_S * 2.0 ** (len(faults) - 1), _LONGEST_BACK_OFF_S)
        return faults[-1].wait_s + back_off * (0.5 + self._chance() / 2)

    def _unavailable(self, faults: Sequence[endpoints.Fault]) -> ModelUnavailableError:
        causes = "; ".join(f"{n}. {fault.cause}" for n, fault in enumerate(faults, start=1))
        servers = " ".join(one.url for one in self._endpoints.all)
        kind = ModelFailedError if faults[-1].kind == "error" else ModelUnavailableError
        return kind(
            f"{self._who}: {servers} did not respond ({len(faults)} attempts): {causes}",
            hint=faults[-1].hint
            or "check that the server is up and not overloaded, then start again: "
            "results so far are kept",
        )

    async def _attempt(
        self, endpoint: endpoints.Endpoint, request: WireRequest[T]
    ) -> Delivery[T] | endpoints.Fault:
        while True:
            try:
                response = await self._fetch(endpoint, request)
            except TimeoutError:
                hint = "--timeout SECONDS gives it longer, --concurrency N asks less at a time"
                return endpoints.Fault(
                    "timeout", f"no response within {self._timeout_s:g} s", hint=hint
                )
            except OversizedAnswerError as error:
                return endpoints.Fault("error", str(error))
            except (aiohttp.ClientError, OSError) as error:
                return self._no_connection(error)
            status, told = response.status, ""
            if 200 <= status < 300:
                try:
                    return Delivery(request.read(response.payload), 1, 0.0)
                except UnreadableResponseError as error:
                    return endpoints.Fault("error", f"{error}: {self._quote(response.payload)}")
                except FailedAnswerError as error:
                    status, told = error.status, str(error)
            error_told = read_error(response.payload)
            words = self._quote((told or error_told.message).encode("utf-8", "replace"), response)
            about = error_told.cause(status)
            inside = f"{response.status} with error " if told else ""
            cause = f"HTTP {inside}{status}: {words}"
            match about:
                case "declined":
                    return Delivery(request.declined(), 1, 0.0)
                case "busy" | "error":
                    wait_s = max(retry_after_s(response.headers), error_told.wait_s)
                    return endpoints.Fault(about, cause, wait_s)
            if not request.negotiate(status, response.payload):
                return self._refused(endpoint, status, about, cause)

    def _no_connection(self, error: Exception) -> endpoints.Fault:
        told = self.redacted(f"{type(error).__name__}: {error}")
        if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
            return endpoints.Fault("tls", told, hint=_tls_hint(error))
        return endpoints.Fault("connection", told, hint=_NOT_HERE)

    async def _fetch(self, endpoint: endpoints.Endpoint, request: WireRequest[T]) -> Response:
        """Send it once.

        Raises:
            TimeoutError: no response came in time.
            OSError: the connection failed.
            aiohttp.ClientError: it failed in another way.
            OversizedAnswerError: the response is too large.
        """
        async with self._open().post(
            f"{endpoint.url}{request.path}",
            data=request.body(),
            headers={**self._headers, **request.headers},
            proxy=endpoint.proxy,
            allow_redirects=False,  # a redirect could carry the key to another host
        ) as response:
            encoding = response.headers.get("Content-Encoding", "")
            payload = await read_body(response.content.iter_any(), encoding)
            return Response(response.status, response.headers, payload)

    def _refused(
        self, endpoint: endpoints.Endpoint, status: int, about: Cause, cause: str
    ) -> endpoints.Fault:
        """What a refusal is to a request that others may still answer.

        Raises:
            ModelRefusedError: there are no others, or it is about the request.
            RepeatedRefusalError: it has refused in the same words several times in a row.
        """
        hint = _HINTS.get(about, "") or _STATUS_HINTS.get(status, "")
        is_access = about in _ABOUT_ALL
        # A run's log keeps the message alone, so what is certain to help stands in it.
        way = f" ({_HINTS[about]})" if about in _HINTS else ""
        if self._keyless and (status == 401 or about == "key"):
            hint, way = self._keyless, f" ({self._keyless})"
        if is_access and len(self._endpoints.all) > 1:
            return endpoints.Fault("access", f"{endpoint.url} refused: {cause}", hint=hint)
        limit = endpoints.MAX_EQUAL_REFUSALS if is_access else endpoints.MAX_OTHER_REFUSALS
        self._endpoints.note_refusal(endpoint, cause, hint, limit=limit)
        raise ModelRefusedError(f"{self._who}: {endpoint.url} refused: {cause}{way}", hint=hint)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),  # the caller bounds what runs at a time
                timeout=aiohttp.ClientTimeout(total=self._timeout_s),
                auto_decompress=False,  # it would unpack without a limit
            )
        return self._session

    def _quote(self, words: bytes, response: Response | None = None) -> str:
        """Some words of a server, or the whole body where there are none."""
        payload = words or (response.payload if response else b"")
        # Redacted before it is cut, or half a key would be left at the end.
        text = " ".join(self.redacted(payload.decode("utf-8", "replace")).split())
        return text[:_SHOWN_CHARACTERS] or "an empty body"


def _tls_hint(error: aiohttp.ClientSSLError | ssl.SSLError) -> str:
    cause: object = error
    for name in ("certificate_error", "os_error"):  # where aiohttp keeps OpenSSL's
        cause = getattr(error, name, cause)
    known = getattr(cause, "verify_code", None) or getattr(cause, "reason", None)
    return _TLS_HINTS.get(known, _CERTIFICATE)


_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


class OversizedAnswerError(ValueError):
    """An answer is larger than the limit, or cannot be unpacked."""


async def read_body(chunks: AsyncIterator[bytes], encoding: str) -> bytes:
    """The bytes of a body; `encoding` is its header Content-Encoding.

    No more than the limit is ever in memory, however much the chunks unpack to.

    Raises:
        OversizedAnswerError: it is larger, or in another encoding than gzip and deflate.
    """
    encoding = encoding.strip().lower()
    unpacker = zlib.decompressobj(_WINDOWS[encoding]) if encoding in _WINDOWS else None
    if unpacker is None and encoding not in ("", "identity"):
        raise OversizedAnswerError(f"an answer encoded as {encoding[:40]!r}, which is not taken")
    body = bytearray()
    async for chunk in chunks:
        try:
            room = MAX_ANSWER_BYTES + 1 - len(body)
            body += chunk if unpacker is None else unpacker.decompress(chunk, room)
        except zlib.error as error:
            raise OversizedAnswerError(f"a broken compressed answer: {error}") from error
        if len(body) > MAX_ANSWER_BYTES:
            raise OversizedAnswerError(f"an answer of more than {MAX_ANSWER_BYTES:,} bytes")
    if unpacker is not None and body and not unpacker.eof:
        raise OversizedAnswerError("a compressed answer that ends in the middle")
    return bytes(body)
