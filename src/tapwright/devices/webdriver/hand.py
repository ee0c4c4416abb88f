"""The hands of computers behind WebDriver: by the protocol's actions, or a driver's own commands.

What the protocol's actions leave down stays down from one request to the next
(https://www.w3.org/TR/webdriver2/#input-state), so a held key is a request of its own.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import JsonValue

from tapwright.core.actions import Button
from tapwright.core.geometry import Point
from tapwright.devices.hand import Hand
from tapwright.devices.webdriver import gestures
from tapwright.devices.webdriver.gestures import key_actions as _key_actions
from tapwright.devices.webdriver.keys import apple_keys, code_point, virtual_keys
from tapwright.devices.webdriver.session import Session
from tapwright.errors import UnsupportedActionError

__all__ = ["BrowserHand", "MacHand", "WindowsHand"]

_GESTURE_S = 1.0  # what a gesture takes beside the time that it is held


class BrowserHand(Hand):
    """A mouse and a keyboard by the protocol's actions; `place` is set before anything is done."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.place: gestures.Place = lambda at: (at.x, at.y)

    def move(self, at: Point) -> None:
        """Move the pointer."""
        self._point([gestures.move_step(self.place(at))])

    def click(self, at: Point, button: Button, times: int) -> None:
        """Click."""
        self._point(gestures.click_steps(self.place(at), times, gestures.BUTTONS[button]))

    def hold(self, at: Point, button: Button, duration_s: float) -> None:
        """Press, and release after a while."""
        number = gestures.BUTTONS[button]
        steps = [gestures.move_step(self.place(at)), gestures.press_step(number, down=True)]
        steps += [gestures.pause_step(duration_s * 1000), gestures.press_step(number, down=False)]
        self._point(steps, duration_s)

    def drag(self, places: Sequence[Point], button: Button, duration_s: float) -> None:
        """Drag through the places."""
        way = [self.place(one) for one in places]
        self._point(gestures.drag_steps(way, duration_s, gestures.BUTTONS[button]), duration_s)

    def scroll(self, at: Point, dx: float, dy: float) -> None:
        """Turn the wheel."""
        corners = self.place(Point(0, 0)), self.place(Point(1, 1))
        self._act(gestures.wheel_source(self.place(at), *corners, dx, dy))

    def button(self, button: Button, *, down: bool) -> None:
        """Press or release a button."""
        self._point([gestures.press_step(gestures.BUTTONS[button], down=down)])

    def key(self, name: str, *, down: bool) -> None:
        """Press or release a key."""
        step: JsonValue = {"type": "keyDown" if down else "keyUp", "value": code_point(name)}
        self._act({"type": "key", "id": "keyboard", "actions": [step]})

    def chord(self, names: Sequence[str]) -> None:
        """Press keys together."""
        self._session.post("actions", {"actions": _key_actions([[code_point(k) for k in names]])})

    def type(self, text: str) -> None:
        """Type a text."""
        strokes = [[code_point("enter") if char == "\n" else char] for char in text]
        if strokes:
            self._session.post("actions", {"actions": _key_actions(strokes)})

    def _point(self, steps: Sequence[JsonValue], duration_s: float = 0.0) -> None:
        self._act(gestures.pointer_source("mouse", steps), duration_s)

    def _act(self, source: JsonValue, duration_s: float = 0.0) -> None:
        self._session.post("actions", {"actions": [source]}, duration_s=duration_s + _GESTURE_S)


class MacHand(BrowserHand):
    """The hand on a Mac, by Mac2: the mouse by the protocol, wheel and keys by its own commands."""

    def scroll(self, at: Point, dx: float, dy: float) -> None:
        """Turn the wheel."""
        (x, y), (left, top), (right, bottom) = map(self.place, (at, Point(0, 0), Point(1, 1)))
        # Its numbers are those of a wheel's turn: down is negative.
        self._session.execute(
            "macos: scroll",
            {"x": x, "y": y, "deltaX": -dx * (right - left), "deltaY": -dy * (bottom - top)},
        )

    def key(self, name: str, *, down: bool) -> None:
        """A key alone does not stay down here.

        Raises:
            UnsupportedActionError: always.
        """
        raise UnsupportedActionError(
            f"Mac2 has no way to hold {name} down", hint="press keys together: hotkey"
        )

    def chord(self, names: Sequence[str]) -> None:
        """Press keys together."""
        self._session.execute("macos: keys", {"keys": apple_keys(names)})

    def type(self, text: str) -> None:
        """Type a text: its keys are those of a keyboard, and the clipboard takes any text."""
        if text.isascii():
            self._session.execute("macos: keys", {"keys": list(text)})
            return
        content = base64.b64encode(text.encode()).decode()
        self._session.execute("macos: setClipboard", {"content": content})
        self.chord(("meta", "v"))


