"""What a server's error is about: read from its body, whatever status it came with.

Gateways send the status before a provider has answered, and so report its failure in the body of a
200: `choices[0].error` and `finish_reason: "error"`
(https://openrouter.ai/docs/api/reference/errors), `error` at the top (all of them), `type: "error"`
(Anthropic), `object: "error"` (vLLM), `status: "failed"` (OpenAI's responses).
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from pydantic import JsonValue

from tapwright.models.retry_after import parse_seconds

__all__ = [
    "FINISH", "SAID", "Cause", "FailedAnswerError", "ServerError", "check_answered",
    "finish_word", "read_error",
]  # fmt: skip

Cause: TypeAlias = Literal[
    "declined", "quota", "key", "model", "access", "blind", "plain", "pictures", "length", "system",
    "request", "busy", "error",
]  # fmt: skip
"""What an error is about: a filter declines; money; the key, the model, or the address; a model
without eyes; http where https is spoken; the pictures, the length, the system message or another
field of a request; a server with too much to do; its own fault."""

_BROKEN_OFF = {
    **dict.fromkeys(
        # Cohere; OpenAI's responses; Zhipu
        ("error", "server_error", "failed", "network_error", "timeout"), "the provider failed"
    ),
    **dict.fromkeys(
        # vLLM, SGLang; DeepSeek; Cohere
        ("abort", "aborted", "insufficient_system_resource", "cancelled", "user_cancel"),
        "the server broke it off",
    ),
}  # fmt: skip
"""Words for the end of an answer, in lower case, with which no model ends one."""
FINISH = ("finish_reason", "finishReason", "stop_reason", "done_reason")
"""Where servers say why an answer ended: OpenAI's API, Gemini's, Anthropic's, Ollama's."""
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
    "resource_exhausted": 429,
    "overloaded_error": 529,
}
"""The status of an error in words; any other is the server's own fault, which may pass."""
_UNKNOWN = 500
_NAMES = ("code", "status", "type", "quotaId")
_MESSAGES = ("message", "msg", "detail", "status_msg", "error_msg")
"""Where words of an error stand: most, many gateways', FastAPI's, MiniMax's, Baidu's."""
_WAITS = ("retryDelay", "retry_after", "estimated_time")
"""Google's, many gateways', Hugging Face's."""
_ANSWERS = ("choices", "candidates", "promptFeedback", "content", "output", "output_text")
SAID = ("message", "delta", "text")
"""Where a choice has what the model said: in a chat, in a stream, in a completion."""
_UNDONE = ("failed", "cancelled", "queued", "in_progress")


def _any(*words: str) -> re.Pattern[str]:
    return re.compile("|".join(words), re.IGNORECASE)


