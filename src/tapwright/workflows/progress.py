"""How a workflow reports progress: to a bar, a log, or not at all."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TypeAlias

__all__ = ["Advance", "ShowProgress", "no_progress"]


class Advance(Protocol):
    """Reports that `count` more items are done, and in a word what is being done."""

    def __call__(self, count: int, doing: str = "") -> None:
        """Advance the progress."""


ShowProgress: TypeAlias = Callable[[str, int], AbstractContextManager[Advance]]
"""Opens the progress of a stage, from its title and the number of its items."""


@contextmanager
def no_progress(title: str, total: int) -> Iterator[Advance]:
    """Reports nothing."""

    def advance(count: int, doing: str = "") -> None:
        pass

    yield advance
