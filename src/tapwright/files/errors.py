"""Errors of files, here and at URLs."""

from tapwright.errors import ErrorCode, TapwrightError

__all__ = ["RESOURCE_LIMIT", "RemoteFileError"]


class RemoteFileError(TapwrightError, code="TW232", fatal=True):
    """What is at a URL could not be fetched, or could not be put there."""


# fmt: off
RESOURCE_LIMIT = ErrorCode("TW209", TapwrightError,
    "The system gives a process no more open files; nothing is wrong with what it "
    "reads.", fatal=True)
