"""Errors of drawing."""

from tapwright.errors import TapwrightError

__all__ = [
    "FontMissingError",
]


class FontMissingError(TapwrightError):
    """No installed font has the characters of a text to be drawn."""

    code = "TW113"
