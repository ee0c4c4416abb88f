"""A screen behind a WebDriver server: a phone or desktop by Appium's drivers, or a browser.

What a driver cannot guarantee is refused: there is neither a seed nor a state. Each call ends
within a time limit, and none is repeated. Secrets of the capabilities are in no name and message.
"""

from collections.abc import Callable, Sequence
from time import monotonic, sleep
from typing import TypeVar

from tapwright.core import actions
from tapwright.core.actions import Action, Key
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.devices import errors
from tapwright.devices.device import BareDevice, Overrides, refuse_given
from tapwright.devices.webdriver.browser import BrowserPage
from tapwright.devices.webdriver.capabilities import (
    Platform,
    WebDriverAddress,
    device_of,
    parse_address,
    platform_of,
    read_capabilities,
)
from tapwright.devices.webdriver.connection import WebDriverConnection
from tapwright.devices.webdriver.inputs import Input, input_of
from tapwright.devices.webdriver.session import Session
from tapwright.devices.webdriver.sources import Units
from tapwright.devices.webdriver.views import AppView, BrowserView, ViewSource
from tapwright.errors import UnknownAppError

__all__ = ["WebDriverDevice", "open_webdriver"]

T = TypeVar("T")

_FOCUS_S = 0.5  # until a tapped field of an app has the focus, and its keyboard is up


def open_webdriver(argument: str = "") -> "WebDriverDevice":
    """The screen that "URL[,FILE][,start=PAGE]" names: a server, and a file of capabilities.

    Raises:
        UsageError: the argument is malformed.
        DeviceError: FILE cannot be used.
        DeviceError: no WebDriver server answers.
        DeviceError: it opens no session.
    """
    return WebDriverDevice(parse_address(argument))