_DECLINED = _any(
    # Codes and words of OpenAI, Azure, Anthropic, litellm, DashScope, Volcengine, Zhipu, MiniMax.
    r"content[_ -]?(?:filter|polic|management|moderation)", r"responsible ?ai", r"\bflagged\b",
    r"moderation_blocked", r"safety system", r"data_?inspection_?failed", r"high risk",
    r"sensitive[_ ]?(?:content|information|words)", r"new_sensitive", r"敏感", r"不安全",
)  # fmt: skip
_QUOTA = _any(
    r"insufficient[_ ](?:user[_ ])?(?:quota|balance|credit|fund)", r"balance is insufficient",
    r"billing", r"payment required", r"exceeded your current quota", r"quota[_ ]exceeded",
    r"credit balance", r"arrear", r"overdue", r"out of credits", r"api usage limit",
    r"free tier of", r"budget has been exceeded", r"余额不足", r"欠费",
)  # fmt: skip
_SPENT_TODAY = re.compile("perday", re.IGNORECASE)
"""Google's name of a quota that no wait of minutes brings back, though it names one."""
_RATE = _any(r"rate.?limit", r"too many requests", r"overloaded", r"try again (?:in|later)", "限流")
_WAIT = re.compile(r"(?:try again|retry) (?:in|after) ([\d.hms]*\d *m?s?)", re.IGNORECASE)
_WORDS: Mapping[Cause, re.Pattern[str]] = {
    "blind": _any(
        r"not a multi-?modal", r"image (?:input|content|url)s? (?:is|are) not supported",
        r"image_url is only supported by", r"unknown variant .?image_url", r"support image input",
        r"(?:not|n't) support (?:image|vision|picture)", r"data required for image input",
    ),
    "length": _any(
        r"context[_ ](?:length|window|size)", r"maximum context", r"too many (?:input )?tokens",
        r"prompt is too long", r"max_model_len", r"max_new_tokens. must be",
        r"(?:input|prompt|request).{0,40}(?:exceeds|longer than).{0,40}"
        r"(?:token|context|length|limit)",
    ),
    "pictures": _any(
        r"(?:at most \d+|too many|number of|maximum of \d+) (?:image|picture)",
        r"limit_mm_per_prompt", r"images? (?:exceeds?|is too large|dimensions?|size)",
        r"image.{0,40}too large", r"(?:image|picture)s? (?:per|in (?:a|one)) (?:prompt|request)",
    ),
    "system": _any(r"system (?:role|message|prompt|instruction)s?.{0,20}(?:not|n't|un)"),
    "key": _any(r"api[_ ]?key.{0,20}(?:not valid|invalid|expired)", r"invalid.{0,3}api"),
    "model": _any(
        r"model.{0,80}(?:does not exist|not found|not exist|is not available)",
        r"(?:no such|unknown|invalid|not a valid) model", r"模型不存在",
    ),
    "plain": _any(r"plain http request was sent to https", r"http request to an https server"),
}  # fmt: skip
_ABOUT_REQUEST = frozenset({400, 404, 413, 422, 500})
"""Statuses that servers give what is wrong with a request; llama.cpp says 500 of its length."""
_ABOUT_ACCESS = frozenset({401, 402, 403, 404, 405, 407})
_BUSY = frozenset({408, 409, 429, 503, 504, 521, 522, 523, 524, 529})
"""Too much to do, or not there: behind Cloudflare (52x) and other gateways (504), too."""
_TAG = re.compile(rb"<[^>]*>")
_SHOWN_BYTES = 4096


class FailedAnswerError(ValueError):
    """A response with status 200 that reports a failure; `status` is the one that it stands for."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class ServerError:
    """An error of a server: its words, its codes in lower case, and the wait that it names.

    `message` is the body's own words where none of its fields is one.
    """

    message: str = ""
    codes: frozenset[str] = frozenset()
    wait_s: float = 0.0

    def cause(self, status: int) -> Cause:
        """What it is about, with the status that it came with."""
        words = " ".join((self.message, *sorted(self.codes)))
        if status in (*_ABOUT_REQUEST, 403) and _DECLINED.search(words):
            return "declined"
        # Many speak of billing where a minute's quota is used up, and then of when to come again.
        is_spent = _QUOTA.search(words) and (not self.wait_s or _SPENT_TODAY.search(words))
        if status == 402 or (status in (400, 403, 429, 500) and is_spent):
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
    except (ValueError, RecursionError):  # a gateway's page
        found = None
    if isinstance(found, list) and found:  # Google's, of a stream
        found = found[0]
    error = _read_error(found) if isinstance(found, dict) else ServerError()
    if error.message:
        return error
    words = b" ".join(_TAG.sub(b" ", payload[:_SHOWN_BYTES]).split())
    return replace(error, message=words.decode("utf-8", "replace"))


def check_answered(found: Mapping[str, JsonValue]) -> None:
    """Check that a response reports no failure.

    Raises:
        FailedAnswerError: it reports one.
    """
    for place in _answers(found):
        if _is_error(error := place.get("error")):
            raise _failure(dict(place) if error is True else error)
        end = finish_word(place)
        if isinstance(end, str) and (told := _BROKEN_OFF.get(end.lower())):
            raise FailedAnswerError(f"{told} (it ended with {end!r})", _UNKNOWN)
    has_answer = any(found.get(name) for name in _ANSWERS)
    if "error" in (found.get("type"), found.get("object")) or (
        not has_answer and _read_error(found).message
    ):
        raise _failure(dict(found))
    if "choices" not in found and (status := found.get("status")) in _UNDONE:
        raise FailedAnswerError(f"the server names no cause (status {status!r})", _UNKNOWN)


def finish_word(answer: Mapping[str, JsonValue]) -> JsonValue:
    """Why an answer ended; SGLang's own API has it as an object, `{"type": "length"}`."""
    found = next((answer[name] for name in FINISH if answer.get(name)), None)
    return found.get("type") if isinstance(found, dict) else found


