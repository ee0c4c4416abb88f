"""Failures that arrive with status 200: an error in place of an answer, or beside half of one.

Gateways send the status before a provider has answered, and so report its failure in the body:
`choices[0].error` and `finish_reason: "error"` (https://openrouter.ai/docs/api/reference/errors),
`error` at the top (all of them), `type: "error"` (Anthropic), `status: "failed"` (OpenAI's
responses). A refusal to answer (`content_filter`, `refusal`, a block reason) is an answer.
"""

import json
from collections.abc import Mapping

from pydantic import JsonValue

__all__ = ["FailedAnswerError", "check_answered"]

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
    "overloaded_error": 529,
}
"""The status of an error in words; any other is the server's own fault, which may pass."""
_UNKNOWN = 500
_NAMES = ("code", "status", "type")


class FailedAnswerError(ValueError):
    """A response with status 200 that reports a failure; `status` is the one that it stands for."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def check_answered(payload: bytes) -> None:
    """Check that a response reports no failure; what is no JSON is left to its reader.

    Raises:
        FailedAnswerError: it reports one.
    """
    try:
        found = json.loads(payload)
    except (ValueError, RecursionError):
        return
    if not isinstance(found, dict):
        return
    choices = found.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    for place in (found, choice):
        if isinstance(place, dict) and place.get("error"):
            raise _failure(place["error"])
    if isinstance(choice, dict) and (end := str(choice.get("finish_reason"))) in _BROKEN_OFF:
        raise FailedAnswerError(f"{_BROKEN_OFF[end]} (finish_reason {end!r})", _UNKNOWN)
    if found.get("type") == "error" or found.get("status") in ("failed", "cancelled"):
        raise FailedAnswerError("the server names no cause", _UNKNOWN)


def _failure(error: JsonValue) -> FailedAnswerError:
    if not isinstance(error, Mapping):
        return FailedAnswerError(str(error), _UNKNOWN)
    message = error.get("message")
    told = message if isinstance(message, str) and message else json.dumps(error)
    statuses = (_status(error.get(name)) for name in _NAMES)
    return FailedAnswerError(told, next(filter(None, statuses), _UNKNOWN))


def _status(code: JsonValue) -> int | None:
    """The HTTP status that a code is or stands for."""
    text = str(code).lower()
    if text.isascii() and text.isdigit() and len(text) == 3:
        number = int(text)
        return number if 400 <= number < 600 else None
    return _STATUS.get(text)
