"""Screenshots and DOM snapshots of a page, requested in one go."""

import base64
from dataclasses import dataclass
from typing import Literal

from tapwright.devices.devtools import CallResult
from tapwright.devices.dom import Snapshot
from tapwright.devices.errors import PAGE_HANGS
from tapwright.devices.page import Page
from tapwright.devices.style import STYLES
from tapwright.errors import DeviceError, DeviceLostError

# Chromium reads 80,000 nodes a second on an idle machine, and a tenth of that on a busy one.
_NODES_PER_S = 8000
_MOST_NODES = 500_000
_FOCUS = "document.activeElement === document.body ? null : document.activeElement"


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """The area and format of a screenshot: `width` x `height` CSS pixels from the top-left corner.

    `scale` is in image pixels per device pixel; `quality` (0 to 100) is for JPEG alone.

    Chromium counts an area from the corner of the document, and what lies outside of the window is
    blank. So of a document that `scrolls` the whole window is taken, whatever the area.
    """

    kind: Literal["png", "jpeg"]
    width: float
    height: float
    scale: float = 1.0
    quality: int = 80
    scrolls: bool = False

    def parameters(self) -> dict[str, object]:
        """The parameters of `Page.captureScreenshot`."""
        parameters: dict[str, object] = {"format": self.kind, "optimizeForSpeed": True}
        if not self.scrolls:
            parameters["clip"] = {
                "x": 0, "y": 0, "width": self.width, "height": self.height, "scale": self.scale,
            }  # fmt: skip
        if self.kind == "jpeg":
            parameters["quality"] = self.quality
        return parameters


class PageCapture:
    """A screenshot and the elements of one moment, requested together and received later.

    Without `options` no screenshot is taken.
    """

    def __init__(self, tab: Page, options: CaptureOptions | None) -> None:
        self._tab = tab
        self._focus = tab.send("Runtime.evaluate", {"expression": _FOCUS, "objectGroup": "capture"})
        self._counters = tab.send("Memory.getDOMCounters")
        self._elements = tab.send(
            "DOMSnapshot.captureSnapshot",
            {"computedStyles": list(STYLES), "includePaintOrder": True},
        )
        self._screenshot = (
            tab.send("Page.captureScreenshot", options.parameters()) if options else None
        )

    def snapshot(self) -> Snapshot:
        """The elements and the focused one, for which a large page gets up to 62 s more.

        Raises:
            DeviceLostError: that was not enough for a page of so many nodes.
            DeviceError: what else `Page.wait` raises.
        """
        focus = self._tab.wait(self._focus)["result"].get("objectId")
        focused = None
        if focus is not None:
            described = self._tab.send("DOM.describeNode", {"objectId": focus})
            self._tab.send("Runtime.releaseObjectGroup", {"objectGroup": "capture"})
            focused = int(self._tab.wait(described)["node"]["backendNodeId"])
        return Snapshot(self._read_elements(), focused)

    def _read_elements(self) -> CallResult:
        nodes = int(self._tab.wait(self._counters)["nodes"])
        more_s = min(nodes, _MOST_NODES) // _NODES_PER_S
        try:
            return self._tab.wait(self._elements, more_s=more_s)
        except DeviceLostError as error:
            if self._elements.future.done() or not more_s:
                raise
            raise PAGE_HANGS(
                f"the page has {nodes:,} nodes, and to read them took longer than "
                f"{self._tab.timeout_s + more_s:g} s",
                hint="go to a page with fewer elements, or give the machine less to do",
            ) from error

    def screenshot(self) -> bytes:
        """The encoded screenshot; raises DeviceError if none was asked for, and as `Tab.wait`."""
        if self._screenshot is None:
            raise DeviceError("the capture was requested without a screenshot")
        return base64.b64decode(self._tab.wait(self._screenshot)["data"])


def take_screenshot(tab: Page, options: CaptureOptions) -> bytes:
    """The encoded screenshot of a page."""
    reply = tab.send("Page.captureScreenshot", options.parameters())
    return base64.b64decode(tab.wait(reply)["data"])


def take_snapshot(tab: Page) -> Snapshot:
    """The elements of a page as they are laid out now."""
    return PageCapture(tab, None).snapshot()
