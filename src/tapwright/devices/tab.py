"""One Chromium page in a browser context of its own: looked at, touched, typed into, fed files.

A page can neither block nor escape: JavaScript's dialogs are dismissed as they open, every call
has a time limit, and any request that `serve` does not know fails as if there were no network.
"""

import base64
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, time
from typing import Any, Literal, Self, TypeAlias
from urllib.parse import urlsplit

from pydantic import JsonValue

from tapwright.devices.devtools import CallResult, DevToolsPipe, PendingReply
from tapwright.devices.dom import Snapshot
from tapwright.devices.keys import key_events
from tapwright.devices.style import STYLES
from tapwright.errors import DeviceError, DeviceLostError
from tapwright.geometry import Size

MouseButton: TypeAlias = Literal["left", "right", "middle"]
OnFrame: TypeAlias = Callable[[bytes, float], None]
"""Takes a JPEG, and when it was taken."""

_DIALOGS_KEPT = 100
_LIVE_QUALITY = 80
# Whoever waits for this has the next frame, with all scrolling and layout before it, in the page.
# A page whose clock is ours keeps the browser's own frames under this symbol.
_TWO_FRAMES = """
(frame => new Promise(done => frame(() => frame(() => done()))))(
  globalThis[Symbol.for("tapwright.frame")] ?? requestAnimationFrame)
"""
_LOADED = (
    "new Promise(done => document.readyState === 'complete' "
    "? done() : addEventListener('load', () => done()))"
)
_FOCUS = "document.activeElement === document.body ? null : document.activeElement"


@dataclass(frozen=True, slots=True)
class Dialog:
    """A JavaScript dialog that a page opened and that was dismissed at once."""

    kind: Literal["alert", "confirm", "prompt", "beforeunload"]
    message: str


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """How a page is photographed: `width` x `height` CSS pixels from the top-left corner.

    `scale` is in image pixels per device pixel; `quality` (0 to 100) is for JPEG alone.
    """

    kind: Literal["png", "jpeg"]
    width: float
    height: float
    scale: float = 1.0
    quality: int = 80

    def parameters(self) -> dict[str, object]:
        """What `Page.captureScreenshot` takes."""
        made: dict[str, object] = {
            "format": self.kind,
            "optimizeForSpeed": True,
            "clip": {
                "x": 0, "y": 0, "width": self.width, "height": self.height, "scale": self.scale,
            },
        }  # fmt: skip
        if self.kind == "jpeg":
            made["quality"] = self.quality
        return made


