"""Any web page in Chromium as a device, with its address, its tabs and its dialogs.

Time is the machine's own here: a page may load from a server. An action returns when the page has
handled it, has loaded what it led to, and has drawn that, or after 10 s of loading.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self, get_args
from urllib.parse import urlsplit

from pydantic import JsonValue

from tapwright.core import actions
from tapwright.core.actions import Action, Key, typing_steps
from tapwright.core.geometry import Size
from tapwright.core.observation import BrowserTab, Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.chromium import Browser
from tapwright.devices.chromium_device import Viewport
from tapwright.devices.device import BareDevice, Overrides, refuse_mouse
from tapwright.devices.errors import PAGE_HANGS
from tapwright.devices.page_capture import CaptureOptions, PageCapture
from tapwright.devices.uiautomator import to_xml
from tapwright.devices.web.addresses import DESKTOP, Addresses, read_argument
from tapwright.devices.web.dialogs import DialogBox, answer_dialog, draw_dialog
from tapwright.devices.web.gestures import touch
from tapwright.devices.web.network import Network
from tapwright.devices.web.page import PageDialog, PageInterrupted, WebPage
from tapwright.devices.web.window import BrowserWindow
from tapwright.errors import DeviceError, DeviceLostError, UnsupportedActionError

__all__ = ["WebDevice"]

_NO_KEYS: tuple[Key, ...] = (
    "home", "recents", "menu", "power", "volume_up", "volume_down", "camera", "clear", "rotate",
)  # fmt: skip
_TRIES = 3


class WebDevice(BareDevice):
    """A browser that starts at `url`, and reaches the hosts of `network` alone.

    Several devices may share a `browser`, which then sets the network; each is used from one thread
    at a time. Each call to a page ends within `timeout_s`, or 2 s more while it loads. With a
    `profile`, a folder of the user's, cookies and storage outlive `reset` and the device, whose
    browser is its own then. Without `downloads` pages put no file anywhere.

    Raises:
        DeviceError: there is no Chromium.
        DeviceError: another browser has the profile.
        UnsupportedActionError: `url` cannot be loaded.
    """

    def __init__(
        self,
        url: str = "about:blank",
        *,
        viewport: Viewport = DESKTOP,
        network: Network | None = None,
        browser: Browser | None = None,
        executable: Path | None = None,
        profile: Path | None = None,
        downloads: bool = True,
        timeout_s: float = 10.0,
    ) -> None:
        self.url = url
        self.network = Network.of(url) if network is None else network
        self._viewport = viewport
        size, density = viewport.size, viewport.density
        self.size = Size(round(size.width * density), round(size.height * density))
        self._addresses = Addresses(self.name, self.network)
        self._picture = CaptureOptions("png", size.width, size.height, scrolls=True)
        self._executable = executable
        self._profile = profile
        self._downloads = downloads
        self.timeout_s = timeout_s
        self._owns_browser = browser is None
        self._shared = False
        self.browser = browser or self._open_browser()
        self._window: BrowserWindow | None = None
        self._last: Screenshot | None = None
        try:
            self.reset()
        except BaseException:
            self.close()
            raise

    @classmethod
    def named(
        cls, argument: str = "", *, network: str | None = None, executable: Path | None = None,
        profile: Path | None = None, downloads: bool = True,
    ) -> Self:  # fmt: skip
        """The device that "URL", "URL,1920x1080" or "URL,phone" describes.

        `network` is what `Network.parse` takes; None allows the URL's host alone.

        Raises:
            UsageError: the address is none that a browser opens, or `network` names no hosts.
        """
        url, viewport = read_argument(argument)
        allowed = None if network is None else Network.parse(network)
        return cls(
            url, viewport=viewport, network=allowed, executable=executable, profile=profile,
            downloads=downloads,
        )  # fmt: skip

    @property
    def name(self) -> str:
        """Its kind and size."""
        return f"web {self.size}"

    @property
    def window(self) -> BrowserWindow:
        """The browser's tabs; `reset` replaces them.

        Raises:
            DeviceLostError: the device was closed.
        """
        if self._window is None:
            raise DeviceLostError(f"{self.name} was closed")
        return self._window

    def reset(
        self, *, seed: int = 0, language: str = "en", state: Overrides | None = None, app: str = ""
    ) -> None:
        """Close all tabs, forget cookies and storage, and load the first address, or `app`.

        What the site keeps is the site's, and what a profile keeps stays; `seed` and `language`
        are ignored.

        Raises:
            DeviceError: `state` is given.
            UnsupportedActionError: the address cannot be loaded.
        """
        if state:
            raise DeviceError(f"{self.name} sets no state", hint="set it at the site's own server")
        if self._window is not None:
            self._window.close()
            self._window = None
        if self._owns_browser and not self.browser.alive:
            self.browser.close()
            self.browser = self._open_browser()
        self._window = BrowserWindow(
            self.browser, self._viewport, self.network, self.timeout_s, downloads=self._downloads
        )
        self._last = None
        self._started_s = time.monotonic()
        url = app or self.url
        if url != "about:blank":
            self._addresses.go(self.window, url)
        self.window.sync()

    def observe(self) -> Observation:
        """Screenshot, tree, address and tabs; an open dialog is drawn over the last picture.

        Raises:
            DeviceLostError: the page runs a script without end, or is too large to be read.
            DeviceLostError: it crashed.
        """
        failure: DeviceError = PAGE_HANGS(
            f"{self.name}: the page did not come to rest", hint="wait, or go elsewhere"
        )
        for _ in range(_TRIES):
            self.window.sync()
            page = self.window.page
            try:
                if page.dialog is not None:
                    return self._observe_dialog(page.dialog)
                return self._observe(page)
            except PageInterrupted:
                pass
            except DeviceLostError:
                raise
            except DeviceError as error:  # it was just being left
                failure = error
            with suppress(PageInterrupted):
                page.settle()
        raise failure

    def perform(self, action: Action) -> None:
        """Perform an action, and return when the page has handled it.

        Raises:
            UnsupportedActionError: a key that a browser does not have, or a tab that is not there.
            UnsupportedActionError: the address cannot be loaded, or its host is not allowed.
            DeviceLostError: the page did not respond in time.
            DeviceLostError: it crashed, or the browser is gone.
        """
        if self._viewport.mobile:
            refuse_mouse(self.name, action)
        self.window.sync()
        page = self.window.page
        page.refused, page.unanswered = "", False
        with suppress(PageInterrupted):
            if page.dialog is None or not answer_dialog(
                page, page.dialog, self._place(page.dialog), action, self._find_file
            ):
                self._perform(action)
        self.window.sync()
        if isinstance(action, actions.Answer | actions.AskUser | actions.Finish):
            return
        with suppress(PageInterrupted):
            if self.window.page.dialog is None:
                self.window.page.settle()
        self.window.sync()
        if page.refused:
            raise self._addresses.refused(page.refused)
        if page.unanswered:
            raise self._addresses.unanswered(page)

    def log(self, since: int = 0) -> Sequence[str]:
        """Tabs that pages opened and closed, and their downloads."""
        return list(self.window.events)[since:]

    def state(self, path: str) -> JsonValue:
        """`files`: the names of what was downloaded, or with a name its text; `url`; `title`."""
        window = self.window
        kind, _, name = path.partition(".")
        if kind == "files":
            if not name:
                return list[JsonValue](sorted(window.files))
            data = window.read(name)
            return None if data is None else data.decode("utf-8", "replace")
        front = _active(window.tabs())
        known: dict[str, JsonValue] = {"url": front.url, "title": front.title}
        return known.get(path) if path else known

    def keys(self) -> Sequence[Key]:
        """Back and forward, and the keys of a keyboard that edit and move."""
        return [key for key in get_args(Key) if key not in _NO_KEYS]

    def takes_text(self) -> bool:
        """Whether a dialog's field or an element of the page has the focus."""
        page = self.window.page
        if page.dialog is not None:
            return page.dialog.has_field
        with suppress(PageInterrupted):
            focused = "![null, document.body].includes(document.activeElement)"
            return page.evaluate(focused) is True
        return False

    def let_go(self) -> Sequence[str]:
        """Let go what is down in any tab; returns what was."""
        return self.window.let_go()

    def address(self) -> Mapping[str, JsonValue]:
        """Where Playwright joins in: the port of the browser, and the tab.

        A browser without a port is started anew with one, and the device reset.
        """
        if self._owns_browser and not self.browser.shared:
            self._shared = True
            self.browser.close()
            self.reset()
        if not self.browser.shared:
            return {}
        return {
            "kind": "web", "port": self.browser.port, "tab": self.window.page.target,
            "width": self._viewport.size.width, "height": self._viewport.size.height,
        }  # fmt: skip

    def close(self) -> None:
        """Close the tabs, and the browser if it is the device's own."""
        if self._window is not None:
            self._window.close()
            self._window = None
        if self._owns_browser:
            self.browser.close()

    def _open_browser(self) -> Browser:
        return Browser(
            self._executable, timeout_s=self.timeout_s, resolver_rules=self.network.rules,
            shared=self._shared, profile=self._profile,
        )  # fmt: skip

    def _observe(self, page: WebPage) -> Observation:
        capture = PageCapture(page, self._picture)
        snapshot = capture.snapshot()
        data = capture.screenshot()
        tabs = self.window.tabs()
        xml = to_xml(
            snapshot, package=_host(tabs), size=self.size, scale=self._viewport.density,
            computer=not self._viewport.mobile,
        )  # fmt: skip
        self._last = Screenshot(data, origin=self.name)
        return self._observation(self._last, xml, tabs)

    def _observe_dialog(self, dialog: PageDialog) -> Observation:
        if dialog.kind == "file":
            names = ", ".join(sorted(self.window.files)) or "-"
            dialog.title, dialog.message = "Choose a file", names
        tabs = self.window.tabs()
        last = None if self._last is None else self._last.data
        data, xml = draw_dialog(dialog, self._place(dialog), last, _host(tabs))
        return self._observation(Screenshot(data, origin=self.name), xml, tabs)

    def _observation(
        self, screenshot: Screenshot, xml: str, tabs: tuple[BrowserTab, ...]
    ) -> Observation:
        return Observation(
            screenshot=screenshot,
            size=self.size,
            ui_tree=UiTree(xml, self.size, origin=self.name),
            app=_host(tabs),
            orientation="portrait" if self.size.height >= self.size.width else "landscape",
            time_s=time.monotonic() - self._started_s,
            url=_active(tabs).url,
            tabs=tabs,
        )

    def _place(self, dialog: PageDialog) -> DialogBox:
        return DialogBox.place(dialog, self.size, self._viewport.density)

    def _find_file(self, name: str) -> str:
        path = self.window.path_of(name)
        if path is None:
            raise UnsupportedActionError(
                f"{self.name} has no file {name[:200]!r}",
                hint=f"it has: {', '.join(sorted(self.window.files)) or 'none'}",
            )
        return path

    def _perform(self, action: Action) -> None:
        match action:
            case actions.PressKey(key="back" | "forward" as key):
                if not self.window.page.turn_history(-1 if key == "back" else 1):
                    raise UnsupportedActionError(f"{self.name}: there is no page to go {key} to")
            case actions.PressKey(key=key) if key in _NO_KEYS:
                raise self._no_key(key, self.keys())
            case actions.TypeText() if (steps := typing_steps(action)) != (action,):
                for step in steps:
                    self._perform(step)
            case actions.OpenApp(app=app):
                raise UnsupportedActionError(
                    f"{self.name} has no apps and cannot open {app!r}", hint="goto an address"
                )
            case actions.Wait(duration_s=duration_s):
                time.sleep(duration_s)
            case actions.Goto(url=url):
                self._addresses.go(self.window, url)
            case actions.NewTab(url=""):
                self.window.open()
            case actions.NewTab(url=url):
                self._addresses.go(self.window, url, new_tab=True)
            case actions.CloseTab():
                if len(self.window) == 1:
                    raise UnsupportedActionError(f"{self.name}: this is the last tab")
                self.window.close_tab()
            case actions.SwitchTab(tab=tab):
                if tab >= len(self.window):
                    raise UnsupportedActionError(
                        f"{self.name} has no tab {tab}", hint=f"tabs 0 to {len(self.window) - 1}"
                    )
                self.window.activate(tab)
            case actions.Answer() | actions.AskUser() | actions.Finish():
                pass
            case (
                actions.Tap()
                | actions.DoubleTap()
                | actions.TripleTap()
                | actions.LongPress()
                | actions.Drag()
                | actions.Swipe()
            ) if self._viewport.mobile:
                touch(self.window.page, action)
            case _:
                self.window.page.hand.perform(action)


def _active(tabs: tuple[BrowserTab, ...]) -> BrowserTab:
    return next(tab for tab in tabs if tab.active)


def _host(tabs: tuple[BrowserTab, ...]) -> str:
    return urlsplit(_active(tabs).url).netloc.rpartition("@")[2]
