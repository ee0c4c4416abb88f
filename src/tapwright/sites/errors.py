"""Errors of the sites that tapwright installs and starts."""

from tapwright.errors import DeviceError, DeviceLostError, TapwrightError

__all__ = ["SiteInstallError", "SiteLostError", "SiteMissingError"]


class SiteMissingError(DeviceError):
    """A site is needed that is not installed."""

    code = "TW360"


class SiteLostError(DeviceLostError):
    """A site does not start, has ended, or does not answer."""

    code = "TW361"


class SiteInstallError(TapwrightError):
    """The packages of a site cannot be installed."""

    code = "TW362"
    fatal = True
