"""What clients of model servers share: name, addresses, key, settings, and the round trip.

A client adds the path, the body and how its response is read. Requests are sent by
`models.transport`; the settings of `models.settings` go into every body, laid over it last.
"""

import asyncio
import random
import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import ClassVar

from pydantic import JsonValue

from tapwright.core.messages import Message
from tapwright.core.secret_destinations import NamedBy, of_variable
from tapwright.models.addresses import Proxies, check_key_form, is_near, parse_base_urls
from tapwright.models.errors import MISSING_KEY
from tapwright.models.lenient import LenientReader, read_object
from tapwright.models.model import Completion
from tapwright.models.pictures import EncodedPictures, RequestPictures
from tapwright.models.server_errors import check_answered
from tapwright.models.settings import RequestSettings
from tapwright.models.transport import Transport, WireRequest

__all__ = ["ServerModel", "Wire"]

_TIMEOUT_S = 120.0
_RETRIES = 5
_MAX_TOKENS = 2048
_VERSIONED = re.compile(r"/v\d\w*\Z")


@dataclass(frozen=True, slots=True)
class Wire:
    """The names of one kind of server: its client, its own address, and its key's variable.

    `version` is the path with which its addresses end, added where one ends in no version;
    `renamed` has its names of the settings that every client takes, such as `max_tokens`.
    """

    client: str
    url: str
    key: str
    version: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)

    @property
    def keyless(self) -> str:
        """The way out where a server asks for a key and none was sent."""
        if NamedBy.EVERY_MODEL in of_variable(self.key).named_by:
            return f"no API key was sent: set {self.key}"
        return (
            f"no API key was sent: set {self.key}, and name the server by --base-url, as this "
            "provider's key does not go where TAPWRIGHT_BASE_URL leads"
        )


