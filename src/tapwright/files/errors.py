"""Errors of files, here and at URLs."""

from tapwright.errors import TapwrightError

__all__ = [
    "RemoteFileError",
    "ResourceLimitError",
]


class RemoteFileError(TapwrightError):
    """What is at a URL could not be fetched, or could not be put there."""

    code = "TW232"
    fatal = True


class ResourceLimitError(TapwrightError):
    """The system gives a process no more open files; nothing is wrong with what it reads."""

    code = "TW209"
    fatal = True
