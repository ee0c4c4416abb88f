"""A page that tells which events arrive, and what a hand's actions must lead to."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import monotonic, sleep
from typing import Any, TypeAlias

from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.geometry import Point
from tapwright.devices.device import Device

Seen: TypeAlias = Sequence[Mapping[str, Any]]

PAGE = """<!doctype html><meta charset=utf-8><title>probe</title>
<style>html,body{margin:0;height:100%;user-select:none}</style><body>probe<script>
const kinds = ["mousedown", "mouseup", "mousemove", "click", "auxclick", "dblclick", "contextmenu",
               "wheel", "keydown", "keyup"]
for (const kind of kinds) addEventListener(kind, event => {
  event.preventDefault()
  const {button, buttons, detail, ctrlKey, shiftKey, altKey, metaKey, key, code, repeat} = event
  const told = {kind, button, buttons, detail, key, code, repeat, time: event.timeStamp,
    held: [ctrlKey && "control", shiftKey && "shift", altKey && "alt", metaKey && "meta"].filter(x => x),
    x: event.clientX / innerWidth, y: event.clientY / innerHeight, down: event.deltaY}
  const request = new XMLHttpRequest()
  request.open("POST", "/", false)
  request.send(JSON.stringify(told))
}, {capture: true, passive: false})
</script>"""  # noqa: E501 - JavaScript

_MIDDLE = Point(0.5, 0.5)
_CORNERS = Point(0.2, 0.3), Point(0.7, 0.3), Point(0.7, 0.8)
_STABLE_S = 0.4
_LIMIT_S = 20.0


def of(seen: Seen, kind: str, **wanted: object) -> Seen:
    """The events of a kind that have these values."""
    return [
        one
        for one in seen
        if one["kind"] == kind and all(one.get(name) == value for name, value in wanted.items())
    ]


def _near(seen: Seen, at: Point, **wanted: object) -> bool:
    moves = of(seen, "mousemove", **wanted)
    return any(abs(one["x"] - at.x) < 0.02 and abs(one["y"] - at.y) < 0.02 for one in moves)


def _held_s(seen: Seen, code: str) -> float:
    (down,) = of(seen, "keydown", code=code, repeat=False)
    (up,) = of(seen, "keyup", code=code)
    return float(up["time"] - down["time"]) / 1000


CASES: Mapping[str, tuple[Sequence[Action], Callable[[Seen], object]]] = {
    "a click": (
        [actions.Tap(at=_MIDDLE)],
        lambda seen: of(seen, "click", button=0, held=[]) and not of(seen, "keydown"),
    ),
    "control and a click": (
        [actions.Tap(at=_MIDDLE, held=("control",))],
        lambda seen: of(seen, "mousedown", held=["control"]) and of(seen, "keyup", key="Control"),
    ),
    "two keys and the right button": (
        [actions.Tap(at=_MIDDLE, button="right", held=("control", "shift"))],
        lambda seen: of(seen, "mousedown", button=2, held=["control", "shift"]),
    ),
    "alt and a click": (
        [actions.Tap(at=_MIDDLE, held=("alt",))],
        lambda seen: of(seen, "click", held=["alt"]),
    ),
    "control and two clicks": (
        [actions.DoubleTap(at=_MIDDLE, held=("control",))],
        lambda seen: of(seen, "dblclick", held=["control"]),
    ),
    "shift and three clicks": (
        [actions.TripleTap(at=_MIDDLE, held=("shift",))],
        lambda seen: of(seen, "click", detail=3, held=["shift"]),
    ),
    "the back button": (
        [actions.Tap(at=_MIDDLE, button="back")],
        lambda seen: of(seen, "mousedown", button=3) and of(seen, "mouseup", button=3),
    ),
    "the forward button": (
        [actions.Tap(at=_MIDDLE, button="forward")],
        lambda seen: of(seen, "mousedown", button=4),
    ),
    "the right button for a while": (
        [actions.LongPress(at=_MIDDLE, button="right", duration_s=0.6)],
        lambda seen: of(seen, "mouseup", button=2)[0]["time"]
        - of(seen, "mousedown", button=2)[0]["time"]
        > 500,
    ),
    "a path": (
        [actions.Drag(start=_CORNERS[0], end=_CORNERS[2], path=_CORNERS[1:2])],
        lambda seen: _near(seen, _CORNERS[1], buttons=1) and of(seen, "mouseup", button=0),
    ),
    "the middle button and shift along a path": (
        [actions.Drag(start=_CORNERS[0], end=_CORNERS[2], path=_CORNERS[1:2], button="middle",
              held=("shift",))],
        lambda seen: _near(seen, _CORNERS[1], buttons=4, held=["shift"]),
    ),
    "control and the wheel": (
        [actions.Scroll(at=_MIDDLE, dy=0.3, held=("control",))],
        lambda seen: all(one["down"] > 0 for one in of(seen, "wheel"))
        and of(seen, "wheel", held=["control"]),
    ),
    "shift and the pointer": (
        [actions.Hover(at=_CORNERS[0], held=("shift",))],
        lambda seen: _near(seen, _CORNERS[0], held=["shift"]),
    ),
    "a button down, a way, a button up": (
        [actions.ButtonDown(at=_CORNERS[0]), actions.Hover(at=_CORNERS[1]),
         actions.ButtonUp(at=_CORNERS[2])],
        lambda seen: _near(seen, _CORNERS[1], buttons=1)
        and len(of(seen, "mousedown", button=0)) == len(of(seen, "mouseup", button=0)) == 1,
    ),
    "a key down, a click, a key up": (
        [actions.KeyDown(key="shift"), actions.Tap(at=_MIDDLE), actions.KeyUp(key="shift"),
         actions.Tap(at=_CORNERS[0])],
        lambda seen: [one["held"] for one in of(seen, "click")] == [["shift"], []],
    ),
    "a key for a while": (
        [actions.Hotkey(keys=("g",), duration_s=0.6)],
        lambda seen: _held_s(seen, "KeyG") > 0.5,
    ),
    "keys of the keypad": (
        [actions.Hotkey(keys=("keypad_add",)), actions.Hotkey(keys=("keypad_enter",))],
        lambda seen: of(seen, "keydown", code="NumpadAdd")
        and of(seen, "keydown", code="NumpadEnter"),
    ),
    "a digit of the keypad": (
        [actions.Hotkey(keys=("keypad_5",))],
        lambda seen: of(seen, "keydown", key="5", code="Numpad5"),
    ),
    "a sign that takes shift": (
        [actions.Hotkey(keys=("+",))], lambda seen: of(seen, "keydown", key="+")
    ),
    "f13": (
        [actions.Hotkey(keys=("f13",))], lambda seen: of(seen, "keydown", key="F13", code="F13")
    ),
    "insert": ([actions.Hotkey(keys=("insert",))], lambda seen: of(seen, "keydown", key="Insert")),
    "caps lock": (
        [actions.Hotkey(keys=("caps_lock",)), actions.Hotkey(keys=("caps_lock",))],
        lambda seen: len(of(seen, "keydown", key="CapsLock")) == 2,
    ),
}  # fmt: skip


class Probe(ThreadingHTTPServer):
    """The page, and what it told since the last look."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/"
        self.seen: list[Mapping[str, Any]] = []

    @contextmanager
    def serving(self) -> Iterator["Probe"]:
        """Answer until the block ends."""
        with self:
            thread = Thread(target=self.serve_forever, daemon=True)
            thread.start()
            yield self
            self.shutdown()
            thread.join()

    def await_page(self, device: Device) -> None:
        """Return when the page hears the pointer."""
        until = monotonic() + 4 * _LIMIT_S
        at = 0.1
        while not self.seen:
            assert monotonic() < until, "the page never heard anything"
            at = 0.9 - at
            device.perform(actions.Hover(at=Point(at, at)))
            sleep(0.2)
        self.rest()

    def rest(self) -> Seen:
        """What came since the last time, when no more comes."""
        count, until = -1, monotonic() + _LIMIT_S
        while count != len(self.seen) and monotonic() < until:
            count = len(self.seen)
            sleep(_STABLE_S)
        seen, self.seen = self.seen, []
        return seen


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._answer(PAGE.encode() if self.path == "/" else b"")

    def do_POST(self) -> None:
        assert isinstance(self.server, Probe)
        length = int(self.headers["Content-Length"])
        self.server.seen.append(json.loads(self.rfile.read(length)))
        self._answer(b"")

    def _answer(self, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass
