"""Errors of edits."""

from tapwright.errors import ErrorCode, UsageError
from tapwright.store.errors import EditConflictError

__all__ = ["PART_EDITED", "BadModifierError"]


class BadModifierError(UsageError, code="TW820"):
    """A modifier is not in the edit grammar, or refers to what an episode does not have."""


# fmt: off
PART_EDITED = ErrorCode("TW824", EditConflictError,
    "An edit is not undone, as an episode that it made was edited since; nothing was changed.")
