"""What is closed when a `with` ends."""

from abc import abstractmethod
from typing import Self

__all__ = ["Closing"]


class Closing:
    """The base of what has `close`, which the end of a `with` calls, after an error, too."""

    __slots__ = ()

    @abstractmethod
    def close(self) -> None:
        """Give back what is held; more than once is allowed."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
