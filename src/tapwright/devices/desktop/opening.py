"""A desktop by its argument: a screen of a size here, or the VNC server of one elsewhere."""

from tapwright.devices.desktop.device import Desktop
from tapwright.devices.desktop.vnc import VncDesktop, open_vnc

__all__ = ["open_desktop"]


def open_desktop(argument: str = "", *, password: str = "") -> Desktop | VncDesktop:
    """Open "1920x1080", "" for 1280x800, or "vnc://HOST:PORT", to which `password` belongs.

    Raises:
        UsageError: the argument is malformed.
        DeviceError: what it names cannot be opened.
    """
    if argument.startswith("vnc:"):
        return open_vnc(argument, password=password)
    return Desktop.named(argument)
