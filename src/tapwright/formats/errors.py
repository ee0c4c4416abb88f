"""Errors of foreign data formats."""

from tapwright.errors import ErrorCode, TapwrightError

__all__ = [
    "SFT_FILE", "UNSAFE_ARCHIVE", "UNSAFE_PICKLE", "BadTrainingSetError", "BrokenPackError",
    "BrokenPickleError", "ForeignDataError",
]  # fmt: skip


class BadTrainingSetError(TapwrightError, code="TW620"):
    """A training set breaks a rule of its trainer; the message names file and sample."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint or "write it again: tapwright sft export … -o NEW")


class ForeignDataError(TapwrightError, code="TW800"):
    """Another tool's data breaks its format, or is not safe to read."""


class BrokenPickleError(ForeignDataError, code="TW802"):
    """A pickle is empty, truncated, or malformed; the message names the byte."""


class BrokenPackError(ForeignDataError, code="TW830"):
    """A packed data set is incomplete, or its pictures do not match their hashes."""


# fmt: off
UNSAFE_PICKLE = ErrorCode("TW801", ForeignDataError,
    "A pickle names or makes what plain data does not need; it could run code, and was not run.")
UNSAFE_ARCHIVE = ErrorCode("TW803", ForeignDataError,
    "An archive holds a name that leads out of it, a link, or more than the disk has room for.")
SFT_FILE = ErrorCode("TW641", TapwrightError,
    "A file of weights or paraphrases, given to an export, is not one.")
