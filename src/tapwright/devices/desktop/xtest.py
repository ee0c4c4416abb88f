"""A mouse on an X server, by the extension XTEST.

https://www.x.org/releases/current/doc/xextproto/xtest.html
"""

from Xlib import X
from Xlib.ext.xtest import fake_input

from tapwright.devices.desktop.pointer import Pixel
from tapwright.devices.desktop.x11 import XConnection

__all__ = ["XMouse"]


class XMouse:
    """The mouse of one display."""

    def __init__(self, connection: XConnection) -> None:
        self._x = connection

    def move(self, at: Pixel) -> None:
        """Move to a pixel."""
        self._send(X.MotionNotify, x=at[0], y=at[1])

    def press(self, button: int) -> None:
        """Press a button."""
        self._send(X.ButtonPress, button)

    def release(self, button: int) -> None:
        """Release a button."""
        self._send(X.ButtonRelease, button)

    def flush(self) -> None:
        """Return when the server has taken what was sent."""
        with self._x.within():
            self._x.display.sync()

    def _send(self, kind: int, detail: int = 0, *, x: int = 0, y: int = 0) -> None:
        with self._x.within():
            fake_input(self._x.display, kind, detail, x=x, y=y)
