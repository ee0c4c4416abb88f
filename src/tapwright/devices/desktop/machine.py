"""All that a desktop consists of: its screen, what talks to it, and the episode's session."""

import time

from Xlib import X
from Xlib.ext.xtest import fake_input

from tapwright.core.geometry import Size
from tapwright.devices.desktop.accessibility import BusThread
from tapwright.devices.desktop.arrival import Arrival
from tapwright.devices.desktop.busy import is_any_busy, is_any_due
from tapwright.devices.desktop.children import Children
from tapwright.devices.desktop.display import VirtualScreen
from tapwright.devices.desktop.files import HomeFiles
from tapwright.devices.desktop.hand import DesktopHand
from tapwright.devices.desktop.home import Home
from tapwright.devices.desktop.keyboard import Keyboard
from tapwright.devices.desktop.pointer import Pixel, Pointer
from tapwright.devices.desktop.programs import find_programs
from tapwright.devices.desktop.session import Session
from tapwright.devices.desktop.windows import Windows
from tapwright.devices.desktop.x11 import XConnection
from tapwright.files.temporary import OwnedDirectory

__all__ = ["Machine", "XMouse"]


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


_UNREAD_S = 0.15  # what does not say when it has read its keys gets so long


class Machine:
    """A screen of `size` with nothing on it until `begin`; all of it ends with `close`.

    Raises:
        DeviceError: programs are not installed.
        DeviceError: one of them does not start.
    """

    session: Session

    def __init__(self, size: Size) -> None:
        self.programs = find_programs()
        self._directory = OwnedDirectory("tapwright-desktop-")
        self._folder = self._directory.path
        self._closed = False
        self._connection: XConnection | None = None
        self._home = Home(self._folder)
        self.files = HomeFiles(self._home.path)
        self.bus_thread = BusThread()
        self.children = Children()
        try:
            self.screen = VirtualScreen(
                size, programs=self.programs, children=self.children, folder=self._folder
            )
            self._connection = XConnection(self.screen.name)
            self._connection.paint_root()
            self.windows = Windows(self._connection)
            self.arrival = Arrival(self._connection, self.windows)
            self.keyboard = Keyboard(self._connection, self._settle)
            self.pointer = Pointer(XMouse(self._connection))
            self.hand = DesktopHand(self.pointer, self.keyboard, lambda: size)
        except BaseException:
            self.close()
            raise
        self._corner = (size.width - 1, size.height - 1)

    def begin(self, language: str) -> None:
        """End all programs but the screen, and start a session with a new home."""
        self.children.end(but=[self.screen.pid])
        self.windows.forget()
        self.session = Session(
            self.screen, self._home, language=language, programs=self.programs,
            children=self.children, thread=self.bus_thread, log=self._folder / "programs.log",
        )  # fmt: skip
        self.session.await_start("openbox", self.session.window_manager, self.windows.ready)
        self.hand.let_go()
        self.keyboard.release()
        self.pointer.release(self._corner)

    def is_busy(self) -> bool:
        """Whether the screen, the window manager or a program with a window has work to do."""
        servers = {self.screen.pid, self.session.window_manager}
        return is_any_busy(servers | self.windows.programs())

    def is_due(self, within_s: float) -> bool:
        """Whether a program with a window waits for a timer of no more than this."""
        return is_any_due(self.windows.programs(), within_s)

    def close(self) -> None:
        """End everything; more than once is allowed."""
        if self._closed:
            return
        self._closed = True
        if self._connection is not None:
            self._connection.close()
        self.children.close()
        self.bus_thread.close()
        self._directory.remove()

    def _settle(self) -> None:
        if not self.arrival.wait():
            time.sleep(_UNREAD_S)
