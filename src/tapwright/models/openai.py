"""Any server that speaks OpenAI's chat API: vLLM, SGLang, llama.cpp, or a hosted one.

Follows https://platform.openai.com/docs/api-reference/chat/create in its text and image parts.
Transport retries: a request that failed is repeated, with a longer wait each time; one that the
server refused is not. The key goes into one header and nowhere else: it is redacted in whatever a
server returns.
"""

import asyncio
import json
import random
from base64 import b64encode
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from math import isfinite
from secrets import token_hex
from time import monotonic
from urllib.parse import urlsplit

import aiohttp
from pydantic import BaseModel, JsonValue, ValidationError

from tapwright.errors import UsageError
from tapwright.messages import Message, Picture, Text, ToolCall
from tapwright.models.errors import MissingKeyError, ModelRefusedError, ModelUnavailableError
from tapwright.models.model import Completion, Usage
from tapwright.screenshot import Screenshot

__all__ = [
    "DEFAULT_BASE_URL",
    "MAX_WAIT_S",
    "OpenAIModel",
    "parse_base_url",
]

DEFAULT_BASE_URL = "https://api.openai.com/v1"
MAX_WAIT_S = 600.0
"""A server that requires a longer wait than this counts as unavailable."""

_RETRY_STATUS = frozenset({408, 409, 429})
_HINTS = {
    401: "check that the API key is the one of this server",
    403: "check that the API key may use this model",
    404: "check the model's name, and that the address ends as the server wants it, mostly in /v1",
    422: "check what this server takes; settings of its own go into `extra`",
}
_FIRST_WAIT_S = 0.5
_LONGEST_BACK_OFF_S = 30.0
_SHOWN_CHARACTERS = 400
_SHA = 64
_SHORTEST_SECRET = 8
"""Local servers are given words like "EMPTY" for a key, which may well stand in an answer."""
_CACHED_PICTURES = 32


