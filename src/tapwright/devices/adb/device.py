"""Any Android phone or emulator that adb reaches, Android 7 and newer.

What a phone cannot guarantee, it refuses: it takes neither a seed nor a state, and keeps its own
language. A quick swipe makes a list fling, as a finger does.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import monotonic, sleep
from typing import assert_never

from pydantic import JsonValue

from tapwright.core import actions
from tapwright.core.actions import Action, typing_steps
from tapwright.core.fit import BLANK, why_unseen
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation
from tapwright.core.task_setup import SetupCall
from tapwright.devices.adb import screen
from tapwright.devices.adb.apps import App, find_app, parse_apps, start_activity
from tapwright.devices.adb.gestures import input_commands, total_duration_s
from tapwright.devices.adb.hierarchy import TreeSource, dump_hierarchy, scale_bounds
from tapwright.devices.adb.keyboard import key_code, key_codes, type_text
from tapwright.devices.adb.logcat import LogStream
from tapwright.devices.adb.service import call_service
from tapwright.devices.adb.setup_calls import rotate, run_setup_call
from tapwright.devices.adb.shell import MIN_SDK, PhoneShell, parse_sdk
from tapwright.devices.adb.wakefulness import wake_up
from tapwright.devices.device import BareDevice, Overrides, refuse_given, refuse_mouse
from tapwright.devices.errors import BadDeviceOutputError
from tapwright.errors import DeviceError, UnsupportedActionError

__all__ = ["AndroidPhone", "BlackScreenWarning"]

_HOTKEY_SDK = 31
_FOCUS_S = 1.0  # what AndroidWorld waits before it types
_LAUNCH = (
    "-W", "-a", "android.intent.action.MAIN",
    "-c", "android.intent.category.LAUNCHER", "-f", "0x10200000", "-n",
)  # fmt: skip
_QUERY = (
    "cmd", "package", "query-activities", "-a", "android.intent.action.MAIN",
    "-c", "android.intent.category.LAUNCHER",
)  # fmt: skip


class BlackScreenWarning(UserWarning):
    """A phone gave a black picture, as of a window that forbids pictures."""


def _have_one_shape(one: Size, other: Size) -> bool:
    """Whether two sizes are of one screen, to a pixel: not turned, not cropped."""
    off = abs(one.width * other.height - one.height * other.width)
    return off <= max(one.width, one.height, other.width, other.height)


class AndroidPhone(BareDevice):
    """The phone behind `shell`.

    `tree` is the source of the view hierarchy. With `snapshot`, an emulator loads the snapshot of
    that name at every reset.

    Raises:
        DeviceError: it cannot be driven; of the kind that names the reason.
    """

    def __init__(
        self, shell: PhoneShell, *, tree: TreeSource = "uiautomator", snapshot: str = ""
    ) -> None:
        self.shell = shell
        self._tree: TreeSource = tree
        self._snapshot = snapshot
        self._looked: screen.FrontWindow | None = None
        self._log: LogStream | None = None
        self._apps: Sequence[App] = ()
        self._used: set[str] = set()
        self._started = monotonic()
        properties = shell.script(
            [("getprop", f"ro.{name}") for name in ("build.version.sdk", "product.locale")]
            + [("getprop", "persist.sys.locale")]
        ).text.splitlines()
        sdk, factory, chosen = [line.strip() for line in [*properties, "", "", ""][:3]]
        self.sdk = parse_sdk(sdk)
        if not self.sdk:
            raise BadDeviceOutputError(
                f"{shell.serial} reports {sdk[:40]!r} as its version of Android",
                hint="restart the phone",
            )
        if self.sdk < MIN_SDK:
            raise DeviceError(
                f"{shell.serial} runs an Android that is too old (SDK {sdk}); expected Android 7 "
                f"(SDK {MIN_SDK}) or newer",
                hint="update the phone, or use an emulator",
            )
        self.language = (chosen or factory).replace("_", "-").partition("-")[0].lower()

    @property
    def name(self) -> str:
        """Its kind and serial."""
        return f"adb {self.shell.serial}"

    def address(self) -> Mapping[str, JsonValue]:
        """Its serial at its adb server: `{"kind": "adb", "serial", "host", "port", "program"}`."""
        client = self.shell.client
        return {
            "kind": "adb",
            "serial": self.shell.serial,
            "host": client.host,
            "port": client.port,
            "program": str(client.program or ""),
        }

    def reset(
        self, *, seed: int = 0, language: str = "", state: Overrides | None = None, app: str = ""
    ) -> None:
        """Wake the phone, stop the apps that were used, go home, follow the log, open `app`.

        A `language` of "" is the phone's own.

        Raises:
            DeviceError: a seed, a state or another language is given, or there is no such app.
            DeviceError: the phone is locked, and only a person can unlock it.
        """
        self._refuse(seed, language, state)
        if self._snapshot:
            client, serial = self.shell.client, self.shell.serial
            client.emulator(serial, "avd", "snapshot", "load", self._snapshot)
            client.wait_for(serial)
            self._apps = ()
        wake_up(self.shell)
        self._apps = self._apps or self._read_apps()
        ours = {one.package for one in self._apps}
        stopped = sorted({*self._used, screen.read_front_window(self.shell).app} & ours)
        self._input(
            [
                *(("am", "force-stop", package) for package in stopped),
                ("input", "keyevent", "KEYCODE_HOME"),
            ]
        )
        self._used.clear()
        if self._log is not None:
            self._log.close()
        self._log = LogStream(self.shell)
        self._started = monotonic()
        if app:
            self._open(app)

    def observe(self) -> Observation:
        """Picture and tree; taken twice at most, stale if the screen changed both times.

        A change is detected by the front window; with uiautomator2's service, whose trees are fast,
        by a second tree. There is no tree, and it is stale, while the screen keeps changing.
        """
        observation = self._observe()
        # Android waits ten seconds for a screen to stand still; twice would be too long.
        again = observation.stale and observation.ui_tree is not None
        return self._observe() if again else observation

    def perform(self, action: Action) -> None:
        """Perform an action, and return when the phone has handled it.

        Raises:
            UnsupportedActionError: a finger or this Android cannot do that.
            UnknownAppError: no app of this name or package.
            DeviceError: the text needs an input method that is not installed.
            DeviceLostError: the phone did not answer in time, or is gone.
        """
        refuse_mouse(self.name, action)
        match action:
            case (
                actions.Tap(button="left")
                | actions.DoubleTap()
                | actions.TripleTap()
                | actions.LongPress()
                | actions.Swipe()
                | actions.Drag()
                | actions.Scroll()
            ):
                self._input(input_commands(action, self._screen()))
            case actions.TypeText() if (steps := typing_steps(action)) != (action,):
                for step in steps:
                    self.perform(step)
                    if isinstance(step, actions.Tap):
                        sleep(_FOCUS_S)
            case actions.TypeText(text=text):
                type_text(self.shell, text)
            case actions.PressKey(key="rotate"):
                rotate(self.shell, screen.read_front_window(self.shell).rotation + 1)
                self._looked = None
            case actions.PressKey(key=key):
                self._input([("input", "keyevent", key_code(key))])
            case actions.Hotkey(keys=keys):
                codes = key_codes(keys)
                if len(codes) > 1 and self.sdk < _HOTKEY_SDK:
                    raise UnsupportedActionError(
                        f"{self.name}: keys are held down together from Android 12 on"
                    )
                program = "keycombination" if len(codes) > 1 else "keyevent"
                self._input([("input", program, *codes)])
            case actions.OpenApp(app=app):
                self._open(app)
            case actions.Wait(duration_s=duration_s):
                sleep(duration_s)
            case actions.Tap() | actions.Hover():
                raise UnsupportedActionError(
                    f"{self.name}: a finger does not {action.type} with a mouse",
                    hint="tap, or long_press for what a right button is for",
                )
            case actions.Goto() | actions.NewTab() | actions.CloseTab() | actions.SwitchTab():
                raise self._no_tabs(
                    action, "open the browser's app, and type into its address field"
                )
            case actions.Answer() | actions.AskUser() | actions.Finish():
                pass
            case actions.ButtonDown() | actions.ButtonUp() | actions.KeyDown() | actions.KeyUp():
                raise AssertionError("refused above")
            case _:
                assert_never(action)

    def set_up(self, call: SetupCall) -> None:
        """Run a call of a task's set-up.

        Raises:
            UnsupportedActionError: a call that is unknown, or refused for its risk.
            DeviceError: the phone could not do it.
        """
        run_setup_call(self.shell, call)
        if call.name in ("install_apk", "uninstall_package"):
            self._apps = ()
        package = call.arguments.get("package_name") or call.arguments.get("full_activity")
        if isinstance(package, str):
            self._used.add(package.partition("/")[0])

    def log(self, since: int = 0) -> Sequence[str]:
        """The lines that the phone logged since `reset` and that have arrived."""
        return self._log.lines(since) if self._log is not None else []

    def apps(self) -> Sequence[str]:
        """The names of its apps, then their packages; `OpenApp` takes both."""
        self._apps = self._apps or self._read_apps()
        names = dict.fromkeys(app.name for app in self._apps)
        return [*names, *(app.package for app in self._apps if app.package not in names)]

    def clipboard(self) -> str:
        """The text on the clipboard, by uiautomator2's service; "" when there is none.

        Raises:
            DeviceError: the service does not run; Android lets no other program of adb read it.
        """
        text = call_service(self.shell, "getClipboard")
        if not isinstance(text, str | None):
            raise BadDeviceOutputError(f"{self.name}: its clipboard is not text")
        return text or ""

    def set_clipboard(self, text: str) -> None:
        """Put a text on the clipboard, by uiautomator2's service.

        Raises:
            DeviceError: the service does not run.
        """
        call_service(self.shell, "setClipboard", "tapwright", text)

    def close(self) -> None:
        """Stop following the log; more than once is allowed."""
        if self._log is not None:
            self._log.close()

    def _refuse(self, seed: int, language: str, state: Mapping[str, JsonValue] | None) -> None:
        refuse_given(
            self.name, seed, state, "only the apps of a real phone can change their state; run "
            "such tasks on the built-in phone: --device phone",
        )  # fmt: skip
        requested = language.partition("-")[0].lower()
        if requested and self.language and requested != self.language:
            raise DeviceError(
                f"{self.name} speaks {self.language!r}, and {language!r} is requested",
                hint="change it on the phone: Settings > System > Languages",
            )

    def _read_apps(self) -> Sequence[App]:
        return parse_apps(self.shell.check(*_QUERY))

    def _open(self, name: str) -> None:
        self._apps = self._apps or self._read_apps()
        app = find_app(self._apps, name, device=self.name)
        start_activity(self.shell, *_LAUNCH, app.component)
        self._used.add(app.package)

    def _observe(self) -> Observation:
        time_s = monotonic() - self._started
        front = screen.read_front_window(self.shell)
        xml = dump_hierarchy(self.shell, self._tree)
        screenshot = screen.take_screenshot(self.shell)
        size = screenshot.size
        # With an override of `wm size` the picture has other pixels than touches and bounds.
        touched = front.size or size
        self._looked = replace(front, size=touched)
        if self._tree == "u2":
            same = dump_hierarchy(self.shell, self._tree) == xml
        else:
            same = screen.read_front_window(self.shell) == front
        self._used.add(front.app)
        if why_unseen(screenshot, size) == BLANK:
            warnings.warn(
                f"{self.name}: the picture is black all over: {front.app or 'the window'} forbids "
                "pictures (secure), or the screen is off",
                BlackScreenWarning,
                stacklevel=2,
            )
        tree = None
        if xml:
            hint = "is another tool driving the phone? only one can"
            bounded = scale_bounds(xml, touched, size)
            tree = self._read_tree(bounded, size, "view hierarchy", hint)
        return Observation(
            screenshot=screenshot,
            size=size,
            ui_tree=tree,
            app=front.app,
            orientation=front.orientation(size),
            time_s=time_s,
            stale=not (xml and same and _have_one_shape(touched, size)),
        )

    def _screen(self) -> Size:
        """The screen as touches count it, to which points in actions refer.

        Raises:
            UnsupportedActionError: it was turned or resized since it was looked at.
        """
        now, then = screen.read_front_window(self.shell), self._looked
        size = now.size or (then.size if then else None) or screen.take_screenshot(self.shell).size
        if then is not None and (now.rotation, size) != (then.rotation, then.size):
            raise UnsupportedActionError(
                f"{self.name}: the screen was turned or resized since it was looked at: "
                f"{then.size} then, {size} now",
                hint="look again: places refer to the screen that was seen",
            )
        return size

    def _input(self, commands: Sequence[tuple[str, ...]]) -> None:
        if not commands:
            return
        timeout_s = self.shell.timeout_s + 2 * total_duration_s(commands)
        output = self.shell.script(commands, timeout_s=timeout_s)
        message = output.errors.decode("utf-8", "replace")
        if "INJECT_EVENTS" in message:
            raise DeviceError(
                f"{self.name} does not let adb touch its screen",
                hint="Xiaomi, Oppo: Developer options > USB debugging (Security settings)",
            )
        if output.code or "Error" in message or "Exception" in message:
            raise DeviceError(f"{self.name}: {' '.join(commands[0])}: {output.error_text}")
