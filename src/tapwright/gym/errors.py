"""Errors of the Gymnasium environments."""

from tapwright.errors import ErrorCode, UsageError

__all__ = ["BAD_GYM_ACTION"]

# fmt: off
BAD_GYM_ACTION = ErrorCode("TW340", UsageError,
    "A Gymnasium environment received an action that is not in its action space.")
