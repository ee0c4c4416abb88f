"""The steps in what a model answered, in whatever shape: lists, wrappers, spread-out calls.

A shape that loses nothing is read, and the way in which it was read gets a name.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from tapwright.annotate.function_calls import function_name
from tapwright.annotate.json_extraction import Document, Unwrapped, loads

__all__ = [
    "REASONING",
    "Candidate",
    "called",
    "candidates",
    "find",
    "folded",
    "is_schema",
    "named",
    "numbers",
]

REASONING = (
    "reasoning",
    "thought",
    "thoughts",
    "reason",
    "think",
    "thinking",
    "thoughtprocess",
    "rationale",
    "explanation",
    "思考",
    "推理",
)
_FUNCTION = ("function", "action", "functioncall", "toolcall", "call", "tool")
_NAME = ("name", "type", "actiontype", "functionname", "toolname")
_PARAMETERS = ("parameters", "arguments", "params", "args", "parameter", "actioninput")
_NUMBER = (
    "step",
    "index",
    "actionindex",
    "stepindex",
    "stepnumber",
    "stepid",
    "no",
    "number",
    "id",
)
_NOTHING = ("", "null", "none", "无")
_WRAPPERS = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """One list of steps, the documents that it was read from, and how."""

    items: tuple[JsonValue, ...]
    documents: tuple[Document, ...]
    repairs: tuple[str, ...]

    @property
    def cut(self) -> bool:
        """Whether the text ended in the middle of it."""
        return self.documents[-1].cut

    @property
    def corrects(self) -> bool:
        """Whether the words before it say that it replaces an earlier list."""
        return self.documents[0].corrects


def candidates(unwrapped: Unwrapped) -> list[Candidate]:
    """The lists of steps in an answer: lists as they stand, runs of objects put together."""
    found: list[Candidate] = []
    run: list[tuple[Document, JsonValue]] = []

    def close() -> None:
        if run:
            documents = tuple(document for document, _ in run)
            mends = [name for document in documents for name in document.repairs]
            items = tuple(value for _, value in run)
            found.append(Candidate(items, documents, ("CONCAT_OBJECTS", *mends)))
            run.clear()

    lists = []
    for document in unwrapped.documents:
        items, repairs = _items(document.value)
        if items is None:
            continue
        if isinstance(document.value, dict) and not repairs:
            run.append((document, items[0]))
        else:
            close()
            lists.append(document)
            found.append(Candidate(tuple(items), (document,), (*repairs, *document.repairs)))
    close()
    if len(found) > 1 and all(len(one.items) == 1 for one in found):
        return [
            Candidate(
                tuple(item for one in found for item in one.items),
                tuple(document for one in found for document in one.documents),
                ("CONCAT_OBJECTS", *(name for one in found for name in one.repairs)),
            )
        ]
    meant = [one for one in found if not is_schema(one.items)]
    cut = re.search(r"\[\s*$", unwrapped.text)
    if cut and found and not unwrapped.strict:
        end = len(unwrapped.text)
        return [Candidate((), (Document(cut.start(), end, [], cut=True),), ())]
    return meant or found[-1:]


def numbers(items: Sequence[JsonValue]) -> list[int]:
    """The items' own step numbers; empty when they have none, or not all of them."""
    for key in _NUMBER:
        found = []
        for item in items:
            keys = (
                {folded(name): value for name, value in item.items()}
                if isinstance(item, dict)
                else {}
            )
            value = keys.get(key)
            if isinstance(value, str) and value.strip().isdecimal():
                value = int(value)
            if not isinstance(value, int) or isinstance(value, bool):
                break
            found.append(value)
        else:
            if found:
                return found
    return []


def called(
    item: Mapping[str, JsonValue], repairs: list[str], asked: Collection[str] = ()
) -> tuple[JsonValue, JsonValue]:
    """The name and the parameters of the call in an item, wherever they stand.

    `asked` are the keys that the item may have besides the reasoning and the call.
    """
    key, function = find(item, _FUNCTION)
    if isinstance(function, str) and (decoded := _decoded(function)) is not function:
        repairs.append("DECODE_STRING")
        function = decoded
    if isinstance(function, list) and len(function) == 1 and isinstance(function[0], dict):
        repairs.append("UNWRAP")
        function = function[0]
    if isinstance(function, dict) and len(function) == 1:
        ((only, inside),) = function.items()
        if function_name(only) is not None and (inside is None or isinstance(inside, dict)):
            repairs.append("UNFLATTEN")
            _drop(item, {key, *asked}, repairs)
            return only, _parameters(inside, repairs)
    if isinstance(function, dict):
        if key != "function":
            repairs.append("KEY_ALIAS")
        name_key, name = find(function, ("name", *_FUNCTION, *_NAME))
        place, parameters = find(function, _PARAMETERS)
        if place is None:
            rest = {one: value for one, value in function.items() if one != name_key}
            if rest:
                repairs.append("UNFLATTEN")
            elif (outer := find(item, _PARAMETERS))[0] is not None:
                place, rest = outer[0], {}
                repairs.append("UNFLATTEN")
                return name, _parameters(outer[1], repairs)
            return name, rest or _none(repairs)
        if name_key != "name" or place != "parameters":
            repairs.append("KEY_ALIAS")
        if set(function) - {name_key, place}:
            repairs.append("DROP_EXTRA")
        _drop(item, {key, *asked}, repairs)
        return name, _parameters(parameters, repairs)
    name = function
    if key is None:
        key, name = find(item, _NAME)
        if key is None:
            return None, None
    repairs.append("UNFLATTEN")
    place, parameters = find(item, _PARAMETERS)
    if place is None:
        known = {*REASONING, *_NUMBER}
        rest = {
            one: value for one, value in item.items() if one != key and folded(one) not in known
        }
        return name, rest or _none(repairs)
    _drop(item, {key, place, *asked}, repairs)
    return name, _parameters(parameters, repairs)


