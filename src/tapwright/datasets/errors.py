"""Errors of data sets by name."""

from tapwright.errors import ErrorCode, TapwrightError, UsageError

__all__ = [
    "GATED_DATASET", "RATE_LIMIT", "UPLOAD", "BadLayoutError", "DatasetMissingError",
    "DownloadError", "WrongHashError",
]  # fmt: skip


class DatasetMissingError(UsageError, code="TW840"):
    """A data set is needed by its name, and was not downloaded, or not completely."""


class DownloadError(TapwrightError, code="TW841", fatal=True):
    """A server has no such data, does not respond, or sends less than it announced."""


class WrongHashError(DownloadError, code="TW844", fatal=True):
    """A downloaded file is not the one that was published; it was removed."""


class BadLayoutError(TapwrightError, code="TW845"):
    """Data is not as its benchmark needs it: a table lacks columns, or a folder is missing."""


# fmt: off
GATED_DATASET = ErrorCode("TW842", DownloadError,
    "A server gives the data only to those who accepted its licence, and have a "
    "token.", fatal=True)
RATE_LIMIT = ErrorCode("TW843", DownloadError,
    "A server wants fewer requests, and a longer pause than is waited for.", fatal=True)
UPLOAD = ErrorCode("TW846", TapwrightError,
    "A server does not take the data: the token may not write, or it does not "
    "respond.", fatal=True)
