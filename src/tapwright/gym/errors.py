"""Errors of the Gymnasium environments."""

from tapwright.errors import UsageError

__all__ = [
    "BadGymActionError",
]


class BadGymActionError(UsageError):
    """What a Gymnasium environment was given is no member of its action space."""

    code = "TW340"
