"""The filter language: `steps > 3 and app == "notes" and not tag("bad")`, as a condition in SQL.

Python's own parser reads it, so quoting and precedence are Python's; only comparisons, `in`, `and`,
`or`, `not` and a few functions mean something here, and every value is a bound parameter. A filter
has at most 4000 characters and 500 parts.
"""

import ast
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tapwright.errors import UsageError, suggest
from tapwright.files.python_source import parse_expression
from tapwright.store.errors import BAD_FILTER

__all__ = [
    "COLUMNS", "EVERY", "Condition", "equals", "has_app", "has_fit", "has_id", "has_text",
    "is_none_of", "is_task_of", "parse_filter",
]  # fmt: skip

_LIKE = 'like: steps > 3 and outcome == "success"'
_MAX_LENGTH, _MAX_PARTS = 4000, 500
_MAX_INTEGER = 2**63 - 1

Value: TypeAlias = str | int | float | bytes
Kind: TypeAlias = Literal["text", "number", "time", "list"]

COLUMNS: Mapping[str, tuple[str, Kind]] = {
    "id": ("id", "text"),
    "task": ("task_id", "text"),
    "suite": ("suite", "text"),
    "instruction": ("instruction", "text"),
    "app": ("app_words", "list"),
    "agent": ("agent", "text"),
    "device": ("device", "text"),
    "language": ("language", "text"),
    "outcome": ("outcome", "text"),
    "evidence": ("evidence", "text"),
    "steps": ("steps", "number"),
    "duration": ("duration_s", "number"),
    "version": ("version", "number"),
    "created": ("created", "time"),
    "tag": ("tag_words", "list"),
    "annotator": ("annotator_words", "list"),
    "reviewed": ("reviewed", "number"),
    "review": ("review", "text"),
    "comments": ("comments", "number"),
    "comment": ("comment", "text"),
    "rating": ("rating", "number"),
    "fit": ("fit_words", "list"),
    "unfit": ("unfit", "number"),
}
"""The columns by their names in a filter: the column of the catalog, and what it holds."""

_DATE = re.compile(r"\d{4}(-\d\d(-\d\d([T ]\d\d(:\d\d(:\d\d.*)?)?)?)?)?")
_OPERATORS: Mapping[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("=", "="),
    ast.NotEq: ("<>", "<>"),
    ast.Lt: ("<", ">"),
    ast.LtE: ("<=", ">="),
    ast.Gt: (">", "<"),
    ast.GtE: (">=", "<="),
}
"""In SQL, and with the sides changed."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a row of the catalog: SQL with a `?` for each of the parameters."""

    sql: str
    parameters: tuple[Value, ...] = ()

    def __and__(self, other: "Condition") -> "Condition":
        if self == EVERY or other == EVERY:
            return other if self == EVERY else self
        return Condition(f"({self.sql} AND {other.sql})", self.parameters + other.parameters)


EVERY = Condition("1")
"""What every episode meets."""


def equals(column: str, value: str) -> Condition:
    """That a column of text, by its name in a filter, has a value."""
    return Condition(f"{COLUMNS[column][0]} = ?", (value,))