class WindowsHand(BrowserHand):
    """The hand on a Windows desktop: WinAppDriver has no mouse among the protocol's actions."""

    _NOTCH_PX: ClassVar[float] = 100.0  # what applications scroll for one of the wheel, about

    def move(self, at: Point) -> None:
        """Move the pointer."""
        spot = self.place(at)
        self._run("hover", {**_at(spot, "start"), **_at(spot, "end"), "durationMs": 0})

    def click(self, at: Point, button: Button, times: int) -> None:
        """Click."""
        several: dict[str, JsonValue] = {"times": times} if times > 1 else {}
        self._run("click", {**_at(self.place(at)), "button": button, **several})

    def hold(self, at: Point, button: Button, duration_s: float) -> None:
        """Press, and release after a while."""
        held: dict[str, JsonValue] = {"button": button, "durationMs": round(duration_s * 1000)}
        self._run("click", {**_at(self.place(at)), **held}, duration_s)

    def drag(self, places: Sequence[Point], button: Button, duration_s: float) -> None:
        """Drag straight, with the left button.

        Raises:
            UnsupportedActionError: there is a path, or another button.
        """
        if len(places) > 2 or button != "left":
            raise UnsupportedActionError(
                "the driver for Windows drags straight and with the left button alone",
                hint="drag from place to place",
            )
        start, end = (self.place(one) for one in places)
        timed: dict[str, JsonValue] = {"durationMs": round(duration_s * 1000)}
        self._run("clickAndDrag", {**_at(start, "start"), **_at(end, "end"), **timed}, duration_s)

    def scroll(self, at: Point, dx: float, dy: float) -> None:
        """Turn the wheel."""
        (left, top), (right, bottom) = map(self.place, (Point(0, 0), Point(1, 1)))
        # One direction at a time; a positive number turns the wheel away from the user.
        for name, amount in (("deltaX", dx * (right - left)), ("deltaY", -dy * (bottom - top))):
            if amount:
                notches = max(1, round(abs(amount) / self._NOTCH_PX))
                turned = notches if amount > 0 else -notches
                self._run("scroll", {**_at(self.place(at)), name: turned})

    def button(self, button: Button, *, down: bool) -> None:
        """A button alone is neither pressed nor released here.

        Raises:
            UnsupportedActionError: always.
        """
        raise UnsupportedActionError(
            f"the driver for Windows does not {'press' if down else 'release'} the {button} button "
            "apart",
            hint="long_press and drag hold a button",
        )

    def key(self, name: str, *, down: bool) -> None:
        """Press or release a key."""
        pressed, *released = virtual_keys([name])
        self._run("keys", {"actions": [pressed] if down else released})

    def chord(self, names: Sequence[str]) -> None:
        """Press keys together."""
        self._run("keys", {"actions": virtual_keys(names)})

    def type(self, text: str) -> None:
        """Type a text."""
        if max(text, default="") > "\uffff":  # its keys take no characters beyond
            content = base64.b64encode(text.encode()).decode()
            self._run("setClipboard", {"b64Content": content})
            self.chord(("control", "v"))
        elif text:
            self._run("keys", {"actions": [{"text": text}]})

    def _run(
        self, command: str, arguments: Mapping[str, JsonValue], duration_s: float = 0.0
    ) -> None:
        self._session.execute(f"windows: {command}", arguments, duration_s=duration_s)


def _at(spot: tuple[float, float], prefix: str = "") -> dict[str, JsonValue]:
    x, y = ("x", "y") if not prefix else (f"{prefix}X", f"{prefix}Y")
    return {x: int(spot[0]), y: int(spot[1])}
