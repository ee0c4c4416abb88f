"""One Chromium page in its own browser context, which gets files from us, and what is allowed.

A page can neither block nor escape: JavaScript's dialogs are dismissed as they open, every call
has a time limit, and a request fails as if there were no network, where `serve` has no file for it
and `allow` no server.
"""

import base64
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from tapwright.core.geometry import Size
from tapwright.devices.devtools import CallResult, DevToolsPipe
from tapwright.devices.login import hide_page_login
from tapwright.devices.page import Page
from tapwright.errors import DeviceError, DeviceLostError
from tapwright.files.closing import Closing

OnEvent: TypeAlias = Callable[[str, CallResult], None]
"""Receives an event's method and parameters, in the thread that reads the pipe."""

_DIALOGS_KEPT = 100
_LOADED = (
    "new Promise(done => document.readyState === 'complete' "
    "? done() : addEventListener('load', () => done()))"
)


@dataclass(frozen=True, slots=True)
class Dialog:
    """A JavaScript dialog that a page opened; it was dismissed at once."""

    kind: Literal["alert", "confirm", "prompt", "beforeunload"]
    message: str


class Tab(Page, Closing):
    """A page; made by `Browser.open_tab`. `dialogs` holds the latest dialogs, oldest first."""

    def __init__(
        self, wire: DevToolsPipe, size: Size, density: float, *, mobile: bool, timeout_s: float
    ) -> None:
        super().__init__(wire, size, density, mobile=mobile, timeout_s=timeout_s)
        self.dialogs: deque[Dialog] = deque(maxlen=_DIALOGS_KEPT)
        self._files: dict[str, tuple[bytes, str]] = {}
        self._allowed: frozenset[str] = frozenset()
        self._listeners: list[OnEvent] = []
        made = self.send("Target.createBrowserContext")
        try:
            self._context = str(self.wait(made)["browserContextId"])
            self._open()
        except BaseException:
            # The context may be created only after the call timed out.
            made.future.add_done_callback(self._close_late_context)
            raise

    def serve(self, files: Mapping[str, tuple[bytes, str]], origin: str) -> None:
        """Serve requests below `origin` ("http://phone.test") from `files`.

        Keys are paths without a leading slash, values the bytes and their media type. A query is
        ignored, and a folder stands for its index.html. Files served before at this origin remain.
        """
        for path, file in files.items():
            self._files[f"{origin}/{path}"] = file
            if path.rpartition("/")[2] == "index.html":
                self._files[f"{origin}/{path.removesuffix('index.html')}"] = file

    def allow(self, origins: Iterable[str]) -> None:
        """Let requests to these origins ("http://trac.test") reach the servers behind them."""
        self._allowed = frozenset(origins)

    def listen(self, on_event: OnEvent) -> None:
        """Call `on_event` for each of the page's events from now on; it returns quickly."""
        self._listeners.append(on_event)

    def save_downloads(self, folder: Path) -> None:
        """Save what the page downloads in a folder, under the names that the page gives."""
        self.wait(
            self._wire.send(
                "Browser.setDownloadBehavior",
                {"behavior": "allow", "browserContextId": self._context,
                 "downloadPath": str(folder)},
                timeout_s=self.timeout_s,
            )
        )  # fmt: skip

    def resize(self, size: Size) -> None:
        """Lay the page out in another size, in CSS pixels."""
        self.size = size
        self.call("Emulation.setDeviceMetricsOverride", self._metrics(size))

    def draw_only(self, size: Size) -> None:
        """Draw no more than so much of the page, from its top-left corner; its layout stays.

        A picture of just this is taken as the page is, and not after it was fitted to it and back.
        """
        clip = {"x": 0, "y": 0, "width": size.width, "height": size.height, "scale": 1}
        self.call(
            "Emulation.setDeviceMetricsOverride", {**self._metrics(self.size), "viewport": clip}
        )

    def forget(self) -> None:
        """Forget all cookies of the page's context."""
        self.call("Network.clearBrowserCookies")

    def goto(self, url: str) -> None:
        """Load a page, and return when its scripts and images have loaded too.

        Raises:
            DeviceError: nothing is served at `url`.
            DeviceLostError: it did not load in time, or see `wait`.
        """
        answer = self.call("Page.navigate", {"url": url})
        if "errorText" in answer:
            raise DeviceError(
                f"{hide_page_login(url)} could not be loaded: {answer['errorText']}",
                hint="a tab loads only what Tab.serve provides; there is no network",
            )
        self.evaluate(_LOADED)
        # Until then touches are still scaled for the previous page.
        self.wait_for_frame()

    def close(self) -> None:
        """Close the page and drop its context, even when it hangs; more than once is allowed."""
        if self._closed():
            return
        self._lose("the tab was closed")
        try:
            self._wire.send(
                "Target.disposeBrowserContext",
                {"browserContextId": self._context},
                timeout_s=self.timeout_s,
            )
        except DeviceLostError:
            return  # and the context with it

    def _open(self) -> None:
        size = self.size
        target = self.call(
            "Target.createTarget",
            {"url": "about:blank", "browserContextId": self._context,
             "width": size.width, "height": size.height},
        )  # fmt: skip
        self._attach(target["targetId"])
        self.call("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})

    def _close_late_context(self, made: Future[CallResult]) -> None:
        if made.exception() is None:
            self._context = str(made.result()["browserContextId"])
            self.close()

    def _closed(self) -> bool:
        return self._lost == "the tab was closed"

    def _on_event(self, method: str, params: CallResult) -> None:
        for listener in self._listeners:
            listener(method, params)
        match method:
            case "Fetch.requestPaused":
                self._serve_request(params)
            case "Page.javascriptDialogOpening":
                self.dialogs.append(Dialog(params["type"], params["message"]))
                # Dismissing "leave this page?" would keep the page from being replaced.
                leave = params["type"] == "beforeunload"
                self._send_async("Page.handleJavaScriptDialog", {"accept": leave})
            case _:
                super()._on_event(method, params)

    def _serve_request(self, params: CallResult) -> None:
        parts = urlsplit(params["request"]["url"])
        file = self._files.get(f"{parts.scheme}://{parts.netloc}{parts.path}")
        request = {"requestId": params["requestId"]}
        if file is not None:
            self._send_async("Fetch.fulfillRequest", {**request, **_answer(*file)})
        elif f"{parts.scheme}://{parts.netloc}" in self._allowed:
            self._send_async("Fetch.continueRequest", request)
        else:
            self._send_async(
                "Fetch.failRequest", {**request, "errorReason": "InternetDisconnected"}
            )


def _answer(data: bytes, media_type: str) -> dict[str, object]:
    return {
        "responseCode": 200,
        "responseHeaders": [
            {"name": "Content-Type", "value": media_type},
            {"name": "Cache-Control", "value": "no-store"},
        ],
        "body": base64.b64encode(data).decode("ascii"),
    }
