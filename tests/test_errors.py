import inspect
import pickle

import pytest

from tapwright.errors import (
    MissingExtraError,
    TapwrightError,
    UngroundedAnswerError,
    UnknownNameError,
    every_error,
)


def test_every_error_has_a_code_of_its_own_and_says_when() -> None:
    def kinds(root: type[TapwrightError]) -> list[type[TapwrightError]]:
        return [root, *(kind for child in root.__subclasses__() for kind in kinds(child))]

    found = [kind for kind in kinds(TapwrightError) if kind.__module__ == "tapwright.errors"]
    codes = [kind.__dict__.get("code") for kind in found]
    assert None not in codes
    assert len(set(codes)) == len(codes)
    assert all(inspect.getdoc(kind) for kind in found)
    assert set(codes) <= set(every_error())


@pytest.mark.parametrize(
    "error",
    [
        *(kind("what, and where", hint="the way out") for kind in set(every_error().values())
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