class ServerModel(ABC):
    """One model behind a server; many requests may run at a time, in one event loop.

    `base_url` may be several addresses with blanks between them: each request goes to the least
    busy. `timeout_s` bounds each attempt, 120 for None; `retries` counts the attempts after the
    first.
    `temperature` and `max_tokens` are left out of the request when None; `extra` is laid over the
    request's body last, and None there unsets a field. `sleep`, `clock` and `chance` are how it
    waits, what tells the time in seconds, and what spreads the waiting.
    """

    wire: ClassVar[Wire]
    transport: ClassVar[type[Transport]] = Transport

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float | None = None,
        retries: int = _RETRIES,
        temperature: float | None = 0.0,
        max_tokens: int | None = _MAX_TOKENS,
        extra: Mapping[str, JsonValue] | None = None,
        proxies: Proxies = Proxies(),  # noqa: B008 - it is frozen
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """Check the arguments; nothing is sent yet.

        Raises:
            ModelError: a server is a hosted one and there is no key.
            UsageError: `base_url` is no http(s) address, the key cannot be a header, a proxy is no
                http(s) proxy, or a setting cannot be one.
        """
        urls = self.addresses(base_url or self.wire.url)
        self.base_url = " ".join(urls)
        self._model = name
        key = check_key_form(api_key)
        hosted = [url for url in urls if not is_near(url)]
        if hosted and not key:
            raise MISSING_KEY(
                f"{self.name}: {hosted[0]} needs an API key",
                hint=f"set {self.wire.key}; for a server of your own, set TAPWRIGHT_BASE_URL to "
                "its address, such as http://127.0.0.1:8000/v1, which needs no key",
            )
        defaults: dict[str, JsonValue] = {"temperature": temperature, "max_tokens": max_tokens}
        self._settings = RequestSettings(self._renamed(defaults), self._renamed(extra or {}))
        self._pictures = EncodedPictures()
        self._transport = self.transport(
            self.name,
            urls,
            headers=self._key_headers(key) if key else {},
            secrets=[key] if key else [],
            timeout_s=_TIMEOUT_S if timeout_s is None else timeout_s,
            retries=retries,
            proxies=proxies,
            keyless="" if key or self.transport is not Transport else self.wire.keyless,
            sleep=sleep,
            clock=clock,
            chance=chance,
        )

    @classmethod
    def addresses(cls, base_url: str) -> tuple[str, ...]:
        """The addresses in a text, as requests are sent to them.

        Raises:
            UsageError: one is no http(s) address, or carries a key; or there is none.
        """
        return tuple(
            url if _VERSIONED.search(url) else url + cls.wire.version
            for url in parse_base_urls(base_url)
        )

    @property
    def name(self) -> str:
        """The client's name, a slash, and the model's name."""
        return f"{self.wire.client}/{self._model}"

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """The server's addresses and what goes into every request; the key is not among it."""
        return {"base_url": self.base_url, **self._settings.sent}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._model!r}, base_url={self.base_url!r})"

    async def complete(self, messages: Sequence[Message]) -> Completion:
        """Send the request, and repeat it while that may help.

        Raises:
            ModelRefusedError: the server refused, and a retry would not help.
            ModelUnavailableError: the retries are used up; the message has every cause.
        """
        return await self.complete_with(messages, {})

    async def complete_with(
        self, messages: Sequence[Message], settings: Mapping[str, JsonValue]
    ) -> Completion:
        """`complete`, with these settings laid over those of every request.

        Raises:
            ModelRefusedError: the server refused, and a retry would not help.
            ModelUnavailableError: the retries are used up; the message has every cause.
        """
        pictures = RequestPictures(self._pictures)
        body, named = self._body(messages, pictures), self._renamed(settings)

        sent: dict[str, JsonValue] = {}

        def encode() -> bytes:
            # Another request may meanwhile have found out what the server refuses.
            sent.clear()
            sent.update(self._settings.merged(named))
            return pictures.encode({**body, **self._place(sent)})

        delivery = await self._transport.send(
            WireRequest(
                self._path(),
                encode,
                lambda payload: self._completion(payload, sent),
                # The words are the filter's, and no answer: they stay out of it.
                lambda: Completion("", finish="content_filter"),
                lambda status, payload: self._settings.negotiate(
                    self.name, [*sent.keys() - {"tools"}], status, payload
                ),
                self._headers(self._settings.merged(named)),
            )
        )
        answer = delivery.answer
        return replace(
            answer,
            text=self._transport.redacted(answer.text),
            reasoning=self._transport.redacted(answer.reasoning),
            latency_s=delivery.latency_s,
            attempts=delivery.attempts,
            changed=self._settings.changed(named),
        )

    async def close(self) -> None:
        """Close the connections; the next `complete` would open them again."""
        await self._transport.close()

    def _renamed(self, settings: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        return {self.wire.renamed.get(name, name): value for name, value in settings.items()}

    def _headers(self, settings: Mapping[str, JsonValue]) -> Mapping[str, str]:
        """The headers of a request with these settings, but for the key."""
        return {}

    def _place(self, settings: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        """Where in the body the settings stand; at its top."""
        return settings

    @abstractmethod
    def _path(self) -> str:
        """The path of requests, below the address."""

    @abstractmethod
    def _key_headers(self, key: str) -> Mapping[str, str]:
        """The headers that carry the key."""

    @abstractmethod
    def _body(self, messages: Sequence[Message], pictures: RequestPictures) -> dict[str, JsonValue]:
        """The body without settings, with the marks of its pictures.

        Raises:
            UsageError: the server takes no such conversation.
        """

    def _completion(self, payload: bytes, settings: Mapping[str, JsonValue]) -> Completion:
        found, reader = read_object(payload), LenientReader()
        check_answered(found)
        return replace(self._read(found, reader, settings), odd=reader.odd)

    @abstractmethod
    def _read(
        self,
        found: Mapping[str, JsonValue],
        reader: LenientReader,
        settings: Mapping[str, JsonValue],
    ) -> Completion:
        """The completion of a response to a request with these settings.

        Raises:
            UnreadableResponseError: it is none.
        """
