"""Event sources: one thing that may be seen to happen, and the value that it then has.

What a source makes of an input follows Mobile-Env
(https://github.com/X-LANCE/Mobile-Env/blob/976145e/android_env/components/tools/event_listeners.py);
unlike there, an attribute that is compared with a number is read as one.
"""

import json
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.struct_pb2 import Struct, Value
from lxml import etree
from pydantic import JsonValue
from rapidfuzz import fuzz

from tapwright.observation import UiTree
from tapwright.tasks import task_pb2 as pb
from tapwright.tasks.errors import BadDefinitionError
from tapwright.tasks.events.selectors import compile_selector
from tapwright.tasks.events.similarity import similarity
from tapwright.tasks.patterns import Pattern, compile_pattern

__all__ = [
    "Source",
    "to_json",
]

_MAX_COMPARED = 2_000


class _Miss:
    """What a matcher gives for an input that is not the event."""


_MISS: Final = _Miss()
_Matcher = Callable[[object], object]


class Source:
    """One event source of a definition, and what it remembers of an episode.

    Args:
        proto: the source as the file says it.
        strict: whether attributes are read as the numbers that they are compared with, and one
            that cannot be is no event; Mobile-Env gives up on all view-hierarchy events then.

    Raises:
        BadDefinitionError: its pattern, selector or properties are not right.
    """

    def __init__(self, proto: pb.EventSource, *, strict: bool = True) -> None:
        self.proto = proto
        self.id = proto.id
        self.kind = proto.WhichOneof("event") or ""
        self.repeatability = pb.EventSource.Repeatability.Name(proto.repeatability)
        self.ever = False
        self.values: list[object] = []
        self._pending: list[object] = []
        self._met: set[str] = set()
        self._last: str | None = None
        self._hierarchy: _Hierarchy | None = None
        self._match = self._matcher(strict)

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return f"event source {self.id} ({self.kind})"

    @property
    def set(self) -> bool:
        """Whether it happened in this step."""
        return bool(self.values)

    def offer(self, given: object) -> None:
        """Take one input in; if it is the event, it happens at the next `snapshot`.

        With repeatability NONE the same matching input counts once in an episode, with LAST an
        input that equals the one before does not count.
        """
        if self.repeatability == "UNLIMITED":
            key = ""
        else:
            key = given if isinstance(given, str) else json.dumps(given)
            if key in self._met if self.repeatability == "NONE" else key == self._last:
                return
            self._last = key
        value = self._match(given)
        if isinstance(value, _Miss):
            return
        self._met.add(key)
        self._pending.append(value)
        self.ever = True

    def look(self, tree: UiTree) -> None:
        """Offer every node of a view hierarchy that the selector finds.

        Raises:
            TypeError: a property cannot be compared, and the source is not strict.
        """
        if self._hierarchy is not None:
            for values in self._hierarchy.found(tree):
                self.offer(values)

    def snapshot(self) -> None:
        """Begin a step: what was taken in since the last one happens now."""
        self.values, self._pending = self._pending, []

    def clear(self) -> None:
        """End a step."""
        self.values = []

    def reset(self, *, keep_pending: bool) -> None:
        """Forget the episode; `keep_pending` lets in what was offered since the last snapshot."""
        self.ever = False
        self.values = []
        self._met.clear()
        self._last = None
        if not keep_pending:
            self._pending = []

    def _matcher(self, strict: bool) -> _Matcher:
        proto = self.proto
        match self.kind:
            case "text_recognize" | "text_detect":
                event: pb.EventSource.TextEvent = getattr(proto, self.kind)
                return _words(event.expect, event.mode, event.threshold)
            case "response_event":
                response = proto.response_event
                return _words(response.pattern, response.mode, response.threshold)
            case "log_event":
                return _groups(compile_pattern(proto.log_event.pattern))
            case "icon_recognize" | "icon_detect" | "icon_match" | "icon_detect_match":
                return lambda given: True if given else _MISS
            case "view_hierarchy_event":
                self._hierarchy = _Hierarchy(proto.view_hierarchy_event, strict=strict)
                return self._hierarchy.match
            case "state_event":
                return _state(proto.state_event)
            case "finish_event":
                return lambda given: given
            case _:
                raise BadDefinitionError(
                    "it says nothing that could happen",
                    hint='for example: event_sources { id: 1 log_event { pattern: "done" } }',
                )


class _Hierarchy:
    """The nodes that selectors find, with properties that hold."""

    def __init__(self, event: pb.EventSource.ViewHierarchyEvent, *, strict: bool) -> None:
        self._strict = strict
        self._selector = compile_selector(", ".join(event.selector), quoted=not strict)
        self._names = tuple(one.property_name for one in event.properties)
        self._tests = tuple(_property(one, strict=strict) for one in event.properties)

    def found(self, tree: UiTree) -> Iterator[Sequence[object]]:
        """The values of the properties, for every node that the selectors find."""
        for one in self._selector.find(tree):
            yield [_attribute(one, name, tree) for name in self._names]

    def match(self, given: object) -> object:
        """The values as they were compared, when every test holds."""
        if not isinstance(given, list):
            return _MISS
        values = []
        for value, test in zip(given, self._tests, strict=True):
            compared = test(value)
            if isinstance(compared, _Miss):
                return _MISS
            values.append(compared)
        return values


