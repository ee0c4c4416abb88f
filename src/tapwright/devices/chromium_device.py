"""The base of devices that are one page in Chromium: opens, checks, replaces and closes the page.

A subclass loads its page, observes it and acts on it; the handling of the browser, of a page that
hangs, and of a Chromium that draws wrong pictures is shared.
"""

import io
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files as resources
from math import ceil
from pathlib import Path

from PIL import Image
from pydantic import JsonValue

from tapwright.core.geometry import Size
from tapwright.core.screenshot import Screenshot
from tapwright.devices.chromium import Browser
from tapwright.devices.device import BareDevice
from tapwright.devices.errors import BROWSER_UNUSABLE
from tapwright.devices.page_capture import CaptureOptions, take_screenshot
from tapwright.devices.tab import Tab

__all__ = ["ChromiumDevice", "Viewport", "read_script"]

# Draws three characters as a page's fonts do: an ideograph, another one, and a code point that no
# font has. A font without ideographs draws the same box, or nothing, for all of them.
_HAS_IDEOGRAPHS = """
(() => {
  const draw = text => {
    const canvas = document.createElement("canvas")
    canvas.width = canvas.height = 48
    const context = canvas.getContext("2d", { willReadFrequently: true })
    context.font = "32px sans-serif"
    context.fillText(text, 4, 36)
    return context.getImageData(0, 0, 48, 48).data.join()
  }
  const drawn = draw("永")
  return ![draw(" "), draw("国"), draw("\\u{2fffd}")].includes(drawn)
})()
"""


@dataclass(frozen=True, slots=True)
class Viewport:
    """The area that a page is laid out in: `size` in CSS pixels, `density` device pixels to each.

    A `mobile` page is touched, others have a mouse.
    """

    size: Size
    density: float
    mobile: bool


class ChromiumDevice(ABC, BareDevice):
    """One page in Chromium; `picture` is how screenshots are taken, `frame` their size.

    `tab` is the page itself; `reset` may replace it. Several devices may share a `browser`, each
    used from one thread at a time; one that was given none starts and ends its own. Each call to
    the page ends within `timeout_s`.

    Raises:
        DeviceError: there is no Chromium.
        DeviceError: it does not start, or its pictures are of another size, or without
            Chinese characters.
        DeviceLostError: it did not respond in time.
    """

    def __init__(
        self,
        viewport: Viewport,
        picture: CaptureOptions,
        frame: Size,
        *,
        browser: Browser | None,
        executable: Path | None,
        timeout_s: float,
    ) -> None:
        self._viewport = viewport
        self._requested = self._picture = picture
        self._cuts = False
        self._frame = frame
        self._executable = executable
        self._timeout_s = timeout_s
        self._owns_browser = browser is None
        self.browser = browser or Browser(executable, timeout_s=timeout_s)
        try:
            self._open()
        except BaseException:
            self._close_browser()
            raise

    def close(self) -> None:
        """Close the page, and the browser if it is the device's own; more than once is allowed."""
        self.tab.close()
        self._close_browser()

    @abstractmethod
    def _load(self, tab: Tab) -> None:
        """Load the device's page into a new tab and start it."""

    def _open(self) -> None:
        viewport = self._viewport
        self.tab: Tab = self.browser.open_tab(
            viewport.size, viewport.density, mobile=viewport.mobile, timeout_s=self._timeout_s
        )
        self._lost = False
        try:
            self._check_drawing()
            self._load(self.tab)
        except BaseException:
            self.tab.close()
            raise

    def _reshape(self, viewport: Viewport, picture: CaptureOptions, frame: Size) -> None:
        """Lay the page out in another viewport, without loading it again."""
        self._viewport = viewport
        self._requested = self._picture = picture
        self._frame = frame
        self.tab.resize(viewport.size)
        self._check_drawing()

    def _replace_page(self) -> None:
        """Open a new page in place of one that hangs or crashed, in a new browser if that ended."""
        self.tab.close()
        if self._owns_browser and not self.browser.alive:
            self.browser.close()
            self.browser = Browser(self._executable, timeout_s=self._timeout_s)
        self._open()

    def _close_browser(self) -> None:
        if self._owns_browser:
            self.browser.close()

    def _ask(self, expression: str) -> JsonValue:
        """The value of an expression in the page, which counts as lost when it does not respond."""
        with self._marking_loss():
            return self.tab.evaluate(expression)

    def takes_text(self) -> bool:
        """Whether any element of the page has the focus."""
        return self._ask("![null, document.body].includes(document.activeElement)") is True

    def _type(self, text: str) -> None:
        """Choose the option of a list that has the focus, else type on a keyboard."""
        choose = f"globalThis[Symbol.for('tapwright.choose')]?.({json.dumps(text)})"
        if self._ask(choose) is not True:
            self.tab.type_keys(text)

    def _cut(self, data: bytes) -> bytes:
        """A picture cut to the frame, where Chromium cannot take it in that size."""
        if not self._cuts:
            return data
        with Image.open(io.BytesIO(data)) as image:
            frame = image.crop((0, 0, self._frame.width, self._frame.height))
        cut = io.BytesIO()
        frame.save(cut, "PNG", compress_level=1)
        return cut.getvalue()

    def _check_drawing(self) -> None:
        """Compare a picture with what was requested, once in a process for each kind of page.

        Chromium before 151 counts a picture's sides in whole CSS pixels, which gives 1079x2399
        for a phone of 1080x2400 at 2.625 to each: there the next larger picture is taken and cut.
        """
        kind = (self.browser.executable, self._viewport, self._requested, self._frame)
        if kind not in _drawings:
            _drawings[kind] = self._compare_drawing()
        self._picture = _drawings[kind]
        self._cuts = self._picture != self._requested

    def _compare_drawing(self) -> CaptureOptions:
        program = f"{self.browser.executable} ({self.browser.version})"
        if self.tab.evaluate(_HAS_IDEOGRAPHS) is not True:
            raise BROWSER_UNUSABLE(
                f"{program} draws Chinese characters as empty boxes",
                hint="apt-get install fonts-noto-cjk",
            )
        requested = self._requested
        size = self._measure(requested)
        if size == self._frame:
            return requested
        if requested.kind == "png":
            larger = replace(requested, width=ceil(requested.width), height=ceil(requested.height))
            whole = self._measure(larger)
            if whole.width >= self._frame.width and whole.height >= self._frame.height:
                return larger
        raise BROWSER_UNUSABLE(
            f"{program} takes screenshots of {size}; expected {self._frame}",
            hint="use another Chromium: TAPWRIGHT_CHROMIUM=/path/to/chromium",
        )

    def _measure(self, picture: CaptureOptions) -> Size:
        return Screenshot(take_screenshot(self.tab, picture), origin="the first picture").size


@cache
def read_script(package: str, name: str) -> str:
    """A script of a device's package, behind the one that keeps lists of options closed."""
    lists = (resources(__package__) / "lists.js").read_text("utf-8")
    return f"{lists};\n{(resources(package) / name).read_text('utf-8')}"


_drawings: dict[tuple[Path, Viewport, CaptureOptions, Size], CaptureOptions] = {}
"""The options with which a program takes a screenshot of the requested size."""
