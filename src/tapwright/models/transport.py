"""Sends a request to a model server until there is an answer: attempts, endpoints, refusals.

A request that failed is repeated, with a longer wait each time; one that the server refused is not,
unless what it refused can be left out. With several endpoints each request goes to the one with the
fewest under way; one that fails is set aside for a while. The key goes into the headers and nowhere
else: it is redacted in whatever a server returns.
"""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from time import monotonic
from typing import Generic, TypeVar
from urllib.parse import urlsplit

import aiohttp

from tapwright.errors import ModelError
from tapwright.models.addresses import Proxies
from tapwright.models.bounded_body import OversizedAnswerError, read_body
from tapwright.models.errors import MODEL_UNAVAILABLE, ModelRefusedError, RepeatedRefusalError
from tapwright.models.failed_answers import FailedAnswerError

__all__ = [
    "MAX_EQUAL_REFUSALS",
    "MAX_OTHER_REFUSALS",
    "MAX_WAIT_S",
    "Delivery",
    "Endpoint",
    "Response",
    "Transport",
    "UnreadableResponseError",
    "WireRequest",
]

T = TypeVar("T")

MAX_WAIT_S = 600.0
"""A server that requires a longer wait than this counts as unavailable."""
MAX_EQUAL_REFUSALS = 5
"""After so many equal refusals in a row of the key, the model or the address, no more is sent."""
MAX_OTHER_REFUSALS = 25
"""The same for refusals that may lie in a single question, such as a picture that is too large."""

_ABOUT_ACCESS = frozenset({401, 402, 403, 404, 405})
_RETRY_STATUS = frozenset({408, 409, 429})
_HINTS = {
    400: "`--set KEY=none` leaves a field out of the requests, `--set KEY=VALUE` changes it",
    401: "check that the API key is the one of this server",
    403: "check that the API key may use this model",
    404: "check the model's name, and that the address ends as the server wants it, mostly in /v1",
    422: "check what this server takes; `--set KEY=VALUE` adds a field to the requests",
}
_FIRST_WAIT_S = 0.5
_LONGEST_BACK_OFF_S = 30.0
_SET_ASIDE_S = 30.0
_SHOWN_CHARACTERS = 400
_SHORTEST_SECRET = 8
"""Local servers are given words like "EMPTY" for a key, which may well stand in an answer."""


