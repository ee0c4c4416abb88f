"""One session with a page in Chromium: scripts, input and live video."""

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from threading import Lock
from time import monotonic, time
from typing import Any, Literal, TypeAlias

from pydantic import JsonValue

from tapwright.core.actions import Button
from tapwright.core.geometry import Size
from tapwright.devices.devtools import CallResult, DevToolsPipe, PendingReply
from tapwright.devices.keys import held_bits, key_event, key_events
from tapwright.errors import DeviceError, DeviceLostError

OnFrame: TypeAlias = Callable[[bytes, float], None]
"""Receives a JPEG and the time of its capture."""

_LIVE_QUALITY = 80
# When this resolves, the page has drawn a frame after all earlier scrolling and layout. A page
# with a virtual clock keeps the browser's own frames under this symbol.
_TWO_FRAMES = """
(frame => new Promise(done => frame(() => frame(() => done()))))(
  globalThis[Symbol.for("tapwright.frame")] ?? requestAnimationFrame)
"""


class Page:
    """A page of a browser that a subclass has a target for. Use it from one thread at a time.

    `size` is in CSS pixels, `density` in device pixels per CSS pixel. A `mobile` page is a phone's,
    with a finger; others are a desktop's, with a mouse. Each call ends within `timeout_s`.
    """

    def __init__(
        self, wire: DevToolsPipe, size: Size, density: float, *, mobile: bool, timeout_s: float
    ) -> None:
        self.size = size
        self.density = density
        self.mobile = mobile
        self.timeout_s = timeout_s
        self._wire = wire
        self._session = ""
        self._lost = ""
        self._cast: Mapping[str, object] = {}
        self._on_frame: OnFrame | None = None
        self._last_frame, self._last_frame_s = "", 0.0
        self.keys_down: list[str] = []
        self._pausing = Lock()
        self._pauses, self._paused = 0, False

    @property
    def modifiers(self) -> int:
        """The protocol's number of the modifiers that are down."""
        return held_bits(self.keys_down)

    def send(self, method: str, params: Mapping[str, Any] | None = None) -> PendingReply:
        """Send a call without waiting; calls run in the order in which they were sent.

        Raises:
            DeviceLostError: the page crashed or was closed, or the browser is gone.
        """
        if self._lost:
            raise DeviceLostError(self._lost)
        return self._wire.send(method, params, session=self._session, timeout_s=self.timeout_s)

    def wait(self, reply: PendingReply, *, more_s: float = 0.0) -> CallResult:
        """The result of a call that was sent, within the tab's time limit and `more_s`.

        Raises:
            DeviceLostError: no response in time, or page or browser are gone.
            DeviceError: the browser refused the call.
        """
        return reply.result(self.timeout_s + more_s)

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> CallResult:
        """Send a call and wait for its result; raises what `send` and `wait` raise."""
        return self.wait(self.send(method, params))

    def run_in_every_page(self, script: str) -> None:
        """Run a script in every document that is loaded from now on, before its own."""
        self.call("Page.addScriptToEvaluateOnNewDocument", {"source": script})

    def evaluate(self, expression: str) -> JsonValue:
        """Evaluate a JavaScript expression; returns its value as JSON, awaiting a promise.

        Raises:
            DeviceError: the expression threw.
            DeviceLostError: see `wait`.
        """
        return self.value(self.start_evaluate(expression))

    def start_evaluate(self, expression: str) -> PendingReply:
        """Send an expression without waiting; `value` reads the reply."""
        return self.send(
            "Runtime.evaluate",
            {"expression": expression, "returnByValue": True, "awaitPromise": True},
        )

    def value(self, reply: PendingReply) -> JsonValue:
        """The value of what `start_evaluate` sent; raises DeviceError as `evaluate` does."""
        answer = self.wait(reply)
        failure = answer.get("exceptionDetails")
        if failure is not None:
            message = failure.get("exception", {}).get("description") or failure["text"]
            raise DeviceError(f"a script failed in the page: {message.splitlines()[0]}")
        value: JsonValue = answer["result"].get("value")
        return value

    def wait_for_frame(self) -> None:
        """Return when all earlier changes are laid out, scrolled and drawn."""
        self.evaluate(_TWO_FRAMES)

    def insert_text(self, text: str) -> None:
        """Insert text of any language into the focused field, as an input method does."""
        self.call("Input.insertText", {"text": text})

    def type_keys(self, text: str) -> None:
        """Type on a keyboard: pages get key events for ASCII and line ends, text for the rest."""
        calls: list[tuple[str, Mapping[str, Any]]] = []
        for char in text:
            if " " <= char <= "~" or char == "\n":
                name = {" ": "space", "\n": "enter"}.get(char, char)
                calls += (
                    ("Input.dispatchKeyEvent", event)
                    for event in key_events((name,), self.keys_down)
                )
            else:
                calls.append(("Input.insertText", {"text": char}))
        self._all(*calls)

    def press(self, names: Sequence[str]) -> None:
        """Press keys together: down in order, up in reverse order.

        Raises:
            UnsupportedActionError: a keyboard has no such key.
        """
        events = key_events(names, self.keys_down)
        self._all(*(("Input.dispatchKeyEvent", event) for event in events))

    def hold_key(self, name: str, *, down: bool) -> None:
        """A key goes down and stays down, or up.

        Raises:
            UnsupportedActionError: a keyboard has no such key.
        """
        others = [key for key in self.keys_down if key != name]
        self.call("Input.dispatchKeyEvent", key_event(name, others, down=down))
        self.keys_down = [*others, name] if down else others

    def touch(
        self,
        kind: Literal["touchStart", "touchMove", "touchEnd"],
        points: Sequence[tuple[float, float]],
        at_s: float,
    ) -> PendingReply:
        """Send one touch event without waiting; its reply arrives when the page has handled it.

        `points` are (x, y) in CSS pixels, none for touchEnd. `at_s` is the time (seconds since
        1970) that the page sees, which must never run backwards.
        """
        spots = [{"x": x, "y": y} for x, y in points]
        params = {"type": kind, "touchPoints": spots, "timestamp": at_s}
        return self.send("Input.dispatchTouchEvent", params)

    def hover(self, x: float, y: float) -> None:
        """Move the mouse to a place in CSS pixels."""
        self.call("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})

    def click(self, x: float, y: float, button: Button = "left") -> None:
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
            {"type": "mouseWheel", "x": x, "y": y, "deltaX": dx, "deltaY": dy,
             "modifiers": self.modifiers},
        )  # fmt: skip
        self.wait_for_frame()

    @contextmanager
    def screencast(self, width_px: int, height_px: int, on_frame: OnFrame) -> Iterator[None]:
        """Pass each new JPEG of the page to `on_frame` until the block ends; the first at once.

        Frames fit into `width_px` x `height_px`, and come with their time on the clock of
        `time.monotonic`, in the thread that reads the pipe. Unchanged frames are left out. A page
        that is gone sends no more.

        Raises:
            DeviceLostError: page or browser are gone.
        """
        self._cast = {
            "format": "jpeg",
            "quality": _LIVE_QUALITY,
            "maxWidth": width_px,
            "maxHeight": height_px,
        }
        self._on_frame, self._paused = on_frame, False
        self._last_frame, self._last_frame_s = "", 0.0
        self.call("Page.startScreencast", self._cast)
        try:
            yield
        finally:
            self._on_frame = None
            if not self._lost:
                self._send_async("Page.stopScreencast", {})

    @contextmanager
    def pause_screencast(self) -> Iterator[None]:
        """Pause a screencast while the block runs; a current frame follows.

        A screenshot lays the page out anew, which a screencast would show: it goes on once the page
        is drawn as it was, and the block's end does not wait for that.
        """
        if self._on_frame is None:
            yield
            return
        with self._pausing:
            self._pauses += 1
            self._paused = True
            self.send("Page.stopScreencast")
        try:
            yield
        finally:
            with suppress(DeviceLostError):
                drawn = self.start_evaluate(_TWO_FRAMES).future
                drawn.add_done_callback(partial(self._end_pause, self._pauses))

    def _end_pause(self, pause: int, _: Future[CallResult]) -> None:
        with self._pausing:
            if pause == self._pauses and self._on_frame is not None:
                self._paused = False
                self._send_async("Page.startScreencast", self._cast)

    def _lose(self, reason: str) -> None:
        self._lost = reason
        if self._session:  # without one, the calls under way are everybody's
            self._wire.drop(self._session, reason)

    def _all(self, *calls: tuple[str, Mapping[str, Any]]) -> None:
        replies = [self.send(method, params) for method, params in calls]
        for reply in replies:
            self.wait(reply)

    def _attach(self, target: str) -> None:
        """Open a session with a target, and lay it out in the page's size."""
        attach = {"targetId": target, "flatten": True}
        self._session = str(self.call("Target.attachToTarget", attach)["sessionId"])
        self._wire.listen(self._session, self._on_event)
        self._all(
            ("Page.enable", {}),
            ("Inspector.enable", {}),
            ("DOMSnapshot.enable", {}),
            ("Emulation.setDeviceMetricsOverride", self._metrics(self.size)),
            ("Emulation.setTouchEmulationEnabled", {"enabled": self.mobile}),
            ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
        )  # fmt: skip

    def _metrics(self, size: Size) -> dict[str, object]:
        return {
            "width": size.width, "height": size.height, "deviceScaleFactor": self.density,
            "mobile": self.mobile,
        }  # fmt: skip

    def _on_event(self, method: str, params: CallResult) -> None:
        # Runs in the pipe's reader thread: calls are sent, never awaited.
        match method:
            case "Page.screencastFrame":
                self._receive_frame(params)
            case "Inspector.targetCrashed":
                self._lose("the page crashed")
            case "Inspector.detached":
                self._lose(f"the page went away: {params['reason']}")

    def _receive_frame(self, params: CallResult) -> None:
        # The next frame is sent only after this, so a slow reader gets fewer, and never a queue.
        self._send_async("Page.screencastFrameAck", {"sessionId": params["sessionId"]})
        data, on_frame = params["data"], self._on_frame
        if on_frame is None or self._paused or data == self._last_frame:
            return
        # Around a restart, two frames may come in the wrong order.
        drawn_s = params["metadata"].get("monotonicTimestamp", self._last_frame_s)
        if drawn_s < self._last_frame_s:
            return
        self._last_frame, self._last_frame_s = data, drawn_s
        taken_s = params["metadata"].get("timestamp", time())
        on_frame(base64.b64decode(data), monotonic() - max(0.0, time() - taken_s))

    def _send_async(self, method: str, params: Mapping[str, Any]) -> None:
        try:
            self._wire.send(method, params, session=self._session, timeout_s=self.timeout_s)
        except DeviceLostError:
            return  # the browser is gone
