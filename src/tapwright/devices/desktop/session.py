"""What runs on the screen in one episode: a window manager, a session bus, accessibility."""

import shlex
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from dbus_fast import Variant

from tapwright.devices.desktop.accessibility_bus import BusCallError, BusThread, call, connect
from tapwright.devices.desktop.accessibility_reader import Sheets
from tapwright.devices.desktop.applications import list_applications
from tapwright.devices.desktop.children import Children
from tapwright.devices.desktop.display import VirtualScreen
from tapwright.devices.desktop.home import Home
from tapwright.devices.desktop.questions import Peers
from tapwright.devices.errors import DESKTOP_UNUSABLE
from tapwright.errors import DeviceError

__all__ = ["Session", "last_line", "read_clipboard", "write_clipboard"]


_START_S = 20.0
_MENU = """\
<openbox_menu xmlns="http://openbox.org/3.4/menu"><menu id="root-menu" label="Applications">
{items}
</menu></openbox_menu>
"""


class Session:
    """One episode's servers with a new home; `environment` is what its programs are given.

    `peers` are the connections to its applications, `sheets` what a look may take over of the one
    before. Everything ends when the next one starts.
    """

    def __init__(
        self, screen: VirtualScreen, home: Home, *, language: str, programs: Mapping[str, Path],
        children: Children, thread: BusThread, log: Path,
    ) -> None:  # fmt: skip
        self._children = children
        self._log = log
        self.home = home
        self.language = language
        home.renew()
        self.environment = home.environment(screen, language)
        settings = home.runtime / "openbox.xml"
        settings.write_text(_openbox_settings(), encoding="utf-8")
        menu = home.path / ".config/openbox/menu.xml"
        menu.parent.mkdir(parents=True)
        menu.write_text(_menu(home.path, language), encoding="utf-8")
        self.window_manager = self.start(
            [str(programs["openbox"]), "--sm-disable", "--config-file", str(settings)]
        )
        address = self.environment["DBUS_SESSION_BUS_ADDRESS"]
        bus_pid = self.start(
            [str(programs["dbus-daemon"]), "--session", "--nofork", "--nopidfile", "--nosyslog",
             "--address", address]
        )  # fmt: skip
        self.await_start("dbus-daemon", bus_pid, lambda: _listens(home.runtime / "bus"))
        at_spi = thread.run(_start_at_spi(address), limit_s=_START_S, what="start accessibility")
        self.environment["AT_SPI_BUS_ADDRESS"] = at_spi
        bus = thread.run(connect(at_spi), limit_s=_START_S, what="let us in")
        self.peers = Peers(bus, home.runtime)
        self.sheets = Sheets()

    def start(self, argv: list[str]) -> int:
        """Start a program in the user's home; returns its process's id."""
        return self._children.start(
            argv, environment=self.environment, folder=self.home.path, log=self._log
        )

    def await_start(self, name: str, pid: int, ready: Callable[[], bool]) -> None:
        """Wait until a server is ready.

        Raises:
            DeviceError: it ended before, or is not in time.
        """
        until = time.monotonic() + _START_S
        while not ready():
            status = self._children.status(pid)
            if status is not None or time.monotonic() > until:
                how = "is not ready" if status is None else f"ended with {status}"
                raise DESKTOP_UNUSABLE(f"{name} {how}: {self.last_line()}")
            time.sleep(0.002)

    def last_line(self) -> str:
        """The last line that a program printed."""
        return last_line(self._log)


def last_line(log: Path) -> str:
    """The last line of a log that says anything; "" without one."""
    try:
        lines = log.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")


def _listens(path: Path) -> bool:
    """Whether a server takes connections at a socket, which exists a moment before."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


@cache
def _openbox_settings() -> str:
    return (files(__package__) / "openbox.xml").read_text("utf-8")


def _menu(home: Path, language: str) -> str:
    """What a click on the bare desktop offers: the applications by name."""
    items = (
        f'<item label={quoteattr(one.name(language))}><action name="Execute">'
        f"<command>{escape(shlex.join(one.argv))}</command></action></item>"
        for one in list_applications(home)
    )
    return _MENU.format(items="\n".join(items))


async def _start_at_spi(session_address: str) -> str:
    """Start accessibility, as the session bus does when it is asked for; returns its bus's address.

    Applications that start after this have a tree: some look only whether a reader is there.
    """
    bus = await connect(session_address)
    try:
        service, path = "org.a11y.Bus", "/org/a11y/bus"
        for name in ("IsEnabled", "ScreenReaderEnabled"):
            await call(
                bus, service, path, "org.freedesktop.DBus.Properties", "Set", "ssv",
                ["org.a11y.Status", name, Variant("b", True)],
            )  # fmt: skip
        return str(await call(bus, service, path, service, "GetAddress"))
    except BusCallError as error:
        raise DESKTOP_UNUSABLE(f"at-spi-bus-launcher does not work: {error}") from error
    finally:
        bus.disconnect()


_LIMIT_S = 5.0
_TYPE = "UTF8_STRING"


def read_clipboard(xclip: Path, session: Session) -> str:
    """The text on the clipboard; "" when there is none.

    Raises:
        DeviceError: the program that owns it does not hand it out in time.
    """
    try:
        done = subprocess.run(
            [str(xclip), "-o", "-selection", "clipboard", "-t", _TYPE],
            env=session.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DeviceError(
            f"the clipboard's owner did not hand out its text in {_LIMIT_S:g} s",
            hint="the application that the text was copied in may hang",
        ) from error
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def write_clipboard(xclip: Path, session: Session, text: str) -> None:
    """Set the clipboard's text; a program of the session holds it from then on."""
    given = session.home.runtime / "clipboard"
    given.write_text(text, encoding="utf-8")
    pid = session.start(
        [str(xclip), "-i", "-selection", "clipboard", "-t", _TYPE, "-quiet", str(given)]
    )
    session.await_start("xclip", pid, lambda: read_clipboard(xclip, session) == text)
