"""How long a server wants to be left alone: `Retry-After`, and the forms that providers add.

`Retry-After` is a number of seconds or a date in one of HTTP's three forms
(https://www.rfc-editor.org/rfc/rfc9110#field.retry-after); `retry-after-ms` is OpenAI's and
Azure's; bodies of Google's have a duration, "30s" (`google.rpc.RetryInfo`). Where there is none,
what is used up has a time at which it is there again: `x-ratelimit-reset-tokens` (OpenAI, Groq: a
duration), `anthropic-ratelimit-tokens-reset` (a date), `X-RateLimit-Reset` (OpenRouter and others:
a Unix time, or seconds).
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

from pydantic import JsonValue

__all__ = ["parse_seconds", "retry_after_s"]

_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?\Z")
_UNIX_TIME = 1e9
"""No wait is as long as this number of seconds."""


def retry_after_s(headers: Mapping[str, str]) -> float:
    """Seconds that the headers of a response require; 0 where they require none.

    A date is compared with the server's own `Date`, so that a wrong clock here does no harm.
    """
    if milliseconds := _number(headers.get("retry-after-ms", "")):
        return milliseconds / 1000
    now = _date(headers.get("Date", "")) or datetime.now(UTC)
    value = headers.get("Retry-After", "")
    return _seconds(value, now) if value else max(_resets(headers, now), default=0.0)


def parse_seconds(value: JsonValue) -> float:
    """The seconds of a number ("30", "1.5") or of a duration ("30s", "6m0s", "120ms"); else 0."""
    if isinstance(value, int | float):
        value = str(value)
    if not isinstance(value, str):
        return 0.0
    found = _DURATION.match(value.strip())
    if found is None or not value.strip():
        return _number(value)
    hours, minutes, seconds, thousandths = (float(one or 0) for one in found.groups())
    return 3600 * hours + 60 * minutes + seconds + thousandths / 1000


def _seconds(value: str, now: datetime) -> float:
    """How long it is until a time: a number or duration from now, a Unix time, or a date."""
    seconds = parse_seconds(value)
    if seconds >= _UNIX_TIME:
        unix = seconds / 1000 if seconds >= 1000 * _UNIX_TIME else seconds
        return max(unix - now.timestamp(), 0.0)
    then = None if seconds else _date(value.strip())
    return max((then - now).total_seconds(), 0.0) if then else seconds


def _resets(headers: Mapping[str, str], now: datetime) -> Iterator[float]:
    """How long it is until what is used up is there again."""
    lowered = {name.lower(): value for name, value in headers.items()}
    for name, left in lowered.items():
        if "ratelimit-" in name and "remaining" in name and not _number(left):
            yield _seconds(lowered.get(name.replace("remaining", "reset"), ""), now)


def _number(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        return 0.0
    return seconds if isfinite(seconds) and seconds > 0 else 0.0


def _date(text: str) -> datetime | None:
    for parse in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            date = parse(text)
        except ValueError:
            continue
        return date if date.tzinfo else date.replace(tzinfo=UTC)
    return None
