"""The team's queue as recordings and their reviews use it: the interface between the packages."""

from typing import Annotated, Protocol, TypeAlias

from pydantic import Field

__all__ = ["Assignments", "ItemNumber", "ReopenableQueue"]

ItemNumber: TypeAlias = Annotated[int, Field(ge=1, lt=2**31)]
"""The number of an item, in the range of every database's integers."""


class Assignments(Protocol):
    """The team's queue; `item` is the "assignment" of `POST api/sessions`.

    Its calls may block for a moment; each may raise `LeaseError`, which never ends a recording.
    """

    def start(self, name: str, item: int, episode: str) -> None:
        """Link the episode that `name` is recording to the item."""

    def unlink(self, name: str, item: int, episode: str) -> None:
        """Forget an episode that was begun for the item and left nothing."""

    def renew(self, name: str, item: int) -> None:
        """Renew the lease of `name`, who is still recording."""

    def complete(self, name: str, item: int, episode: str) -> None:
        """Mark the item as recorded, whatever the episode's outcome."""


class ReopenableQueue(Protocol):
    """The team's queue as the review of recordings uses it; each call may raise `LeaseError`."""

    def find_completed(self, episode: str) -> tuple[int, str] | None:
        """The item that an episode completed and its member; None when it can ask for no other."""

    def reopen(self, item: int, name: str) -> None:
        """Ask for the recording of a member again."""

    def complete(self, name: str, item: int, episode: str) -> None:
        """Mark the item as recorded with this episode."""
