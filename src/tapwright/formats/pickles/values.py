"""Values of a pickle that are not what they will be: large ones, and what NumPy's names make."""

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["LARGE_BYTES", "Array", "LargeData", "LargeValueStore", "NumberKind", "RawArray"]

Array: TypeAlias = NDArray[Any]

LARGE_BYTES = 4096
"""From here on a value is kept outside of memory."""


class LargeValueStore(Protocol):
    """Moves large values out of memory; what it returns replaces the value.

    It must accept every value: what is wrong with one is reported when it is used.
    """

    def store_text(self, text: str) -> object:
        """Store a text of 4 kB or more."""

    def store_array(self, array: Array) -> object:
        """Store an array of 4 kB or more."""


@dataclass(slots=True)
class LargeData:
    """A large text or bytes until it enters an array or a container, where it is stored.

    The memo of a pickle refers to this too, so clearing `data` frees the memory.
    """

    data: str | bytes | None
    stored: object = None


@dataclass(slots=True)
class RawArray:
    """An array under construction."""

    stored: object = None


@dataclass(slots=True)
class NumberKind:
    """A type of numbers; its byte order follows in a later opcode."""

    code: str
    order: str = "="

    def dtype(self) -> np.dtype[Any]:
        """NumPy's own, in this byte order."""
        return np.dtype(self.order + self.code)
