"""A connection to an X server whose calls end within a limit."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Condition, Thread
from typing import Any

from Xlib.display import Display
from Xlib.error import ConnectionClosedError, DisplayError, XError

from tapwright.errors import DeviceLostError

__all__ = ["XConnection"]

_ROOT_COLOR = 0x3A6EA5
_LIMIT_S = 10.0


class XConnection:
    """A connection to the display called `name`; `display` is python-xlib's, used `within` limits.

    python-xlib waits for ever for a server that is stuck: a thread cuts the connection instead.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        try:
            self.display = Display(name)
        except (DisplayError, OSError) as error:
            raise DeviceLostError(f"the display {name} cannot be opened: {error}") from error
        self.display.set_error_handler(_ignore)
        self.root: Any = self.display.screen().root
        self._until: float | None = None
        self._closed = False
        self._change = Condition()
        self._guard = Thread(target=self._watch, name="desktop-display", daemon=True)
        self._guard.start()

    @contextmanager
    def within(self) -> Iterator[None]:
        """Talk to the server in the block; errors about windows that have just gone are XError.

        Raises:
            DeviceLostError: the server is gone, or did not answer in time.
        """
        self._set(time.monotonic() + _LIMIT_S)
        try:
            yield
        except (ConnectionClosedError, OSError, ValueError) as error:
            if isinstance(error, XError):
                raise
            raise DeviceLostError(
                f"the display {self.name} is gone, or did not answer in {_LIMIT_S:g} s"
            ) from error
        finally:
            self._set(None)

    def atom(self, name: str) -> int:
        """The number of a name, remembered by the connection."""
        return int(self.display.get_atom(name))  # intern_atom asks the server each time

    def property(self, window: Any, name: str) -> Any:
        """The value of a window's property; None where it has none, or is gone."""
        try:
            found = window.get_full_property(self.atom(name), 0)
        except XError:
            return None
        return None if found is None else found.value

    def owns(self, window: Any) -> bool:
        """Whether this connection has made a window, as its number tells."""
        info = self.display.display.info
        return bool(window.id & ~info.resource_id_mask == info.resource_id_base)

    def paint_root(self) -> None:
        """Give what lies behind all windows a colour."""
        with self.within():
            self.root.change_attributes(background_pixel=_ROOT_COLOR)
            self.root.clear_area(0, 0, 0, 0)
            self.display.sync()

    def close(self) -> None:
        """Close the connection; more than once is allowed."""
        with self._change:
            self._closed = True
            self._change.notify()
        self._cut()
        self._guard.join()
        self.display.display.socket.close()

    def _set(self, until: float | None) -> None:
        with self._change:
            self._until = until
            self._change.notify()

    def _cut(self) -> None:
        connection: socket.socket = self.display.display.socket
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    def _watch(self) -> None:
        with self._change:
            while not self._closed:
                until = self._until
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    self._cut()
                    return
                self._change.wait(left)


def _ignore(*_: object) -> None:
    """Errors that no reply waits for: a window went away before it was told something."""
