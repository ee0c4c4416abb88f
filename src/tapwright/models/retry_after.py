"""How long a server wants to be left alone: `Retry-After`, and the forms that providers add.

`Retry-After` is a number of seconds or a date in one of HTTP's three forms
(https://www.rfc-editor.org/rfc/rfc9110#field.retry-after); `retry-after-ms` is OpenAI's and
Azure's; bodies of Google's have a duration, "30s" (`google.rpc.RetryInfo`).
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

from pydantic import JsonValue

__all__ = ["parse_seconds", "retry_after_s"]

_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?\Z")


def retry_after_s(headers: Mapping[str, str]) -> float:
    """Seconds that the headers of a response require; 0 where they require none.

    A date is compared with the server's own `Date`, so that a wrong clock here does no harm.
    """
    if milliseconds := _number(headers.get("retry-after-ms", "")):
        return milliseconds / 1000
    value = headers.get("Retry-After", "").strip()
    if seconds := parse_seconds(value):
        return seconds
    then, now = _date(value), _date(headers.get("Date", "")) or datetime.now(UTC)
    return max((then - now).total_seconds(), 0.0) if then else 0.0


def parse_seconds(value: JsonValue) -> float:
    """The seconds of a number ("30", "1.5") or of a duration ("30s", "6m0s"); else 0."""
    if not isinstance(value, str):
        return 0.0
    found = _DURATION.match(value.strip())
    if found is None or not value.strip():
        return _number(value)
    hours, minutes, seconds = (float(one or 0) for one in found.groups())
    return 3600 * hours + 60 * minutes + seconds


def _number(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        return 0.0
    return seconds if isfinite(seconds) and seconds > 0 else 0.0


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
