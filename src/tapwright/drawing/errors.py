"""Errors of drawing."""

from tapwright.errors import ErrorCode, TapwrightError

__all__ = ["FONT_MISSING"]

# fmt: off
FONT_MISSING = ErrorCode("TW113", TapwrightError,
    "No installed font has the characters of a text to be drawn.")
