"""How each platform is touched, typed on, and told to open an app, by its driver's own commands.

The commands are those of appium-xcuitest-driver 05ce2be, appium-uiautomator2-driver's documents,
appium-mac2-driver 5e04f1a and appium-windows-driver adfd283.
"""

import base64
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from pydantic import JsonValue

from tapwright.core.actions import (
    DoubleTap,
    Drag,
    Hover,
    Key,
    LongPress,
    Scroll,
    Swipe,
    Tap,
    TripleTap,
)
from tapwright.core.geometry import Point
from tapwright.devices.errors import CommandRefusedError
from tapwright.devices.webdriver.capabilities import Platform
from tapwright.devices.webdriver.gestures import (
    Gesture,
    Pointer,
    as_swipe,
    gesture_actions,
    gesture_duration_s,
    key_actions,
)
from tapwright.devices.webdriver.keys import (
    ANDROID_KEYS,
    EDITING_KEYS,
    IOS_BUTTONS,
    apple_keys,
    code_point,
    virtual_keys,
)
from tapwright.devices.webdriver.session import Session
from tapwright.errors import UnsupportedActionError

__all__ = ["Input", "Place", "input_of"]

Place = Callable[[Point], tuple[float, float]]
"""From a point of the screen to x and y as the driver counts."""


class Input(ABC):
    """What a person does to one kind of screen; `keys` are those of `PressKey` that it has."""

    keys: ClassVar[tuple[Key, ...]]

    def __init__(self, session: Session) -> None:
        self._session = session

    @abstractmethod
    def gesture(self, action: Gesture, place: Place) -> None:
        """Perform a gesture; `place` says where its points are."""

    @abstractmethod
    def type_text(self, text: str) -> None:
        """Type a text without a line break at its end into what has the focus."""

    @abstractmethod
    def press(self, key: Key) -> None:
        """Press one of `keys`."""

    @abstractmethod
    def hotkey(self, keys: Sequence[str]) -> None:
        """Press keys together."""

    def clear(self) -> None:
        """Empty the field that has the focus."""
        self.hotkey(("control", "a"))
        self.press("backspace")

    def open(self, app: str) -> None:
        """Bring an app to the front, started if need be.

        Raises:
            UnsupportedActionError: the driver opens no other app.
        """
        raise UnsupportedActionError(f"this driver opens no other app, so not {app!r}")

    def restart(self, app: str) -> None:  # noqa: B027 - a browser has none, its session is new
        """End an app and start it anew; without one, go where apps are started from."""

    def _perform(self, action: Gesture, pointer: Pointer, place: Place) -> None:
        self._session.post(
            "actions",
            {"actions": gesture_actions(action, pointer, place)},
            duration_s=gesture_duration_s(action),
        )


def input_of(platform: Platform, session: Session, *, touched: bool = False) -> Input:
    """The input of a session; a page that is `touched` has a finger for a mouse."""
    match platform:
        case "ios":
            return _IosInput(session)
        case "android":
            return _AndroidInput(session)
        case "macos":
            return _MacInput(session)
        case "windows":
            return _WindowsInput(session)
        case "browser":
            return _BrowserInput(session, touched=touched)


class _TouchInput(Input):
    """A phone or tablet, with a finger."""

    def gesture(self, action: Gesture, place: Place) -> None:
        match action:
            case Scroll():
                for swipe in as_swipe(action):
                    self._perform(swipe, "touch", place)
            case Hover() | Tap(button="right" | "middle"):
                raise UnsupportedActionError(
                    f"a finger does not {action.type} with a mouse",
                    hint="tap, or long_press for what a right button is for",
                )
            case _:
                self._perform(action, "touch", place)

    def type_text(self, text: str) -> None:
        if text:
            self._session.post(f"element/{self._focused()}/value", {"text": text})

    def hotkey(self, keys: Sequence[str]) -> None:
        self._session.post("actions", {"actions": key_actions([[code_point(k) for k in keys]])})

    def clear(self) -> None:
        self._session.post(f"element/{self._focused()}/clear")

    def _focused(self) -> str:
        element = self._session.active_element()
        if element is None:
            raise UnsupportedActionError(
                "no field has the focus, so nothing takes the text",
                hint="tap the field before, or type with a place",
            )
        return element

    def _rotate(self) -> None:
        upright = self._session.get("orientation") == "PORTRAIT"
        self._session.post("orientation", {"orientation": "LANDSCAPE" if upright else "PORTRAIT"})


