"""The built-in phone: a Chromium page in phone shape with a screen, apps, a log and a clock.

Its files are in `pages/`, served at an invented origin without any network. Its clock is virtual:
it runs only for the duration of actions, so a run is the same on any machine.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Self, assert_never, get_args

from pydantic import JsonValue

from tapwright import errors
from tapwright.core import actions
from tapwright.core.actions import Action, Key, typing_steps
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.core.task_setup import SetupCall
from tapwright.devices.chromium import Browser
from tapwright.devices.chromium_device import ChromiumDevice
from tapwright.devices.device import LiveFrame, Overrides, refuse_mouse
from tapwright.devices.page_capture import PageCapture
from tapwright.devices.phone.description import RESET, page_files
from tapwright.devices.phone.options import PhoneOptions, PhoneShape
from tapwright.devices.phone.setup_calls import run_setup_call
from tapwright.devices.tab import Tab
from tapwright.devices.touch import GRAB_S, CssPoint, Finger
from tapwright.devices.uiautomator import to_xml

__all__ = ["LANGUAGES", "ORIGIN", "Phone"]

ORIGIN = "http://phone.test"
LANGUAGES = ("en", "zh")

_SYSTEM_KEYS: Mapping[Key, str] = {
    "back": "phone.back()", "home": "phone.home()", "recents": "phone.recents()",
    "enter": "phone.enter()",
}  # fmt: skip
_NO_KEYS: tuple[Key, ...] = (
    "forward", "menu", "power", "volume_up", "volume_down", "camera", "clear",
)  # fmt: skip
_ACTION_MS = 1000


class Phone(ChromiumDevice):
    """A phone that is opened with `size` device pixels, `density` of them to a CSS pixel.

    With `picture` "jpeg", screenshots are small JPEGs, one pixel per CSS pixel: `Observation.size`
    and the tree's bounds then count those. Points in actions are fractions and the same for both.
    `look`, `navigation` and `keyboard` are those of `PhoneOptions`; a look "seed" is drawn by the
    seed of each reset. `tab` is the page itself, for what no action can do; `reset` may replace it.

    Several phones may share a `browser`, each used from one thread at a time; a phone that was
    given none starts and ends its own. Each call to the page ends within `timeout_s`.
    """

    def __init__(
        self,
        size: Size = Size(1080, 2400),  # noqa: B008 - frozen
        *,
        density: float = 2.625,
        browser: Browser | None = None,
        executable: Path | None = None,
        picture: Literal["png", "jpeg"] = "png",
        look: str = "classic",
        navigation: str = "buttons",
        keyboard: str = "screen",
        timeout_s: float = 10.0,
    ) -> None:
        self.options = PhoneOptions(size, density, picture, look, navigation, keyboard)
        self._shape = PhoneShape.of(self.options, size)
        super().__init__(
            self._shape.viewport,
            self._shape.picture,
            self._shape.frame,
            browser=browser,
            executable=executable,
            timeout_s=timeout_s,
        )

    @classmethod
    def named(cls, argument: str = "", *, executable: Path | None = None) -> Self:
        """Open the phone that words with commas describe, as `PhoneOptions.parse` reads them.

        Raises:
            UsageError: the argument is malformed.
        """
        options = PhoneOptions.parse(argument)
        return cls(
            options.size,
            density=options.density,
            executable=executable,
            picture=options.picture,
            look=options.look,
            navigation=options.navigation,
            keyboard=options.keyboard,
        )

    @property
    def size(self) -> Size:
        """The screen as it is turned now, in device pixels."""
        return self._shape.size

    @property
    def name(self) -> str:
        """Its kind, its size upright, and what is unlike the default phone."""
        others = self.options.query.removeprefix("?").replace("&", " ")
        return " ".join(filter(None, (f"phone {self.options.size}", others)))

    def reset(
        self, *, seed: int = 0, language: str = "en", state: Overrides | None = None, app: str = ""
    ) -> None:
        """Start over without loading anything; a page that hangs or crashed is replaced.

        Raises:
            DeviceError: there is no such language, app, or path of state.
            DeviceLostError: the browser that it shares with others is gone.
        """
        if language not in LANGUAGES:
            raise errors.DeviceError(
                f"{self.name} has no language {language!r}; expected one of {', '.join(LANGUAGES)}"
            )
        options = {"seed": seed, "language": language, "state": dict(state or {}), "app": app}
        script = f"{RESET}({json.dumps(options)})"
        if self._lost:
            self._replace_page()
        self._turn(self.options.size)
        try:
            answer = self.tab.evaluate(script)
        except errors.DeviceLostError:
            answer = None
        if answer is None:
            self._replace_page()
            answer = self._ask(script)
        match answer:
            case {"app": str(unknown)}:
                raise self._unknown_app(unknown)
            case {"path": str(path), "keys": list(keys)}:
                known = [str(key) for key in keys]
                raise errors.DeviceError(
                    f"{self.name} has no state {path!r}",
                    hint=errors.suggest(path.rpartition(".")[2], known),
                )
            case {"now": int(now) | float(now)}:
                self._started_ms = float(now)
        self.tab.wait_for_frame()

    def observe(self) -> Observation:
        """Screenshot and tree; taken twice at most, stale if the screen changed each time."""
        with self.tab.pause_screencast():
            observation = self._observe()
            return self._observe() if observation.stale else observation

    def perform(self, action: Action) -> None:
        """Perform an action, advance the phone's clock by its duration, return when it is handled.

        Raises:
            UnsupportedActionError: a key that the phone does not have.
            UnknownAppError: no app of this name, package or id.
            DeviceLostError: the page did not respond in time, or is gone; `reset` opens a new one.
        """
        refuse_mouse(self.name, action)
        with self._marking_loss():
            spent_ms = self._perform(action)
            if spent_ms:
                self.tab.evaluate(f"phone.advance({spent_ms})")

    @contextmanager
    def live(self, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
        """Pass on the page as it changes, one pixel per CSS pixel, until the block ends.

        A page that `reset` had to replace is not followed.
        """
        size = self._shape.viewport.size

        def show(data: bytes, time_s: float) -> None:
            on_frame(LiveFrame(data, "jpeg", size, time_s))

        with self.tab.screencast(size.width, size.height, show):
            yield

    def set_up(self, call: SetupCall) -> None:
        """Run a call of a task's set-up.

        As `reset` restores everything, there is nothing to clear, grant or install again.

        Raises:
            UnsupportedActionError: a call that this phone does not support.
            UnknownAppError: it has no such app.
        """
        run_setup_call(self, call)

    def turn(self, *, wide: bool) -> None:
        """Turn the screen to landscape, or upright; what is open stays open, in another layout."""
        shorter, longer = sorted((self.size.width, self.size.height))
        self._turn(Size(longer, shorter) if wide else Size(shorter, longer))

    def log(self, since: int = 0) -> Sequence[str]:
        """The lines that system and apps logged since `reset`, from number `since` on."""
        lines = self._ask(f"phone.log({since})")
        return [str(line) for line in lines] if isinstance(lines, list) else []

    def state(self, path: str) -> JsonValue:
        """The state of apps at a dotted path; "" for everything, None for a missing path."""
        found: JsonValue = json.loads(str(self._ask(f"phone.state({json.dumps(path)})")))
        return found

    def apps(self) -> Sequence[str]:
        """The apps' names in the language that the phone is set to."""
        return self._app_names(self._ask("phone.apps()"), "name")

    def packages(self) -> Mapping[str, str]:
        """The apps' names by their packages."""
        apps = self._ask("phone.apps()")
        return dict(
            zip(self._app_names(apps, "package"), self._app_names(apps, "name"), strict=True)
        )

    def _load(self, tab: Tab) -> None:
        self._finger = Finger(tab)
        tab.serve(page_files(), ORIGIN)
        tab.goto(f"{ORIGIN}/{self.options.query}")
        now = tab.evaluate("globalThis.phone ? phone.now() : null")
        if not isinstance(now, int | float):
            raise errors.DeviceError("the phone's page did not start", hint="reinstall tapwright")
        self._started_ms = float(now)

    def _observe(self) -> Observation:
        tab = self.tab
        with self._marking_loss():
            screen = tab.start_evaluate("[phone.screen(), phone.now()]")
            capture = PageCapture(tab, self._picture)
            before = _Moment(tab.value(screen))
            xml = to_xml(
                capture.snapshot(),
                package=before.package,
                size=self._frame,
                scale=1.0 if self._picture.scale != 1.0 else self.options.density,
            )
            data = self._cut(capture.screenshot())
            after = _Moment(tab.evaluate("[phone.screen(), phone.now()]"))
        return Observation(
            screenshot=Screenshot(data, origin=self.name),
            size=self._frame,
            ui_tree=UiTree(xml, self._frame, origin=self.name),
            app=before.package,
            orientation="landscape" if self._shape.is_wide else "portrait",
            time_s=(before.now_ms - self._started_ms) / 1000,
            stale=before.epoch != after.epoch,
        )

    def _perform(self, action: Action) -> int:
        """Perform an action; returns its milliseconds on the phone's clock."""
        match action:
            case actions.Tap(at=at, button="left"):
                self._finger.tap(self._css_point(at))
            case actions.Tap(at=at, button=button):
                self.tab.click(*self._css_point(at), button)
            case actions.DoubleTap(at=at):
                self._finger.multi_tap(self._css_point(at), 2)
            case actions.TripleTap(at=at):
                self._finger.multi_tap(self._css_point(at), 3)
            case actions.LongPress(at=at, duration_s=duration_s):
                self._finger.long_press(self._css_point(at), duration_s)
                return round(duration_s * 1000)
            case actions.Swipe(start=start, end=end, duration_s=duration_s):
                self._finger.swipe(self._css_point(start), self._css_point(end), duration_s)
                return round(duration_s * 1000)
            case actions.Drag(start=start, end=end, duration_s=duration_s):
                self._finger.swipe(
                    self._css_point(start), self._css_point(end), duration_s, grab_s=GRAB_S
                )
                return round(duration_s * 1000)
            case actions.TypeText() if (steps := typing_steps(action)) != (action,):
                return sum(map(self._perform, steps))
            case actions.TypeText(text=text):
                self.tab.insert_text(text)
            case actions.PressKey(key=key):
                self._press(key)
            case actions.OpenApp(app=app):
                if self._ask(f"phone.open({json.dumps(app)})") is not True:
                    raise self._unknown_app(app)
            case actions.Hover(at=at):
                self.tab.hover(*self._css_point(at))
            case actions.Scroll(at=at, dx=dx, dy=dy):
                self.tab.wheel(
                    *self._css_point(at), dx * self._shape.width, dy * self._shape.height
                )
            case actions.Hotkey(keys=keys):
                self.tab.press(keys)
            case actions.Wait(duration_s=duration_s):
                return round(duration_s * 1000)
            case actions.Goto() | actions.NewTab() | actions.CloseTab() | actions.SwitchTab():
                raise self._no_tabs(action, "the phone has apps: open_app")
            case actions.Answer() | actions.AskUser() | actions.Finish():
                return 0
            case actions.ButtonDown() | actions.ButtonUp() | actions.KeyDown() | actions.KeyUp():
                raise AssertionError("refused above")
            case _:
                assert_never(action)
        return _ACTION_MS

    def keys(self) -> Sequence[Key]:
        """Back, home, recents and rotate, and the keys of a keyboard that edit and move."""
        return [key for key in get_args(Key) if key not in _NO_KEYS]

    def takes_text(self) -> bool:
        """Whether a field has the focus, and its keyboard is up."""
        return self._ask("phone.screen().keyboard") is True

    def _press(self, key: Key) -> None:
        if key in _NO_KEYS:
            raise errors.UnsupportedActionError(
                f"{self.name} has no key {key!r}",
                hint="system keys: back, home, recents, rotate; all editing keys work too",
            )
        if key == "rotate":
            self._turn(Size(self.size.height, self.size.width))
        elif key in _SYSTEM_KEYS:
            self._ask(_SYSTEM_KEYS[key])
        else:
            self.tab.press((key,))

    def _turn(self, size: Size) -> None:
        if size == self.size:
            return
        self._shape = PhoneShape.of(self.options, size)
        with self._marking_loss():
            self._reshape(self._shape.viewport, self._shape.picture, self._shape.frame)
            self.tab.wait_for_frame()

    def _css_point(self, point: Point) -> CssPoint:
        return point.x * self._shape.width, point.y * self._shape.height

    def _unknown_app(self, app: str) -> errors.UnknownAppError:
        apps = self._ask("phone.apps()")
        names = [*self._app_names(apps, "name"), *self._app_names(apps, "package")]
        return errors.UnknownAppError(
            f"{self.name} has no app {app!r}", hint=errors.suggest(app, names)
        )

    @staticmethod
    def _app_names(apps: JsonValue, key: str) -> list[str]:
        if not isinstance(apps, list):
            return []
        return [str(app[key]) for app in apps if isinstance(app, dict)]


class _Moment:
    """The page's report of itself at one moment."""

    def __init__(self, answer: Any) -> None:
        screen, now_ms = answer
        self.package = str(screen["package"])
        self.epoch = screen["epoch"]
        self.now_ms = float(now_ms)
