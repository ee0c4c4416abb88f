"""Errors of drawing."""

from tapwright.errors import TapwrightError

__all__ = [
    "FontMissingError",
]


class FontMissingError(TapwrightError):
    """No installed font has the characters that were to be drawn."""

    code = "TW113"
