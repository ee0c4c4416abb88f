"""What a server's error is about: read from its body, whatever status it came with.

Gateways send the status before a provider has answered, and so report its failure in the body of a
200: `choices[0].error` and `finish_reason: "error"`
(https://openrouter.ai/docs/api/reference/errors), `error` at the top (all of them), `type: "error"`
(Anthropic), `object: "error"` (vLLM), `status: "failed"` (OpenAI's responses).
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.models.retry_after import parse_seconds

__all__ = ["Cause", "FailedAnswerError", "ServerError", "check_answered", "read_error"]

Cause: TypeAlias = Literal[
    "declined", "quota", "key", "model", "access", "pictures", "length", "system", "request",
    "busy", "error",
]  # fmt: skip
"""What an error is about: a filter declines; money; the key, the model, or the address; the
pictures, the length, the system message or another field of a request; a server with too much to
do; its own fault."""

_BROKEN_OFF = {
    "error": "the provider failed",
    "abort": "the server broke it off",  # vLLM, SGLang
    "insufficient_system_resource": "the server broke it off",  # DeepSeek
    "network_error": "the provider failed",  # Zhipu
}
"""Values of `finish_reason` with which no model ends an answer."""
_STATUS = {
    "invalid_request_error": 400,
    "invalid_image": 400,
    "invalid_prompt": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "overloaded_error": 529,
}
"""The status of an error in words; any other is the server's own fault, which may pass."""
_UNKNOWN = 500
_NAMES = ("code", "status", "type")
_ANSWERS = ("choices", "candidates", "promptFeedback", "content", "output")
_DECLINED = frozenset(
    {
        "content_filter", "content_policy_violation", "responsibleaipolicyviolation",
        "data_inspection_failed", "datainspectionfailed", "sensitive_words_detected",
    }
)  # fmt: skip
"""Codes with which a filter in front of a model declines: OpenAI, Azure, DashScope, gateways."""
_QUOTA = re.compile(
    r"insufficient[_ ](?:user[_ ])?(?:quota|balance|credit|fund)|billing|payment required"
    r"|exceeded your current quota|quota[_ ]exceeded|credit balance|arrear|out of credits",
    re.IGNORECASE,
)
_PICTURES = re.compile(
    r"at most \d+ (?:image|picture)|(?:too many|number of|maximum of \d+) (?:image|picture)"
    r"|limit_mm_per_prompt|images? (?:exceeds?|is too large|dimensions?|size)|image.{0,40}too large"
    r"|(?:image|picture)s? (?:per|in (?:a|one)) (?:prompt|request)",
    re.IGNORECASE,
)
_LENGTH = re.compile(
    r"context[_ ](?:length|window|size)|maximum context|too many (?:input )?tokens"
    r"|prompt is too long|(?:input|prompt|request).{0,40}(?:exceeds|longer than).{0,40}"
    r"(?:token|context|length|limit)|max_model_len",
    re.IGNORECASE,
)
_SYSTEM = re.compile(
    r"system (?:role|message|prompt|instruction)s?.{0,20}(?:not|n't|un)", re.IGNORECASE
)
_KEY = re.compile(
    r"api[_ ]?key.{0,20}(?:not valid|invalid|expired)|invalid.{0,3}api", re.IGNORECASE
)
_MODEL = re.compile(
    r"model.{0,80}(?:does not exist|not found|not exist|is not available)"
    r"|(?:no such|unknown|invalid) model",
    re.IGNORECASE,
)
_WORDS: Mapping[Cause, re.Pattern[str]] = {
    "length": _LENGTH, "pictures": _PICTURES, "system": _SYSTEM, "key": _KEY, "model": _MODEL,
}  # fmt: skip
_ABOUT_REQUEST = frozenset({400, 413, 422, 500})
"""Statuses that servers give what is wrong with a request; llama.cpp says 500 of its length."""
_ABOUT_ACCESS = frozenset({401, 402, 403, 404, 405})
_BUSY = frozenset({408, 409, 429, 503, 529})


