"""A Linux desktop with real applications on a virtual screen, used by mouse and keyboard.

Each episode has a home folder, a session bus and a window manager of its own. The screen's clock is
the machine's: unlike on the built-in phone, time goes on while an agent thinks.
"""

import time
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from typing import Self

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from tapwright.core import actions
from tapwright.core.actions import Action, Key, typing_steps
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.desktop.accessibility_reader import TreeReader, read_tree
from tapwright.devices.desktop.applications import Application, list_applications
from tapwright.devices.desktop.argument import DEFAULT_SIZE, read_size
from tapwright.devices.desktop.display import encode_png
from tapwright.devices.desktop.keysyms import KEYS
from tapwright.devices.desktop.live import watch
from tapwright.devices.desktop.machine import Machine
from tapwright.devices.desktop.session import read_clipboard, write_clipboard
from tapwright.devices.desktop.tree_xml import to_xml
from tapwright.devices.desktop.windows import Window
from tapwright.devices.device import BareDevice, LiveFrame, Overrides
from tapwright.errors import DeviceError, UnknownAppError, UnsupportedActionError, suggest
from tapwright.jobs.processes import check_posix

__all__ = ["Desktop"]

_TREE_S = 3.0
_OPEN_S = 45.0
_LOOK_S = 0.1
_REST_S = 0.03
_BUSY_S = 0.005
_LONG_BUSY_S = 0.05
_BUSY_LIMIT_S = 3.0
_REST_LIMIT_S = 1.0
# What an action leaves to a timer, as GTK's lists of completions; timers go on for ever, too.
_DUE_S = 0.12
_DUE_LIMIT_S = 0.5
_ARMED_S = 1.0
_LOOKS = 3
_LOST_S = _TREE_S + 12.0  # one answer may hold tens of thousands of elements


