"""What the input commands of the drivers do to the app of `FakeWebDriver`.

The protocol's actions for iOS, Android and macOS; the `macos:` and `windows:` commands, as the
drivers' documents describe them.
"""

from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tapwright.testing.webdriver.notes_app import NotesApp

__all__ = ["InputCommands", "Received"]

_LONG_MS = 500
_NOTCH = 100.0


@dataclass(frozen=True, slots=True)
class Received:
    """A gesture as the screen got it, in the driver's units; `x2` and `y2` are where it ended."""

    kind: Literal["tap", "long_press", "move", "drag", "wheel"]
    x: float
    y: float
    x2: float = 0.0
    y2: float = 0.0
    button: int = 0
    times: int = 1


class InputCommands:
    """Applies commands to an app; the gestures are kept in `received`, oldest first."""

    def __init__(self, app: NotesApp) -> None:
        self.app = app
        self.received: list[Received] = []
        self.clipboard = ""
        self._held: list[str] = []

    def actions(self, sources: Sequence[Mapping[str, Any]]) -> None:
        """The W3C's actions, one source after the other."""
        for source in sources:
            match source["type"]:
                case "pointer":
                    self._pointer(source)
                case "wheel":
                    for step in source["actions"]:
                        self._wheel(step["x"], step["y"], step["deltaY"])
                case "key":
                    for step in source["actions"]:
                        self._key(step["value"], down=step["type"] == "keyDown")

    def macos(self, command: str, given: Mapping[str, Any]) -> None:
        """A command of Mac2 that is for the mouse or the keyboard."""
        match command:
            case "scroll":
                self._wheel(given["x"], given["y"], -given["deltaY"])
            case "setClipboard":
                self.clipboard = b64decode(given["content"]).decode()
            case "keys":
                for key in given["keys"]:
                    name, flags = (key, 0) if isinstance(key, str) else _apple_key(key)
                    held = ["Meta"] if flags & 1 << 4 else []
                    self._stroke(name, held)

    def windows(self, command: str, given: Mapping[str, Any]) -> None:
        """A command of the Windows driver that is for the mouse or the keyboard."""
        match command:
            case "click":
                long = given.get("durationMs", 0) >= _LONG_MS
                button = {"left": 0, "middle": 1, "right": 2}[given.get("button", "left")]
                self._touch(given["x"], given["y"], button, given.get("times", 1), long=long)
            case "hover":
                self._add(Received("move", given["endX"], given["endY"]))
            case "clickAndDrag":
                places = [given[name] for name in ("startX", "startY", "endX", "endY")]
                self._add(Received("drag", *places))
            case "scroll":
                self._wheel(given["x"], given["y"], -given.get("deltaY", 0) * _NOTCH)
            case "setClipboard":
                self.clipboard = b64decode(given["b64Content"]).decode()
            case "keys":
                for key in given["actions"]:
                    if "text" in key:
                        self.app.type(key["text"])
                    else:
                        self._key(_VIRTUAL.get(key["virtualKeyCode"], ""), down=key["down"])

    def _pointer(self, source: Mapping[str, Any]) -> None:
        x = y = 0.0
        start: tuple[float, float] | None = None
        held_ms = moved = 0.0
        clicks: list[tuple[float, float, int, bool]] = []
        for step in source["actions"]:
            match step["type"]:
                case "pointerMove":
                    x, y = step["x"], step["y"]
                    moved += start is not None
                case "pointerDown":
                    start, held_ms, moved = (x, y), 0.0, 0
                case "pause":
                    held_ms += 0 if moved else step["duration"]
                case "pointerUp" if start is not None:
                    if moved:
                        self._drag(
                            *start, x, y, scrolls=source["parameters"]["pointerType"] == "touch"
                        )
                    else:
                        clicks.append((x, y, step["button"], held_ms >= _LONG_MS))
                    start = None
        if clicks:
            at_x, at_y, button, long = clicks[-1]
            self._touch(at_x, at_y, button, len(clicks), long=long)
        elif all(step["type"] == "pointerMove" for step in source["actions"]):
            self._add(Received("move", x, y))

    def _touch(self, x: float, y: float, button: int, times: int, *, long: bool) -> None:
        kind: Literal["tap", "long_press"] = "long_press" if long else "tap"
        self._add(Received(kind, x, y, button=button, times=times))
        if long or button == 2:
            self.app.remove(x, y)
        elif times == 2:
            self.app.star(x, y)
        else:
            self.app.tap(x, y)

    def _drag(self, x: float, y: float, to_x: float, to_y: float, *, scrolls: bool) -> None:
        self._add(Received("drag", x, y, to_x, to_y))
        if scrolls:
            self.app.scroll(y - to_y)

    def _wheel(self, x: float, y: float, down: float) -> None:
        self._add(Received("wheel", x, y, 0.0, down))
        self.app.scroll(down)

    def _add(self, received: Received) -> None:
        self.received.append(received)

    def _key(self, key: str, *, down: bool) -> None:
        name = _CODE_POINTS.get(key, key)
        if not down:
            if name in self._held:
                self._held.remove(name)
        elif name in _MODIFIERS:
            self._held.append(name)
        else:
            self._stroke(name, self._held)

    def _stroke(self, name: str, held: Sequence[str]) -> None:
        if set(held) & {"Control", "Meta"}:
            if name.lower() == "a":
                self.app.draft = ""  # what is marked is gone with the next key; there is no mark
            elif name.lower() == "v":
                self.app.type(self.clipboard)
            return
        self.app.type(_TYPED.get(name, name if len(name) == 1 else ""))


_MODIFIERS = {"Control", "Meta", "Shift", "Alt"}
_CODE_POINTS = {
    "\ue003": "Backspace", "\ue006": "Enter", "\ue007": "Enter", "\ue008": "Shift",
    "\ue009": "Control", "\ue00a": "Alt", "\ue00d": " ", "\ue03d": "Meta",
}  # fmt: skip
_VIRTUAL = {
    8: "Backspace", 13: "Enter", 16: "Shift", 17: "Control", 18: "Alt", 32: " ", 0x5B: "Meta",
    **{code: chr(code) for code in (*range(48, 58), *range(65, 91))},
}  # fmt: skip
_TYPED = {"Backspace": "\b", "Enter": "\n", "Delete": "\b"}


def _apple_key(key: Mapping[str, Any]) -> tuple[str, int]:
    # Apple's name for the key that deletes backwards is Delete.
    return str(key["key"]).removeprefix("XCUIKeyboardKey"), int(key["modifierFlags"])
