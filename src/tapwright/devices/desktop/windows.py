"""The windows of a desktop and their order, as the window manager tells it (EWMH 1.5).

https://specifications.freedesktop.org/wm-spec/1.5/
"""

import select
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from Xlib import X
from Xlib.error import XError
from Xlib.protocol.event import ClientMessage

from tapwright.devices.desktop.x11 import XConnection

__all__ = ["Rectangle", "Window", "Windows"]

_LEAST_TITLE_PX = 10
_BUTTONS = (
    ("Close", "_NET_WM_ACTION_CLOSE"),
    ("Maximize", "_NET_WM_ACTION_MAXIMIZE_VERT"),
    ("Minimize", "_NET_WM_ACTION_MINIMIZE"),
)
_GONE_S = 5.0
_WRITTEN = (
    "_NET_SUPPORTING_WM_CHECK", "_NET_CLIENT_LIST", "_NET_CLIENT_LIST_STACKING",
    "_NET_ACTIVE_WINDOW",
)  # fmt: skip
_USER = 2  # as a pager: the window manager does what it is told


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Pixels of the screen, right and bottom excluded."""

    left: int
    top: int
    right: int
    bottom: int

    def contains(self, x: float, y: float) -> bool:
        """Whether a place lies in it."""
        return self.left <= x < self.right and self.top <= y < self.bottom


@dataclass(frozen=True, slots=True)
class Window:
    """One on the screen. `frame` is the area with the title bar, `content` what the program draws.

    `managed` is false for menus and tooltips, which the window manager leaves alone. `buttons` are
    those of the title bar, with the names that people have for them.
    """

    id: int
    title: str
    window_class: str
    pid: int
    frame: Rectangle
    content: Rectangle
    managed: bool
    buttons: tuple[tuple[str, Rectangle], ...] = ()


class Windows:
    """The windows of one display."""

    def __init__(self, connection: XConnection) -> None:
        self._x = connection
        with connection.within():
            mask = X.SubstructureNotifyMask | X.PropertyChangeMask
            connection.root.change_attributes(event_mask=mask)
            connection.display.sync()

    def forget(self) -> None:
        """Wait until the windows of programs that were ended are gone, and clear what is left.

        What a window manager wrote outlives it, and a new window may have an old one's number.
        """
        until = time.monotonic() + _GONE_S
        with self._x.within():
            while not all(map(self._x.owns, self._x.root.query_tree().children)):
                if time.monotonic() > until:
                    break
                time.sleep(0.002)
            for name in _WRITTEN:
                self._x.root.delete_property(self._x.atom(name))
            self._x.display.sync()

    def ready(self) -> bool:
        """Whether a window manager is there."""
        with self._x.within():
            value = self._x.property(self._x.root, "_NET_SUPPORTING_WM_CHECK")
            listed = self._x.property(self._x.root, "_NET_CLIENT_LIST_STACKING")
            return value is not None and listed is not None

    def shown(self) -> list[Window]:
        """Those on the screen, the lowest first."""
        with self._x.within():
            clients = {self._top(number): number for number in self._clients()}
            found = []
            for top in self._x.root.query_tree().children:
                try:
                    window = self._read(top, clients.get(top.id))
                except XError:  # it has just gone
                    continue
                if window is not None:
                    found.append(window)
            return found

    def await_change(self, limit_s: float) -> None:
        """Return when a window or the manager's lists of them have changed, or the time is up."""
        with self._x.within():
            display = self._x.display
            if not display.pending_events():
                select.select([display], [], [], limit_s)
            while display.pending_events():
                display.next_event()

    def count(self) -> int:
        """How many windows the window manager has, hidden ones included."""
        with self._x.within():
            return len(self._clients())

    def clients(self) -> list[tuple[int, str]]:
        """Each window that the window manager has, hidden ones too, and its class; lowest first."""
        with self._x.within():
            return [(number, self._class(self._window(number))) for number in self._clients()]

    def programs(self) -> set[int]:
        """The processes that the windows of `clients` belong to, as far as they say so."""
        with self._x.within():
            return {self._pid(self._window(number)) for number in self._clients()} - {0}

    def active(self) -> int:
        """The window that has the keyboard; 0 if none has."""
        with self._x.within():
            value = self._x.property(self._x.root, "_NET_ACTIVE_WINDOW")
            return int(value[0]) if value is not None and len(value) else 0

    def activate(self, number: int) -> None:
        """Bring a window to the front."""
        self._tell("_NET_ACTIVE_WINDOW", number, [_USER, X.CurrentTime, 0, 0, 0])

    def close(self, number: int) -> None:
        """Ask a window to close, as its button does."""
        self._tell("_NET_CLOSE_WINDOW", number, [X.CurrentTime, _USER, 0, 0, 0])

    def show_desktop(self) -> None:
        """Hide every window."""
        self._tell("_NET_SHOWING_DESKTOP", self._x.root.id, [1, 0, 0, 0, 0])

    def _tell(self, name: str, number: int, data: Sequence[int]) -> None:
        with self._x.within():
            event = ClientMessage(
                window=self._window(number), client_type=self._x.atom(name), data=(32, list(data))
            )
            mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask
            self._x.root.send_event(event, event_mask=mask)
            self._x.display.sync()

    def _window(self, number: int) -> Any:
        return self._x.display.create_resource_object("window", number)

    def _clients(self) -> list[int]:
        value = self._x.property(self._x.root, "_NET_CLIENT_LIST_STACKING")
        return [] if value is None else [int(number) for number in value]

    def _top(self, number: int) -> int:
        """The window manager's frame around a window."""
        window = self._window(number)
        try:
            while (parent := window.query_tree().parent) and parent.id != self._x.root.id:
                window = parent
        except XError:  # it has just gone
            return 0
        return int(window.id)

    def _class(self, window: Any) -> str:
        value = self._x.property(window, "WM_CLASS")
        words = bytes(value).decode("utf-8", "replace").split("\0") if value is not None else [""]
        return words[1 if len(words) > 1 and words[1] else 0].casefold()

    def _pid(self, window: Any) -> int:
        value = self._x.property(window, "_NET_WM_PID")
        return int(value[0]) if value is not None and len(value) else 0

    def _read(self, top: Any, client: int | None) -> Window | None:
        if top.get_attributes().map_state != X.IsViewable:
            return None
        frame = _place(top, 0, 0)
        if frame.right - frame.left <= 1 or frame.bottom - frame.top <= 1:
            return None  # windows that only listen
        content = top if client is None else self._window(client)
        inner = frame
        if client is not None:
            spot = content.translate_coords(self._x.root, 0, 0)
            size = content.get_geometry()
            # python-xlib answers where the root lies in the window.
            left, top_px = -spot.x, -spot.y
            inner = Rectangle(left, top_px, left + size.width, top_px + size.height)
        title = self._x.property(content, "_NET_WM_NAME")
        if title is None:  # a program from before Unicode
            title = self._x.property(content, "WM_NAME")
        return Window(
            id=int(content.id),
            title="" if title is None else bytes(title).decode("utf-8", "replace"),
            window_class=self._class(content),
            pid=self._pid(content),
            frame=frame,
            content=inner,
            managed=client is not None,
            buttons=() if client is None else self._buttons(content, frame, inner),
        )

    def _buttons(
        self, client: Any, frame: Rectangle, content: Rectangle
    ) -> tuple[tuple[str, Rectangle], ...]:
        """From right to left, as openbox lays them out: it has no other word for where they are."""
        border = content.left - frame.left
        height = content.top - frame.top - border
        if height < _LEAST_TITLE_PX:
            return ()
        allowed = self._x.property(client, "_NET_WM_ALLOWED_ACTIONS")
        actions = set() if allowed is None else set(allowed)
        names = [name for name, action in _BUTTONS if self._x.atom(action) in actions]
        middle = frame.top + border + height / 2
        half = (height - 3) / 2
        found = []
        for number, name in enumerate(names):
            x = content.right - height / 2 - number * (height - 3)
            found.append(
                (
                    name,
                    Rectangle(
                        round(x - half), round(middle - half), round(x + half), round(middle + half)
                    ),
                )
            )
        return tuple(found)


def _place(window: Any, left: int, top: int) -> Rectangle:
    size = window.get_geometry()
    x, y = left + size.x, top + size.y
    border = 2 * size.border_width
    return Rectangle(x, y, x + size.width + border, y + size.height + border)
