"""Finds Chromium, starts it without side effects, and ends it without leftovers.

The headless shell is preferred: it starts in a tenth of a second and needs a third of the memory
of `chromium --headless=new`. Unlike with Playwright's launcher, it resolves no host
name at all: pages get what `Tab.serve` provides, and nothing else.
"""

import os
import shutil
import signal
import weakref
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Lock
from time import monotonic, sleep, time

from tapwright.core.geometry import Size
from tapwright.devices.devtools import DevToolsPipe, open_pipes
from tapwright.devices.errors import BROWSER_MISSING, BROWSER_UNUSABLE
from tapwright.devices.profile import KeptProfile, Profile
from tapwright.devices.tab import Tab
from tapwright.drawing.text import font_settings
from tapwright.errors import DeviceError, DeviceLostError, install_command, own_program
from tapwright.files.closing import Closing
from tapwright.jobs.processes import check_posix

__all__ = [
    "DEBIAN_CHROMIUM", "DEBIAN_SHELL", "NO_NETWORK", "PLAYWRIGHT_BROWSERS", "Browser",
    "find_chromium",
]  # fmt: skip

DEBIAN_SHELL = Path("/usr/lib/chromium/chromium-headless-shell")
DEBIAN_CHROMIUM = Path("/usr/lib/chromium/chromium")
PLAYWRIGHT_BROWSERS = Path("~/.cache/ms-playwright")

NO_NETWORK = "MAP * ~NOTFOUND"
"""The resolver's rule by which no host is reached, not even by its number."""

# WebRTC asks no resolver about numbers, and names this machine to all of its network. The shell and
# the full browser have different names for the same switch.
_NO_WEBRTC = tuple(
    f"--{switch}=disable_non_proxied_udp"
    for switch in ("force-webrtc-ip-handling-policy", "webrtc-ip-handling-policy")
)

_WRITTEN_S = 10.0
_KEPT_S = 30 * 24 * 3600.0
_FLAGS = (
    "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--no-pings",
    "--no-proxy-server", "--no-startup-window", "--disable-background-networking",
    "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
    "--disable-breakpad", "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages", "--disable-component-update",
    "--disable-default-apps", "--disable-dev-shm-usage", "--disable-domain-reliability",
    "--disable-extensions", "--disable-gpu", "--disable-hang-monitor",
    "--disable-renderer-backgrounding", "--disable-search-engine-choice-screen",
    "--disable-site-isolation-trials", "--disable-smooth-scrolling", "--disable-sync",
    "--force-color-profile=srgb", "--font-render-hinting=none", "--hide-scrollbars",
    "--default-tile-width=4096", "--default-tile-height=4096", "--metrics-recording-only",
    "--mute-audio", "--password-store=basic",
    # Resampling predicts finger positions between frames, so that equal swipes end differently.
    "--disable-features=ResamplingInputEvents,ResamplingScrollEvents,"
    # Frames of other sites stay in the page's own process, whose snapshot has them.
    "IsolateOrigins,site-per-process,"
    "Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication",
)  # fmt: skip

# The locations of programs, libraries, fonts and folders.
_PASSED = (
    "PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH",
    "FONTCONFIG_FILE", "FONTCONFIG_PATH", "FONTCONFIG_SYSROOT",
    "XDG_CACHE_HOME", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
)  # fmt: skip


def find_chromium(
    executable: Path | None = None, *, playwright_browsers: Path | None = None
) -> Path:
    """The Chromium to use: `executable` if given, else the fastest one installed.

    `playwright_browsers` is where Playwright keeps its own (PLAYWRIGHT_BROWSERS_PATH), when that
    is not its default.

    Raises:
        DeviceError: `executable` is not a program, or none was found.
    """
    if executable is not None:
        if not _is_program(executable):
            raise BROWSER_MISSING(
                f"{executable} is not a program that can be started; expected a Chromium",
                hint=_install_hint(),
            )
        return executable
    for candidate in _candidates(playwright_browsers or PLAYWRIGHT_BROWSERS.expanduser()):
        if _is_program(candidate):
            return candidate
    raise BROWSER_MISSING("no Chromium was found on this machine", hint=_install_hint())


def _install_hint() -> str:
    return (
        "tapwright doctor --fix; or one of: apt-get install chromium-headless-shell; "
        f"{install_command('browser')} && "
        f"{own_program('playwright')} install chromium-headless-shell"
    )


