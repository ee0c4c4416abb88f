"""Errors of remote files."""

from tapwright.errors import TapwrightError

__all__ = [
    "RemoteFileError",
]


class RemoteFileError(TapwrightError):
    """What is at a URL could not be fetched, or could not be put there."""

    code = "TW232"
    fatal = True
