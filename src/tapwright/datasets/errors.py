"""Errors of data sets by name."""

from tapwright.errors import TapwrightError, UsageError

__all__ = [
    "BadLayoutError",
    "DatasetMissingError",
    "DownloadError",
    "GatedDatasetError",
    "RateLimitError",
    "UploadError",
    "WrongHashError",
]


class DatasetMissingError(UsageError):
    """A data set is needed by its name, and was not downloaded, or not completely."""

    code = "TW840"


class DownloadError(TapwrightError):
    """A server has no such data, does not respond, or sends less than it announced."""

    code = "TW841"
    fatal = True


class GatedDatasetError(DownloadError):
    """A server gives the data only to those who accepted its licence, and have a token."""

    code = "TW842"
    fatal = True


class RateLimitError(DownloadError):
    """A server wants fewer requests, and a longer pause than is waited for."""

    code = "TW843"
    fatal = True


class WrongHashError(DownloadError):
    """A downloaded file is not the one that was published; it was removed."""

    code = "TW844"
    fatal = True


class BadLayoutError(TapwrightError):
    """Data is not as its benchmark needs it: a table lacks columns, or a folder is missing."""

    code = "TW845"


class UploadError(TapwrightError):
    """A server does not take the data: the token may not write, or it does not respond."""

    code = "TW846"
    fatal = True