class UnreadableResponseError(ValueError):
    """A response with status 200 that is no completion; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class WireRequest(Generic[T]):
    """A request: its path below the address, its body, how its response is read.

    `read` raises `UnreadableResponseError`, or `FailedAnswerError`, which counts as a response with
    the status that it stands for. `leave_out` is given the status and the payload of a
    refusal, and returns whether `body` now differs, so that sending it again may help.
    """

    path: str
    body: Callable[[], bytes]
    read: Callable[[bytes], T]
    leave_out: Callable[[int, bytes], bool]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Delivery(Generic[T]):
    """What came back, the attempts that it took, and the seconds of the last one."""

    answer: T
    attempts: int
    latency_s: float


@dataclass(frozen=True, slots=True)
class _Fault:
    """An attempt that failed and is worth repeating; `wait_s` is what the server requires."""

    cause: str
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Response:
    """What a server sent back."""

    status: int
    headers: Mapping[str, str]
    payload: bytes


@dataclass(slots=True)
class Endpoint:
    """One of the servers: how many requests are under way, and until when it is set aside.

    `back_at` is in seconds of `time.monotonic`.
    """

    url: str
    proxy: str | None
    under_way: int = 0
    back_at: float = 0.0


class Transport:
    """Sends the requests of one client; many may run at a time, in one event loop.

    `who` is the client's name in messages, `headers` carry the key, and `secrets` are redacted in
    all that comes back. `timeout_s` bounds each attempt, `retries` counts the attempts after the
    first; `sleep` and `chance` are how it waits and what spreads the waiting.
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
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """Find the proxies; nothing is sent yet.

        Raises:
            UsageError: a proxy is none.
        """
        self._who = who
        self._endpoints = [Endpoint(url, proxies.find(url)) for url in urls]
        self._headers = {"Content-Type": "application/json", **headers}
        passwords = [urlsplit(one.proxy).password or "" for one in self._endpoints if one.proxy]
        self._secrets = [one for one in (*secrets, *passwords) if len(one) >= _SHORTEST_SECRET]
        self._timeout_s = timeout_s
        self._retries = retries
        self._sleep = sleep
        self._chance = chance
        self._session: aiohttp.ClientSession | None = None
        self._refusal = ""
        self._refusals = 0

    async def send(self, request: WireRequest[T]) -> Delivery[T]:
        """Send the request, and repeat it while that may help.

        Raises:
            ModelRefusedError: the server refused, and a retry would not help.
            RepeatedRefusalError: it has refused in the same words several times in a row.
            ModelError: the retries are used up; the message has every cause.
        """
        faults: list[_Fault] = []
        while True:
            attempt = len(faults) + 1
            endpoint, started = self._pick(), monotonic()
            endpoint.under_way += 1
            try:
                got = await self._attempt(endpoint, request)
            finally:
                endpoint.under_way -= 1
            if isinstance(got, Delivery):
                self._refusals = 0
                endpoint.back_at = 0.0
                return Delivery(got.answer, attempt, monotonic() - started)
            faults.append(got)
            endpoint.back_at = monotonic() + max(_SET_ASIDE_S, min(got.wait_s, MAX_WAIT_S))
            await self._wait(faults)

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

    def _pick(self) -> Endpoint:
        """The endpoint with the fewest requests under way that is not set aside, else the next."""
        now = monotonic()
        return min(self._endpoints, key=lambda one: (max(one.back_at - now, 0.0), one.under_way))

    async def _wait(self, faults: Sequence[_Fault]) -> None:
        last = faults[-1]
        if last.wait_s > MAX_WAIT_S:
            raise self._unavailable(faults, f"it requires a wait of {last.wait_s:.0f} s")
        if len(faults) > self._retries:
            raise self._unavailable(faults, f"{len(faults)} attempts")
        if any(one.back_at <= monotonic() for one in self._endpoints):
            return  # another endpoint is there at once
        back_off = min(_FIRST_WAIT_S * 2 ** (len(faults) - 1), _LONGEST_BACK_OFF_S)
        await self._sleep(last.wait_s + back_off * (0.5 + self._chance() / 2))

    def _unavailable(self, faults: Sequence[_Fault], why: str) -> ModelError:
        causes = "; ".join(f"{n}. {fault.cause}" for n, fault in enumerate(faults, start=1))
        servers = " ".join(one.url for one in self._endpoints)
        return MODEL_UNAVAILABLE(
            f"{self._who}: {servers} did not respond ({why}): {causes}",
            hint="check that the server is up and not overloaded, then start again: "
            "results so far are kept",
        )

    async def _attempt(self, endpoint: Endpoint, request: WireRequest[T]) -> Delivery[T] | _Fault:
        while True:
            try:
                response = await self._fetch(endpoint, request)
            except TimeoutError:
                return _Fault(f"no response within {self._timeout_s:g} s")
            except OversizedAnswerError as error:
                return _Fault(str(error))
            except (aiohttp.ClientError, OSError) as error:
                return _Fault(self.redacted(f"{type(error).__name__}: {error}"))
            status = response.status
            if status == 200:
                try:
                    return Delivery(request.read(response.payload), 1, 0.0)
                except UnreadableResponseError as error:
                    return _Fault(f"{error}: {self._quote(response.payload)}")
                except FailedAnswerError as error:
                    status, message = (
                        error.status,
                        self._quote(str(error).encode("utf-8", "replace")),
                    )
                    cause = f"HTTP 200 with error {status}: {message}"
            else:
                cause = f"HTTP {status}: {self._message(response.payload)}"
            if status in _RETRY_STATUS or status >= 500:
                return _Fault(cause, _retry_after_s(response.headers))
            if not request.leave_out(status, response.payload):
                raise self._refused(endpoint, status, cause)

    async def _fetch(self, endpoint: Endpoint, request: WireRequest[T]) -> Response:
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

    def _refused(self, endpoint: Endpoint, status: int, cause: str) -> ModelRefusedError:
        message = f"{self._who}: {endpoint.url} refused: {cause}"
        self._refusals = self._refusals + 1 if cause == self._refusal else 1
        self._refusal = cause
        limit = MAX_EQUAL_REFUSALS if status in _ABOUT_ACCESS else MAX_OTHER_REFUSALS
        if self._refusals < limit:
            return ModelRefusedError(message, hint=_HINTS.get(status, ""))
        return RepeatedRefusalError(
            f"{message}; {self._refusals} times in a row, so no more is sent",
            hint=_HINTS.get(status, "") or "when that is mended, the same command continues",
        )

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),  # the caller bounds what runs at a time
                timeout=aiohttp.ClientTimeout(total=self._timeout_s),
                auto_decompress=False,  # it would unpack without a limit
            )
        return self._session

    def _message(self, payload: bytes) -> str:
        """The message of an error body: `error.message`, `message` or `detail`, else all of it."""
        try:
            found = json.loads(payload)
        except (ValueError, RecursionError):
            return self._quote(payload)
        if isinstance(found, dict):
            inner = found.get("error", found)
            for place in (inner, found):
                for name in ("message", "detail"):
                    if isinstance(place, dict) and isinstance(place.get(name), str):
                        return self._quote(place[name].encode("utf-8", "replace"))
            if isinstance(inner, str):
                return self._quote(inner.encode("utf-8", "replace"))
        return self._quote(payload)

    def _quote(self, payload: bytes) -> str:
        # Redacted before it is cut, or half a key would be left at the end.
        text = " ".join(self.redacted(payload.decode("utf-8", "replace")).split())
        return text[:_SHOWN_CHARACTERS] or "an empty body"


def _retry_after_s(headers: Mapping[str, str]) -> float:
    """Seconds that `Retry-After` requires, given as a number or as a date; 0 when it is absent.

    A date is compared with the server's own `Date`, so that a wrong clock here does no harm.
    """
    value = headers.get("Retry-After", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        then, now = _date(value), _date(headers.get("Date", "")) or datetime.now(UTC)
        seconds = (then - now).total_seconds() if then else 0.0
    return max(seconds, 0.0) if isfinite(seconds) else 0.0


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
