"""Errors of the faces."""

from tapwright.errors import UsageError

__all__ = ["BadToolCallError"]


class BadToolCallError(UsageError):
    """A client called a tool that there is not, or with values that the tool does not take."""

    code = "TW341"