# What Chromium or the loader prints when no further try can succeed, and what helps.
_START_FAILURES = {
    "No usable sandbox": "apt-get install chromium-sandbox; or let users make namespaces "
    "(sysctl kernel.unprivileged_userns_clone=1); or run as root, where Chromium has no sandbox",
    "error while loading shared libraries": "apt-get install chromium-headless-shell, "
    "which brings the libraries",
}


class Browser(Closing):
    """A running Chromium, in a process group and a profile folder of its own.

    Several threads may share it, each with its own tabs. It ends when closed, when garbage
    collected, and when this process ends, in whatever way. It knows the `hosts`, each a name and
    the port of 127.0.0.1 where it is served, and of others what `resolver_rules` let it: none,
    unless they are given. A `shared` one also has a port, by which any program of this machine can
    use it. `profile` is a folder that the user keeps, with cookies and storage in it: the browser
    then ends in its own time, so that they are written.
    """

    def __init__(
        self,
        executable: Path | None = None,
        *,
        hosts: Mapping[str, int] | None = None,
        timeout_s: float = 10.0,
        resolver_rules: str = NO_NETWORK,
        shared: bool = False,
        profile: Path | None = None,
    ) -> None:
        check_posix("a browser as a device")
        self.shared = shared
        mapped = [f"MAP {name}:80 127.0.0.1:{port}" for name, port in (hosts or {}).items()]
        self._resolver_rules = ",".join([*mapped, resolver_rules])
        self._restricted = bool(resolver_rules)
        self.executable = find_chromium(executable)
        self.timeout_s = timeout_s
        with ExitStack() as failed:
            self._kept = None if profile is None else KeptProfile(profile)
            if self._kept is not None:
                failed.callback(self._kept.release)
            self._profile = Profile()
            failed.callback(self._profile.remove)
            self._data = (self._kept or self._profile).path
            self._stderr = self._profile.path / "stderr.txt"
            try:
                self.pid, self._wire = self._start()
            except OSError as error:
                raise BROWSER_MISSING(
                    f"{self.executable} could not be started: {error}", hint=_install_hint()
                ) from error
            failed.pop_all()
        owner = os.getpid()
        self._finalizer = weakref.finalize(
            self, _end, owner, self.pid, self._wire, self._profile, self._kept
        )
        self._closing = Lock()
        try:
            self.version = str(self._call("Browser.getVersion")["product"])
        except DeviceLostError as error:
            message, hint = self._failure()
            self.close()
            cause = f"{self.executable} did not start: {message or error}"
            if hint:
                raise BROWSER_UNUSABLE(cause, hint=hint) from error
            raise DeviceLostError(cause, hint="run it by hand with --version") from error

    @property
    def keeps_profile(self) -> bool:
        """Whether its first context, which has cookies and storage, outlives it."""
        return self._kept is not None

    @property
    def alive(self) -> bool:
        """Whether it runs and its pipe is open."""
        return not self._wire.lost

    def open_tab(
        self, size: Size, density: float = 1.0, *, mobile: bool = True, timeout_s: float = 0.0
    ) -> Tab:
        """A new page in a browser context of its own: cookies and storage are not shared.

        `size` is in CSS pixels, `density` in device pixels per CSS pixel. A `mobile` page is
        touched, others have a mouse. `timeout_s` is the limit of each of the tab's calls, the
        browser's own when 0.

        Raises:
            DeviceLostError: the browser is gone or does not respond.
        """
        return Tab(self._wire, size, density, mobile=mobile, timeout_s=timeout_s or self.timeout_s)

    @property
    def port(self) -> int:
        """The port of a shared browser.

        Raises:
            DeviceLostError: it has not said which in time.
        """
        file = self._data / "DevToolsActivePort"
        until = monotonic() + self.timeout_s
        while monotonic() < until:
            with suppress(OSError, ValueError):
                return int(file.read_text().split("\n")[0])
            sleep(0.01)
        raise DeviceLostError(f"{self.executable} did not open a port")

    @property
    def wire(self) -> DevToolsPipe:
        """The pipe to it, for devices that open targets of their own."""
        return self._wire

    def close(self) -> None:
        """End it and remove its profile; more than once is allowed."""
        with self._closing:
            self._finalizer()

    def _call(self, method: str) -> dict[str, object]:
        return self._wire.send(method).result(self.timeout_s)

    def _start(self) -> tuple[int, DevToolsPipe]:
        flags = [
            *_FLAGS,
            f"--user-data-dir={self._data}",
            f"--host-resolver-rules={self._resolver_rules}",
        ]
        if self._restricted:
            flags += _NO_WEBRTC
        if self.shared:
            flags.append("--remote-debugging-port=0")
        if "headless" not in self.executable.name:
            flags.append("--headless=new")
        if os.geteuid() == 0:  # its sandbox refuses to run as root
            flags.append("--no-sandbox")
        browser_reads, we_write, we_read, browser_writes = open_pipes()
        try:
            pid = os.posix_spawn(
                self.executable,
                [str(self.executable), *flags],
                _environment(self._write_font_settings()),
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 2, str(self._stderr), os.O_WRONLY | os.O_CREAT, 0o600),
                    (os.POSIX_SPAWN_DUP2, browser_reads, 3),
                    (os.POSIX_SPAWN_DUP2, browser_writes, 4),
                ],
                setpgroup=0,
            )
        except OSError:
            os.close(we_write)
            os.close(we_read)
            raise
        finally:
            os.close(browser_reads)
            os.close(browser_writes)
        return pid, DevToolsPipe(we_read, we_write)

    def _write_font_settings(self) -> Path:
        """Fontconfig's settings: the machine's fonts, and the Chinese one that comes with us.

        https://www.freedesktop.org/software/fontconfig/fontconfig-user.html; other systems than
        Linux do not read it and have fonts for Chinese.
        """
        path = self._profile.path / "fonts.conf"
        path.write_text(font_settings(), encoding="utf-8")
        return path

    def _failure(self) -> tuple[str, str]:
        """The line of its output that names the cause of its end, and the hint if one is known."""
        try:
            text = self._stderr.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return "", ""
        lines = [line.strip()[:300] for line in text.splitlines() if line.strip()]
        for line in lines:
            for words, hint in _START_FAILURES.items():
                if words in line:
                    return line, hint
        return (lines[-1] if lines else ""), ""


