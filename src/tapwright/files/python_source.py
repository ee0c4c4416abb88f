"""Python source as a tree, read by one thread at a time.

CPython counts the depth of all trees that are being made in one place, so that two threads which
make one at a time are told of a mismatch: "SystemError: AST constructor recursion depth mismatch"
(seen on 3.11.7; https://github.com/python/cpython/issues/106905). The web app reads suites and
filters in threads.
"""

import ast
from threading import Lock

__all__ = ["parse_expression", "parse_statements", "read_literal"]

_PARSING = Lock()


def parse_statements(text: str) -> list[ast.stmt]:
    """The statements of a text; raises as `ast.parse` does."""
    with _PARSING:
        return ast.parse(text).body


def parse_expression(text: str) -> ast.expr:
    """The one expression that a text is; raises as `ast.parse` does."""
    with _PARSING:
        return ast.parse(text, mode="eval").body


def read_literal(text: str) -> object:
    """The value of a text that is one literal; raises as `ast.literal_eval` does."""
    return ast.literal_eval(parse_expression(text.lstrip(" \t")))
