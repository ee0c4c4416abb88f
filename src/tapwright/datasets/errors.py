"""Errors of data sets by name."""

from tapwright.errors import ErrorCode, TapwrightError, UsageError

__all__ = [
    "GATED_DATASET",
    "RATE_LIMIT",
    "UPLOAD",
    "BadLayoutError",
    "DatasetMissingError",
    "DownloadError",
    "WrongHashError",
]


class DatasetMissingError(UsageError):
    """A data set is needed by its name, and was not downloaded, or not completely."""

    code = "TW840"


class DownloadError(TapwrightError):
    """A server has no such data, does not respond, or sends less than it announced."""

    code = "TW841"
    fatal = True


class WrongHashError(DownloadError):
    """A downloaded file is not the one that was published; it was removed."""

    code = "TW844"
    fatal = True


class BadLayoutError(TapwrightError):
    """Data is not as its benchmark needs it: a table lacks columns, or a folder is missing."""

    code = "TW845"


# fmt: off
GATED_DATASET = ErrorCode("TW842", DownloadError,
    "A server gives the data only to those who accepted its licence, and have a "
    "token.", fatal=True)
RATE_LIMIT = ErrorCode("TW843", DownloadError,
    "A server wants fewer requests, and a longer pause than is waited for.", fatal=True)
UPLOAD = ErrorCode("TW846", TapwrightError,
    "A server does not take the data: the token may not write, or it does not "
    "respond.", fatal=True)
