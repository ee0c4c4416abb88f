"""Errors of recording."""

from tapwright.errors import StoreError, TapwrightError

__all__ = [
    "DeviceNotRestoredError",
    "DeviceUnavailableError",
    "JournalError",
    "NoFieldFocusedError",
    "RecordingError",
]


class RecordingError(TapwrightError):
    """A demonstration does not take this now: it is paused, has ended, or never had the step."""

    code = "TW190"


class DeviceUnavailableError(RecordingError):
    """A demonstration has no device at the moment; nothing was done, and what is recorded stays."""

    code = "TW191"


class DeviceNotRestoredError(RecordingError):
    """A device is not where a demonstration left it; it takes nothing until it is brought back."""

    code = "TW193"


class NoFieldFocusedError(RecordingError):
    """Text was to be typed while no field of the screen has the focus; nothing was done."""

    code = "TW194"


class JournalError(StoreError):
    """The journal of a demonstration is broken, or is not one; the message names file and line."""

    code = "TW192"
