"""Transformations: expressions of a definition over an event's value, evaluated safely.

They are statements over `x` that assign `y`, in a subset of Python: `y = x[0]`, or `n = int(x[0])`
and then `y = n * 2`. `simpleeval` interprets them; what is allowed is listed here, and every value
costs its size, so that time and memory are bounded.
"""

import ast
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias

from simpleeval import EvalWithCompoundTypes, InvalidExpression

from tapwright.files.python_source import parse_statements
from tapwright.tasks import limits
from tapwright.tasks.errors import BadExpressionError, EventValueError
from tapwright.tasks.events import bounded_functions

__all__ = ["Transformation", "compile_transformation"]

_NODES = (
    ast.Module, ast.Import, ast.alias, ast.Assign, ast.AugAssign, ast.Expr, ast.Name, ast.Load,
    ast.Store, ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Subscript, ast.Slice,
    ast.Attribute, ast.Call, ast.keyword, ast.IfExp, ast.Compare, ast.BoolOp, ast.BinOp,
    ast.UnaryOp, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.comprehension, ast.JoinedStr,
    ast.FormattedValue, ast.boolop, ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip

_CONSTANTS = (str, int, float, bool, type(None))
_TEXT_METHODS = frozenset({
    "capitalize", "casefold", "count", "endswith", "find", "index", "isalnum", "isalpha",
    "isdecimal", "isdigit", "islower", "isnumeric", "isspace", "isupper", "join", "lower", "lstrip",
    "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rpartition",
    "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper",
})  # fmt: skip
_METHODS: Mapping[type, frozenset[str]] = {
    str: _TEXT_METHODS,
    float: frozenset({"is_integer"}),
    dict: frozenset({"get", "items", "keys", "values"}),
    list: frozenset({"count", "index"}),
    tuple: frozenset({"count", "index"}),
}

Function: TypeAlias = Callable[..., Any]


class Transformation:
    """The statements of one slot, parsed and checked.

    Raises:
        BadExpressionError: one of them is not an expression over values, or none assigns `y`.
    """

    def __init__(self, statements: Sequence[str]) -> None:
        self.statements = tuple(statements)
        self._steps: list[ast.stmt] = []
        known = {"x"}
        for text in self.statements:
            for statement in _parse(text):
                _check(statement, text, known)
                self._steps.append(statement)
        if "y" not in known:
            raise BadExpressionError(
                f"transformation {_short('; '.join(self.statements))!r} assigns no y",
                hint='for example: transformation: "y = int(x[0])"',
            )

    def __call__(self, x: object) -> Any:
        """Return the `y` that the statements assign for this `x`, which is not changed.

        Raises:
            EventValueError: `x` does not fit, or the value would be too large.
        """
        evaluator = _Evaluator(x)
        text = "; ".join(self.statements)
        try:
            bounded_functions.guard(
                bounded_functions.weight(x, limits.MAX_EXPRESSION_BUDGET),
                limits.MAX_EXPRESSION_BUDGET,
            )
            for statement in self._steps:
                evaluator.run(statement)
            return evaluator.names["y"]
        except bounded_functions.ExhaustedError as error:
            raise EventValueError(
                f"transformation {_short(text)!r} takes too long, or makes too large a value",
                hint="let it compute less: shorter texts and lists, smaller numbers",
            ) from error
        except (
            ArithmeticError, AttributeError, InvalidExpression, LookupError, MemoryError,
            RecursionError, SyntaxError, TypeError, ValueError,
        ) as error:  # fmt: skip
            raise EventValueError(
                f"transformation {_short(text)!r} of x = {_short(repr(x))}: "
                f"{type(error).__name__}: {error}",
                hint="the x of a regular expression is the tuple of its groups: x[0] is the first",
            ) from error


@lru_cache(maxsize=4096)
def compile_transformation(statements: tuple[str, ...]) -> Transformation:
    """Compiles a transformation; cached.

    Raises:
        BadExpressionError: as `Transformation` raises it.
    """
    return Transformation(statements)


def _parse(text: str) -> list[ast.stmt]:
    if len(text) > limits.MAX_EXPRESSION_SOURCE:
        raise BadExpressionError(f"transformation {_short(text)!r}: {len(text):,} characters")
    try:
        return parse_statements(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadExpressionError(
            f"transformation {_short(text)!r} is not Python: {getattr(error, 'msg', error)}"
        ) from error


def _check(statement: ast.stmt, text: str, known: set[str]) -> None:
    """Refuses anything but values; adds the names that the statement assigns to `known`."""

    def refuse(what: str) -> BadExpressionError:
        return BadExpressionError(
            f"transformation {_short(text)!r}: {what}",
            hint="a transformation computes values from x: y = int(x[0])",
        )

    made: set[str] = set()
    match statement:
        case ast.Import(names=aliases):
            for alias in aliases:
                if alias.name not in bounded_functions.MODULES or alias.asname:
                    raise refuse(
                        f"import {alias.name}; "
                        f"only {', '.join(bounded_functions.MODULES)} are available"
                    )
                known.add(alias.name)
            return
        case ast.Assign(targets=[target]):
            made = set(_targets(target))
        case ast.AugAssign(target=ast.Name(id=name)):
            if name not in known:
                raise refuse(f"{name} has no value yet")
        case ast.Expr():
            pass
        case _:
            raise refuse(f"{type(statement).__name__.lower()} is not an assignment")
    try:
        _check_nodes(statement, known | made, refuse)
    except RecursionError as error:
        raise refuse("nested too deeply") from error
    known |= made


def _check_nodes(
    statement: ast.stmt, known: set[str], refuse: Callable[[str], BadExpressionError]
) -> None:
    nodes = list(ast.walk(statement))
    inner = {
        one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    methods = {name for names in _METHODS.values() for name in names}
    functions = {name for names in bounded_functions.MODULES.values() for name in names}
    for node in nodes:
        if not isinstance(node, _NODES):
            raise refuse(f"{type(node).__name__.lower()} is not allowed")
        if isinstance(node, ast.Constant) and not isinstance(node.value, _CONSTANTS):
            raise refuse(f"a constant of type {type(node.value).__name__} is not allowed")
        if isinstance(node, ast.BinOp) and type(node.op) not in bounded_functions.OPERATORS:
            raise refuse(f"the operator {type(node.op).__name__} is not allowed")
        if isinstance(node, ast.Name) and node.id not in known | inner | set(
            bounded_functions.FUNCTIONS
        ):
            raise refuse(f"there is no {node.id}")
        if isinstance(node, ast.Attribute) and node.attr not in methods | functions:
            raise refuse(f"there is no .{node.attr}")


def _targets(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name(id=name):
            yield name
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _targets(part)


class _Evaluator(EvalWithCompoundTypes):  # type: ignore[misc]  # it has no types
    def __init__(self, x: object) -> None:
        super().__init__(operators=bounded_functions.OPERATORS, functions={}, names={"x": x})
        self.functions = bounded_functions.FUNCTIONS
        self._left = limits.MAX_EXPRESSION_BUDGET
        self._end_s = time.thread_time() + limits.MAX_EXPRESSION_SECONDS

    def run(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Import(names=aliases):
                for alias in aliases:
                    self.names[alias.name] = _Module(bounded_functions.MODULES[alias.name])
            case ast.Assign(targets=[target], value=value):
                self._assign(target, self._eval(value))
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                left = ast.copy_location(ast.Name(name, ast.Load()), statement)
                self.names[name] = self._eval(ast.BinOp(left, op, value))
            case ast.Expr(value=value):
                self._eval(value)

    def _assign(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(id=name):
                self.names[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part, one in zip(parts, value, strict=True):
                    self._assign(part, one)

    def _eval(self, node: ast.AST) -> Any:
        value = super()._eval(node)
        if not isinstance(node, ast.Name | ast.Constant):
            self._left -= bounded_functions.weight(value, self._left)
        self._left -= 1
        if self._left < 0 or (self._left % 16 == 0 and time.thread_time() > self._end_s):
            raise bounded_functions.ExhaustedError
        return value

    def _check_disallowed_items(self, item: object) -> None:
        """Allow everything: what is available is listed above."""

    def _eval_attribute(self, node: ast.Attribute) -> Function:
        owner = self._eval(node.value)
        if isinstance(owner, _Module):
            return owner.functions[node.attr]
        if node.attr not in _METHODS.get(type(owner), ()):
            raise AttributeError(f"{type(owner).__name__} has no .{node.attr} here")
        guarded = (
            bounded_functions.GUARDED_METHODS.get(node.attr) if isinstance(owner, str) else None
        )
        return partial(guarded, owner) if guarded else getattr(owner, node.attr)

    def _eval_formattedvalue(self, node: ast.FormattedValue) -> str:
        value = self._eval(node.value)
        if node.conversion == ord("r"):
            value = repr(value)
        return bounded_functions.format_value(
            value, self._eval(node.format_spec) if node.format_spec else ""
        )


class _Module:
    """The allowed functions of an imported module."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self.functions = functions


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."