class Desktop(BareDevice):
    """A desktop of `size` pixels; it ends with this process, however that ends.

    Use it from one thread at a time. Each call ends within a time limit. `machine` is what it
    consists of, for those who serve it by another protocol.

    Raises:
        DeviceError: programs are not installed; the hint says how they are.
        DeviceError: one of them does not start on this machine.
        MissingExtraError: the Python packages of the extra `desktop` are not installed.
    """

    def __init__(self, size: Size = DEFAULT_SIZE) -> None:
        check_posix("a desktop as a device")
        self.size = size
        self.machine = Machine(size)
        self._language = "en"
        self._acted_s = 0.0
        self._began_s = time.monotonic()
        try:
            self.reset()
        except BaseException:
            self.close()
            raise

    @classmethod
    def named(cls, argument: str = "") -> Self:
        """Open the desktop that "1920x1080" describes; "" is 1280x800.

        Raises:
            UsageError: the argument is malformed.
        """
        return cls(read_size(argument))

    @property
    def name(self) -> str:
        """Its kind and size."""
        return f"desktop {self.size}"

    def reset(
        self, *, seed: int = 0, language: str = "en", state: Overrides | None = None, app: str = ""
    ) -> None:
        """End all programs, and start over with a new home; a desktop that was lost is replaced.

        `state` has the text of files, by "files." and the path below the home:
        "files.Documents/list.txt". `seed` changes nothing: a new home is the same for all.

        Raises:
            DeviceError: `state` has something else, or `app` does not start.
            UnknownAppError: no application is called `app`.
        """
        self._check_open()
        if self._lost:
            self.machine.close()
            self.machine = Machine(self.size)
            self._lost = False
        with self._marking_loss():
            self._language = language
            self.machine.begin(language)
            for path, value in (state or {}).items():
                self.machine.files.put(path, value)
            self._began_s = time.monotonic()
            if app:
                self._open(self._find_application(app))

    def observe(self) -> Observation:
        """Picture and tree when the screen rests; stale if it does not, or an application hangs."""
        self._check_open()
        with self._marking_loss():
            self._rest()
            until = time.monotonic() + _ARMED_S
            looks = 0
            while looks < _LOOKS:
                before = self.machine.screen.picture()
                windows = self.machine.windows.shown()
                reading = self._start_reading(windows, before)
                encoded = encode_png(before)
                reader = reading(_LOST_S)
                picture = self.machine.screen.picture()
                same = np.array_equal(before, picture)
                if reader.armed and not reader.truncated and time.monotonic() < until:
                    continue
                looks += 1
                self._keep_sheets(reader, same=same)
                if same or reader.truncated:
                    break
            data = encoded if same else encode_png(picture)
            return self._observation(data, windows, reader, stale=not same or reader.truncated)

    def perform(self, action: Action) -> None:
        """Perform an action, and return when the window in front has read it.

        Keys that `keys` does not name are refused; the key home shows the bare desktop.

        Raises:
            UnsupportedActionError: a key that a desktop does not have.
            UnknownAppError: no application of this name.
            DeviceError: the application ended, or has no window in time.
            DeviceLostError: the screen or the bus is gone; `reset` starts new ones.
        """
        self._check_open()
        with self._marking_loss():
            for step in typing_steps(action) if isinstance(action, actions.TypeText) else (action,):
                self._perform(step)
                self.machine.arrival.wait()
            self._acted_s = time.monotonic()

    def state(self, path: str) -> JsonValue:
        """The text of the file "files.PATH" below the home, or the names in a folder.

        None where there is neither, or for what is no text; "files" is the home itself.
        """
        self._check_open()
        return self.machine.files.get(path)

    def apps(self) -> Sequence[str]:
        """The names of the installed applications, in the desktop's language."""
        return [application.name(self._language) for application in self._applications()]

    def keys(self) -> Sequence[Key]:
        """The keys of a keyboard, and home."""
        return list(KEYS)

    def clipboard(self) -> str:
        """The text on the clipboard; "" when there is none."""
        self._check_open()
        return read_clipboard(self.machine.programs["xclip"], self.machine.session)

    def set_clipboard(self, text: str) -> None:
        """Set the clipboard's text."""
        self._check_open()
        write_clipboard(self.machine.programs["xclip"], self.machine.session, text)

    @contextmanager
    def live(self, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
        """Pass on the screen as it changes, as JPEGs, until the block ends.

        A screen that `reset` had to replace is not followed.
        """
        self._check_open()
        with watch(self.machine.screen, on_frame):
            yield

    def close(self) -> None:
        """End everything; more than once is allowed."""
        self._closed = True
        self.machine.close()

    def _perform(self, action: Action) -> None:
        match action:
            case actions.PressKey(key=key) if key not in KEYS:
                raise self._no_key(key, KEYS)
            case actions.PressKey(key="home"):
                self.machine.windows.show_desktop()
            case actions.OpenApp(app=app):
                self._open(self._find_application(app))
            case actions.Wait(duration_s=duration_s):
                time.sleep(duration_s)
            case actions.Goto() | actions.NewTab() | actions.CloseTab() | actions.SwitchTab():
                raise UnsupportedActionError(
                    f"{self.name} has no address field of its own for {action.type}",
                    hint="use the browser that is an application: open_app",
                )
            case actions.Answer() | actions.AskUser() | actions.Finish():
                pass
            case _:
                self.machine.hand.perform(action)

    def let_go(self) -> Sequence[str]:
        """Let go what is down; returns what was."""
        return self.machine.hand.let_go()

    def _find_application(self, name: str) -> Application:
        applications = self._applications()
        found = next((one for one in applications if one.answers_to(name)), None)
        if found is not None:
            return found
        names = [one.name(self._language) for one in applications]
        raise UnknownAppError(f"{self.name} has no application {name!r}", hint=suggest(name, names))

    def _open(self, application: Application) -> None:
        """Bring it to the front, starting it if it has no window; returns when it is drawn."""
        machine = self.machine
        before = machine.windows.clients()
        for number, window_class in reversed(before):
            if window_class == application.window_class:
                machine.windows.activate(number)
                return
        known = {number for number, _ in before}
        pid = machine.session.start(list(application.command))
        until = time.monotonic() + _OPEN_S
        while not any(number not in known for number, _ in machine.windows.clients()):
            status = machine.children.status(pid)
            if status:  # one that hands over to another that runs already ends with 0
                raise DeviceError(
                    f"{application.id} ended with {status} before it had a window: "
                    f"{machine.session.last_line()}"
                )
            if time.monotonic() > until:
                raise DeviceError(f"{application.id} had no window after {_OPEN_S:g} s")
            machine.windows.await_change(_LOOK_S)
        self._await_drawing(known, until)

    def _await_drawing(self, known: Set[int], until: float) -> None:
        """Wait until a window that was not `known` is in front, with its content, and rests."""
        # What LibreOffice shows while it starts is a window, too, but it never gets the keys.
        machine = self.machine
        size = 0
        while time.monotonic() < until:
            active = machine.windows.active()
            if active in known or not any(one.id == active for one in machine.windows.shown()):
                machine.windows.await_change(_LOOK_S)
                continue
            self._rest()
            windows = machine.windows.shown()
            before, size = size, len(self._xml(self.read_tree(windows), windows))
            if size == before:
                return

    def _rest(self) -> None:
        """Wait until what was done is drawn: no program has work, and the picture stays a while.

        Neither alone says so: on a busy machine a program may have to wait before it draws, and one
        that draws in its next frame has nothing to do until then. Soon after an action none waits
        for a short timer, either.
        """
        begun = time.monotonic()
        picture = self.machine.screen.picture()
        wait_s = self._acted_s + _REST_S - time.monotonic()
        pause_s = _BUSY_S
        while (busy := self.machine.is_busy()) or wait_s > 0 or self._is_due():
            if time.monotonic() > begun + (_BUSY_LIMIT_S if busy else _REST_LIMIT_S):
                break
            time.sleep(max(pause_s, wait_s))
            pause_s = min(1.25 * pause_s, _LONG_BUSY_S)  # to look is work, and some are long busy
            later = self.machine.screen.picture()
            wait_s = 0.0 if np.array_equal(picture, later) else _REST_S
            picture = later

    def _is_due(self) -> bool:
        within = time.monotonic() < self._acted_s + _DUE_LIMIT_S
        return within and self.machine.is_due(_DUE_S)

    def read_tree(self, windows: Sequence[Window]) -> TreeReader:
        """What the applications say of themselves."""
        picture = self.machine.screen.picture()
        reader = self._start_reading(windows, picture)(_LOST_S)
        self._keep_sheets(reader, same=np.array_equal(picture, self.machine.screen.picture()))
        return reader

    def _keep_sheets(self, reader: TreeReader, *, same: bool) -> None:
        """Let the next look take over cells, if the picture stayed the same during this one."""
        if same and not reader.truncated:
            self.machine.session.sheets = reader.sheets()

    def _start_reading(
        self, windows: Sequence[Window], picture: npt.NDArray[np.uint8]
    ) -> Callable[[float], TreeReader]:
        popups = any(not window.managed for window in windows)
        session = self.machine.session
        reading = read_tree(session.peers, session.sheets, picture, popups=popups, limit_s=_TREE_S)
        return self.machine.bus_thread.start(reading, what="tell what is shown")

    def _xml(self, reader: TreeReader, windows: Sequence[Window]) -> str:
        packages = self._packages(windows)
        return to_xml(reader.applications, windows, self.size, packages)

    def _applications(self) -> Sequence[Application]:
        return list_applications(self.machine.session.home.path)

    def _packages(self, windows: Sequence[Window]) -> dict[int, str]:
        """The application that each window belongs to, else what the window calls itself."""
        # Of several with one class the first: the others are settings of the same program.
        ids = {one.window_class: one.id for one in reversed(self._applications())}
        return {one.id: ids.get(one.window_class, one.window_class) for one in windows}

    def _observation(
        self, picture: bytes, windows: Sequence[Window], reader: TreeReader, *, stale: bool,
    ) -> Observation:  # fmt: skip
        active = self.machine.windows.active()
        wide = self.size.width > self.size.height
        return Observation(
            screenshot=Screenshot(picture, origin=self.name),
            size=self.size,
            ui_tree=UiTree(self._xml(reader, windows), self.size, origin=self.name),
            app=self._packages(windows).get(active, "desktop"),
            orientation="landscape" if wide else "portrait",
            time_s=time.monotonic() - self._began_s,
            stale=stale,
        )
