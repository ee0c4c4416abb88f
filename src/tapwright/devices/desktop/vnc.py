"""A desktop elsewhere, seen and used through its VNC server.

There are pictures, mouse, keyboard and clipboard, and nothing else: no view hierarchy, no names of
applications, no state. It is never started over, as it is somebody's.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tapwright.core import actions
from tapwright.core.actions import Action, Key, typing_steps
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.devices.desktop.argument import DEFAULT_PORT, read_address
from tapwright.devices.desktop.display import encode_png
from tapwright.devices.desktop.keysyms import KEYS
from tapwright.devices.desktop.live import watch
from tapwright.devices.desktop.pointer import DesktopHand, Pixel, Pointer
from tapwright.devices.desktop.rfb import RemoteScreen
from tapwright.devices.desktop.vnc_keyboard import FarKeyboard
from tapwright.devices.device import BareDevice, LiveFrame, Overrides
from tapwright.errors import DeviceError, DeviceLostError, UnsupportedActionError

__all__ = ["VncDesktop", "open_vnc"]

_STILL_S = 0.1
_ACTED_S = 0.15
_REST_S = 2.0
# x11vnc 0.9.16 drops texts until it sees that no display manager is at work, for more than 8 s with
# a client and a window manager (LibVNC/x11vnc@3877b63 src/xevents.c, guess_dm_gone).
_DEAF_S = 12.0
_KEYS: tuple[Key, ...] = tuple(key for key in KEYS if key != "home")


def open_vnc(address: str, *, password: str = "") -> "VncDesktop":
    """Open the desktop that "vnc://HOST" or "vnc://HOST:5901" names.

    Raises:
        UsageError: the address is malformed, or has a password, which would be recorded.
        VncServerError: no server is there, or it does not let us in.
    """
    host, port = read_address(address)
    return VncDesktop(host, port, password=password)


class VncDesktop(BareDevice):
    """The desktop behind the VNC server at an address; use it from one thread at a time."""

    def __init__(self, host: str, port: int = DEFAULT_PORT, *, password: str = "") -> None:
        self._address = (host, port)
        self._password = password
        self._acted_s = 0.0
        self._bound: set[int] = set()
        self._connect()

    @property
    def name(self) -> str:
        """Its kind, address and size."""
        return f"desktop vnc://{self._screen.address} {self._screen.size}"

    def reset(
        self, *, seed: int = 0, language: str = "en", state: Overrides | None = None, app: str = ""
    ) -> None:
        """Release keys and buttons, on a new connection if the last one was lost.

        What is on the screen stays: `seed` and `language` change nothing.

        Raises:
            DeviceError: there is `state` to be set, or an `app` to be opened.
        """
        self._check_open()
        if state or app:
            raise DeviceError(
                f"{self.name} has no state to set and no applications that can be opened by name",
                hint="tasks that need them run on --device desktop",
            )
        try:
            self._screen.picture()
        except DeviceLostError:
            lost = self._hand
            self._screen.close()
            self._connect()
            self._hand.succeed(lost)
        self._hand.let_go()
        self._keyboard.release()
        self._pointer.release((self._screen.size.width - 1, self._screen.size.height - 1))
        self._began_s = time.monotonic()

    def observe(self) -> Observation:
        """The picture when the screen rests, without a hierarchy; stale if it does not rest."""
        self._check_open()
        time.sleep(max(0.0, self._acted_s + _ACTED_S - time.monotonic()))
        rests = self._screen.await_rest(_STILL_S, _REST_S)
        picture = self._screen.picture()
        size = Size(picture.shape[1], picture.shape[0])
        return Observation(
            screenshot=Screenshot(encode_png(picture), origin=self.name),
            size=size,
            orientation="landscape" if size.width > size.height else "portrait",
            time_s=time.monotonic() - self._began_s,
            stale=not rests,
        )

    def perform(self, action: Action) -> None:
        """Send an action's events, and return when the server has read them.

        Raises:
            UnsupportedActionError: it needs a name of an application, a tab or a phone's key; the
                server has no keys for the text.
            DeviceLostError: the server is gone.
        """
        self._check_open()
        for step in typing_steps(action) if isinstance(action, actions.TypeText) else (action,):
            self._perform(step)
        self._acted_s = time.monotonic()

    def keys(self) -> Sequence[Key]:
        """The keys of a keyboard."""
        return _KEYS

    def clipboard(self) -> str:
        """The text that was set here or told by the server last, while we are connected.

        No server says that it put a text on the clipboard: one that was set is taken to be there.
        """
        self._check_open()
        return self._screen.clipboard()

    def set_clipboard(self, text: str) -> None:
        """Set the clipboard's text, which is there as long as we are connected.

        What is made with LibVNCServer, as x11vnc is, gets it a while after it was connected to.

        Raises:
            DeviceError: a character is not in Latin-1, or in ASCII, and the server has no more.
        """
        self._check_open()
        self._screen.await_answer()  # by then it has said what it is made with
        try:
            if self._screen.is_libvncserver and text.isascii():
                time.sleep(max(0.0, self._connected_s + _DEAF_S - time.monotonic()))
            self._screen.set_clipboard(text)
        except UnicodeEncodeError as error:
            name = "ASCII" if error.encoding == "ascii" else "Latin-1"
            raise DeviceError(
                f"the clipboard of {self._screen.address} holds {name} alone, and not "
                f"{text[error.start]!r}",
                hint="type the text, or serve the screen by TigerVNC 1.11 or later",
            ) from error

    @contextmanager
    def live(self, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
        """Pass on the screen as it changes, as JPEGs, until the block ends."""
        self._check_open()
        with watch(self._screen, on_frame):
            yield

    def close(self) -> None:
        """End the connection; more than once is allowed."""
        self._closed = True
        self._screen.close()

    def _connect(self) -> None:
        self._screen = RemoteScreen(*self._address, password=self._password)
        self._pointer = Pointer(_Mouse(self._screen))
        self._keyboard = FarKeyboard(self._screen, self._bound)
        self._hand = DesktopHand(self._pointer, self._keyboard, lambda: self._screen.size)
        self._began_s = self._connected_s = time.monotonic()

    def _perform(self, action: Action) -> None:
        match action:
            case actions.PressKey(key=key) if key not in _KEYS:
                raise self._no_key(key, _KEYS)
            case (
                actions.Tap()
                | actions.DoubleTap()
                | actions.TripleTap()
                | actions.LongPress()
                | actions.Drag()
                | actions.ButtonDown()
            ) if action.button in ("back", "forward"):
                # The protocol has a bit for the one, which x11vnc drops, and none for the other.
                raise UnsupportedActionError(
                    f"{self.name} has no {action.button} button",
                    hint="press alt and left, or alt and right",
                )
            case actions.Wait(duration_s=duration_s):
                time.sleep(duration_s)
            case (
                actions.OpenApp()
                | actions.Goto()
                | actions.NewTab()
                | actions.CloseTab()
                | actions.SwitchTab()
            ):
                raise UnsupportedActionError(
                    f"{self.name} knows no names of applications or pages for {action.type}",
                    hint="use mouse and keyboard, as a person in front of it would",
                )
            case actions.Answer() | actions.AskUser() | actions.Finish():
                pass
            case _:
                self._hand.perform(action)

    def let_go(self) -> Sequence[str]:
        """Let go what is down; returns what was."""
        return self._hand.let_go()


class _Mouse:
    """The far pointer: each message has its place and all buttons that are pressed."""

    def __init__(self, screen: RemoteScreen) -> None:
        self._screen = screen
        self._at: Pixel = (0, 0)
        self._buttons = 0

    def move(self, at: Pixel) -> None:
        self._at = at
        self._tell()

    def press(self, button: int) -> None:
        self._buttons |= 1 << (button - 1)
        self._tell()

    def release(self, button: int) -> None:
        self._buttons &= ~(1 << (button - 1))
        self._tell()

    def flush(self) -> None:
        self._screen.await_answer()  # x11vnc may press keys before a click that came before them

    def _tell(self) -> None:
        self._screen.move(*self._at, self._buttons)
