"""Errors of edits."""

from tapwright.errors import UsageError

__all__ = [
    "BadModifierError",
]


class BadModifierError(UsageError):
    """A modifier is not in the edit grammar, or refers to what an episode does not have."""

    code = "TW820"