class _IosInput(_TouchInput):
    """An iPhone or iPad, by XCUITest."""

    keys: ClassVar[tuple[Key, ...]] = ("back", *IOS_BUTTONS, "rotate", "enter", "backspace", "tab",
                                       "space")  # fmt: skip
    _TYPED: ClassVar[Mapping[Key, str]] = {
        "enter": "\n", "backspace": "\b", "tab": "\t", "space": " ",
    }  # fmt: skip

    def press(self, key: Key) -> None:
        if key == "rotate":
            self._rotate()
        elif key == "back":
            self._session.post("back")
        elif key in IOS_BUTTONS:
            self._session.execute("mobile: pressButton", {"name": IOS_BUTTONS[key]})
        else:
            self.type_text(self._TYPED[key])

    def open(self, app: str) -> None:
        self._session.execute("mobile: launchApp", {"bundleId": app})

    def restart(self, app: str) -> None:
        if not app:
            self.press("home")
            return
        self._session.execute("mobile: terminateApp", {"bundleId": app})
        self.open(app)


class _AndroidInput(_TouchInput):
    """An Android phone, by UiAutomator2."""

    keys: ClassVar[tuple[Key, ...]] = (*ANDROID_KEYS, "rotate")

    def press(self, key: Key) -> None:
        if key == "rotate":
            self._rotate()
        else:
            self._session.execute("mobile: pressKey", {"keycode": ANDROID_KEYS[key]})

    def open(self, app: str) -> None:
        self._session.execute("mobile: activateApp", {"appId": app})

    def restart(self, app: str) -> None:
        if not app:
            self.press("home")
            return
        self._session.execute("mobile: terminateApp", {"appId": app})
        self.open(app)


class _MacInput(Input):
    """A Mac, by Mac2: the mouse by the protocol's actions, the wheel and keys by its own."""

    keys: ClassVar[tuple[Key, ...]] = EDITING_KEYS

    def gesture(self, action: Gesture, place: Place) -> None:
        match action:
            case Scroll(at=at, dx=dx, dy=dy):
                self._scroll(at, dx, dy, place)
            case Swipe(start=start, end=end):
                self._scroll(start, start.x - end.x, start.y - end.y, place)
            case _:
                self._perform(action, "mouse", place)

    def type_text(self, text: str) -> None:
        # Its keys are those of a keyboard; the clipboard takes any text.
        if text.isascii():
            self._session.execute("macos: keys", {"keys": list(text)})
            return
        content = base64.b64encode(text.encode()).decode()
        self._session.execute("macos: setClipboard", {"content": content})
        self.hotkey(("meta", "v"))

    def press(self, key: Key) -> None:
        self.hotkey((key,))

    def hotkey(self, keys: Sequence[str]) -> None:
        self._session.execute("macos: keys", {"keys": apple_keys(keys)})

    def clear(self) -> None:
        self.hotkey(("meta", "a"))
        self.press("backspace")

    def open(self, app: str) -> None:
        self._session.execute("macos: launchApp", {"bundleId": app})

    def restart(self, app: str) -> None:
        if app:
            self._session.execute("macos: terminateApp", {"bundleId": app})
            self.open(app)

    def _scroll(self, at: Point, dx: float, dy: float, place: Place) -> None:
        (x, y), (left, top), (right, bottom) = map(place, (at, Point(0, 0), Point(1, 1)))
        # Its numbers are those of a wheel's turn: down is negative.
        self._session.execute(
            "macos: scroll",
            {"x": x, "y": y, "deltaX": -dx * (right - left), "deltaY": -dy * (bottom - top)},
        )


