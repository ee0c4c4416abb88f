"""The params of a modifier, each taken as the type that is expected."""

from typing import TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from tapwright.curate.edit.grammar import Modifier
from tapwright.errors import UsageError, first_problem

__all__ = ["INTEGER", "NUMBER", "STEPS", "TEXT", "WHICH", "Parameters"]

T = TypeVar("T")

INTEGER = TypeAdapter(int)
NUMBER = TypeAdapter(float)
STEPS = TypeAdapter(list[int])
TEXT = TypeAdapter(str, config=ConfigDict(coerce_numbers_to_str=True))
WHICH: TypeAdapter[int | str | list[str]] = TypeAdapter(int | str | list[str])
"""An instruction: its number, its words, or several."""


class Parameters:
    """The params of a modifier; `expected` describes them in errors."""

    def __init__(self, modifier: Modifier, expected: str) -> None:
        self.expected = expected
        self.left = list(modifier.params)

    def take(self, kind: TypeAdapter[T], what: str) -> T:
        """The next param.

        Raises:
            UsageError: there is none, or it is not `what` is expected.
        """
        if not self.left:
            raise UsageError(f"{what} is missing; expected {self.expected}")
        value = self.left.pop(0)
        try:
            return kind.validate_python(value)
        except ValidationError as error:
            shown = repr(value)[:200]
            raise UsageError(f"{shown} is not {what}: {first_problem(error)}") from error

    def end(self) -> None:
        """Check that no param is left.

        Raises:
            UsageError: a param is left.
        """
        if self.left:
            raise UsageError(f"{self.left[0]!r} is one param too many; expected {self.expected}")
