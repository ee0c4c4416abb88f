"""Waits until a page that was acted on has loaded what the action asked for.

A click may leave for another page, send a form that redirects, fetch a part of the page, or
download a file. Chromium reports each before it answers the next call, so that two frames after the
action everything that it began is known.
"""

from threading import Condition

from tapwright.devices.devtools import CallResult
from tapwright.devices.tab import Tab
from tapwright.errors import DeviceError, DeviceLostError

__all__ = ["PageLoad"]

_ROUNDS = 20
# How many links for a download were clicked since this was last asked.
_DOWNLOADS = "globalThis[Symbol.for('tapwright.downloads')]?.() ?? 0"
# When this resolves, transitions that end by themselves have ended.
_AT_REST = """
Promise.allSettled(
  document.getAnimations()
    .filter(one => one.playState === "running" && one.effect?.getComputedTiming().endTime < 5000)
    .map(one => one.finished)
).then(() => null)
"""


class PageLoad:
    """What a tab is loading: documents, requests and downloads."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._changed = Condition()
        self._frames: set[str] = set()
        self._requests: set[str] = set()
        self._downloads: set[str] = set()
        self._awaited = 0
        tab.listen(self._on_event)
        tab.call("Network.enable")
        # Most sites then show at once what would move in.
        calm = [{"name": "prefers-reduced-motion", "value": "reduce"}]
        tab.call("Emulation.setEmulatedMedia", {"features": calm})

    def settle(self) -> None:
        """Return when nothing is under way and the page is drawn.

        Raises:
            DeviceLostError: it does not come to rest within the tab's time limit, or is gone.
        """
        for _ in range(_ROUNDS):
            drawn = self._draw()
            with self._changed:
                if drawn and not self._busy:
                    self._awaited = 0
                    return
                if not self._changed.wait_for(lambda: not self._busy, self._tab.timeout_s):
                    what = "a page" if self._frames else "an answer"
                    raise DeviceLostError(
                        f"{what} did not load within {self._tab.timeout_s:g} s",
                        hint="the site may have ended; reset starts it again",
                    )

    @property
    def _busy(self) -> bool:
        return bool(self._frames or self._requests or self._downloads or self._awaited > 0)

    def _draw(self) -> bool:
        """Whether two frames were drawn; not where the page was just being left."""
        try:
            self._tab.wait_for_frame()
            self._tab.evaluate(_AT_REST)
            clicked = self._tab.evaluate(_DOWNLOADS)
        except DeviceLostError:
            # A page that goes elsewhere refuses what waits in it; one that is gone refuses all.
            self._tab.evaluate("0")
            return False
        except DeviceError:
            return False
        with self._changed:
            self._awaited += clicked if isinstance(clicked, int) else 0
        return True

    def _on_event(self, method: str, params: CallResult) -> None:
        with self._changed:
            match method:
                case "Page.frameStartedLoading" | "Page.frameRequestedNavigation":
                    self._frames.add(params["frameId"])
                case (
                    "Page.frameStoppedLoading"
                    | "Page.frameDetached"
                    | "Page.frameClearedScheduledNavigation"
                    | "Page.navigatedWithinDocument"
                ):
                    self._frames.discard(params["frameId"])
                case "Network.requestWillBeSent":
                    self._requests.add(params["requestId"])
                case "Network.loadingFinished" | "Network.loadingFailed":
                    self._requests.discard(params["requestId"])
                case "Page.downloadWillBegin":
                    self._awaited -= 1  # also before the click is counted
                    self._downloads.add(params["guid"])
                    self._frames.discard(params["frameId"])
                case "Page.downloadProgress" if params["state"] != "inProgress":
                    self._downloads.discard(params["guid"])
                case _:
                    return
            self._changed.notify_all()
