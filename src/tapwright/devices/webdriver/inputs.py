"""How each platform is touched, typed on, and told to open an app, by its driver's own commands.

The commands are those of appium-xcuitest-driver 05ce2be, appium-uiautomator2-driver's documents,
appium-mac2-driver 5e04f1a and appium-windows-driver adfd283.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from tapwright.core import actions
from tapwright.core.actions import Key
from tapwright.devices.device import refuse_mouse
from tapwright.devices.errors import CommandRefusedError
from tapwright.devices.hand import HandAction
from tapwright.devices.webdriver import gestures
from tapwright.devices.webdriver.capabilities import Platform
from tapwright.devices.webdriver.hand import BrowserHand, MacHand, WindowsHand
from tapwright.devices.webdriver.keys import ANDROID_KEYS, EDITING_KEYS, IOS_BUTTONS, code_point
from tapwright.devices.webdriver.session import Session
from tapwright.errors import UnsupportedActionError

__all__ = ["Input", "input_of"]


class Input(ABC):
    """What a person does to one kind of screen; `keys` are those of `PressKey` that it has."""

    keys: ClassVar[tuple[Key, ...]]

    def __init__(self, session: Session) -> None:
        self._session = session

    @abstractmethod
    def perform(self, action: HandAction, place: gestures.Place) -> None:
        """Perform an action of hand or finger; `place` says where its points are."""

    @abstractmethod
    def type_text(self, text: str) -> None:
        """Type a text without a line break at its end into what has the focus."""

    @abstractmethod
    def press(self, key: Key) -> None:
        """Press one of `keys`."""

    @abstractmethod
    def clear(self) -> None:
        """Empty the field that has the focus."""

    def let_go(self) -> Sequence[str]:
        """Let go what is down; returns what was."""
        return ()

    def open(self, app: str) -> None:
        """Bring an app to the front, started if need be.

        Raises:
            UnsupportedActionError: the driver opens no other app.
        """
        raise UnsupportedActionError(f"this driver opens no other app, so not {app!r}")

    def restart(self, app: str) -> None:  # noqa: B027 - a browser has none, its session is new
        """End an app and start it anew; without one, go where apps are started from."""


def input_of(platform: Platform, session: Session, *, touched: bool = False) -> Input:
    """The input of a session; a page that is `touched` has a finger for a mouse."""
    match platform:
        case "ios":
            return _IosInput(session)
        case "android":
            return _AndroidInput(session)
        case "macos":
            return _MacInput(session, MacHand(session))
        case "windows":
            return _WindowsInput(session, WindowsHand(session))
        case "browser":
            return _BrowserInput(session, touched=touched)


class _TouchInput(Input):
    """A phone or tablet, with a finger."""

    def perform(self, action: HandAction, place: gestures.Place) -> None:
        refuse_mouse("a screen behind this driver", action)
        match action:
            case actions.TypeText(text=text):
                self.type_text(text)
            case actions.PressKey(key=key):
                self.press(key)
            case actions.Hotkey(keys=keys):
                strokes = [[code_point(key) for key in keys]]
                self._session.post("actions", {"actions": gestures.key_actions(strokes)})
            case actions.Hover() | actions.Tap(button="right" | "middle"):
                raise UnsupportedActionError(
                    f"a finger does not {action.type} with a mouse",
                    hint="tap, or long_press for what a right button is for",
                )
            case _:
                _touch(self._session, action, place)

    def type_text(self, text: str) -> None:
        if text:
            self._session.post(f"element/{self._focused()}/value", {"text": text})

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


class _ComputerInput(Input):
    """A computer, with a hand."""

    keys: ClassVar[tuple[Key, ...]] = EDITING_KEYS
    _COMMAND: ClassVar[str] = "control"

    def __init__(self, session: Session, hand: BrowserHand) -> None:
        super().__init__(session)
        self._hand = hand

    def perform(self, action: HandAction, place: gestures.Place) -> None:
        self._hand.place = place
        self._hand.perform(action)

    def type_text(self, text: str) -> None:
        self._hand.type(text)

    def press(self, key: Key) -> None:
        self._hand.chord((key,))

    def clear(self) -> None:
        self._hand.chord((self._COMMAND, "a"))
        self._hand.chord(("backspace",))

    def let_go(self) -> Sequence[str]:
        return self._hand.let_go()


class _MacInput(_ComputerInput):
    """A Mac, by Mac2."""

    _COMMAND: ClassVar[str] = "meta"

    def open(self, app: str) -> None:
        self._session.execute("macos: launchApp", {"bundleId": app})

    def restart(self, app: str) -> None:
        if app:
            self._session.execute("macos: terminateApp", {"bundleId": app})
            self.open(app)


class _WindowsInput(_ComputerInput):
    """A Windows desktop, by WinAppDriver."""

    def restart(self, app: str) -> None:
        if app and app != "Root":
            try:
                self._session.execute("windows: closeApp", {})
            except CommandRefusedError as error:
                if error.reason != "no such window":
                    raise
            self._session.execute("windows: launchApp", {})


class _BrowserInput(_ComputerInput):
    """A page in a browser; `touched` when it is one of a phone, with a finger and no wheel."""

    keys: ClassVar[tuple[Key, ...]] = ("back", *EDITING_KEYS)

    def __init__(self, session: Session, *, touched: bool) -> None:
        super().__init__(session, BrowserHand(session))
        self._touched = touched

    def perform(self, action: HandAction, place: gestures.Place) -> None:
        by_mouse = isinstance(
            action, actions.Hover | actions.TypeText | actions.PressKey | actions.Hotkey
        ) or (isinstance(action, actions.Tap) and action.button != "left")
        if self._touched:
            refuse_mouse("a page that is touched", action)
        if isinstance(action, actions.PressKey):
            self.press(action.key)
        elif self._touched and not by_mouse:
            _touch(self._session, action, place)
        else:
            super().perform(action, place)

    def press(self, key: Key) -> None:
        if key == "back":
            self._session.post("back")
        else:
            super().press(key)


def _touch(session: Session, action: HandAction, place: gestures.Place) -> None:
    """A finger's gesture; a turn of the wheel is made of swipes."""
    match action:
        case actions.Scroll():
            for swipe in gestures.as_swipe(action):
                _touch(session, swipe, place)
        case (
            actions.Tap()
            | actions.DoubleTap()
            | actions.TripleTap()
            | actions.LongPress()
            | actions.Swipe()
            | actions.Drag()
        ):
            source = gestures.pointer_source("touch", gestures.touch_steps(action, place))
            duration_s = gestures.touch_duration_s(action)
            session.post("actions", {"actions": [source]}, duration_s=duration_s)
        case _:
            raise UnsupportedActionError(f"a finger does not {action.type}")