def is_task_of(ids: Iterable[str]) -> Condition:
    """That an episode is of one of these tasks."""
    return Condition("task_id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),))


def is_none_of(ids: Sequence[str]) -> Condition:
    """That the id of an episode is none of these."""
    return Condition("id NOT IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),))


def has_app(app: str) -> Condition:
    """That an app, given by its package or the last part of it, was in front at any step."""
    return _has_word("app_words", app)


def has_fit(kind: str) -> Condition:
    """That a step is of this kind (`core.fit`), other than a target."""
    return _has_word("fit_words", kind)


def has_id(ids: Sequence[str]) -> Condition:
    """That an episode has one of these ids."""
    return Condition("id IN (SELECT value FROM json_each(?))", (json.dumps(ids),))


def has_tag(tag: str) -> Condition:
    """That an episode has a tag."""
    return _has_word("tag_words", tag)


def has_text(text: str) -> Condition:
    """That the id, the task or the instruction has a text in it, without regard to case."""
    return Condition("instr(words, ?) > 0", (text.casefold(),))


def parse_filter(text: str) -> Condition:
    """The condition that a filter states; every episode meets an empty one.

    Raises:
        UsageError: it is not a filter; the message has the place, counted from 1.
    """
    if not text.strip():
        return EVERY
    if len(text) > _MAX_LENGTH:
        raise BAD_FILTER(
            f"a filter of {len(text)} characters; it may have {_MAX_LENGTH}",
            hint="name the episodes themselves, or filter in two steps",
        )
    text = " ".join(text.splitlines())
    try:
        expression = parse_expression(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        place = getattr(error, "offset", None) or 1
        reason = getattr(error, "msg", "") or "nested too deeply"
        raise _error(text, place, reason) from error
    if sum(1 for _ in ast.walk(expression)) > _MAX_PARTS:
        raise BAD_FILTER(f"a filter of more than {_MAX_PARTS} parts", hint="filter in two steps")
    try:
        return _Compiler(text).condition(expression)
    except RecursionError as error:
        raise _error(text, 1, "nested too deeply") from error


class _Compiler:
    def __init__(self, text: str) -> None:
        self._text = text

    def condition(self, node: ast.expr) -> Condition:
        match node:
            case ast.BoolOp(op=op, values=values):
                parts = [self.condition(value) for value in values]
                joined = (" AND " if isinstance(op, ast.And) else " OR ").join(
                    one.sql for one in parts
                )
                return Condition(f"({joined})", tuple(x for one in parts for x in one.parameters))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return _negate(self.condition(operand))
            case ast.Compare(left=left, ops=operators, comparators=others):
                sides = [left, *others]
                found = EVERY
                for one, operator, other in zip(sides, operators, others, strict=False):
                    found = found & self._compare(one, operator, other)
                return found
            case ast.Call():
                return self._call(node)
            case ast.Name(id=name):
                self._column(node)
                raise self._problem(node, f"{name} is compared with nothing", f'{name} == "…"')
            case _:
                raise self._problem(
                    node, "expected a comparison", 'steps > 3 and outcome == "success"'
                )

    def _compare(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> Condition:
        if isinstance(operator, ast.In | ast.NotIn):
            found = self._contains(left, right)
            return _negate(found) if isinstance(operator, ast.NotIn) else found
        if type(operator) not in _OPERATORS:
            raise self._problem(left, "`is` compares nothing here", "==")
        plain, mirrored = _OPERATORS[type(operator)]
        if isinstance(left, ast.Name):
            return self._relate(left, plain, right)
        if isinstance(right, ast.Name):
            return self._relate(right, mirrored, left)
        raise self._problem(left, "expected a column on one side", "steps > 3")

    def _relate(self, column: ast.Name, operator: str, other: ast.expr) -> Condition:
        name, kind = self._column(column)
        if isinstance(other, ast.Name):
            second, second_kind = self._column(other)
            if kind == "list" or second_kind != kind:
                raise self._problem(other, f"{column.id} and {other.id} cannot be compared")
            return Condition(f"{name} {operator} {second}")
        value = self._value(other, column.id, kind)
        match kind, value:
            case "list", str(word):
                if operator not in ("=", "<>"):
                    raise self._problem(
                        column, f"{column.id} is a list, and has no order", "== or in"
                    )
                found = _has_word(name, word)
                return found if operator == "=" else _negate(found)
            case "time", str(date):
                # "2026-11" stands for the whole month.
                date = date.replace(" ", "T")
                return Condition(f"substr({name}, 1, {len(date)}) {operator} ?", (date,))
        return Condition(f"{name} {operator} ?", (value,))

    def _contains(self, left: ast.expr, right: ast.expr) -> Condition:
        match left, right:
            case ast.Name(), ast.Tuple(elts=values) | ast.List(elts=values) | ast.Set(elts=values):
                if not values:
                    return Condition("0")
                parts = [self._relate(left, "=", value) for value in values]
                joined = " OR ".join(one.sql for one in parts)
                return Condition(f"({joined})", tuple(x for one in parts for x in one.parameters))
            case ast.Constant(value=str(text)), ast.Name():
                name, kind = self._column(right)
                self._value(left, right.id, kind)
                if kind == "list":
                    return _has_word(name, text)
                if kind == "number":
                    raise self._problem(right, f"{right.id} is a number, and contains nothing")
                return Condition(f"instr({name}, ?) > 0", (text,))
        raise self._problem(
            left, "`in` takes a column and values", 'outcome in ("failure", "unknown")'
        )

    def _call(self, node: ast.Call) -> Condition:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _FUNCTIONS:
            raise self._problem(
                node, f"no function {name or 'of this kind'}", hint=suggest(name, _FUNCTIONS)
            )
        texts = [one.value for one in node.args if isinstance(one, ast.Constant)]
        words = [text for text in texts if isinstance(text, str) and _is_text(text)]
        if len(words) != 1 or len(node.args) != 1 or node.keywords:
            raise self._problem(node, f"{name} takes one text", f'{name}("…")')
        return _FUNCTIONS[name](words[0])

    def _column(self, node: ast.Name) -> tuple[str, Kind]:
        if node.id not in COLUMNS:
            raise self._problem(node, f"no column {node.id!r}", hint=suggest(node.id, COLUMNS))
        return COLUMNS[node.id]

    def _value(self, node: ast.expr, column: str, kind: Kind) -> Value:
        value: object = None
        match node:
            case ast.Constant(value=value):
                pass
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                value = -number
        if kind == "number":
            if isinstance(value, int | float) and not isinstance(value, bool):
                if abs(value) <= _MAX_INTEGER:
                    return value
                raise self._problem(node, "a number of more than 64 bits")
            raise self._problem(node, f"{column} is a number", f"{column} > 3")
        if not isinstance(value, str):
            raise self._problem(node, f"{column} is text", f'{column} == "…"')
        if kind == "time" and not _DATE.fullmatch(value):
            raise self._problem(node, f"{value[:40]!r} is no date", f'{column} >= "2026-11-23"')
        if not _is_text(value):
            raise self._problem(node, "half a character")
        return value

    def _problem(
        self, node: ast.expr, message: str, instead: str = "", *, hint: str = ""
    ) -> UsageError:
        line = self._text.encode("utf-8", "surrogatepass")
        place = len(line[: node.col_offset].decode("utf-8", "ignore")) + 1
        return _error(
            self._text, place, message, hint or (f"did you mean: {instead}" if instead else "")
        )


def _has_word(column: str, word: str) -> Condition:
    """That a list of words, each between newlines, has a word."""
    return Condition(f"instr({column}, ?) > 0", ("\n" + word.replace("\n", " ") + "\n",))


_FUNCTIONS: Mapping[str, Callable[[str], Condition]] = {
    "tag": has_tag,
    "app": has_app,
    "fit": has_fit,
    "annotated": lambda word: _has_word("annotator_words", word),
    "text": has_text,
}


def _negate(condition: Condition) -> Condition:
    return Condition(f"NOT ({condition.sql})", condition.parameters)


def _is_text(text: str) -> bool:
    return not any(0xD800 <= ord(char) < 0xE000 for char in text)


def _error(text: str, place: int, message: str, hint: str = "") -> UsageError:
    return BAD_FILTER(
        f"--where, character {place}: {message}: {text[max(0, place - 1) :][:40]!r}",
        hint=hint or _LIKE,
    )
