"""Errors of the sites that tapwright installs and starts."""

from tapwright.errors import DeviceError, DeviceLostError, ErrorCode, TapwrightError

__all__ = ["SITE_INSTALL", "SITE_MISSING", "SiteLostError"]


class SiteLostError(DeviceLostError, code="TW361"):
    """A site does not start, has ended, or does not answer."""


# fmt: off
SITE_MISSING = ErrorCode("TW360", DeviceError, "A site is needed that is not installed.")
SITE_INSTALL = ErrorCode("TW362", TapwrightError,
    "The packages of a site cannot be installed.", fatal=True)