def _answers(found: Mapping[str, JsonValue]) -> Iterator[Mapping[str, JsonValue]]:
    """A response, the first answer in it, and that answer's message."""
    yield found
    for name in ("choices", "candidates"):
        given = found.get(name)
        answers = given if isinstance(given, list) else [given]
        first = next((one for one in answers if isinstance(one, dict)), {})
        yield from (first, *(one for one in map(first.get, SAID) if isinstance(one, dict)))


def _is_error(found: JsonValue) -> bool:
    """Whether a field is an error, and not the empty form of one."""
    return any(found.values()) if isinstance(found, Mapping) else bool(found)


def _failure(error: JsonValue) -> FailedAnswerError:
    if not isinstance(error, Mapping):
        error = {"message": str(error)}
    told = _read_error(error).message or json.dumps(error)
    statuses = (_status(error.get(name)) for name in _NAMES)
    unknown = 429 if _RATE.search(told) else _UNKNOWN
    return FailedAnswerError(told, next(filter(None, statuses), unknown))


def _status(code: JsonValue) -> int | None:
    """The HTTP status that a code is or stands for."""
    text = str(code).lower()
    if text.isascii() and text.isdigit() and len(text) == 3:
        number = int(text)
        return number if 400 <= number < 600 else None
    return 400 if _DECLINED.search(text) else _STATUS.get(text)


def _read_error(found: Mapping[str, JsonValue]) -> ServerError:
    places = list(_places(found))
    message = next(filter(None, map(_words, places)), "")
    if not message and isinstance(found.get("error"), str):
        message = str(found["error"])
    raw = [text for place in places if isinstance(text := place.get("raw"), str)]
    message = ": ".join(filter(None, (message, *raw)))
    codes = frozenset(
        str(place[name]).lower() for place in places for name in _NAMES if place.get(name)
    )
    told = _WAIT.search(message)
    waits = [told[1].replace(" ", "")] if told else []
    waits += [place[name] for place in places for name in _WAITS if name in place]
    return ServerError(message, codes, max(map(parse_seconds, waits), default=0.0))


def _words(place: Mapping[str, JsonValue]) -> str:
    """What a place says, after the field that it is about (FastAPI's `loc`)."""
    texts = (place.get(name) for name in _MESSAGES)
    text = next((one for one in texts if isinstance(one, str) and one), "")
    field = place.get("loc")
    return f"{'.'.join(map(str, field))}: {text}" if text and isinstance(field, list) else text


def _places(found: Mapping[str, JsonValue]) -> Iterator[Mapping[str, JsonValue]]:
    """The objects in which servers put what an error is, the innermost first."""
    inner = [one.get("error") for one in _answers(found)]
    errors = found.get("errors")  # Cloudflare's
    for place in (*reversed(inner), *(errors if isinstance(errors, list) else ()), found):
        if not isinstance(place, dict):
            continue
        yield place
        # Azure's filter, Google's, OpenRouter's, MiniMax's, FastAPI's (which repeats the prompt).
        for name in ("innererror", "details", "metadata", "base_resp", "detail"):
            below = place.get(name)
            for one in below if isinstance(below, list) else [below]:
                if isinstance(one, dict):
                    yield one
                    quotas = one.get("violations")
                    yield from (
                        each
                        for each in (quotas if isinstance(quotas, list) else ())
                        if isinstance(each, dict)
                    )
