"""Joins what a server streamed, though nobody asked it to, to the response that it stands for.

Gateways that only pass streams on send server-sent events (`data: {…}`), Ollama's own API a line
per chunk, and Gemini's a list. Texts of chunks are joined, and calls by their `index`; the events
of Anthropic's and of OpenAI's responses are first made to what the others send.
"""

import json
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue

from tapwright.models.errors import UnreadableResponseError
from tapwright.models.server_errors import FINISH, check_answered

__all__ = ["join_events", "read_events"]

_GROW = frozenset(
    {
        "content", "text", "thinking", "reasoning", "reasoning_content", "refusal", "arguments",
        "partial_json",
    }
)  # fmt: skip
"""Fields whose words come piece by piece; others come whole, and perhaps again."""
_ONE_EACH = frozenset({"choices", "candidates"})
"""Lists of which each chunk has the same members."""
_FINISH = (*FINISH, "done", "status")


def read_events(payload: bytes, load: Callable[[bytes], JsonValue]) -> list[JsonValue]:
    """The JSON of a stream's lines, as `load` reads it; other lines are left out.

    Raises:
        ValueError: one is no JSON.
    """
    whole = payload.removeprefix(BOM_UTF8)
    lines = (line.removeprefix(b"data:").strip() for line in whole.splitlines())
    return [
        {"done": True} if one == b"[DONE]" else load(one)
        for one in lines
        if one.startswith((b"{", b"["))
    ]


def join_events(events: Sequence[JsonValue]) -> Mapping[str, JsonValue]:
    """One response.

    Raises:
        FailedAnswerError: an event reports a failure.
        UnreadableResponseError: they end in the middle.
    """
    whole: dict[str, JsonValue] = {}
    for event in events:
        if isinstance(event, dict):
            if not _is_success(event):  # the last may have nothing else to say
                check_answered(event)
            whole = _merge(whole, _plain(event))
    if isinstance(blocks := whole.get("content"), list):
        whole["content"] = [_with_input(block) for block in blocks]
    choices = next((found for name in _ONE_EACH if isinstance(found := whole.get(name), list)), [])
    if not any(
        place.get(name)
        for place in (whole, *choices)
        if isinstance(place, dict)
        for name in _FINISH
    ):
        raise UnreadableResponseError("a stream that ends in the middle")
    return whole


def _is_success(found: Mapping[str, JsonValue]) -> bool:
    """Whether a code says so of a chunk, as Spark's `code` and MiniMax's do."""
    inner = found.get("base_resp")
    code = inner.get("status_code") if isinstance(inner, dict) else found.get("code")
    return code in (0, "0") and not isinstance(code, bool)


def _plain(event: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """What an event adds to a response."""
    match event:
        case {"type": str(), "response": dict() as response} | {
            "type": "message_start",
            "message": dict() as response,
        }:
            return response
        case {"type": "message_delta", "delta": dict() as delta}:
            return {**event, **delta, "type": "message"}
        case {"content_block": dict() as block, "index": int() as index}:
            return {"content": [{**block, "index": index}]}
        case {"type": "content_block_delta", "delta": dict() as delta, "index": int() as index}:
            words = {name: value for name, value in delta.items() if name != "type"}
            return {"content": [{**words, "index": index}]}
        case {"type": str() as kind} if "." in kind:  # a piece of what the last event has whole
            return {}
    return event


def _with_input(block: JsonValue) -> JsonValue:
    if not isinstance(block, dict) or not isinstance(words := block.get("partial_json"), str):
        return block
    try:
        return {**block, "input": json.loads(words or "{}")}
    except ValueError:
        return {**block, "input": words}


def _merge(before: Mapping[str, JsonValue], more: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    whole = dict(before)
    for name, value in more.items():
        old = whole.get(name)
        if isinstance(old, dict) and isinstance(value, dict):
            whole[name] = _merge(old, value)
        elif isinstance(old, list) and isinstance(value, list):
            whole[name] = _merge_lists(old, value, one_each=name in _ONE_EACH)
        elif isinstance(old, str) and isinstance(value, str) and name in _GROW:
            whole[name] = _join(old, value)
        else:
            whole[name] = old if value in (None, "") else value
    return whole


def _join(before: str, more: str) -> str:
    """Both texts; a character that was cut into two escapes is one again."""
    if not "\ud800" <= before[-1:] <= "\udbff":
        return before + more
    return (before + more).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _merge_lists(
    before: Sequence[JsonValue], more: Sequence[JsonValue], *, one_each: bool
) -> list[JsonValue]:
    """The members of both, the pieces of one (by `index`, or its place) joined."""
    whole = list(before)
    for place, piece in enumerate(more):
        index = piece.get("index", place if one_each else None) if isinstance(piece, dict) else None
        same = (n for n, one in enumerate(whole) if index in (_index(one), n if one_each else None))
        at = next(same, None) if index is not None else None
        old = whole[at] if at is not None else None
        if at is not None and isinstance(old, dict) and isinstance(piece, dict):
            whole[at] = _merge(old, piece)
        else:
            whole.append(piece)
    return whole


def _index(found: JsonValue) -> JsonValue:
    return found.get("index") if isinstance(found, dict) else None