class WebDriverDevice(BareDevice):
    """One session on the server at `address`; each command ends within `timeout_s`."""

    def __init__(self, address: WebDriverAddress, *, timeout_s: float = 30.0) -> None:
        self._address = address
        self._requested = read_capabilities(address.capabilities)
        self._connection = WebDriverConnection(address.url, self._requested, timeout_s=timeout_s)
        self._session: Session | None = None
        self._input: Input
        self._used = False
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        """The platform, and what the driver calls the device: "webdriver ios iPhone 15 17.2"."""
        return f"webdriver {self.platform} {self._kind}".rstrip()

    @property
    def platform(self) -> Platform:
        """What stands behind the session."""
        return self._platform

    def reset(
        self, *, seed: int = 0, language: str = "", state: Overrides | None = None, app: str = ""
    ) -> None:
        """Start over: a browser as a new session, elsewhere the session's app; then open `app`.

        A session that was lost is opened anew. A `language` is the driver's affair, and ignored.

        Raises:
            DeviceError: a seed or a state is given, or there is no such app.
        """
        refuse_given(self.name, seed, state, "run such tasks on the built-in phone: --device phone")
        if self._session is None or (self.platform == "browser" and self._used):
            self._open()
        elif self._used:
            self._watching(self._input.let_go)
            self._watching(lambda: self._input.restart(self._own_app))
        self._used = False
        self._started = monotonic()
        if app:
            self._perform(actions.OpenApp(app=app))

    def observe(self) -> Observation:
        """Picture and tree; taken twice at most, stale if the screen changed both times.

        A change is seen by a second tree in a browser, elsewhere by a second picture, in which a
        caret that blinks counts.
        """
        return self._watching(self._observe)

    def perform(self, action: Action) -> None:
        """Perform an action, and return when the driver has.

        Raises:
            UnsupportedActionError: this platform has no way to do it.
            UnknownAppError: the driver cannot open such an app.
            DeviceLostError: the driver did not answer in time, or the session is gone.
        """
        self._watching(lambda: self._perform(action))

    def apps(self) -> Sequence[str]:
        """The session's own app, where the driver names one; `OpenApp` takes any that it knows."""
        return (self._own_app,) if self._own_app else ()

    def keys(self) -> Sequence[Key]:
        """The keys of the platform."""
        return self._input.keys

    def let_go(self) -> Sequence[str]:
        """Let go what is down; returns what was."""
        return self._watching(self._input.let_go)

    def close(self) -> None:
        """End the session; more than once is allowed."""
        if not self._closed:
            self._closed = True
            self._end()
            self._connection.close()

    def _open(self) -> None:
        self._end()
        session = self._session = Session(self._connection, self._requested)
        self._platform = platform_of(session.capabilities, self._requested.platform)
        self._kind = self._requested.hide(device_of(session.capabilities))
        self._own_app = ""
        self._page: BrowserPage | None = None
        self._size: Size | None = None
        self._units = Units()
        self._used = False
        self._started = monotonic()
        if self._platform == "browser":
            page = self._page = BrowserPage(session)
            self._views: ViewSource = BrowserView(session, self.name, page)
            self._input = input_of("browser", session, touched=page.touched)
            if self._address.start:
                page.goto(self._address.start)
            return
        self._views = AppView(session, self.name, self._platform)
        self._input = input_of(self._platform, session)
        if self._platform in ("ios", "android") and self._named("browserName"):
            session.post("context", {"name": "NATIVE_APP"})  # the whole screen, not its page
        match self._platform:
            case "ios":
                self._own_app = self._ios_app()
            case "android":
                self._own_app = self._named("appPackage")
            case "macos":
                self._own_app = self._named("CFBundleIdentifier") or self._named("bundleId")
            case "windows":
                self._own_app = self._named("app")

    def _ios_app(self) -> str:
        try:
            found = self._live.execute("mobile: activeAppInfo", {})
        except errors.CommandRefusedError:
            return self._named("bundleId")
        app = found.get("bundleId") if isinstance(found, dict) else None
        return app if isinstance(app, str) else self._named("bundleId")

    def _named(self, name: str) -> str:
        """A text among the capabilities that the driver reports."""
        capabilities = self._live.capabilities
        value = capabilities.get(name, capabilities.get(f"appium:{name}"))
        return value if isinstance(value, str) else ""

    @property
    def _live(self) -> Session:
        if self._session is None:
            raise errors.SessionLostError(
                f"{self._connection.server}: the session is gone", hint="reset opens another"
            )
        return self._session

    def _end(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.end()

    def _watching(self, call: Callable[[], T]) -> T:
        """What a call returns; without a session it raises, as afterwards if the server lost it."""
        _ = self._live
        try:
            return call()
        except errors.SessionLostError:
            self._session = None
            raise

    def _observe(self) -> Observation:
        time_s = monotonic() - self._started
        view = self._views.take()
        if view.stale:
            view = self._views.take()
        size = self._size = view.screenshot.size
        self._units = view.units
        return Observation(
            screenshot=view.screenshot,
            size=size,
            ui_tree=None if view.xml is None else self._read_tree(view.xml, size, "page source"),
            app=view.app,
            orientation="landscape" if size.width > size.height else "portrait",
            time_s=time_s,
            stale=view.stale,
            url=view.url,
            tabs=view.tabs,
        )

    def _place(self, point: Point) -> tuple[float, float]:
        """A point of the screen that was observed last, as the driver counts."""
        if self._size is None:
            self._observe()
        assert self._size is not None  # as observing sets it
        return self._units.place(point, self._size)

    def _perform(self, action: Action) -> None:
        match action:
            case actions.TypeText():
                self._type(action)
            case actions.PressKey(key=key):
                if key not in self._input.keys:
                    raise self._no_key(key, self._input.keys)
                self._input.press(key)
                if key == "rotate":
                    self._size = None
            case actions.OpenApp(app=app):
                self._launch(app)
            case actions.Goto() | actions.NewTab() | actions.CloseTab() | actions.SwitchTab():
                self._browse(action)
            case actions.Wait(duration_s=duration_s):
                sleep(duration_s)
                return
            case actions.Answer() | actions.AskUser() | actions.Finish():
                return
            case _:
                self._input.perform(action, self._place)
        self._used = True

    def _browse(
        self, action: actions.Goto | actions.NewTab | actions.CloseTab | actions.SwitchTab
    ) -> None:
        if self._page is None:
            raise self._no_tabs(action, "open the browser's app, and type into its address field")
        match action:
            case actions.Goto(url=url):
                self._page.goto(url)
            case actions.NewTab(url=url):
                self._page.new_tab(url)
            case actions.CloseTab():
                self._page.close_tab()
            case actions.SwitchTab(tab=tab):
                self._page.switch_tab(tab)

    def _type(self, action: actions.TypeText) -> None:
        if action.at is not None:
            self._input.perform(actions.Tap(at=action.at), self._place)
            if self.platform != "browser":
                sleep(_FOCUS_S)
        if action.clear:
            self._input.clear()
        text = action.text.removesuffix("\n")
        self._input.type_text(text)
        if text != action.text:
            self._input.press("enter")

    def _launch(self, app: str) -> None:
        try:
            self._input.open(app)
        except errors.CommandRefusedError as error:
            raise UnknownAppError(
                f"{self.name} cannot open {app!r}: {error}",
                hint="apps are opened by bundle identifier or package, and must be installed",
            ) from error
