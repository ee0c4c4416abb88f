"""Errors of devices, with those of the sites that one of them shows."""

from tapwright.errors import DeviceError, DeviceLostError, UnsupportedActionError
from tapwright.sites.errors import SiteInstallError, SiteLostError, SiteMissingError

__all__ = [
    "AdbMissingError",
    "AdbServerError",
    "AdbVersionError",
    "AddressRefusedError",
    "AmbiguousDeviceError",
    "BadCapabilitiesError",
    "BadDeviceOutputError",
    "BrowserMissingError",
    "BrowserUnusableError",
    "CommandRefusedError",
    "DesktopMissingError",
    "DesktopUnusableError",
    "DeviceBusyError",
    "DeviceLockedError",
    "DeviceOfflineError",
    "DeviceUnauthorizedError",
    "GuestRefusedError",
    "KeyboardMissingError",
    "LiveStreamError",
    "PageHangsError",
    "PageLeftError",
    "ProfileUnusableError",
    "RemoteProtocolError",
    "RemoteRefusedError",
    "SessionLostError",
    "SessionRefusedError",
    "SiteInstallError",
    "SiteLostError",
    "SiteMissingError",
    "UnhealthyDeviceError",
    "VncServerError",
    "WebDriverServerError",
]


class BrowserMissingError(DeviceError):
    """No Chromium was found to run the built-in phone in."""

    code = "TW301"
    fatal = True


class BrowserUnusableError(DeviceError):
    """A Chromium cannot start on this machine, or draws wrong pictures."""

    code = "TW305"
    fatal = True


class AdbMissingError(DeviceError):
    """No adb server runs here, and there is no adb program that could start one."""

    code = "TW310"
    fatal = True


class AdbServerError(DeviceError):
    """The adb server cannot be reached or started, or something else listens in its place."""

    code = "TW311"
    fatal = True


class AdbVersionError(AdbServerError):
    """The adb server is too old."""

    code = "TW312"


class DeviceUnauthorizedError(DeviceError):
    """A phone has not allowed this computer to drive it, or the computer may not open it."""

    code = "TW313"


class DeviceOfflineError(DeviceError):
    """A phone is listed by adb and does not answer it."""

    code = "TW314"


class AmbiguousDeviceError(DeviceError):
    """No phone with this serial is connected, or several match."""

    code = "TW315"


class KeyboardMissingError(DeviceError):
    """A text needs an input method that takes any language, and the phone does not have it."""

    code = "TW316"


class BadDeviceOutputError(DeviceError):
    """A phone's answer is not what Android writes: garbage, cut off, or without an end."""

    code = "TW317"


class DeviceLockedError(DeviceError):
    """A phone is locked with a PIN, pattern or password, or stays asleep."""

    code = "TW318"


class LiveStreamError(DeviceError):
    """A phone's live picture cannot be had: a wrong scrcpy server, or a stream that is none."""

    code = "TW319"


class RemoteRefusedError(DeviceError):
    """A server of devices does not let this client in: another token, version or address."""

    code = "TW330"
    fatal = True


class RemoteProtocolError(DeviceError):
    """A message over the wire breaks the protocol of device servers and their clients."""

    code = "TW331"


class DeviceBusyError(DeviceError):
    """Another client holds the device; the message names it and the start of its lease."""

    code = "TW332"


class UnhealthyDeviceError(DeviceError):
    """No matching device of a pool is healthy, or recovered in time; the message has its error."""

    code = "TW333"


class DesktopMissingError(DeviceError):
    """A program of the Linux desktop is not installed."""

    code = "TW380"
    fatal = True


class DesktopUnusableError(DeviceError):
    """A server of the Linux desktop does not start on this machine."""

    code = "TW381"
    fatal = True


class VncServerError(DeviceError):
    """A server of a screen elsewhere cannot be reached, lets nobody in, or breaks its protocol."""

    code = "TW382"
    fatal = True


class WebDriverServerError(DeviceError):
    """Nothing at an address speaks WebDriver: it cannot be reached, or answers something else."""

    code = "TW370"
    fatal = True


class SessionRefusedError(DeviceError):
    """A WebDriver server opened no session with the given capabilities."""

    code = "TW371"
    fatal = True


class SessionLostError(DeviceLostError):
    """A WebDriver server no longer knows the session, as it was ended or timed out there."""

    code = "TW372"


class BadCapabilitiesError(DeviceError):
    """A file of WebDriver capabilities is missing, is not JSON, or lacks what a session needs."""

    code = "TW373"
    fatal = True


class CommandRefusedError(UnsupportedActionError):
    """A WebDriver server refused a command; `reason` is the protocol's word for why."""

    code = "TW374"

    def __init__(self, message: str, *, reason: str, hint: str = "") -> None:
        super().__init__(message, hint=hint, values={"reason": reason})
        self.reason = reason


class GuestRefusedError(UnsupportedActionError):
    """A server of OSWorld's protocol refused a request, or the code that it ran failed."""

    code = "TW376"


class PageHangsError(DeviceLostError):
    """A web page runs a script without end, or is too large to be read, and does not respond."""

    code = "TW390"


class AddressRefusedError(UnsupportedActionError):
    """A web page cannot be loaded: its host is not allowed or not there, or wants a certificate."""

    code = "TW391"


class PageLeftError(DeviceLostError):
    """A web page was left, or closed, before it answered."""

    code = "TW393"


class ProfileUnusableError(DeviceError):
    """A browser's kept profile is used by another browser, or its folder cannot be written."""

    code = "TW392"
    fatal = True