def named(item: Mapping[str, JsonValue]) -> set[str]:
    """The spellings of all functions that an item calls, under whatever keys."""
    calls = [value for key, value in item.items() if folded(key) in _FUNCTION]
    names = [find(call, ("name",))[1] if isinstance(call, dict) else call for call in calls]
    return {name for name in names if isinstance(name, str)}


def find(record: Mapping[str, JsonValue], names: Sequence[str]) -> tuple[str | None, JsonValue]:
    """The first of some names that a record has a key for, whatever its case and style."""
    keys = {folded(key): key for key in reversed(list(record))}
    for name in names:
        if name in record:
            return name, record[name]
        if folded(name) in keys:
            key = keys[folded(name)]
            return key, record[key]
    return None, None


def folded(key: str) -> str:
    """A key without case, blanks, dashes, underscores and their escapes."""
    return re.sub(r"[\s_\\-]+", "", key).lower()


def is_schema(items: Iterable[JsonValue]) -> bool:
    """Whether these are the functions that the model was offered."""
    kinds = [
        {folded(key) for key in item} if isinstance(item, dict) else set[str]() for item in items
    ]
    return bool(kinds) and all(
        "description" in keys and "name" in keys and not keys & set(REASONING) for keys in kinds
    )


def _items(value: JsonValue) -> tuple[list[JsonValue] | None, list[str]]:
    """The steps that a value holds, and how they were taken out; None when it holds none."""
    repairs: list[str] = []
    for _ in range(_WRAPPERS):
        match value:
            case list() if len(value) == 1 and isinstance(value[0], list):
                value = value[0]
                repairs.append("UNWRAP")
            case list():
                decoded = [_decoded(item) for item in value]
                if any(isinstance(item, dict) for item in decoded) and decoded != value:
                    repairs.append("DECODE_STRING")
                    value = decoded
                if value and all(isinstance(item, list) and len(item) == 1 for item in value):
                    repairs.append("UNWRAP")
                    value = [item[0] for item in value if isinstance(item, list)]
                if any(isinstance(item, dict) for item in value):
                    return list(value), repairs
                return None, []
            case dict() if _is_item(value):
                return [value], repairs
            case dict() if value and all(
                re.fullmatch(r"(?:step|步骤|第)?[ _-]?\d+步?", key, re.I) for key in value
            ):
                ordered = sorted(value, key=lambda key: int(re.sub(r"\D", "", key)))
                value = [_numbered(value[key], key) for key in ordered]
                repairs.append("UNWRAP")
            case dict():
                inner = [one for one in value.values() if isinstance(one, list | dict)]
                lists = [one for one in inner if isinstance(one, list) and _items(one)[0]]
                chosen = lists if lists else inner
                if len(chosen) != 1:
                    return None, []
                value = chosen[0]
                repairs.append("UNWRAP")
            case _:
                return None, []
    return None, []


def _numbered(item: JsonValue, key: str) -> JsonValue:
    """An item with the number that the key it stood under gives it."""
    return {"step": int(re.sub(r"\D", "", key)), **item} if isinstance(item, dict) else item


def _is_item(value: Mapping[str, JsonValue]) -> bool:
    keys = {folded(key) for key in value}
    named = bool(keys & set(_FUNCTION)) or ("name" in keys and bool(keys & set(_PARAMETERS)))
    return named or bool(keys & set(REASONING))


def _decoded(value: JsonValue) -> JsonValue:
    """The JSON that a string holds; the value itself when it holds none."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return loads(value)
    except (ValueError, RecursionError):
        return value


def _drop(item: Mapping[str, JsonValue], used: set[str | None], repairs: list[str]) -> None:
    extra = [key for key in item if key not in used and folded(key) not in REASONING]
    if extra:
        repairs.append("DROP_EXTRA")


def _none(repairs: list[str]) -> dict[str, JsonValue]:
    repairs.append("PARAMS_DEFAULT")
    return {}


def _parameters(value: JsonValue, repairs: list[str]) -> JsonValue:
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        repairs.append("UNWRAP")
        value = value[0]
    if isinstance(value, str):
        decoded = _decoded(value)
        if isinstance(decoded, dict):
            repairs.append("DECODE_STRING")
            return decoded
        return value if value.strip().lower() not in _NOTHING else _none(repairs)
    if value is None or value == []:
        return _none(repairs)
    return value
