import ast
import builtins
import pickle
import re
import sys
from pathlib import Path
from types import new_class

import pytest

from tapwright.errors import (
    DeviceError,
    MissingExtraError,
    TapwrightError,
    UngroundedAnswerError,
    UnknownNameError,
    every_error,
)


def test_every_error_says_when_and_is_listed_by_its_package() -> None:
    for one in every_error().values():
        assert one.meaning
        assert one.kind.__name__ in sys.modules[one.kind.__module__].__all__, one
        assert one.kind.__module__.endswith("errors")


def test_an_error_without_a_class_is_of_the_kind_that_is_caught() -> None:
    error = every_error()["TW301"]("none here", hint="install one")
    assert (type(error), error.code, error.hint) == (DeviceError, "TW301", "install one")
    assert error.fatal
    assert not DeviceError("it").fatal
    assert error.exit_code == DeviceError.exit_code


@pytest.mark.slow
def test_docstrings_promise_errors_that_exist() -> None:
    nodes = [
        node
        for file in (Path(__file__).parents[1] / "src").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    ]
    known = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    promised = {
        name
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for name in re.findall(
            r"^ +([A-Z]\w+):", (ast.get_docstring(node) or "").partition("Raises:")[2], re.MULTILINE
        )
    }
    # pydantic's, which is the only one from elsewhere.
    assert promised - known - {"ValidationError"} - set(dir(builtins)) == set()


def test_an_error_needs_a_code_of_its_own() -> None:
    with pytest.raises(TypeError, match="'code'"):
        new_class("NewError", (TapwrightError,))
    with pytest.raises(TypeError, match="has the code of UsageError, TW100"):
        new_class("NewError", (TapwrightError,), {"code": "TW100"})


@pytest.mark.parametrize(
    "error",
    [
        *(one("what, and where", hint="the way out") for one in every_error().values()),
        UnknownNameError("task", "wifi", ["wifi_off"]),
        MissingExtraError("a cluster", "ray"),
        UngroundedAnswerError("no place", reasoning="I see it", target="a button"),
    ],
    ids=lambda error: error.code,
)  # fmt: skip
def test_an_error_is_the_same_in_another_process(error: TapwrightError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))
    assert vars(again) == vars(error)