_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]", re.ASCII)
_EDGES = {"left": 0, "top": 1, "right": 2, "bottom": 3}


def _attribute(one: etree._Element, name: str, tree: UiTree) -> str | float | None:
    """An attribute, or an edge of the bounds as a fraction of the screen; None if it has none."""
    if name not in _EDGES:
        return one.get(name)
    bounds = _BOUNDS.fullmatch(one.get("bounds", ""))
    if bounds is None:
        return None
    edge = _EDGES[name]
    return int(bounds[edge + 1]) / (tree.size.height if edge % 2 else tree.size.width)


_SIGNS: Mapping[int, Callable[[Any, Any], bool]] = {
    pb.EventSource.ViewHierarchyEvent.EQ: operator.eq,
    pb.EventSource.ViewHierarchyEvent.NE: operator.ne,
    pb.EventSource.ViewHierarchyEvent.LT: operator.lt,
    pb.EventSource.ViewHierarchyEvent.LE: operator.le,
    pb.EventSource.ViewHierarchyEvent.GT: operator.gt,
    pb.EventSource.ViewHierarchyEvent.GE: operator.ge,
}


def _property(proto: pb.EventSource.ViewHierarchyEvent.Property, *, strict: bool) -> _Matcher:
    """Whether a property holds. In a comparison the definition's number stands on the left."""
    which = proto.WhichOneof("property_value")
    if which is None:
        raise BadDefinitionError(
            f"property {proto.property_name!r} is compared with nothing",
            hint="a property needs a pattern, an integer or a floating",
        )
    if which == "pattern":
        pattern = compile_pattern(proto.pattern)

        def matches(value: object) -> object:
            if value is None and strict:
                return _MISS
            if not isinstance(value, str):
                if not strict:
                    raise TypeError(f"{proto.property_name} is no text")
                value = str(value)
            return _MISS if pattern.search(value) is None else value

        return matches

    wanted: float = proto.integer if which == "integer" else proto.floating
    compare = _SIGNS[proto.sign]

    def holds(value: object) -> object:
        if strict and isinstance(value, str | None):
            value = _number(value)
            if value is None:
                return _MISS
        return value if compare(wanted, value) else _MISS

    return holds


def _number(text: str | None) -> float | None:
    """The number that an attribute says: an int where it is one."""
    for kind in (int, float):
        try:
            return kind(text or "")
        except ValueError:
            continue
    return None


def _words(expected: str, mode: int, threshold: float) -> _Matcher:
    """A text compared with the expected one; every mode but REGEX gives its score."""
    if mode == pb.EventSource.REGEX:
        return _groups(compile_pattern(expected, multiline=True))
    score = _SCORES[mode]

    def likens(given: object) -> object:
        value = score(expected, str(given)[:_MAX_COMPARED])
        return value if value >= threshold else _MISS

    return likens


_SCORES: Mapping[int, Callable[[str, str], float]] = {
    pb.EventSource.DIFFLIB: lambda one, other: SequenceMatcher(
        None, one, other, autojunk=False
    ).ratio(),
    pb.EventSource.FUZZ: fuzz.ratio,
    pb.EventSource.SBERT: similarity,
}


def _groups(pattern: Pattern) -> _Matcher:
    def search(given: object) -> object:
        groups = pattern.search(str(given))
        return _MISS if groups is None else groups

    return search


def _state(event: pb.EventSource.StateEvent) -> _Matcher:
    """What is held, if the condition is met."""
    match event.WhichOneof("condition"):
        case "equals":
            wanted = to_json(event.equals)
            return lambda held: held if held == wanted else _MISS
        case "items":
            tests = [_field(one) for one in event.items.fields]
            count = event.items.count

            def counts(held: object) -> object:
                if not isinstance(held, list):
                    return _MISS
                met = sum(all(test(item) for test in tests) for item in held)
                return held if met == count else _MISS

            return counts
        case _:
            return lambda held: held


def _field(proto: pb.EventSource.StateEvent.Items.Field) -> Callable[[object], bool]:
    name = proto.name
    if proto.WhichOneof("value") == "contains":
        return lambda item: isinstance(item, dict) and proto.contains in str(item.get(name, ""))
    wanted = to_json(proto.equals)
    return lambda item: isinstance(item, dict) and item.get(name) == wanted


def to_json(value: Value | Struct) -> JsonValue:
    """What a `google.protobuf.Value` or `Struct` says; whole numbers are ints."""
    return _whole(MessageToDict(value))


def _whole(value: JsonValue) -> JsonValue:
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_whole(one) for one in value]
        case dict():
            return {name: _whole(one) for name, one in value.items()}
        case _:
            return value
