"""The team's queue as a recording uses it: the interface between the two packages."""

from typing import Annotated, Protocol, TypeAlias

from pydantic import Field

__all__ = ["Assignments", "ItemNumber"]

ItemNumber: TypeAlias = Annotated[int, Field(ge=1, lt=2**31)]
"""The number of an item, in the range of every database's integers."""


class Assignments(Protocol):
    """The team's queue; `item` is the "assignment" of `POST api/sessions`.

    Its calls may block for a moment; each may raise `LeaseError`, which never ends a recording.
    """

    def start(self, name: str, item: int, episode: str) -> None:
        """Link the episode that `name` is recording to the item."""

    def renew(self, name: str, item: int) -> None:
        """Renew the lease of `name`, who is still recording."""

    def complete(self, name: str, item: int, episode: str) -> None:
        """Mark the item as recorded, whatever the episode's outcome."""
