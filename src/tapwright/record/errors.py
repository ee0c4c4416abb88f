"""Errors of recording."""

from tapwright.errors import ErrorCode, StoreError, TapwrightError

__all__ = [
    "DEVICE_NOT_RESTORED", "DEVICE_UNAVAILABLE", "NO_FIELD_FOCUSED", "JournalError",
    "RecordingError",
]  # fmt: skip


class RecordingError(TapwrightError, code="TW190"):
    """A demonstration does not take this now: it is paused, has ended, or never had the step."""


class JournalError(StoreError, code="TW192"):
    """The journal of a demonstration is broken, or is not one; the message names file and line."""


# fmt: off
DEVICE_UNAVAILABLE = ErrorCode("TW191", RecordingError,
    "A demonstration has no device at the moment; nothing was done, and what is recorded stays.")
DEVICE_NOT_RESTORED = ErrorCode("TW193", RecordingError,
    "A device is not where a demonstration left it; it takes nothing until it is brought back.")
NO_FIELD_FOCUSED = ErrorCode("TW194", RecordingError,
    "Text was to be typed while no field of the screen has the focus; nothing was done.")
