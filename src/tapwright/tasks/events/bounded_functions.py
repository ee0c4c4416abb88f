"""The functions, methods and operators of expressions, with a limit on what each may make.

Each refuses before it makes a value that is too large, so that one step of an evaluation takes
milliseconds; `expressions` bounds their number.
"""

import ast
import json
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from tapwright.files.python_source import read_literal
from tapwright.tasks import limits

__all__ = [
    "FUNCTIONS", "GUARDED_METHODS", "MODULES", "OPERATORS", "ExhaustedError", "Function",
    "format_value", "guard", "weight",
]  # fmt: skip

Function: TypeAlias = Callable[..., Any]

_WIDTHS = re.compile(r"[-+ #0]*(\*|\d{0,9})\d*(?:\.(\*|\d{0,9})\d*)?")


class ExhaustedError(Exception):
    """The budget of an evaluation is spent, or one operation would exceed it."""


def weight(value: object, limit: int) -> int:
    """Returns the size of a value with all its contents, or more than `limit` if it is larger."""
    match value:
        case str() | bytes():
            return len(value) // 8
        case int():
            return value.bit_length() // 64
        case list() | tuple() | set() | frozenset():
            inner: Iterable[object] = value
        case dict():
            inner = (one for pair in value.items() for one in pair)
        case _:
            return 0
    total = 0
    for one in inner:
        total += 1 + weight(one, limit - total)
        if total > limit:
            break
    return total


def guard(size: int, limit: int) -> None:
    """Refuses what is larger than a limit.

    Raises:
        ExhaustedError: it is.
    """
    if size > limit:
        raise ExhaustedError


def _multiply(left: Any, right: Any) -> Any:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str | bytes | list | tuple) and isinstance(other, int):
            guard(len(one) * other, limits.MAX_EXPRESSION_TEXT)
    if isinstance(left, int) and isinstance(right, int):
        guard(left.bit_length() + right.bit_length(), limits.MAX_EXPRESSION_BITS)
    return left * right


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int):
        guard(base.bit_length() * abs(exponent), limits.MAX_EXPRESSION_BITS)
    return base**exponent


def _add(left: Any, right: Any) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        guard(len(left) + len(right), limits.MAX_EXPRESSION_TEXT)
    return left + right


def _modulo(left: Any, right: Any) -> Any:
    if isinstance(left, bytes):
        raise TypeError("bytes are not formatted")
    if isinstance(left, str):
        given = right if isinstance(right, tuple | dict) else (right,)
        longest = max((_text_size(one) for one in _values(given)), default=0)
        made = len(left)
        for width, whole in _conversions(left):
            made += width + (_text_size(right) if whole else longest)
            guard(made, 10 * limits.MAX_EXPRESSION_TEXT)
    return left % right


def _values(given: "tuple[Any, ...] | dict[Any, Any]") -> Iterable[Any]:
    return given.values() if isinstance(given, dict) else given


def _conversions(text: str) -> Iterator[tuple[int, bool]]:
    """Yields for each conversion of a %-format its width, and whether it takes all the values."""
    at = text.find("%")
    while at >= 0:
        at += 1
        keyed = text[at : at + 1] == "("
        if keyed:
            depth = 1
            at += 1
            while depth and at < len(text):
                depth += {"(": 1, ")": -1}.get(text[at], 0)
                at += 1
        found = _WIDTHS.match(text, at)
        if found is None:
            return  # a format that Python refuses
        if "*" in found[0]:
            raise ExhaustedError
        yield sum(int(digits) for digits in found.groups() if digits), not keyed
        at = text.find("%", found.end() + 1)


def format_value(value: object, spec: str) -> str:
    """Returns a value as an f-string writes it.

    Raises:
        ExhaustedError: the text would be too long.
    """
    guard(sum(int(digits[:9]) for digits in re.findall(r"\d+", spec)), limits.MAX_EXPRESSION_TEXT)
    guard(_text_size(value), 10 * limits.MAX_EXPRESSION_TEXT)
    return format(value, spec)


def _text_size(value: object) -> int:
    """Returns at least the length of a value written as a text."""
    return 400 + 80 * weight(value, limits.MAX_EXPRESSION_BUDGET)


