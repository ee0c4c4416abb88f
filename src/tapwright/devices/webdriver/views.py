"""What a session shows at one moment: a picture, the elements in its pixels, and their units."""

import base64
import binascii
from abc import ABC, abstractmethod
from dataclasses import dataclass
from urllib.parse import urlsplit

from tapwright.core.geometry import Size
from tapwright.core.observation import BrowserTab
from tapwright.core.screenshot import Screenshot
from tapwright.devices.errors import BadDeviceOutputError
from tapwright.devices.uiautomator import to_xml
from tapwright.devices.webdriver.browser import BrowserPage
from tapwright.devices.webdriver.capabilities import Platform
from tapwright.devices.webdriver.session import Session
from tapwright.devices.webdriver.sources import Units, read_source
from tapwright.errors import BadImageError

__all__ = ["AppView", "BrowserView", "View", "ViewSource"]


@dataclass(frozen=True, slots=True)
class View:
    """One moment; `units` are those of the pointer.

    `xml` is None where the driver tells no elements. `stale` is set when the screen changed while
    picture and elements were taken.
    """

    screenshot: Screenshot
    xml: str | None
    units: Units
    app: str
    stale: bool
    url: str = ""
    tabs: tuple[BrowserTab, ...] = ()


class ViewSource(ABC):
    """Where views of a session come from; `name` is the device's, for errors."""

    def __init__(self, session: Session, name: str) -> None:
        self._session = session
        self._name = name

    @abstractmethod
    def take(self) -> View:
        """The screen as it is now.

        Raises:
            BadDeviceOutputError: the driver's answers are no picture, or no elements.
            DeviceError: what `Session.get` raises.
        """

    def _picture(self) -> Screenshot:
        answer = self._session.get("screenshot")
        try:
            data = base64.b64decode(answer if isinstance(answer, str) else "")
            screenshot = Screenshot(data, origin=self._name)
            _ = screenshot.size
        except (binascii.Error, BadImageError) as error:
            raise BadDeviceOutputError(
                f"{self._name}: its screenshot cannot be read: {error}",
                hint="does the screen show something protected? try another app",
            ) from error
        return screenshot


class BrowserView(ViewSource):
    """A page: its elements are taken before and after the picture, as that is quick."""

    def __init__(self, session: Session, name: str, page: BrowserPage) -> None:
        super().__init__(session, name)
        self._page = page

    def take(self) -> View:
        """The page in the window that is in front."""
        self._page.follow()
        url, tabs = self._page.look()
        app = urlsplit(url).hostname or ""
        if not self._page.has_tree:
            screenshot = self._picture()
            return View(screenshot, None, self._units(screenshot), app, False, url, tabs)
        before = self._page.snapshot()
        screenshot = self._picture()
        after = self._page.snapshot()
        try:
            # The snapshot counts the screen's pixels, or those of the page where it is zoomed.
            width = after.raw["documents"][0]["layout"]["bounds"][0][2]
            scale = screenshot.size.width / width
            xml = to_xml(after, package=app, size=screenshot.size, scale=scale)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise BadDeviceOutputError(
                f"{self._name}: its snapshot of the page cannot be read: {error!r}"
            ) from error
        stale = before.raw != after.raw
        return View(screenshot, xml, self._units(screenshot), app, stale, url, tabs)

    def _units(self, screenshot: Screenshot) -> Units:
        return Units(screenshot.size.width / self._page.width())


class AppView(ViewSource):
    """A phone or desktop: its elements are slow, so a picture is taken before and after them."""

    def __init__(self, session: Session, name: str, platform: Platform) -> None:
        super().__init__(session, name)
        self._platform = platform

    def take(self) -> View:
        """The screen, or on Windows the window, that the driver shows."""
        before = self._picture()
        found = self._session.get("source")
        if not isinstance(found, str):
            raise BadDeviceOutputError(f"{self._name}: its page source is not text")
        after = self._picture()
        width: float | None = None
        pointer: Units | None = None
        if self._platform in ("macos", "windows"):
            left, top, width, height = self._rectangle()
            if self._platform == "windows":
                # The pointer's places are on the screen, whose part the picture may be.
                whole = after.size == Size(max(1, round(width)), max(1, round(height)))
                pointer = Units(1.0, left, top) if whole else Units()
                width = None
        source = read_source(found, after.size, screen_width=width, origin=self._name)
        stale = before.sha256 != after.sha256
        return View(after, source.xml, pointer or source.units, source.app, stale)

    def _rectangle(self) -> tuple[float, float, float, float]:
        """The window of the session, or on macOS the screen: left, top, width, height."""
        found = self._session.get("window/rect")
        edges = found if isinstance(found, dict) else {}
        numbers = [edges.get(name) for name in ("x", "y", "width", "height")]
        left, top, width, height = (
            float(one) if isinstance(one, int | float) else 0.0 for one in numbers
        )
        return left, top, width, height
