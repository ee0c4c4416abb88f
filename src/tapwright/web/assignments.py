"""What a recording tells the team's queue: the one thing that both have to do with each other."""

from typing import Annotated, Protocol, TypeAlias

from pydantic import Field

__all__ = ["Assignments", "ItemNumber"]

ItemNumber: TypeAlias = Annotated[int, Field(ge=1, lt=2**31)]
"""The number of an item, as every database can hold it."""


class Assignments(Protocol):
    """The queue, as who records sees it; `item` is what `POST api/sessions` calls "assignment".

    Its calls may block for a moment; each may raise `LeaseError`, which never ends a recording.
    """

    def began(self, name: str, item: int, episode: str) -> None:
        """`name` records this episode for the item."""

    def keep(self, name: str, item: int) -> None:
        """`name` is still at it; to be called now and then."""

    def complete(self, name: str, item: int, episode: str) -> None:
        """The item's episode has been recorded to its end, with whatever outcome."""
