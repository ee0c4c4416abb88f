"""Installed sites in a desktop browser: its apps are the sites, each at a name of its own.

Opening an app loads the first page of that site, such as http://trac.test/; links, forms and "back"
lead on from there. Nothing else can be reached. What the sites hold, and the files that were
downloaded, are the device's state.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import Self, get_args
from urllib.parse import urlsplit

from pydantic import JsonValue

from tapwright.core import actions
from tapwright.core.actions import Action, Key, typing_steps
from tapwright.core.geometry import Size
from tapwright.core.language import Language
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.chromium import Browser
from tapwright.devices.chromium_device import ChromiumDevice, Viewport, read_script
from tapwright.devices.device import Overrides
from tapwright.devices.errors import SITE_MISSING
from tapwright.devices.page_capture import CaptureOptions, PageCapture
from tapwright.devices.page_hand import PageHand
from tapwright.devices.sites.loading import PageLoad
from tapwright.devices.tab import Tab
from tapwright.devices.uiautomator import to_xml
from tapwright.errors import DeviceError, DeviceLostError, UnknownAppError, UnsupportedActionError
from tapwright.files.temporary import OwnedDirectory
from tapwright.sites import sites
from tapwright.sites.home import SiteHome
from tapwright.sites.running import RunningSite

__all__ = ["DEFAULT_SIZE", "SitesDevice", "read_argument"]

DEFAULT_SIZE = Size(1280, 800)


def read_argument(argument: str) -> tuple[Sequence[str], Size]:
    """The sites and the size of "trac,spirit" or "trac,1440x900"; no site is all of them.

    Raises:
        UnknownNameError: there is no such site.
    """
    names, size = [], DEFAULT_SIZE
    for word in filter(None, argument.split(",")):
        match = re.fullmatch(r"(\d{3,4})x(\d{3,4})", word, re.ASCII)
        if match:
            size = Size(int(match[1]), int(match[2]))
        else:
            sites.get(word)
            names.append(word)
    return names, size


_KEYS: tuple[Key, ...] = tuple(
    key
    for key in get_args(Key)
    if key
    not in (
        "home", "recents", "menu", "power", "volume_up", "volume_down", "camera", "clear", "rotate",
    )
)  # fmt: skip


class SitesDevice(ChromiumDevice):
    """The given sites, by default all that are installed in `home`, at `size` CSS pixels.

    Each call to the browser ends within `timeout_s`.

    Raises:
        DeviceError: a site is not installed.
        SiteLostError: a site does not start.
    """

    def __init__(
        self,
        names: Sequence[str] = (),
        *,
        home: SiteHome,
        size: Size = DEFAULT_SIZE,
        executable: Path | None = None,
        timeout_s: float = 60.0,
    ) -> None:
        self.size = size
        self._language: Language = "en"
        self._folder = OwnedDirectory("tapwright-downloads-")
        self._downloads = self._folder.path / "files"
        self._downloads.mkdir()
        self._sites: dict[str, RunningSite] = {}
        self._home = home
        try:
            for name in names or [one for one in sites.names() if home.has(sites.get(one))]:
                self._sites[name] = RunningSite(sites.get(name), home, timeout_s=timeout_s)
            if not self._sites:
                raise SITE_MISSING("no site is installed", hint="tapwright sites install")
            hosts = {_host(name): site.port for name, site in self._sites.items()}
            browser = Browser(executable, hosts=hosts, timeout_s=timeout_s)
            super().__init__(
                Viewport(size, 1.0, mobile=False),
                CaptureOptions("png", size.width, size.height, scrolls=True),
                size,
                browser=browser,
                executable=executable,
                timeout_s=timeout_s,
            )
            self._owns_browser = True
        except BaseException:
            self._close_sites()
            raise

    @classmethod
    def named(
        cls, argument: str = "", *, home: SiteHome | None = None, executable: Path | None = None
    ) -> Self:
        """The device that "trac,spirit" or "1440x900" describes: the sites and the size.

        Raises:
            UnknownNameError: there is no such site.
        """
        names, size = read_argument(argument)
        place = home or SiteHome(Path("~/.cache/tapwright/sites").expanduser())
        return cls(names, home=place, size=size, executable=executable)

    @property
    def name(self) -> str:
        """Its kind and size."""
        return f"sites {self.size}"

    def reset(
        self, *, seed: int = 0, language: str = "en", state: Overrides | None = None, app: str = ""
    ) -> None:
        """Put back the content of `seed` in every site, without cookies and downloads; open `app`.

        Without an `app` it is the first site. A page that hangs or crashed is replaced.

        Raises:
            DeviceError: `state` is given: the seed makes all of it.
            UnknownAppError: there is no such site here.
            SiteLostError: a site has ended.
        """
        if state:
            raise DeviceError(f"{self.name}: the seed alone determines what the sites hold")
        first = self._check_app(app or next(iter(self._sites)))
        self._language = "zh" if language.startswith("zh") else "en"
        if self._lost:
            self._replace_page()
        with self._marking_loss():
            self._hand.let_go()
            self.tab.call("Page.navigate", {"url": "about:blank"})
            self._load_state.settle()
            self.tab.forget()
        for site in self._sites.values():
            site.reset(seed=seed, language=self._language)
        for path in self._downloads.iterdir():
            path.unlink()
        self._begun_s = monotonic()
        with self._marking_loss():
            self._open_site(first)
            self.tab.call("Page.resetNavigationHistory")

    def observe(self) -> Observation:
        """Screenshot and tree of the page; `app` is the site."""
        with self._marking_loss():
            app = self._shown_site()
            capture = PageCapture(self.tab, self._picture)
            xml = to_xml(capture.snapshot(), package=app, size=self.size, scale=1.0, computer=True)
            data = self._cut(capture.screenshot())
        return Observation(
            screenshot=Screenshot(data, origin=self.name),
            size=self.size,
            ui_tree=UiTree(xml, self.size, origin=self.name),
            app=app,
            orientation="landscape" if self.size.width > self.size.height else "portrait",
            time_s=monotonic() - self._begun_s,
        )

    def perform(self, action: Action) -> None:
        """Perform an action, and return when what it began to load is there.

        A finger's swipe scrolls as the wheel does. A list of options does not open, as it would be
        in no screenshot: up and down choose, and so does typing an option's text.

        Raises:
            UnsupportedActionError: a key that a desktop does not have, another tab, or an address
                outside of the sites.
            UnknownAppError: there is no such site here.
            DeviceLostError: the page did not respond in time, or is gone; `reset` opens a new one.
        """
        with self._marking_loss():
            self._perform(action)
            self._load_state.settle()

    def state(self, path: str) -> JsonValue:
        """A table of a site ("trac.tickets"), all of one ("trac"), or the downloaded "files".

        "" is all of it. A file has a name and a text.
        """
        if not path:
            return {
                **{name: site.state("") for name, site in self._sites.items()},
                "files": self._read_files(),
            }
        name, _, table = path.partition(".")
        if name == "files":
            return self._read_files() if not table else None
        return self._sites[name].state(table) if name in self._sites else None

    def apps(self) -> Sequence[str]:
        """The names of the sites."""
        return tuple(self._sites)

    def keys(self) -> Sequence[Key]:
        """The keys of a keyboard, and a browser's "back" and "forward"."""
        return _KEYS

    def let_go(self) -> Sequence[str]:
        """Let go what is down; returns what was."""
        return self._hand.let_go()

    def close(self) -> None:
        """Close the page and the browser, and end the sites; more than once is allowed."""
        super().close()
        self._close_sites()

    def _load(self, tab: Tab) -> None:
        self._hand = PageHand(tab)
        self._load_state = PageLoad(tab)
        self._begun_s = monotonic()
        tab.run_in_every_page(read_script(__package__, "page.js"))
        tab.allow(f"http://{_host(name)}" for name in self._sites)
        tab.save_downloads(self._downloads)
        self._open_site(next(iter(self._sites)))

    def _open_site(self, name: str) -> None:
        self.tab.hover(self.size.width - 1, self.size.height - 1)
        self.tab.goto(f"http://{_host(name)}/")
        self._load_state.settle()

    def _shown_site(self) -> str:
        host = urlsplit(str(self.tab.evaluate("location.href"))).hostname or ""
        return host.removesuffix(".test")

    def _check_app(self, name: str) -> str:
        if name in self._sites:
            return name
        known = name in sites.names()
        raise UnknownAppError(
            f"{self.name} has no site {name!r}",
            hint=f"tapwright sites install {name}" if known else f"one of {', '.join(self.apps())}",
        )

    def _perform(self, action: Action) -> None:
        match action:
            case actions.TypeText() if (steps := typing_steps(action)) != (action,):
                for step in steps:
                    self._perform(step)
            case actions.TypeText(text=text):
                self._type(text)
            case actions.PressKey(key="back" | "forward" as key):
                self._go(-1 if key == "back" else 1)
            case actions.PressKey(key=key) if key not in _KEYS:
                raise self._no_key(key, _KEYS)
            case actions.OpenApp(app=app):
                self._open_site(self._check_app(app.lower()))
            case actions.Goto(url=url):
                self._goto(url)
            case actions.NewTab() | actions.CloseTab() | actions.SwitchTab():
                raise UnsupportedActionError(
                    f"{self.name} has one tab", hint="open an app to change to another site"
                )
            case actions.Wait(duration_s=duration_s):
                sleep(duration_s)
            case actions.Answer() | actions.AskUser() | actions.Finish():
                return
            case _:
                self._hand.perform(action)

    def _goto(self, url: str) -> None:
        address = url if "://" in url else f"http://{url}"
        if urlsplit(address).netloc not in map(_host, self._sites):
            raise UnsupportedActionError(
                f"{self.name} does not reach {url[:200]!r}",
                hint=f"it has {', '.join(f'http://{_host(name)}/' for name in self._sites)}",
            )
        # What fails shows the browser's own page; what is a download leaves the page as it is.
        self.tab.call("Page.navigate", {"url": address})

    def _go(self, by: int) -> None:
        """Go back or forward in the history of the tab, where there is something."""
        history = self.tab.call("Page.getNavigationHistory")
        wanted = history["currentIndex"] + by
        if 0 <= wanted < len(history["entries"]):
            entry = history["entries"][wanted]
            self.tab.call("Page.navigateToHistoryEntry", {"entryId": entry["id"]})

    def _read_files(self) -> list[JsonValue]:
        return [
            {"name": path.name, "text": path.read_text("utf-8", "replace")}
            for path in sorted(self._downloads.iterdir())
            if path.suffix != ".crdownload"
        ]

    def _close_sites(self) -> None:
        for site in self._sites.values():
            site.close()
        self._folder.remove()

    def _replace_page(self) -> None:
        self.tab.close()
        if not self.browser.alive:
            raise DeviceLostError("the browser of the sites has ended", hint="open a new device")
        self._open()


def _host(name: str) -> str:
    return f"{name}.test"