class FailedAnswerError(ValueError):
    """A response with status 200 that reports a failure; `status` is the one that it stands for."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class ServerError:
    """An error of a server: its words, its codes in lower case, and the wait that it names.

    `message` is "" where the body has none.
    """

    message: str = ""
    codes: frozenset[str] = frozenset()
    wait_s: float = 0.0

    def cause(self, status: int) -> Cause:
        """What it is about, with the status that it came with."""
        if self.codes & _DECLINED:
            return "declined"
        words = " ".join((self.message, *sorted(self.codes)))
        # Google says the same of a quota per minute, and then when to come again.
        is_spent = not self.wait_s and _QUOTA.search(words) is not None
        if status == 402 or (status in (400, 403, 429) and is_spent):
            return "quota"
        if status in _ABOUT_REQUEST:
            for cause, pattern in _WORDS.items():
                if pattern.search(words):
                    return cause
        if status in _ABOUT_ACCESS:
            return "access"
        if status in _BUSY:
            return "busy"
        if status >= 500:
            return "error"
        return "pictures" if status == 413 else "request"


def read_error(payload: bytes) -> ServerError:
    """The error in a body, whichever of its names it has there (`error.message`, `detail`)."""
    try:
        found = json.loads(payload)
    except (ValueError, RecursionError):
        return ServerError()
    if isinstance(found, list) and found:  # Google's, of a stream
        found = found[0]
    return _read_error(found) if isinstance(found, dict) else ServerError()


def check_answered(found: Mapping[str, JsonValue]) -> None:
    """Check that a response reports no failure.

    Raises:
        FailedAnswerError: it reports one.
    """
    choices = found.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    for place in (found, choice):
        if isinstance(place, dict) and _is_error(place.get("error")):
            raise _failure(place["error"])
    if isinstance(choice, dict) and (end := str(choice.get("finish_reason"))) in _BROKEN_OFF:
        raise FailedAnswerError(f"{_BROKEN_OFF[end]} (finish_reason {end!r})", _UNKNOWN)
    has_answer = any(name in found for name in _ANSWERS)
    if "error" in (found.get("type"), found.get("object")) or (
        not has_answer and _read_error(found).message
    ):
        raise _failure(dict(found))
    if "choices" not in found and found.get("status") in ("failed", "cancelled"):
        raise FailedAnswerError("the server names no cause", _UNKNOWN)


def _is_error(found: JsonValue) -> bool:
    """Whether a field is an error, and not the empty form of one."""
    return any(found.values()) if isinstance(found, Mapping) else bool(found)


def _failure(error: JsonValue) -> FailedAnswerError:
    if not isinstance(error, Mapping):
        return FailedAnswerError(str(error), _UNKNOWN)
    message = error.get("message") or error.get("msg") or error.get("detail")
    told = message if isinstance(message, str) and message else json.dumps(error)
    statuses = (_status(error.get(name)) for name in _NAMES)
    return FailedAnswerError(told, next(filter(None, statuses), _UNKNOWN))


def _status(code: JsonValue) -> int | None:
    """The HTTP status that a code is or stands for."""
    text = str(code).lower()
    if text.isascii() and text.isdigit() and len(text) == 3:
        number = int(text)
        return number if 400 <= number < 600 else None
    return 400 if text in _DECLINED else _STATUS.get(text)


def _read_error(found: Mapping[str, JsonValue]) -> ServerError:
    places = list(_places(found))
    message = next(
        (
            text
            for place in places
            for name in ("message", "msg", "detail")
            if isinstance(text := place.get(name), str) and text
        ),
        "",
    )
    if not message and isinstance(found.get("error"), str):
        message = str(found["error"])
    codes = frozenset(
        str(place[name]).lower() for place in places for name in _NAMES if place.get(name)
    )
    waits = (parse_seconds(place.get("retryDelay")) for place in places)
    return ServerError(message, codes, max(waits, default=0.0))


def _places(found: Mapping[str, JsonValue]) -> Iterator[Mapping[str, JsonValue]]:
    """The objects in which servers put what an error is, the innermost first."""
    choices = found.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    inner = choice.get("error") if isinstance(choice, dict) else None
    for place in (inner, found.get("error"), found):
        if not isinstance(place, dict):
            continue
        yield place
        # Azure's filter (`innererror`), Google's `details`, OpenRouter's `metadata`.
        for name in ("innererror", "details", "metadata"):
            below = place.get(name)
            for one in below if isinstance(below, list) else [below]:
                if isinstance(one, dict):
                    yield one
