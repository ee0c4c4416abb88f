"""Reads a server's response leniently: only what is needed is required.

Servers that speak one API differ in what stands beside an answer, and an odd field there is no
reason to lose the answer. A field of another type than documented counts as absent, and is counted.
"""

import json
from collections.abc import Mapping, Sequence
from math import inf

from pydantic import JsonValue

from tapwright.models.errors import UnreadableResponseError
from tapwright.models.server_errors import finish_word
from tapwright.models.streams import join_events, read_events

__all__ = ["LenientReader", "read_object"]

_THOUGHT = frozenset(
    {"thinking", "reasoning", "reasoning_content", "reasoning_text", "summary_text", "thought"}
)
"""Types of parts that hold what a model thought: Anthropic's, Mistral's, vLLM's, OpenAI's."""
_PLACES = ("text", "thinking", "reasoning", "reasoning_content", "summary", "content", "value")
"""Where a part has its words, by preference."""
_PART_TYPES = _THOUGHT | {"text", "output_text", "refusal", "image_url", "image", "audio"}
_PART = frozenset({"type", "thought", "signature", "annotations", "index", *_PLACES})
"""A part of a message whose type is none of these has no other fields."""
_ANSWERS = ("choices", "candidates", "output")
_DEEPEST = 8
_LONGEST_NUMBER = 400


def read_object(payload: bytes) -> Mapping[str, JsonValue]:
    """The JSON object of a response; a stream's is joined.

    Raises:
        UnreadableResponseError: it is none.
        FailedAnswerError: a part of a stream reports a failure.
    """
    try:
        found = _load(payload)
    except (ValueError, RecursionError):
        found = _load_lines(payload)
    if isinstance(found, list) and found:
        found = dict(join_events(found))
    if not isinstance(found, dict):
        raise UnreadableResponseError("a response that is no JSON object")
    inner = found.get("data")  # SiliconFlow's and other gateways' envelope
    return inner if isinstance(inner, dict) and inner.keys() & set(_ANSWERS) else found


def _load_lines(payload: bytes) -> JsonValue:
    try:
        return read_events(payload, _load)
    except (ValueError, RecursionError):
        return None


def _load(payload: bytes) -> JsonValue:
    try:
        found: JsonValue = json.loads(payload)
    except json.JSONDecodeError:
        raise
    except UnicodeDecodeError:
        found = json.loads(payload.decode("utf-8", "replace"))
    except ValueError:  # digits that Python does not count
        found = json.loads(payload, parse_int=_whole)
    return found


def _whole(digits: str) -> int | float:
    """A whole number; one that nothing counts, and that Python refuses, is beyond all."""
    return int(digits) if len(digits) < _LONGEST_NUMBER else inf


class LenientReader:
    """Reads the fields of one response; `odd` counts those of another type than documented."""

    def __init__(self) -> None:
        self.odd = 0

    def mapping(self, value: JsonValue) -> Mapping[str, JsonValue]:
        """An object, empty where it is none."""
        if isinstance(value, dict):
            return value
        self._note(value)
        return {}

    def mappings(self, value: JsonValue) -> Sequence[Mapping[str, JsonValue]]:
        """The objects of a list; an object alone is a list of one."""
        items = value if isinstance(value, list) else [value]
        found = [one for one in items if isinstance(one, dict)]
        for one in items:
            if not isinstance(one, dict):
                self._note(one)
        return found

    def parts(self, value: JsonValue) -> Sequence[Mapping[str, JsonValue]]:
        """The parts of a message: objects, and texts as such with the words in `text`."""
        items = value if isinstance(value, list) else [value]
        return self.mappings([{"text": one} if isinstance(one, str) else one for one in items])

    def finish(self, answer: Mapping[str, JsonValue]) -> str:
        """The word for why an answer ended, "" where it has none."""
        return self.word(finish_word(answer))

    def word(self, value: JsonValue) -> str:
        """A word such as why a model stopped, "" where it is none."""
        if isinstance(value, str):
            return value
        self._note(value)
        return ""

    def count(self, *values: JsonValue) -> int:
        """The first of these numbers of tokens that is one, else 0."""
        for value in values:
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if isinstance(value, str) and value.isdecimal() and len(value) < _LONGEST_NUMBER:
                value = int(value)
            if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53:
                return value
            self._note(value)
        return 0

    def words(self, value: JsonValue) -> str:
        """All words of a text, of its parts, or of both."""
        text, thought = self.split(value)
        return text or thought

    def answer(self, value: JsonValue) -> tuple[str, str]:
        """`split`; an answer in JSON that a gateway has read is JSON again."""
        parts = value if isinstance(value, list) else [value]
        if value in (None, {}, []) or any(map(_is_part, parts)):
            return self.split(value)
        return json.dumps(value, ensure_ascii=False), ""

    def split(self, value: JsonValue) -> tuple[str, str]:
        """The words of a text or of its parts, and apart from them those that are thoughts."""
        said: list[str] = []
        thought: list[str] = []
        self._gather(value, said, thought, _DEEPEST)
        return "".join(said), "".join(thought)

    def _gather(self, value: JsonValue, said: list[str], thought: list[str], depth: int) -> None:
        match value:
            case str():
                said.append(value)
            case list() if depth:
                for one in value:
                    self._gather(one, said, thought, depth - 1)
            case dict() if depth:
                kind = str(value.get("type")).partition(".")[0]  # OpenRouter's reasoning.text
                thinks = kind in _THOUGHT or value.get("thought") is True
                place = next((name for name in _PLACES if value.get(name)), None)
                if place is not None:
                    target = thought if thinks else said
                    self._gather(value[place], target, thought, depth - 1)
                elif not value.keys() & set(_PLACES):
                    self._note(value)
            case _:
                self._note(value)

    def _note(self, value: JsonValue) -> None:
        self.odd += value is not None


def _is_part(one: JsonValue) -> bool:
    """Whether it is a part of a message, and not an answer such as `{"type": "tap", "x": 5}`."""
    if not isinstance(one, dict):
        return one is None or isinstance(one, str)
    if str(one.get("type")).partition(".")[0] in _PART_TYPES:
        return True
    return one.keys() <= _PART and not one.keys().isdisjoint(_PLACES)
