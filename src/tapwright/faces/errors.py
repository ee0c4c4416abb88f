"""Errors of the faces."""

from tapwright.errors import ErrorCode, UsageError

__all__ = ["BAD_TOOL_CALL"]

# fmt: off
BAD_TOOL_CALL = ErrorCode("TW341", UsageError,
    "A client called a tool that there is not, or with values that the tool does not take.")
