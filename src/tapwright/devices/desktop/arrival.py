"""Waits until what was sent to a screen has arrived, so that what comes next cannot overtake it.

A window manager is told of a press before the window is, and holds the pointer until it lets the
press go on (`ReplayPointer` of XAllowEvents); keys are not held, and would be there first. It also
gives the keyboard to another window when one is closed. So it is asked something that it answers
in its turn, and then the window in front is (EWMH 1.5, `_NET_REQUEST_FRAME_EXTENTS` and
`_NET_WM_PING`; https://specifications.freedesktop.org/wm-spec/1.5/).
"""

import select
import time
from collections.abc import Callable
from itertools import count
from typing import Any

from Xlib import X
from Xlib.protocol.event import ClientMessage

from tapwright.devices.desktop.children import is_any_busy
from tapwright.devices.desktop.windows import Windows
from tapwright.devices.desktop.x11 import XConnection

__all__ = ["Arrival"]

_SILENT_S = 1.0
_LIMIT_S = 5.0
_LOOK_S = 0.02
_POLL_S = 0.001
_ROUNDS = 4


class Arrival:
    """What was sent to the windows of one display: whether it has been read."""

    def __init__(self, connection: XConnection, windows: Windows) -> None:
        self._x = connection
        self._windows = windows
        self._pings = count(1)
        with connection.within():
            # Never shown: to be asked about, and to ask the server who has grabbed what.
            self._own = connection.root.create_window(
                -1, -1, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask
            )
            connection.display.sync()

    def wait(self) -> bool:
        """Wait until the window in front has done what it was sent; false when it does not say.

        One that is silent is waited for a second, and for five while its program is at work.
        """
        answered = False
        for _ in range(_ROUNDS):
            self._await_release()
            front = self._windows.active()
            answered = not front or self._ping(front)
            self._ask_manager()
            if self._windows.active() == front:  # it was not closed, and nothing came before it
                break
        return answered

    def _await_release(self) -> None:
        """Wait until the window manager lets the presses go on that it holds, one by one."""
        for _ in range(_ROUNDS):
            if not self._is_held() or not self._ask_manager():
                return

    def _ask_manager(self) -> bool:
        own, answer = int(self._own.id), self._x.atom("_NET_FRAME_EXTENTS")
        self._send(self._x.root, own, "_NET_REQUEST_FRAME_EXTENTS", [0] * 5)

        def is_answer(event: Any) -> bool:
            return bool(
                event.type == X.PropertyNotify and event.window.id == own and event.atom == answer
            )

        return self._await_event(is_answer, 0)

    def _is_held(self) -> bool:
        """Whether a client has grabbed the pointer, and none the keyboard, as for a menu.

        To a window that is not shown nothing is granted, but the server says why.
        """
        asked = (True, X.GrabModeAsync, X.GrabModeAsync)
        with self._x.within():
            if self._own.grab_keyboard(*asked, X.CurrentTime) == X.AlreadyGrabbed:
                return False
            status = self._own.grab_pointer(asked[0], 0, *asked[1:], X.NONE, X.NONE, X.CurrentTime)
            return bool(status == X.AlreadyGrabbed)

    def _ping(self, number: int) -> bool:
        with self._x.within():
            window = self._x.display.create_resource_object("window", number)
            protocols = self._x.property(window, "WM_PROTOCOLS")
            ping, kind = self._x.atom("_NET_WM_PING"), self._x.atom("WM_PROTOCOLS")
            pid = self._x.property(window, "_NET_WM_PID")
        process = int(pid[0]) if pid is not None and len(pid) else 0
        if protocols is None or ping not in protocols:
            self._await_rest(process)
            return False
        asked = [ping, next(self._pings), number]
        self._send(window, number, "WM_PROTOCOLS", [*asked, 0, 0])

        def is_answer(event: Any) -> bool:
            return bool(
                event.type == X.ClientMessage
                and event.client_type == kind
                and list(event.data[1])[:3] == asked
            )

        answered = self._await_event(is_answer, process)
        self._await_rest(process)
        return answered

    def _await_rest(self, process: int) -> None:
        """What it does of it later, in its own time, it does before it waits for more."""
        until = time.monotonic() + _SILENT_S
        while process and is_any_busy([process]) and time.monotonic() < until:
            time.sleep(_POLL_S)

    def _await_event(self, is_awaited: Callable[[Any], bool], process: int) -> bool:
        begun = time.monotonic()
        until = begun + _SILENT_S
        while (now := time.monotonic()) < min(until, begun + _LIMIT_S):
            with self._x.within():
                while self._x.display.pending_events():
                    if is_awaited(self._x.display.next_event()):
                        return True
            select.select([self._x.display], [], [], _LOOK_S)
            if process and is_any_busy([process]):
                until = now + _SILENT_S
        return False

    def _send(self, to: Any, about: int, kind: str, data: list[int]) -> None:
        with self._x.within():
            window = self._x.display.create_resource_object("window", about)
            event = ClientMessage(window=window, client_type=self._x.atom(kind), data=(32, data))
            at_root = X.SubstructureRedirectMask | X.SubstructureNotifyMask
            to.send_event(event, event_mask=at_root if to is self._x.root else 0)
            self._x.display.flush()
