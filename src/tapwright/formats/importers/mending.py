"""What is made of a record some field of which has another form than its reader expects.

    a number where a text is expected            its digits: ids are numbers in some copies of a set
    a text where a number, a truth value, a list  what it says
      or a record is expected
    texts in a list where one is expected        its lines
    one record where a list is expected, a list  the list of it, the one in it
      of one where a record is
    a record numbered "0", "1", …                the list of its values
    null                                         as if the field was not there
    an item of a list that nothing else mends    an empty record, if its kind has such: then its
                                                 reader refuses the step; it is noted as lost
    a field of the whole that nothing else mends as if it was not there, if it need not be; so noted

Nothing else is: what a field means is never guessed.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar, cast

from pydantic import JsonValue, TypeAdapter, ValidationError

from tapwright.files.jsonl import from_json
from tapwright.formats.importers.account import note_left_out

__all__ = ["mend_record"]

T = TypeVar("T")
_Place: TypeAlias = tuple[str | int, ...]

_ROUNDS = 4
"""What is mended may hold what is not: a record in a list that was a text."""


def mend_record(kind: TypeAdapter[T], data: bytes, where: str, error: ValidationError) -> T:
    """The `kind` in JSON that is none for this reason.

    Raises:
        ValidationError: it cannot be mended; the one that was given.
    """
    try:
        held: list[JsonValue] = [json.loads(data)]
    except (ValueError, RecursionError):
        raise error from None
    lost: dict[str, str] = {}
    problem = error
    for _ in range(_ROUNDS):
        if not _mend_all(held, problem, lost):
            break
        try:
            found = from_json(kind, json.dumps(held[0]).encode())
        except ValidationError as another:
            problem = another
            continue
        for place, reason in lost.items():
            note_left_out("fields", f"{where}: {place}", reason)
        return found
    raise error


def _mend_all(held: list[JsonValue], error: ValidationError, lost: dict[str, str]) -> bool:
    """Whether something was mended: what has another form, or else whole items."""
    found = [
        (_find(held, one["loc"]), one["type"], one["msg"])
        for one in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    mended: set[_Place] = set()
    for place, expected, _ in found:
        if place not in mended and _is_there(held, place) and _mend(held, place, expected):
            mended.add(place)
    if mended:
        return True
    for place, _, message in found:
        at = next((n for n, name in enumerate(place) if n and isinstance(name, int)), None)
        part = place[:2] if at is None else place[: at + 1]
        if len(part) < 2 or not _is_there(held, part) or (at and _value(held, part) == {}):
            continue
        mended.add(part)
        lost[".".join(map(str, place[1:]))] = message
        if at is None:
            del _value(held, part[:-1])[part[-1]]
        else:
            _put(held, part, {})
    return bool(mended)


def _find(held: list[JsonValue], loc: tuple[str | int, ...]) -> _Place:
    """The place of a problem, without the names of a union's members, as far as it is there."""
    place: list[str | int] = [0]
    value = held[0]
    for name in loc:
        if not isinstance(value, dict | list):
            break
        is_there = name in value if isinstance(value, dict) else isinstance(name, int)
        if is_there:
            value = cast(Any, value)[name]
            place.append(name)
    return tuple(place)


def _value(held: list[JsonValue], place: _Place) -> Any:
    value: Any = held
    for name in place:
        value = value[name]
    return value


def _is_there(held: list[JsonValue], place: _Place) -> bool:
    """Whether a place is there still, where something was taken out."""
    try:
        _value(held, place)
    except (LookupError, TypeError):  # in a text that a list was made of
        return False
    return True


def _put(held: list[JsonValue], place: _Place, value: JsonValue) -> None:
    _value(held, place[:-1])[place[-1]] = value


def _mend(held: list[JsonValue], place: _Place, expected: str) -> bool:
    value = _value(held, place)
    if value is None and isinstance(place[-1], str) and expected != "missing":
        del _value(held, place[:-1])[place[-1]]
        return True
    made = _MENDED.get(expected, _not_at_all)(value)
    if made is None:
        return False
    _put(held, place, made)
    return True


def _not_at_all(value: JsonValue) -> JsonValue:
    return None


def _to_text(value: JsonValue) -> JsonValue:
    match value:
        case bool():
            return None
        case int() | float():
            return str(value)
        case [str(), *_] if all(isinstance(one, str) for one in value):
            return "\n".join(str(one) for one in value)
    return None


def _to_whole(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        with suppress(ValueError):
            return int(value)  # all its digits: a float has some sixteen
    number = _to_number(value)
    return int(number) if isinstance(number, float) and number.is_integer() else None


def _to_number(value: JsonValue) -> JsonValue:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _to_truth(value: JsonValue) -> JsonValue:
    return {"true": True, "false": False, "1": True, "0": False}.get(str(value).lower())


def _to_list(value: JsonValue) -> JsonValue:
    match value:
        case str():
            return _parse(value, list)
        case dict() if value and list(value) == [str(number) for number in range(len(value))]:
            return list(value.values())
        case dict():
            return [value]
    return None


def _to_record(value: JsonValue) -> JsonValue:
    match value:
        case str():
            return _parse(value, dict)
        case [dict() as one]:
            return one
    return None


def _parse(text: str, kind: type) -> JsonValue:
    try:
        found: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, kind) else None


_MENDED: Mapping[str, Callable[[JsonValue], JsonValue]] = {
    "string_type": _to_text,
    "int_type": _to_whole,
    "float_type": _to_number,
    "bool_type": _to_truth,
    "list_type": _to_list,
    "dict_type": _to_record,
    "model_type": _to_record,
    "model_attributes_type": _to_record,
}
"""By pydantic's names of what was expected."""
