"""Errors of edits."""

from tapwright.errors import UsageError
from tapwright.store.errors import EditConflictError

__all__ = [
    "BadModifierError",
    "PartEditedError",
]


class BadModifierError(UsageError):
    """A modifier is not in the edit grammar, or refers to what an episode does not have."""

    code = "TW820"


class PartEditedError(EditConflictError):
    """An edit is not undone, as an episode that it made was edited since; nothing was changed."""

    code = "TW824"