def _round(number: Any, digits: Any = None) -> Any:
    if isinstance(number, int) and isinstance(digits, int):
        guard(-digits, limits.MAX_EXPRESSION_BITS)
    return round(number, digits)


def _dumps(value: object, **options: Any) -> str:
    """What `json.dumps` gives, up to the longest text."""
    for name, option in options.items():
        if name not in ("ensure_ascii", "indent", "separators", "sort_keys"):
            raise TypeError(f"json.dumps has no {name} here")
        if name == "indent" and isinstance(option, int):
            guard(option, limits.MAX_EXPRESSION_TEXT)
    parts, total = [], 0
    for part in json.JSONEncoder(**options).iterencode(value):
        total += len(part)
        guard(total, limits.MAX_EXPRESSION_TEXT)
        parts.append(part)
    return "".join(parts)


def _loads(text: str) -> Any:
    return json.loads(text)


def _set(of: Iterable[Any] = ()) -> set[Any]:
    values = list(of)
    guard(sum(not isinstance(one, str) for one in values), limits.MAX_EXPRESSION_COLLISIONS)
    return set(values)


def _dict(of: Any = (), **named: Any) -> dict[Any, Any]:
    if isinstance(of, dict):
        return {**of, **named}
    pairs = [tuple(pair) for pair in of]
    guard(sum(not isinstance(pair[0], str) for pair in pairs), limits.MAX_EXPRESSION_COLLISIONS)
    return {**dict(pairs), **named}


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    guard(len(text) + text.count(old) * len(new), limits.MAX_EXPRESSION_TEXT)
    return text.replace(old, new, count)


def _join(text: str, parts: Iterable[str]) -> str:
    parts = list(parts)
    guard(sum(map(len, parts)) + len(text) * len(parts), limits.MAX_EXPRESSION_TEXT)
    return text.join(parts)


def _range(*bounds: int) -> list[int]:
    steps = range(*bounds)
    guard(len(steps), limits.MAX_EXPRESSION_TEXT)
    return list(steps)


def _map(function: Function, *of: Iterable[object]) -> list[object]:
    """What `map` gives, as a list; each call costs its arguments and its value."""
    made: list[object] = []
    total = 0
    for arguments in zip(*of, strict=False):
        made.append(function(*arguments))
        total += (
            1
            + weight(arguments, limits.MAX_EXPRESSION_BUDGET)
            + weight(made[-1], limits.MAX_EXPRESSION_BUDGET)
        )
        guard(total, limits.MAX_EXPRESSION_BUDGET)
    return made


def _isinstance(value: object, kinds: Any) -> bool:
    """What `isinstance` gives for the types that are available by name."""
    return isinstance(value, kinds)


def _filter(function: Function | None, of: Iterable[object]) -> list[object]:
    """What `filter` gives, as a list."""
    values = list(of)
    kept = _map(function or bool, values)
    return [one for one, keep in zip(values, kept, strict=True) if keep]


GUARDED_METHODS: Mapping[str, Function] = {"replace": _replace, "join": _join}

OPERATORS: Mapping[type, Function] = {
    ast.Add: _add, ast.Sub: operator.sub, ast.Mult: _multiply, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: _modulo, ast.Pow: _power,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Not: operator.not_,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda one, many: one in many, ast.NotIn: lambda one, many: one not in many,
}  # fmt: skip

FUNCTIONS: Mapping[str, Function] = {
    "abs": abs, "all": all, "any": any, "bool": bool, "dict": _dict, "filter": _filter,
    "float": float, "int": int, "isinstance": _isinstance, "len": len, "list": list, "map": _map,
    "max": max, "min": min, "range": _range, "round": _round, "set": _set,
    "sorted": sorted, "str": str, "sum": sum, "tuple": tuple,
    "enumerate": lambda *of: list(enumerate(*of)),
    "reversed": lambda of: list(reversed(of)),
    "zip": lambda *of: list(zip(*of, strict=False)),
}  # fmt: skip

MODULES: Mapping[str, Mapping[str, Function]] = {
    "ast": {"literal_eval": read_literal},
    "json": {"loads": _loads, "dumps": _dumps},
    "math": {"ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt},
}
