"""Every public name is documented: what it is, the units of its numbers, its shapes, its errors.

A public name is one of a module's `__all__`; the site shows its signature, fields and docstring.
"""

import ast
import builtins
import inspect
import re
from collections.abc import Iterator
from functools import cache
from types import ModuleType

import pytest

from tests.scripts import load_script

pytestmark = pytest.mark.slow  # every module is imported
site = load_script("site_names")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def modules() -> tuple[ModuleType, ...]:
    return tuple(site.public_modules())


def functions() -> Iterator[tuple[ModuleType, str, Function, str]]:
    """Module, name, code and text of each public function and method.

    The text of a method is that of its class, and of the methods that it takes the place of.
    """
    for module in modules():
        for node in ast.parse(inspect.getsource(module)).body:
            if getattr(node, "name", None) not in module.__all__:
                continue
            if isinstance(node, Function):
                yield module, node.name, node, ast.get_docstring(node) or ""
            elif isinstance(node, ast.ClassDef):
                kind = getattr(module, node.name)
                for one in node.body:
                    if isinstance(one, Function) and not one.name.startswith("_"):
                        places = [vars(each).get(one.name) for each in kind.__mro__]
                        texts = [kind.__doc__, *(getattr(each, "__doc__", "") for each in places)]
                        text = "\n".join(each or "" for each in texts)
                        yield module, f"{node.name}.{one.name}", one, text


def is_named(error: str, module: ModuleType, text: str) -> bool:
    """Whether a text names an error, or a kind of errors that it belongs to."""
    kind = vars(module).get(error) or getattr(builtins, error, None)
    kinds = kind.__mro__ if isinstance(kind, type) else ()
    names = {one.__name__ for one in kinds} - {"Exception", "BaseException", "object"}
    return any(re.search(rf"\b{name}\b", text) for name in names | {error})


def raised(function: Function) -> Iterator[str]:
    """The errors that a function's own code raises and does not catch, nested functions apart."""

    def walk(node: ast.AST, caught: frozenset[str]) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Function | ast.Lambda):
                continue
            if isinstance(node, ast.With) and "wrap_disk_errors" in ast.unparse(node.items[0]):
                yield from walk(child, caught | {"OSError"})
                continue
            if isinstance(node, ast.Try) and child in node.body:
                names = {
                    one.id
                    for handler in node.handlers
                    for one in ast.walk(handler.type or ast.Constant(None))
                    if isinstance(one, ast.Name)
                }
                yield from walk(child, caught | names)
                continue
            yield from walk(child, caught)
        if isinstance(node, ast.Raise):
            kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(kind, ast.Name) and kind.id.endswith("Error") and kind.id not in caught:
                yield kind.id

    for statement in function.body:
        if not isinstance(statement, Function):
            yield from walk(statement, frozenset())


def test_every_public_name_says_what_it_is() -> None:
    silent = []
    for module in modules():
        values = site.module_values(module)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isroutine(thing):
                text = inspect.getdoc(thing)
            else:
                text = "".join(values.get(name, ())) or repr(thing)
            if not text:
                silent.append(f"{module.__name__}.{name}")
    assert silent == []


def test_every_public_name_stands_on_a_page_with_what_its_docstring_says() -> None:
    pages = "\n".join(site.name_pages().values())
    missing = [
        f"{module.__name__}.{name}"
        for module in modules()
        for name in module.__all__
        if f"{{ #{module.__name__}.{name} }}" not in pages
    ]
    assert missing == []


def test_a_function_names_the_errors_that_it_raises() -> None:
    silent = [
        f"{module.__name__}.{name} raises {error}"
        for module, name, function, text in functions()
        for error in sorted(set(raised(function)) - {"AssertionError"})
        if not is_named(error, module, text)
    ]
    assert silent == []


def test_an_array_says_its_shape() -> None:
    silent = [
        f"{module.__name__}.{name}({one.arg})"
        for module, name, function, text in functions()
        for one in [*function.args.args, *function.args.kwonlyargs]
        if one.annotation and "NDArray" in ast.unparse(one.annotation)
        if not re.search(r"\bshape\b|\bbits\b", text)
    ]
    assert silent == []


UNIT_IN_NAME = re.compile(
    r"(^|_)(s|seconds|ms|hz|px|mb|gb|bytes|share|days|number|steps|mean|median|ratio|used|hits|cost|"
    r"p_values?|holm_p|score|match|weights|low|high)$"
)
UNIT_IN_TEXT = re.compile(
    r"\b(seconds?|ms|pixels?|px|fractions?|shares?|percent|points|screens|units?|times as|scaled|"
    r"0 (to|and) 1|1 for the|\[0, 1\]|0 leaves|from 0 on|probabilit\w+|temperature|costs?|price|"
    r"dollars|tokens?|similarity|likeness|whole number|a number)\b",
    re.IGNORECASE,
)
FLOATS = re.compile(
    r"float( \| None)?|(Sequence|list)\[float\]|tuple\[float.*\]|Mapping\[str, float\]"
)


def numbers() -> Iterator[tuple[str, str, str]]:
    """Path, own name and text of each floating-point parameter, result and field."""

    def is_float(annotation: ast.expr | None) -> bool:
        return annotation is not None and bool(FLOATS.fullmatch(ast.unparse(annotation)))

    for module, name, function, text in functions():
        for one in [*function.args.args, *function.args.kwonlyargs]:
            if is_float(one.annotation):
                yield f"{module.__name__}.{name}({one.arg})", one.arg, text
        if is_float(function.returns):
            yield f"{module.__name__}.{name}()", function.name, text
    for module in modules():
        for node in ast.parse(inspect.getsource(module)).body:
            if not isinstance(node, ast.ClassDef) or node.name not in module.__all__:
                continue
            for field, after in zip(node.body, [*node.body[1:], None], strict=True):
                if isinstance(field, ast.AnnAssign) and is_float(field.annotation):
                    own = ast.unparse(after) if isinstance(after, ast.Expr) else ""
                    named = ast.unparse(field.target)
                    text = f"{ast.get_docstring(node)} {own}"
                    yield f"{module.__name__}.{node.name}.{named}", named, text


def test_a_number_says_its_unit_or_its_range() -> None:
    silent = [
        path
        for path, name, text in numbers()
        if not name.startswith("_")
        if not UNIT_IN_NAME.search(name) and not UNIT_IN_TEXT.search(text)
    ]
    assert silent == []
