"""Errors of devices, with those of the sites that one of them shows."""

from tapwright.errors import DeviceError, DeviceLostError, ErrorCode, UnsupportedActionError
from tapwright.sites.errors import SITE_INSTALL, SITE_MISSING, SiteLostError

__all__ = [
    "ACTION_FORBIDDEN", "ADB_VERSION", "ADDRESS_REFUSED", "AMBIGUOUS_DEVICE", "BAD_CAPABILITIES",
    "BROWSER_MISSING", "BROWSER_UNUSABLE", "DESKTOP_MISSING", "DESKTOP_UNUSABLE", "DEVICE_BUSY",
    "DEVICE_LOCKED", "DEVICE_OFFLINE", "DEVICE_UNAUTHORIZED", "GUEST_REFUSED", "KEYBOARD_MISSING",
    "PAGE_HANGS", "PROFILE_UNUSABLE", "REMOTE_REFUSED", "SESSION_REFUSED", "SITE_INSTALL",
    "SITE_MISSING", "UNHEALTHY_DEVICE", "WEB_DRIVER_SERVER", "AdbMissingError", "AdbServerError",
    "BadDeviceOutputError", "CommandRefusedError", "LiveStreamError", "PageLeftError",
    "RemoteProtocolError", "SessionLostError", "SiteLostError", "VncServerError",
]  # fmt: skip


class AdbMissingError(DeviceError, code="TW310", fatal=True):
    """No adb server runs here, and there is no adb program that could start one."""


class AdbServerError(DeviceError, code="TW311", fatal=True):
    """The adb server cannot be reached or started, or something else listens in its place."""


class BadDeviceOutputError(DeviceError, code="TW317"):
    """A phone's answer is not what Android writes: garbage, cut off, or without an end."""


class LiveStreamError(DeviceError, code="TW319"):
    """A phone's live picture cannot be had: a wrong scrcpy server, or a stream that is none."""


class RemoteProtocolError(DeviceError, code="TW331"):
    """A message over the wire breaks the protocol of device servers and their clients."""


class VncServerError(DeviceError, code="TW382", fatal=True):
    """A server of a screen elsewhere cannot be reached, lets nobody in, or breaks its protocol."""


class SessionLostError(DeviceLostError, code="TW372"):
    """A WebDriver server no longer knows the session, as it was ended or timed out there."""


class CommandRefusedError(UnsupportedActionError, code="TW374"):
    """A WebDriver server refused a command; `reason` is the protocol's word for why."""

    def __init__(self, message: str, *, reason: str, hint: str = "") -> None:
        super().__init__(message, hint=hint, values={"reason": reason})
        self.reason = reason


class PageLeftError(DeviceLostError, code="TW393"):
    """A web page was left, or closed, before it answered."""


# fmt: off
BROWSER_MISSING = ErrorCode("TW301", DeviceError,
    "No Chromium was found to run the built-in phone in.", fatal=True)
BROWSER_UNUSABLE = ErrorCode("TW305", DeviceError,
    "A Chromium cannot start on this machine, or draws wrong pictures.", fatal=True)
ADB_VERSION = ErrorCode("TW312", AdbServerError, "The adb server is too old.")
DEVICE_UNAUTHORIZED = ErrorCode("TW313", DeviceError,
    "A phone has not allowed this computer to drive it, or the computer may not open it.")
DEVICE_OFFLINE = ErrorCode("TW314", DeviceError,
    "A phone is listed by adb and does not answer it.")
AMBIGUOUS_DEVICE = ErrorCode("TW315", DeviceError,
    "No phone with this serial is connected, or several match.")
KEYBOARD_MISSING = ErrorCode("TW316", DeviceError,
    "A text needs an input method that takes any language, and the phone does not have it.")
DEVICE_LOCKED = ErrorCode("TW318", DeviceError,
    "A phone is locked with a PIN, pattern or password, or stays asleep.")
REMOTE_REFUSED = ErrorCode("TW330", DeviceError,
    "A server of devices does not let this client in: another token, version or "
    "address.", fatal=True)
DEVICE_BUSY = ErrorCode("TW332", DeviceError,
    "Another client holds the device; the message names it and the start of its lease.")
UNHEALTHY_DEVICE = ErrorCode("TW333", DeviceError,
    "No matching device of a pool is healthy, or recovered in time; the message has its error.")
DESKTOP_MISSING = ErrorCode("TW380", DeviceError,
    "A program of the Linux desktop is not installed.", fatal=True)
DESKTOP_UNUSABLE = ErrorCode("TW381", DeviceError,
    "A server of the Linux desktop does not start on this machine.", fatal=True)
WEB_DRIVER_SERVER = ErrorCode("TW370", DeviceError,
    "Nothing at an address speaks WebDriver: it cannot be reached, or answers something "
    "else.", fatal=True)
SESSION_REFUSED = ErrorCode("TW371", DeviceError,
    "A WebDriver server opened no session with the given capabilities.", fatal=True)
BAD_CAPABILITIES = ErrorCode("TW373", DeviceError,
    "A file of WebDriver capabilities is missing, is not JSON, or lacks what a session "
    "needs.", fatal=True)
GUEST_REFUSED = ErrorCode("TW376", UnsupportedActionError,
    "A server of OSWorld's protocol refused a request, or the code that it ran failed.")
PAGE_HANGS = ErrorCode("TW390", DeviceLostError,
    "A web page runs a script without end, or is too large to be read, and does not respond.")
ADDRESS_REFUSED = ErrorCode("TW391", UnsupportedActionError,
    "A web page cannot be loaded: its host is not allowed or not there, or wants a certificate.")
ACTION_FORBIDDEN = ErrorCode("TW394", UnsupportedActionError,
    "An action is not among those that --allow lets an agent do.")
PROFILE_UNUSABLE = ErrorCode("TW392", DeviceError,
    "A browser's kept profile is used by another browser, or its folder cannot be "
    "written.", fatal=True)