def _environment(font_settings: Path) -> dict[str, str]:
    """The browser's environment: none of our keys and passwords, and the same on every machine."""
    passed = {name: os.environ[name] for name in _PASSED if name in os.environ}
    # What the page shows must not depend on where it runs.
    fixed = {"TZ": "UTC", "LANGUAGE": "en_US", "LC_ALL": "C.UTF-8"}
    return {**passed, **fixed, "FONTCONFIG_FILE": str(font_settings)}


def _end(
    owner: int, pid: int, wire: DevToolsPipe, profile: Profile, kept: KeptProfile | None
) -> None:
    if os.getpid() != owner:  # a fork of this process has the object, but does not own the browser
        return
    if kept is not None:
        _let_end(pid, wire)
    with suppress(ProcessLookupError, ChildProcessError):
        # The process group is the browser's own: the browser leads it, and its number cannot be
        # reused before `waitpid`.
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    wire.close()
    profile.remove()
    if kept is not None:
        kept.release()


def _let_end(pid: int, wire: DevToolsPipe) -> None:
    """Have a browser write its profile and end; one that does not in time is killed after."""
    until = monotonic() + _WRITTEN_S
    with suppress(DeviceError):
        # What would end with the browser, such as a login for one sitting, is kept as well.
        cookies = wire.send("Storage.getCookies").result(_WRITTEN_S)["cookies"]
        until_s = time() + _KEPT_S
        passing = [{**one, "expires": until_s} for one in cookies if one["session"]]
        wire.send("Storage.setCookies", {"cookies": passing}).result(_WRITTEN_S)
    with suppress(DeviceError, ChildProcessError):
        wire.send("Browser.close")
        while monotonic() < until and not os.waitid(
            os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT
        ):
            sleep(0.005)


def _candidates(playwright: Path) -> Iterator[Path]:
    yield DEBIAN_SHELL
    yield from _on_path("chromium-headless-shell", "chrome-headless-shell")
    # The newest download has the highest number; its folder's name differs from system to system.
    for pattern in ("chromium_headless_shell-*/*/*headless*shell*", "chromium-*/*/chrome"):
        yield from sorted(playwright.glob(pattern), key=_build, reverse=True)
    yield DEBIAN_CHROMIUM
    yield from _on_path("google-chrome", "google-chrome-stable", "chromium", "chromium-browser")


def _on_path(*names: str) -> Iterator[Path]:
    for name in names:
        found = shutil.which(name)
        if found:
            yield Path(found)


def _build(path: Path) -> int:
    number = path.parent.parent.name.rpartition("-")[2]
    return int(number) if number.isdigit() else 0


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