class _WindowsInput(Input):
    """A Windows desktop, by WinAppDriver, which has no mouse among the protocol's actions."""

    keys: ClassVar[tuple[Key, ...]] = EDITING_KEYS
    _NOTCH_PX: ClassVar[float] = 100.0  # what applications scroll for one of the wheel, about

    def gesture(self, action: Gesture, place: Place) -> None:
        match action:
            case Tap(at=at, button=button):
                self._run("click", {**_at(place(at)), "button": button})
            case DoubleTap(at=at):
                self._run("click", {**_at(place(at)), "times": 2})
            case TripleTap(at=at):
                self._run("click", {**_at(place(at)), "times": 3})
            case LongPress(at=at, duration_s=duration_s):
                held: dict[str, JsonValue] = {"durationMs": round(duration_s * 1000)}
                self._run("click", {**_at(place(at)), **held}, duration_s)
            case Hover(at=at):
                spot = place(at)
                self._run("hover", {**_at(spot, "start"), **_at(spot, "end"), "durationMs": 0})
            case Drag(start=start, end=end, duration_s=duration_s):
                timed: dict[str, JsonValue] = {"durationMs": round(duration_s * 1000)}
                spots = {**_at(place(start), "start"), **_at(place(end), "end")}
                self._run("clickAndDrag", {**spots, **timed}, duration_s)
            case Swipe(start=start, end=end):
                self._scroll(start, start.x - end.x, start.y - end.y, place)
            case Scroll(at=at, dx=dx, dy=dy):
                self._scroll(at, dx, dy, place)

    def type_text(self, text: str) -> None:
        if max(text, default="") > "\uffff":  # its keys take no characters beyond
            content = base64.b64encode(text.encode()).decode()
            self._run("setClipboard", {"b64Content": content})
            self.hotkey(("control", "v"))
        elif text:
            self._run("keys", {"actions": [{"text": text}]})

    def press(self, key: Key) -> None:
        self.hotkey((key,))

    def hotkey(self, keys: Sequence[str]) -> None:
        self._run("keys", {"actions": virtual_keys(keys)})

    def restart(self, app: str) -> None:
        if app and app != "Root":
            try:
                self._run("closeApp", {})
            except CommandRefusedError as error:
                if error.reason != "no such window":
                    raise
            self._run("launchApp", {})

    def _scroll(self, at: Point, dx: float, dy: float, place: Place) -> None:
        (left, top), (right, bottom) = map(place, (Point(0, 0), Point(1, 1)))
        # One direction at a time; a positive number turns the wheel away from the user.
        for name, amount in (("deltaX", dx * (right - left)), ("deltaY", -dy * (bottom - top))):
            if amount:
                notches = max(1, round(abs(amount) / self._NOTCH_PX))
                turned = notches if amount > 0 else -notches
                self._run("scroll", {**_at(place(at)), name: turned})

    def _run(
        self, command: str, arguments: Mapping[str, JsonValue], duration_s: float = 0.0
    ) -> None:
        self._session.execute(f"windows: {command}", arguments, duration_s=duration_s)


class _BrowserInput(Input):
    """A page in a browser; `touched` when it is one of a phone, with a finger and no wheel."""

    keys: ClassVar[tuple[Key, ...]] = ("back", *EDITING_KEYS)

    def __init__(self, session: Session, *, touched: bool) -> None:
        super().__init__(session)
        self._touched = touched

    def gesture(self, action: Gesture, place: Place) -> None:
        if not self._touched:
            if isinstance(action, Swipe):  # a mouse that drags would mark text
                start, end = action.start, action.end
                action = Scroll(at=start, dx=start.x - end.x, dy=start.y - end.y)
            self._perform(action, "mouse", place)
            return
        match action:
            case Scroll():
                for swipe in as_swipe(action):
                    self._perform(swipe, "touch", place)
            case Hover() | Tap(button="right" | "middle"):
                self._perform(action, "mouse", place)
            case _:
                self._perform(action, "touch", place)

    def type_text(self, text: str) -> None:
        strokes = [[code_point("enter") if char == "\n" else char] for char in text]
        if strokes:
            self._session.post("actions", {"actions": key_actions(strokes)})

    def press(self, key: Key) -> None:
        if key == "back":
            self._session.post("back")
        else:
            self.hotkey((key,))

    def hotkey(self, keys: Sequence[str]) -> None:
        self._session.post("actions", {"actions": key_actions([[code_point(k) for k in keys]])})


def _at(spot: tuple[float, float], prefix: str = "") -> dict[str, JsonValue]:
    x, y = ("x", "y") if not prefix else (f"{prefix}X", f"{prefix}Y")
    return {x: int(spot[0]), y: int(spot[1])}
