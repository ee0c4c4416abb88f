"""Errors of the Gymnasium environments."""

from tapwright.errors import UsageError

__all__ = [
    "BadGymActionError",
]


class BadGymActionError(UsageError):
    """A Gymnasium environment received an action that is not in its action space."""

    code = "TW340"
