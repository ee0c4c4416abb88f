"""Finds the items in a model's answer, in whatever shape: lists, wrappers, flattened calls.

Every shape without loss is accepted, with a repair code.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from tapwright.annotate.function_calls import function_name
from tapwright.annotate.json_extraction import ExtractedJson, JsonDocument, load_strict

__all__ = [
    "REASONING", "AnswerCandidate", "find_call", "find_candidates", "find_function_names",
    "find_key", "find_step_numbers", "fold_key", "is_schema",
]  # fmt: skip

REASONING = (
    "reasoning", "thought", "thoughts", "reason", "think", "thinking", "thoughtprocess",
    "rationale", "explanation", "思考", "推理",
)  # fmt: skip
_FUNCTION = ("function", "action", "functioncall", "toolcall", "call", "tool")
_NAME = ("name", "type", "actiontype", "functionname", "toolname")
_PARAMETERS = ("parameters", "arguments", "params", "args", "parameter", "actioninput")
_NUMBER = (
    "step", "index", "actionindex", "stepindex", "stepnumber", "stepid", "no", "number", "id",
)  # fmt: skip
_NOTHING = ("", "null", "none", "无")
_WRAPPERS = 4


@dataclass(frozen=True, slots=True)
class AnswerCandidate:
    """One list of items, the documents that it was read from, and the repairs."""

    items: tuple[JsonValue, ...]
    documents: tuple[JsonDocument, ...]
    repairs: tuple[str, ...]

    @property
    def cut(self) -> bool:
        """Whether the text ended in the middle of it."""
        return self.documents[-1].cut

    @property
    def corrects(self) -> bool:
        """Whether the text before it announces a correction of an earlier list."""
        return self.documents[0].corrects


def find_candidates(unwrapped: ExtractedJson) -> list[AnswerCandidate]:
    """Finds the lists of items in an answer; a run of objects counts as one list."""
    found: list[AnswerCandidate] = []
    run: list[tuple[JsonDocument, JsonValue]] = []

    def close() -> None:
        if run:
            documents = tuple(document for document, _ in run)
            mends = [name for document in documents for name in document.repairs]
            items = tuple(value for _, value in run)
            found.append(AnswerCandidate(items, documents, ("CONCAT_OBJECTS", *mends)))
            run.clear()

    lists = []
    for document in unwrapped.documents:
        items, repairs = _unwrap_items(document.value)
        if items is None:
            continue
        if isinstance(document.value, dict) and not repairs:
            run.append((document, items[0]))
        else:
            close()
            lists.append(document)
            found.append(AnswerCandidate(tuple(items), (document,), (*repairs, *document.repairs)))
    close()
    if len(found) > 1 and all(len(one.items) == 1 for one in found):
        return [
            AnswerCandidate(
                tuple(item for one in found for item in one.items),
                tuple(document for one in found for document in one.documents),
                ("CONCAT_OBJECTS", *(name for one in found for name in one.repairs)),
            )
        ]
    answers = [one for one in found if not is_schema(one.items)]
    cut = re.search(r"\[\s*$", unwrapped.text)
    if cut and found and not unwrapped.strict:
        end = len(unwrapped.text)
        return [AnswerCandidate((), (JsonDocument(cut.start(), end, [], cut=True),), ())]
    return answers or found[-1:]


def find_step_numbers(items: Sequence[JsonValue]) -> list[int]:
    """Returns the items' own step numbers; empty unless all have one."""
    for key in _NUMBER:
        found = []
        for item in items:
            keys = (
                {fold_key(name): value for name, value in item.items()}
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


def find_call(
    item: Mapping[str, JsonValue], repairs: list[str], extra_keys: Collection[str] = ()
) -> tuple[JsonValue, JsonValue]:
    """Finds the name and the parameters of the call in an item, wherever they stand.

    `extra_keys` are the keys that the item may have besides the reasoning and the call.
    """
    key, function = find_key(item, _FUNCTION)
    if isinstance(function, str) and (decoded := _decode(function)) is not function:
        repairs.append("DECODE_STRING")
        function = decoded
    if isinstance(function, list) and len(function) == 1 and isinstance(function[0], dict):
        repairs.append("UNWRAP")
        function = function[0]
    if isinstance(function, dict) and len(function) == 1:
        ((only, inside),) = function.items()
        if function_name(only) is not None and (inside is None or isinstance(inside, dict)):
            repairs.append("UNFLATTEN")
            _report_extra(item, {key, *extra_keys}, repairs)
            return only, _read_parameters(inside, repairs)
    if isinstance(function, dict):
        if key != "function":
            repairs.append("KEY_ALIAS")
        name_key, name = find_key(function, ("name", *_FUNCTION, *_NAME))
        place, parameters = find_key(function, _PARAMETERS)
        if place is None:
            rest = {one: value for one, value in function.items() if one != name_key}
            if rest:
                repairs.append("UNFLATTEN")
            elif (outer := find_key(item, _PARAMETERS))[0] is not None:
                place, rest = outer[0], {}
                repairs.append("UNFLATTEN")
                return name, _read_parameters(outer[1], repairs)
            return name, rest or _default_parameters(repairs)
        if name_key != "name" or place != "parameters":
            repairs.append("KEY_ALIAS")
        if set(function) - {name_key, place}:
            repairs.append("DROP_EXTRA")
        _report_extra(item, {key, *extra_keys}, repairs)
        return name, _read_parameters(parameters, repairs)
    name = function
    if key is None:
        key, name = find_key(item, _NAME)
        if key is None:
            return None, None
    repairs.append("UNFLATTEN")
    place, parameters = find_key(item, _PARAMETERS)
    if place is None:
        known = {*REASONING, *_NUMBER}
        rest = {
            one: value for one, value in item.items() if one != key and fold_key(one) not in known
        }
        return name, rest or _default_parameters(repairs)
    _report_extra(item, {key, place, *extra_keys}, repairs)
    return name, _read_parameters(parameters, repairs)


def find_function_names(item: Mapping[str, JsonValue]) -> set[str]:
    """Returns the spellings of all functions that an item calls, under whatever keys."""
    calls = [value for key, value in item.items() if fold_key(key) in _FUNCTION]
    names = [find_key(call, ("name",))[1] if isinstance(call, dict) else call for call in calls]
    return {name for name in names if isinstance(name, str)}


def find_key(record: Mapping[str, JsonValue], names: Sequence[str]) -> tuple[str | None, JsonValue]:
    """Finds the first of some names among a record's keys, whatever their case and style."""
    keys = {fold_key(key): key for key in reversed(list(record))}
    for name in names:
        if name in record:
            return name, record[name]
        if fold_key(name) in keys:
            key = keys[fold_key(name)]
            return key, record[key]
    return None, None


def fold_key(key: str) -> str:
    """Normalizes a key: no case, blanks, dashes, underscores or their escapes."""
    return re.sub(r"[\s_\\-]+", "", key).lower()


def is_schema(items: Iterable[JsonValue]) -> bool:
    """Whether these are the functions that the model was offered."""
    kinds = [
        {fold_key(key) for key in item} if isinstance(item, dict) else set[str]() for item in items
    ]
    return bool(kinds) and all(
        "description" in keys and "name" in keys and not keys & set(REASONING) for keys in kinds
    )


def _unwrap_items(value: JsonValue) -> tuple[list[JsonValue] | None, list[str]]:
    """Unwraps the items in a value; returns them with the repairs, or None."""
    repairs: list[str] = []
    for _ in range(_WRAPPERS):
        match value:
            case list() if len(value) == 1 and isinstance(value[0], list):
                value = value[0]
                repairs.append("UNWRAP")
            case list():
                decoded = [_decode(item) for item in value]
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
                value = [_add_number(value[key], key) for key in ordered]
                repairs.append("UNWRAP")
            case dict():
                inner = [one for one in value.values() if isinstance(one, list | dict)]
                lists = [one for one in inner if isinstance(one, list) and _unwrap_items(one)[0]]
                chosen = lists if lists else inner
                if len(chosen) != 1:
                    return None, []
                value = chosen[0]
                repairs.append("UNWRAP")
            case _:
                return None, []
    return None, []


def _add_number(item: JsonValue, key: str) -> JsonValue:
    """Adds the number in an item's key to the item."""
    return {"step": int(re.sub(r"\D", "", key)), **item} if isinstance(item, dict) else item


def _is_item(value: Mapping[str, JsonValue]) -> bool:
    keys = {fold_key(key) for key in value}
    find_function_names = bool(keys & set(_FUNCTION)) or (
        "name" in keys and bool(keys & set(_PARAMETERS))
    )
    return find_function_names or bool(keys & set(REASONING))


def _decode(value: JsonValue) -> JsonValue:
    """Decodes a string that holds JSON; returns other values unchanged."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return load_strict(value)
    except (ValueError, RecursionError):
        return value


def _report_extra(item: Mapping[str, JsonValue], used: set[str | None], repairs: list[str]) -> None:
    extra = [key for key in item if key not in used and fold_key(key) not in REASONING]
    if extra:
        repairs.append("DROP_EXTRA")


def _default_parameters(repairs: list[str]) -> dict[str, JsonValue]:
    repairs.append("PARAMS_DEFAULT")
    return {}


def _read_parameters(value: JsonValue, repairs: list[str]) -> JsonValue:
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        repairs.append("UNWRAP")
        value = value[0]
    if isinstance(value, str):
        decoded = _decode(value)
        if isinstance(decoded, dict):
            repairs.append("DECODE_STRING")
            return decoded
        return value if value.strip().lower() not in _NOTHING else _default_parameters(repairs)
    if value is None or value == []:
        return _default_parameters(repairs)
    return value
