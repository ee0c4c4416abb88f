import inspect
import pickle
import sys

import pytest

from tapwright.errors import (
    MissingExtraError,
    TapwrightError,
    UngroundedAnswerError,
    UnknownNameError,
    every_error,
)


def test_every_error_says_when_and_is_listed_by_its_room() -> None:
    for kind in every_error().values():
        assert inspect.getdoc(kind)
        assert kind.__name__ in sys.modules[kind.__module__].__all__, kind
        assert kind.__module__.endswith("errors")


def test_an_error_needs_a_code_of_its_own() -> None:
    with pytest.raises(TypeError, match="needs a `code`"):
        type("NewError", (TapwrightError,), {})
    with pytest.raises(TypeError, match="has the code of UsageError, TW100"):
        type("NewError", (TapwrightError,), {"code": "TW100"})


@pytest.mark.parametrize(
    "error",
    [
        *(kind("what, and where", hint="the way out")
          for kind in dict.fromkeys(every_error().values())
          if kind.__init__ is TapwrightError.__init__),
        UnknownNameError("task", "wifi", ["wifi_off"]),
        MissingExtraError("a cluster", "ray"),
        UngroundedAnswerError("no place", reasoning="I see it", target="a button"),
    ],
    ids=lambda error: type(error).__name__,
)  # fmt: skip
def test_an_error_is_the_same_in_another_process(error: TapwrightError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))
    assert vars(again) == vars(error)
