"""All that a desktop consists of: its screen, what talks to it, and the episode's session."""

import os
import re
import time
from pathlib import Path

from pydantic import JsonValue
from Xlib import X
from Xlib.ext.xtest import fake_input

from tapwright.core.geometry import Size
from tapwright.devices.desktop.accessibility_bus import BusThread
from tapwright.devices.desktop.arrival import Arrival
from tapwright.devices.desktop.children import Children, is_any_busy, is_any_due
from tapwright.devices.desktop.display import VirtualScreen
from tapwright.devices.desktop.documents.making import make_document
from tapwright.devices.desktop.documents.views import VIEWS, read_view
from tapwright.devices.desktop.home import Home
from tapwright.devices.desktop.keyboard import Keyboard
from tapwright.devices.desktop.pointer import DesktopHand, Pixel, Pointer
from tapwright.devices.desktop.programs import find_programs
from tapwright.devices.desktop.session import Session
from tapwright.devices.desktop.windows import Windows
from tapwright.devices.desktop.x11 import XConnection
from tapwright.devices.limits import MAX_HOME_FILE
from tapwright.errors import DeviceError
from tapwright.files.temporary import OwnedDirectory

__all__ = ["HomeFiles", "Machine", "XMouse"]


_ROOT = "files"
_VIEW = re.compile(rf"\.({'|'.join(VIEWS)})(?=\.|\Z)")


class HomeFiles:
    """The files below `home`; nothing outside of it is read or written, not by a link either."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def put(self, path: str, value: JsonValue) -> None:
        """Write a file, with the folders that it is in; {} makes an empty folder.

        `value` is the text of the file, for a spreadsheet CSV, for a text document its lines.

        Raises:
            DeviceError: it is no path of a file below the home, or `value` is no text.
        """
        target = self._place(path)
        is_folder = value == {}
        if target is None or target == self._home or not (isinstance(value, str) or is_folder):
            raise DeviceError(
                f"a desktop has no state {path!r} of {type(value).__name__}",
                hint='state is the text of files: {"files.Documents/list.txt": "milk"}',
            )
        try:
            if not isinstance(value, str):
                target.mkdir(parents=True, exist_ok=True)
                return
            target.parent.mkdir(parents=True, exist_ok=True)
            document = make_document(target.suffix.lower(), value)
            target.write_bytes(value.encode("utf-8") if document is None else document)
        except (OSError, UnicodeEncodeError) as error:
            raise DeviceError(f"{path} cannot be written in a desktop's home: {error}") from error

    def get(self, path: str) -> JsonValue:
        """The text of a file, or the names in a folder in their order; None if it is neither.

        Names that begin with a dot are left out, as file managers do. One of `VIEWS` after the
        file's path reads what is in it: "files.Documents/budget.ods.cells.Sheet1.B2".
        """
        target = self._place(path)
        if target is None:
            return None
        try:
            if target.is_dir():
                return [*sorted(name for name in os.listdir(target) if name[0] != ".")]
            if not target.exists():
                return self._get_view(path)
            if not target.is_file() or target.stat().st_size > MAX_HOME_FILE:
                return None
            return target.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def _get_view(self, path: str) -> JsonValue:
        for found in _VIEW.finditer(path):
            target = self._place(path[: found.start()])
            if target is not None and target.is_file():
                return read_view(target, found[1], path[found.end() + 1 :])
        return None

    def _place(self, path: str) -> Path | None:
        root, _, inner = path.partition(".")
        if root != _ROOT or "\0" in inner:
            return None
        home = self._home.resolve()
        target = (home / inner.lstrip("/")).resolve()
        return target if target.is_relative_to(home) else None


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
