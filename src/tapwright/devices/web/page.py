"""One tab of the web device: what it loads, the dialog that it shows, the drag that it began.

While a dialog of JavaScript is open, the page answers nothing: not even the click that opened it.
A page that closes itself never answers either. So whoever waits for the page is interrupted by
either, and the device goes on with the dialog, or with another tab.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future
from concurrent.futures import wait as wait_for_any
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Condition
from time import monotonic
from typing import Any, Literal

from tapwright.core.actions import Button
from tapwright.core.geometry import Point, Size
from tapwright.devices.devtools import CallResult, DevToolsPipe, PendingReply
from tapwright.devices.errors import PAGE_HANGS, PageLeftError
from tapwright.devices.hand import way_through
from tapwright.devices.mouse import MOVES
from tapwright.devices.page import Page
from tapwright.devices.page_hand import PageHand
from tapwright.devices.touch import CssPoint, Finger
from tapwright.devices.web.network import Network
from tapwright.errors import DeviceError, DeviceLostError

__all__ = ["PageDialog", "PageInterrupted", "WebPage"]

_LOAD_S = 10.0
_STOPPED_S = 2.0


class PageInterrupted(Exception):  # noqa: N818 - no error: the device goes on
    """The page opened a dialog, closed itself, or was left, while it was waited for."""


@dataclass(eq=False, slots=True)
class PageDialog:
    """A dialog that is open: `text` stands in its field, all `selected` or not.

    `node` is the page's field that a file is chosen for.
    """

    kind: Literal["alert", "confirm", "prompt", "file"]
    title: str
    message: str
    text: str = ""
    selected: bool = True
    node: int = 0
    closed: "Future[None]" = field(default_factory=Future)

    @property
    def has_field(self) -> bool:
        """Whether it takes a text."""
        return self.kind in ("prompt", "file")


class WebPage(Page):
    """A page of the target `target`; `refused` is the address that it was kept from last.

    `unanswered` is whether it waited for a server in vain. A call to a page that loads may take
    2 s more than `timeout_s`.
    """

    def __init__(
        self,
        wire: DevToolsPipe,
        target: str,
        size: Size,
        density: float,
        *,
        mobile: bool,
        timeout_s: float,
        network: Network,
    ) -> None:
        super().__init__(wire, size, density, mobile=mobile, timeout_s=timeout_s)
        self.target = target
        self.hand = _WebHand(self)
        self.finger = Finger(self)
        self.dialog: PageDialog | None = None
        self.refused = ""
        self.unanswered = False
        self.closed = False
        self.popups = 0
        self._network = network
        self._interrupt: Future[None] = Future()
        self._drag: CallResult | None = None
        self._changed = Condition()
        self._loading = False
        self._answered = False
        self._requested_s = 0.0

    def attach(self) -> None:
        """Open a session with the target; calls need one.

        Raises:
            PageInterrupted: the page closed, or was left, meanwhile.
            DeviceError: there is no such target, or it does not answer.
        """
        with self._beside_dialog():
            self._attach(self.target)
        with self._beside_dialog():
            self._all(
                ("Fetch.enable", {"patterns": [{"urlPattern": "*", "resourceType": "Document"}]}),
                ("Page.setInterceptFileChooserDialog", {"enabled": True}),
                ("Page.addScriptToEvaluateOnNewDocument",
                 {"source": _PICKERS, "runImmediately": True}),
            )  # fmt: skip

    def send(self, method: str, params: Mapping[str, Any] | None = None) -> PendingReply:
        """Send a call without waiting.

        Raises:
            PageInterrupted: the page is closed.
            DeviceLostError: it crashed, or the browser is gone.
        """
        if self.closed:
            raise PageInterrupted
        return super().send(method, params)

    def wait(self, reply: PendingReply, *, more_s: float = 0.0) -> CallResult:
        """The result of a call; `more_s` is added to the time limit.

        Raises:
            PageInterrupted: the page opened a dialog before it answered, closed, or was left.
            DeviceLostError: it did not answer in time.
            DeviceLostError: it crashed.
            DeviceError: the browser refused the call.
        """
        interrupt = self._interrupt
        pending: set[Future[Any]] = {reply.future, interrupt}
        limit_s = self.timeout_s + more_s
        done, _ = wait_for_any(pending, limit_s, FIRST_COMPLETED)
        if not done and self._loading:  # a page that waits for a server answers nothing
            answered = self._answered
            self._send_async("Page.stopLoading", {})
            wait_for_any(pending, _STOPPED_S, FIRST_COMPLETED)
            self.unanswered = reply.future.done() and not answered
        if reply.future.done():
            try:
                return reply.future.result()
            except PageLeftError:
                raise PageInterrupted from None
            except DeviceLostError:
                if self.closed:
                    raise PageInterrupted from None
                raise
        if interrupt.done():
            raise PageInterrupted
        raise PAGE_HANGS(
            f"the page did not respond to {reply.method} within {limit_s:g} s",
            hint="a script of the page runs without end; reset the device to get a fresh one",
        )

    def settle(self) -> None:
        """Return when the page is loaded, laid out and drawn, or after 10 s of loading.

        Raises:
            PageInterrupted: it opened a dialog, or closed.
            DeviceLostError: see `wait`.
        """
        self._draw()
        if self._is_busy():
            deadline = monotonic() + _LOAD_S
            with self._changed:
                while self._is_busy() and not self._is_done() and monotonic() < deadline:
                    self._changed.wait(0.05)
            self._draw()

    def navigate(self, url: str) -> str:
        """Load an address and wait for it; returns why it could not be loaded, or "".

        Raises:
            PageInterrupted: the page that is shown opened a dialog in place of being left.
        """
        answer = self.call("Page.navigate", {"url": url})
        if "errorText" in answer:
            return str(answer["errorText"])
        with suppress(PageInterrupted):
            self.settle()
        return ""

    def turn_history(self, by: int) -> bool:
        """Go back (-1) or forward (1); returns whether there was such a page."""
        history = self.call("Page.getNavigationHistory")
        index = int(history["currentIndex"]) + by
        if not 0 <= index < len(history["entries"]):
            return False
        self._requested_s = monotonic()
        self.call("Page.navigateToHistoryEntry", {"entryId": history["entries"][index]["id"]})
        return True

    def drag(self, places: Sequence[CssPoint]) -> None:
        """Drag with the left button; what the page makes draggable is dropped at the end."""
        self._drag = None
        mouse, end = self.hand.mouse, places[-1]
        self.call("Input.setInterceptDrags", {"enabled": True})
        try:
            mouse.move(places[0])
            mouse.press()
            for number, spot in enumerate(way_through(places, MOVES), start=1):
                mouse.move(spot)
                if number == 2:  # the browser tells of a drag only after the page has begun it
                    self.wait_for_frame()
                if self._drag is not None:
                    break
            self.wait_for_frame()
            if self._drag is not None:
                for kind in ("dragEnter", "dragOver", "drop"):
                    self.call(
                        "Input.dispatchDragEvent",
                        {"type": kind, "x": end[0], "y": end[1], "data": self._drag,
                         "modifiers": self.modifiers},
                    )  # fmt: skip
            mouse.move(end)
        finally:
            with suppress(PageInterrupted, DeviceLostError):
                mouse.release()
            self._send_async("Input.setInterceptDrags", {"enabled": False})

    def answer(self, *, accept: bool, files: tuple[str, ...] = ()) -> None:
        """Close the dialog that is open."""
        dialog = self.dialog
        if dialog is None:
            return
        if dialog.kind == "file":
            self._close_dialog()
            if accept:
                self.call("DOM.setFileInputFiles", {"files": files, "backendNodeId": dialog.node})
            return
        reply = self.send(
            "Page.handleJavaScriptDialog", {"accept": accept, "promptText": dialog.text}
        )
        either: set[Future[Any]] = {dialog.closed, reply.future}
        wait_for_any(either, self.timeout_s, FIRST_COMPLETED)
        if reply.future.done() and reply.future.exception() is not None:
            self._close_dialog()  # the page that opened it was left meanwhile
        wait_for_any((dialog.closed,), self.timeout_s)

    def forget(self) -> None:
        """Stop listening: the target is gone."""
        self.closed = True
        self._lose("the tab was closed")
        self._wake()

    @contextmanager
    def _beside_dialog(self) -> Iterator[None]:
        """Go on where a dialog keeps the page from answering: it answers when that is closed."""
        try:
            yield
        except PageInterrupted:
            if self.dialog is None:
                raise

    def _draw(self) -> None:
        try:
            self.wait_for_frame()
        except DeviceLostError:
            raise
        except DeviceError:  # the page was just left; the next one is waited for by its events
            self._requested_s = monotonic()
        except PageInterrupted:
            if self.closed or self.dialog is not None:
                raise
            self._requested_s = monotonic()

    def _is_done(self) -> bool:
        return self.closed or self.dialog is not None or bool(self._lost)

    def _is_busy(self) -> bool:
        return self._loading or monotonic() - self._requested_s < 0.3

    def _on_event(self, method: str, params: CallResult) -> None:
        match method:
            case "Page.javascriptDialogOpening" if params["type"] == "beforeunload":
                # Dismissing "leave this page?" would keep the page from being left.
                self._send_async("Page.handleJavaScriptDialog", {"accept": True})
            case "Page.javascriptDialogOpening":
                self._open_dialog(
                    PageDialog(
                        params["type"], params["url"], params["message"],
                        params.get("defaultPrompt", ""),
                    )
                )  # fmt: skip
            case "Page.javascriptDialogClosed":
                self._close_dialog()
            case "Page.fileChooserOpened" if "backendNodeId" in params:
                self._open_dialog(PageDialog("file", "", "", node=params["backendNodeId"]))
            case "Page.frameStartedLoading" if params["frameId"] == self.target:
                self._answered = False
                self._set_loading(True)
            case "Page.frameNavigated" if params["frame"]["id"] == self.target:
                self._answered = True
            case "Page.frameStoppedLoading" if params["frameId"] == self.target:
                self._set_loading(False)
            case "Page.frameRequestedNavigation" if params["frameId"] == self.target:
                self._requested_s = monotonic()
            case "Page.windowOpen":
                self.popups += 1
            case "Input.dragIntercepted":
                self._drag = params["data"]
            case "Fetch.requestPaused":
                self._check_request(params)
            case "Inspector.detached" if params["reason"] == "target_closed":
                self.forget()
            case "Inspector.targetCrashed":
                self._lose("the page crashed")
                self._wake()
            case _:
                super()._on_event(method, params)

    def _check_request(self, params: CallResult) -> None:
        request = {"requestId": params["requestId"]}
        if self._network.allows(params["request"]["url"]):
            self._send_async("Fetch.continueRequest", request)
            return
        if params.get("frameId") == self.target:
            self.refused = params["request"]["url"]
        self._send_async("Fetch.failRequest", {**request, "errorReason": "Aborted"})

    def _set_loading(self, loading: bool) -> None:
        self._loading, self._requested_s = loading, 0.0
        self._wake()

    def _open_dialog(self, dialog: PageDialog) -> None:
        self.dialog = dialog
        if dialog.kind != "file":  # a page goes on while a file is chosen
            self._interrupt.set_result(None)
        self._wake()

    def _close_dialog(self) -> None:
        dialog, self.dialog = self.dialog, None
        if self._interrupt.done():
            self._interrupt = Future()
        if dialog is not None and not dialog.closed.done():
            dialog.closed.set_result(None)
        self._wake()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()


class _WebHand(PageHand):
    """The hand on a page that may have something to drop."""

    def __init__(self, page: WebPage) -> None:
        super().__init__(page)
        self._web_page = page

    def drag(self, places: Sequence[Point], button: Button, duration_s: float) -> None:
        """Drag; what is dropped goes with the left button."""
        if button == "left":
            self._web_page.drag([self.css(one) for one in places])
        else:
            super().drag(places, button, duration_s)


# A list of options is then drawn in the page, and not in a window that no picture has
# (https://developer.mozilla.org/docs/Web/CSS/appearance#base-select).
_PICKERS = """
(() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync("select:not([multiple]):not([size]),select::picker(select){appearance:base-select}")
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
})()
"""