class _Text(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Text
    finish_reason: str | None = None


class _Tokens(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Answer(BaseModel):
    choices: list[_Choice]
    usage: _Tokens | None = None


@dataclass(frozen=True, slots=True)
class _Fault:
    """An attempt that failed and is worth repeating; `wait_s` is what the server requires."""

    cause: str
    wait_s: float = 0.0


class OpenAIModel:
    """One model on one server; many requests may run at a time, in one event loop.

    `timeout_s` bounds each attempt, `retries` counts the attempts after the first.
    `temperature` and `max_tokens` are left out of the request when None; `extra` is laid over the
    request's body last, for what a server has of its own. `sleep` and `chance` are how it waits
    and what spreads the waiting.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 120.0,
        retries: int = 5,
        temperature: float | None = 0.0,
        max_tokens: int | None = 2048,
        extra: Mapping[str, JsonValue] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """Check the arguments; nothing is sent yet.

        Raises:
            MissingKeyError: the server is not on this machine and there is no key.
            UsageError: `base_url` is no http(s) address, or the key cannot be a header.
        """
        self.base_url = parse_base_url(base_url or DEFAULT_BASE_URL)
        self._key = _checked_key(api_key)
        if not self._key and not _is_loopback(self.base_url):
            raise MissingKeyError(
                f"openai/{name}: {self.base_url} needs an API key",
                hint="set OPENAI_API_KEY; for a server of your own, set TAPWRIGHT_BASE_URL to its "
                "address, such as http://127.0.0.1:8000/v1, which needs no key on this machine",
            )
        self._model = name
        self._timeout_s = timeout_s
        self._retries = retries
        self._settings: dict[str, JsonValue] = {}
        if temperature is not None:
            self._settings["temperature"] = temperature
        if max_tokens is not None:
            self._settings["max_tokens"] = max_tokens
        self._settings.update(extra or {})
        self._sleep = sleep
        self._chance = chance
        self._session: aiohttp.ClientSession | None = None
        self._pictures: OrderedDict[str, bytes] = OrderedDict()
        # No text can hold it by chance, and nobody can know it.
        self._mark = token_hex(16).encode()

    @property
    def name(self) -> str:
        """The word "openai/" and the model's name."""
        return f"openai/{self._model}"

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """The server's address and what goes into every request; the key is not among it."""
        return {"base_url": self.base_url, **self._settings}

    def __repr__(self) -> str:
        return f"OpenAIModel({self._model!r}, base_url={self.base_url!r})"

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
        body = self._body(messages, settings)
        faults: list[_Fault] = []
        for attempt in range(1, self._retries + 2):
            started = monotonic()
            got = await self._attempt(body)
            if isinstance(got, _Answer):
                usage = got.usage or _Tokens()
                return Completion(
                    text=self._redacted(got.choices[0].message.content or ""),
                    usage=Usage(usage.prompt_tokens or 0, usage.completion_tokens or 0),
                    latency_s=monotonic() - started,
                    attempts=attempt,
                    finish=got.choices[0].finish_reason or "",
                )
            faults.append(got)
            if got.wait_s > MAX_WAIT_S:
                raise self._unavailable(faults, f"it requires a wait of {got.wait_s:.0f} s")
            if attempt <= self._retries:
                back_off = min(_FIRST_WAIT_S * 2 ** (attempt - 1), _LONGEST_BACK_OFF_S)
                await self._sleep(got.wait_s + back_off * (0.5 + self._chance() / 2))
        raise self._unavailable(faults, f"{len(faults)} attempts")

    async def close(self) -> None:
        """Close the connections; the next `complete` would open them again."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _unavailable(self, faults: Sequence[_Fault], why: str) -> ModelUnavailableError:
        causes = "; ".join(f"{n}. {fault.cause}" for n, fault in enumerate(faults, start=1))
        return ModelUnavailableError(
            f"{self.name}: {self.base_url} did not respond ({why}): {causes}",
            hint="check that the server is up and not overloaded, then start again: "
            "results so far are kept",
        )

    async def _attempt(self, body: bytes) -> _Answer | _Fault:
        try:
            async with self._open().post(
                f"{self.base_url}/chat/completions",
                data=body,
                headers={"Content-Type": "application/json", **self._authorization()},
                allow_redirects=False,  # a redirect could carry the key to another host
            ) as response:
                payload = await response.read()
        except TimeoutError:
            return _Fault(f"no response within {self._timeout_s:g} s")
        except (aiohttp.ClientError, OSError) as error:
            return _Fault(self._redacted(f"{type(error).__name__}: {error}"))
        if response.status == 200:
            try:
                answer = _Answer.model_validate_json(payload)
            except ValidationError:
                return _Fault(f"a response that is not a chat completion: {self._quote(payload)}")
            return answer if answer.choices else _Fault("a response without a choice")
        cause = f"HTTP {response.status}: {self._message(payload)}"
        if response.status in _RETRY_STATUS or response.status >= 500:
            return _Fault(cause, _retry_after_s(response.headers))
        raise ModelRefusedError(
            f"{self.name}: {self.base_url} refused: {cause}",
            hint=_HINTS.get(response.status, ""),
        )

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),  # the caller bounds what runs at a time
                timeout=aiohttp.ClientTimeout(total=self._timeout_s),
            )
        return self._session

    def _authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def _message(self, payload: bytes) -> str:
        """The message of an error body: `error.message`, `message` or `detail`, else all of it."""
        try:
            found = json.loads(payload)
        except (ValueError, RecursionError):
            return self._quote(payload)
        if isinstance(found, dict):
            inner = found.get("error", found)
            for place in (inner, found):
                for field in ("message", "detail"):
                    if isinstance(place, dict) and isinstance(place.get(field), str):
                        return self._quote(place[field].encode("utf-8", "replace"))
            if isinstance(inner, str):
                return self._quote(inner.encode("utf-8", "replace"))
        return self._quote(payload)

    def _quote(self, payload: bytes) -> str:
        # Redacted before it is cut, or half a key would be left at the end.
        text = " ".join(self._redacted(payload.decode("utf-8", "replace")).split())
        return text[:_SHOWN_CHARACTERS] or "an empty body"

    def _redacted(self, text: str) -> str:
        if len(self._key) < _SHORTEST_SECRET:
            return text
        for form in {self._key, json.dumps(self._key)[1:-1], repr(self._key)[1:-1]}:
            text = text.replace(form, "***")
        return text

    def _body(self, messages: Sequence[Message], settings: Mapping[str, JsonValue]) -> bytes:
        """The request. Pictures go in last: base64 has nothing that JSON would have to escape."""
        wire = self._wire(messages)
        request = {"model": self._model, "messages": wire, **self._settings, **settings}
        body = json.dumps(request, ensure_ascii=False).encode("utf-8", "replace")
        urls = {
            part.screenshot.sha256.encode(): self._data_url(part.screenshot)
            for message in messages
            for part in message.parts
            if isinstance(part, Picture)
        }
        head, *rest = body.split(self._mark)
        return b"".join(
            [head, *(piece for one in rest for piece in (urls[one[:_SHA]], one[_SHA:]))]
        )

    def _wire(self, messages: Sequence[Message]) -> list[JsonValue]:
        """The messages as JSON. Tool calls are numbered; tool messages answer them in order."""
        wire: list[JsonValue] = []
        waiting: deque[str] = deque()
        calls = 0
        for message in messages:
            entry: dict[str, JsonValue] = {"role": message.role, "content": self._content(message)}
            made = [part for part in message.parts if isinstance(part, ToolCall)]
            if made:
                ids = [f"call_{calls + number}" for number in range(len(made))]
                calls += len(made)
                waiting.extend(ids)
                entry["tool_calls"] = [
                    _call(id_, call) for id_, call in zip(ids, made, strict=True)
                ]
            if message.role == "tool":
                if not waiting:
                    raise UsageError("a tool message answers no call that was made before it")
                entry["tool_call_id"] = waiting.popleft()
            wire.append(entry)
        return wire

    def _content(self, message: Message) -> JsonValue:
        # Plain text goes as a string: some servers take part lists from users only.
        if not any(isinstance(part, Picture) for part in message.parts):
            return message.text
        content: list[JsonValue] = []
        for part in message.parts:
            match part:
                case Text(text=text):
                    content.append({"type": "text", "text": text})
                case Picture(screenshot=screenshot):
                    mark = self._mark.decode() + screenshot.sha256
                    content.append({"type": "image_url", "image_url": {"url": mark}})
                case ToolCall():
                    pass  # beside the content, in `tool_calls`
        return content

    def _data_url(self, screenshot: Screenshot) -> bytes:
        """The picture's own bytes as a data URL; the latest few are kept encoded."""
        url = self._pictures.get(screenshot.sha256)
        if url is None:
            url = b"data:%s;base64,%s" % (
                screenshot.media_type.encode(),
                b64encode(screenshot.data),
            )
            self._pictures[screenshot.sha256] = url
            if len(self._pictures) > _CACHED_PICTURES:
                self._pictures.popitem(last=False)
        self._pictures.move_to_end(screenshot.sha256)
        return url


def _call(id_: str, call: ToolCall) -> JsonValue:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return {"id": id_, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def parse_base_url(base_url: str) -> str:
    """The address of a server as `OpenAIModel` calls it, without a slash at its end.

    Raises:
        UsageError: it is no http(s) address, or carries a key.
    """
    try:
        parts = urlsplit(base_url.strip())
        valid = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        valid = False
    if not valid:
        raise UsageError(
            f"{base_url!r} is not the address of a server",
            hint="such as http://127.0.0.1:8000/v1",
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError(
            f"the address of the server at {parts.hostname} carries more than a path",
            hint="give the key as the API key, not in the address",
        )
    return base_url.strip().rstrip("/").removesuffix("/chat/completions")


def _checked_key(api_key: str | None) -> str:
    key = (api_key or "").strip()
    if not all(33 <= ord(char) < 127 for char in key):
        raise UsageError("the API key holds a blank or a character that no header may hold")
    return key


def _is_loopback(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


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