class Tab:
    """A page; made by `Browser.open_tab`. Use it from one thread at a time.

    `size` is in CSS pixels, `density` in device pixels per CSS pixel. A `mobile` page is a phone's,
    with a finger; others are a desktop's, with a mouse. `dialogs` holds the latest JavaScript
    dialogs, oldest first.
    """

    def __init__(
        self, wire: DevToolsPipe, size: Size, density: float, *, mobile: bool, timeout_s: float
    ) -> None:
        self.size = size
        self.density = density
        self.mobile = mobile
        self.timeout_s = timeout_s
        self.dialogs: deque[Dialog] = deque(maxlen=_DIALOGS_KEPT)
        self._wire = wire
        self._session = ""
        self._lost = ""
        self._files: dict[str, dict[str, object]] = {}
        self._cast: Mapping[str, object] = {}
        self._on_picture: OnFrame | None = None
        self._last_picture = ""
        made = self.send("Target.createBrowserContext")
        try:
            self._context = str(self.wait(made)["browserContextId"])
            self._attach()
        except BaseException:
            # The context may be there only after the waiting for it was given up.
            made.future.add_done_callback(self._abandon)
            raise

    def send(self, method: str, params: Mapping[str, Any] | None = None) -> PendingReply:
        """Send a call without waiting; calls run in the order in which they were sent.

        Raises:
            DeviceLostError: the page crashed or was closed, or the browser is gone.
        """
        if self._lost:
            raise DeviceLostError(self._lost)
        return self._wire.send(method, params, session=self._session, timeout_s=self.timeout_s)

    def wait(self, reply: PendingReply) -> CallResult:
        """What a call that was sent has answered, within the tab's time limit.

        Raises:
            DeviceLostError: it did not answer in time, or page or browser are gone.
            DeviceError: the browser refused the call.
        """
        return reply.result(self.timeout_s)

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> CallResult:
        """Send a call and wait for its answer; raises what `send` and `wait` raise."""
        return self.wait(self.send(method, params))

    def run_in_every_page(self, script: str) -> None:
        """Run a script in every document that is loaded from now on, before its own."""
        self.call("Page.addScriptToEvaluateOnNewDocument", {"source": script})

    def evaluate(self, expression: str) -> JsonValue:
        """The value of a JavaScript expression as JSON; a promise is waited for.

        Raises:
            DeviceError: the expression threw.
            DeviceLostError: see `wait`.
        """
        return self.value(self.ask(expression))

    def ask(self, expression: str) -> PendingReply:
        """Send an expression without waiting; `value` reads the reply."""
        return self.send(
            "Runtime.evaluate",
            {"expression": expression, "returnByValue": True, "awaitPromise": True},
        )

    def value(self, reply: PendingReply) -> JsonValue:
        """What an expression sent by `ask` came to; raises what `evaluate` raises."""
        answer = self.wait(reply)
        failure = answer.get("exceptionDetails")
        if failure is not None:
            said = failure.get("exception", {}).get("description") or failure["text"]
            raise DeviceError(f"a script failed in the page: {said.splitlines()[0]}")
        value: JsonValue = answer["result"].get("value")
        return value

    def serve(self, files: Mapping[str, tuple[bytes, str]], origin: str) -> None:
        """Answer requests below `origin` ("http://phone.test") from `files`.

        Keys are paths without a leading slash, values the bytes and their media type. A query is
        ignored, and a folder means its index.html. What was served before at this origin stays.
        """
        for path, (data, media_type) in files.items():
            answer: dict[str, object] = {
                "responseCode": 200,
                "responseHeaders": [
                    {"name": "Content-Type", "value": media_type},
                    {"name": "Cache-Control", "value": "no-store"},
                ],
                "body": base64.b64encode(data).decode("ascii"),
            }
            self._files[f"{origin}/{path}"] = answer
            if path.rpartition("/")[2] == "index.html":
                self._files[f"{origin}/{path.removesuffix('index.html')}"] = answer

    def goto(self, url: str) -> None:
        """Load a page, and return when its scripts and pictures are there too.

        Raises:
            DeviceError: nothing is served at `url`.
            DeviceLostError: it did not load in time, or see `wait`.
        """
        answer = self.call("Page.navigate", {"url": url})
        if "errorText" in answer:
            raise DeviceError(
                f"{url} could not be loaded: {answer['errorText']}",
                hint="a tab loads only what Tab.serve gave it; there is no network",
            )
        self.evaluate(_LOADED)
        # Until then touches are still scaled for the page that was there before.
        self.wait_for_frame()

    def wait_for_frame(self) -> None:
        """Return when everything that was done so far is laid out, scrolled and drawn."""
        self.evaluate(_TWO_FRAMES)

    def insert_text(self, text: str) -> None:
        """Put text of any language into the focused field, as an input method does."""
        self.call("Input.insertText", {"text": text})

    def type_keys(self, text: str) -> None:
        """Type on a keyboard: pages get key events for ASCII and line ends, text for the rest."""
        calls: list[tuple[str, Mapping[str, Any]]] = []
        for char in text:
            if " " <= char <= "~" or char == "\n":
                name = {" ": "space", "\n": "enter"}.get(char, char)
                calls += (("Input.dispatchKeyEvent", event) for event in key_events((name,)))
            else:
                calls.append(("Input.insertText", {"text": char}))
        self._all(*calls)

    def press(self, names: Sequence[str]) -> None:
        """Press keys together: they go down in order and up in reverse.

        Raises:
            UnsupportedActionError: a keyboard has no such key.
        """
        self._all(*(("Input.dispatchKeyEvent", event) for event in key_events(names)))

    def touch(
        self,
        kind: Literal["touchStart", "touchMove", "touchEnd"],
        points: Sequence[tuple[float, float]],
        at_s: float,
    ) -> PendingReply:
        """Send one touch event without waiting; its answer comes when the page has handled it.

        `points` are (x, y) in CSS pixels, none for touchEnd. `at_s` is the time (seconds since
        1970) that the event tells the page, and which must never run backwards.
        """
        spots = [{"x": x, "y": y} for x, y in points]
        params = {"type": kind, "touchPoints": spots, "timestamp": at_s}
        return self.send("Input.dispatchTouchEvent", params)

    def hover(self, x: float, y: float) -> None:
        """Move the mouse to a place in CSS pixels."""
        self.call("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})

    def click(self, x: float, y: float, button: MouseButton = "left") -> None:
        """Press and release a mouse button at a place in CSS pixels."""
        spot = {"x": x, "y": y, "button": button, "clickCount": 1}
        self._all(
            ("Input.dispatchMouseEvent", {"type": "mousePressed", **spot}),
            ("Input.dispatchMouseEvent", {"type": "mouseReleased", **spot}),
        )

    def wheel(self, x: float, y: float, dx: float, dy: float) -> None:
        """Turn the wheel by (dx, dy) CSS pixels of content over a place in CSS pixels."""
        self.call(
            "Input.dispatchMouseEvent",
            {"type": "mouseWheel", "x": x, "y": y, "deltaX": dx, "deltaY": dy},
        )
        self.wait_for_frame()

    def screenshot(self, picture: CaptureOptions) -> bytes:
        """The page's picture, encoded."""
        return self.picture(self.send("Page.captureScreenshot", picture.parameters()))

    def snapshot(self) -> Snapshot:
        """The page's elements as they are laid out now."""
        return self.look(None).snapshot()

    def look(self, picture: CaptureOptions | None) -> "PageCapture":
        """Ask for picture and elements in one go, to be waited for later."""
        return PageCapture(self, picture)

    def picture(self, reply: PendingReply) -> bytes:
        """The bytes of a picture that was asked for."""
        return base64.b64decode(self.wait(reply)["data"])

    @contextmanager
    def screencast(self, width_px: int, height_px: int, on_picture: OnFrame) -> Iterator[None]:
        """Hand each new JPEG of the page to `on_picture` until the block ends; the first at once.

        Pictures fit into `width_px` x `height_px`, and come with their time on the clock of
        `time.monotonic`, from the thread that reads the pipe. Those that show no change are left
        out. A page that goes away shows nothing more.

        Raises:
            DeviceLostError: page or browser are gone.
        """
        self._cast = {
            "format": "jpeg",
            "quality": _LIVE_QUALITY,
            "maxWidth": width_px,
            "maxHeight": height_px,
        }
        self._on_picture, self._last_picture = on_picture, ""
        self.call("Page.startScreencast", self._cast)
        try:
            yield
        finally:
            self._on_picture = None
            if not self._lost:
                self._answer("Page.stopScreencast", {})

    @contextmanager
    def off_the_air(self) -> Iterator[None]:
        """Show no picture of a screencast meanwhile; one of the page as it is then follows.

        To photograph a page lays it out anew, which a screencast would show.
        """
        on_picture = self._on_picture
        if on_picture is None:
            yield
            return
        self._on_picture = None
        self.send("Page.stopScreencast")
        yield
        self._on_picture = on_picture
        self.send("Page.startScreencast", self._cast)

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _attach(self) -> None:
        size = self.size
        target = self.call(
            "Target.createTarget",
            {"url": "about:blank", "browserContextId": self._context,
             "width": size.width, "height": size.height},
        )  # fmt: skip
        attach = {"targetId": target["targetId"], "flatten": True}
        self._session = str(self.call("Target.attachToTarget", attach)["sessionId"])
        self._wire.listen(self._session, self._on_event)
        self._all(
            ("Page.enable", {}),
            ("Inspector.enable", {}),
            ("DOMSnapshot.enable", {}),
            ("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}),
            ("Emulation.setDeviceMetricsOverride",
             {"width": size.width, "height": size.height, "deviceScaleFactor": self.density,
              "mobile": self.mobile}),
            ("Emulation.setTouchEmulationEnabled", {"enabled": self.mobile}),
            ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
        )  # fmt: skip

    def _abandon(self, made: Future[CallResult]) -> None:
        if made.exception() is None:
            self._context = str(made.result()["browserContextId"])
            self.close()

    def _closed(self) -> bool:
        return self._lost == "the tab was closed"

    def _lose(self, reason: str) -> None:
        self._lost = reason
        if self._session:  # without one, the calls under way are everybody's
            self._wire.drop(self._session, reason)

    def _all(self, *calls: tuple[str, Mapping[str, Any]]) -> None:
        replies = [self.send(method, params) for method, params in calls]
        for reply in replies:
            self.wait(reply)

    def _on_event(self, method: str, params: CallResult) -> None:
        # Runs in the pipe's reader: answers are sent, never waited for.
        match method:
            case "Fetch.requestPaused":
                self._answer_request(params)
            case "Page.javascriptDialogOpening":
                self.dialogs.append(Dialog(params["type"], params["message"]))
                # To dismiss "leave this page?" would keep the page from ever being replaced.
                leave = params["type"] == "beforeunload"
                self._answer("Page.handleJavaScriptDialog", {"accept": leave})
            case "Page.screencastFrame":
                self._show(params)
            case "Inspector.targetCrashed":
                self._lose("the page crashed")
            case "Inspector.detached":
                self._lose(f"the page went away: {params['reason']}")

    def _show(self, params: CallResult) -> None:
        # The next one comes only after this, so a slow reader gets fewer, and never a queue.
        self._answer("Page.screencastFrameAck", {"sessionId": params["sessionId"]})
        data, on_picture = params["data"], self._on_picture
        if on_picture is None or data == self._last_picture:
            return
        self._last_picture = data
        taken_s = params["metadata"].get("timestamp", time())
        on_picture(base64.b64decode(data), monotonic() - max(0.0, time() - taken_s))

    def _answer_request(self, params: CallResult) -> None:
        parts = urlsplit(params["request"]["url"])
        answer = self._files.get(f"{parts.scheme}://{parts.netloc}{parts.path}")
        request = {"requestId": params["requestId"]}
        if answer is not None:
            self._answer("Fetch.fulfillRequest", {**request, **answer})
        else:
            self._answer("Fetch.failRequest", {**request, "errorReason": "InternetDisconnected"})

    def _answer(self, method: str, params: Mapping[str, Any]) -> None:
        try:
            self._wire.send(method, params, session=self._session, timeout_s=self.timeout_s)
        except DeviceLostError:
            return  # nobody is left to answer


class PageCapture:
    """CaptureOptions and elements of one moment, on their way."""

    def __init__(self, tab: Tab, picture: CaptureOptions | None) -> None:
        self._tab = tab
        self._focus = tab.send("Runtime.evaluate", {"expression": _FOCUS, "objectGroup": "look"})
        self._elements = tab.send(
            "DOMSnapshot.captureSnapshot",
            {"computedStyles": list(STYLES), "includePaintOrder": True},
        )
        self._picture = (
            tab.send("Page.captureScreenshot", picture.parameters()) if picture else None
        )

    def snapshot(self) -> Snapshot:
        """The elements; raises what `Tab.wait` raises."""
        focus = self._tab.wait(self._focus)["result"].get("objectId")
        focused = None
        if focus is not None:
            described = self._tab.send("DOM.describeNode", {"objectId": focus})
            self._tab.send("Runtime.releaseObjectGroup", {"objectGroup": "look"})
            focused = int(self._tab.wait(described)["node"]["backendNodeId"])
        return Snapshot(self._tab.wait(self._elements), focused)

    def picture(self) -> bytes:
        """The encoded picture that was asked for; raises what `Tab.wait` raises."""
        if self._picture is None:
            raise DeviceError("no picture was asked for")
        return self._tab.picture(self._picture)
