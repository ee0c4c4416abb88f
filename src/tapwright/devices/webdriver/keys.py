"""Keys as WebDriver's code points, and as iOS, Android, macOS and Windows want them.

Names are ours (`actions.Key`, and what `Hotkey` takes).
https://www.w3.org/TR/webdriver2/#keyboard-actions
"""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from tapwright.core.actions import Key
from tapwright.devices.keys import KeyStroke, key_stroke
from tapwright.errors import UnsupportedActionError

__all__ = [
    "ANDROID_KEYS", "EDITING_KEYS", "IOS_BUTTONS", "apple_keys", "code_point", "virtual_keys",
]  # fmt: skip

EDITING_KEYS: tuple[Key, ...] = (
    "enter", "backspace", "delete", "tab", "escape", "space",
    "up", "down", "left", "right", "page_up", "page_down", "move_home", "move_end",
)  # fmt: skip
"""The keys of a keyboard, which every computer has."""

IOS_BUTTONS: Mapping[Key, str] = {
    "home": "home", "volume_up": "volumeup", "volume_down": "volumedown", "camera": "camera",
}  # fmt: skip
"""What `mobile: pressButton` calls them."""

# https://developer.android.com/reference/android/view/KeyEvent
ANDROID_KEYS: Mapping[Key, int] = {
    "home": 3, "back": 4, "up": 19, "down": 20, "left": 21, "right": 22, "volume_up": 24,
    "volume_down": 25, "power": 26, "camera": 27, "clear": 28, "tab": 61, "space": 62, "enter": 66,
    "backspace": 67, "menu": 82, "page_up": 92, "page_down": 93, "escape": 111, "delete": 112,
    "move_home": 122, "move_end": 123, "recents": 187,
}  # fmt: skip
"""The key codes that `mobile: pressKey` takes."""

# https://developer.apple.com/documentation/xcuiautomation/xcuikeyboardkey
_APPLE_NAMES = {
    "Backspace": "Delete", "Delete": "ForwardDelete", "ArrowLeft": "LeftArrow",
    "ArrowUp": "UpArrow", "ArrowRight": "RightArrow", "ArrowDown": "DownArrow",
}  # fmt: skip
_APPLE_FLAGS = {"Shift": 1 << 1, "Control": 1 << 2, "Alt": 1 << 3, "Meta": 1 << 4}


def code_point(name: str) -> str:
    """The character that stands for a key in WebDriver; an ordinary one for itself.

    Raises:
        UnsupportedActionError: a keyboard has no such key.
    """
    stroke = key_stroke(name)
    if not stroke.webdriver and not stroke.text:
        raise UnsupportedActionError(
            f"WebDriver's protocol has no key {name!r}", hint="it has f1 to f12, and no lock keys"
        )
    return chr(stroke.webdriver) if stroke.webdriver else stroke.key


def apple_keys(names: Sequence[str]) -> list[JsonValue]:
    """Keys held down together as `macos: keys` takes them: modifiers are flags of each other key.

    Raises:
        UnsupportedActionError: a keyboard has no such key.
    """
    strokes = [key_stroke(name) for name in names]
    flags = sum({_APPLE_FLAGS[one.key] for one in strokes if one.key in _APPLE_FLAGS})
    return [
        {"key": _apple_name(one), "modifierFlags": flags}
        for one in strokes
        if one.key not in _APPLE_FLAGS
    ]


def virtual_keys(names: Sequence[str]) -> list[JsonValue]:
    """Keys held down together as `windows: keys` takes them: all down in order, up in reverse.

    Raises:
        UnsupportedActionError: a keyboard has no such key.
    """
    strokes = [key_stroke(name) for name in names]
    if len(strokes) == 1 and strokes[0].text and not strokes[0].number:
        return [{"text": strokes[0].text}]
    down: list[JsonValue] = [{"virtualKeyCode": _virtual(one), "down": True} for one in strokes]
    up: list[JsonValue] = [
        {"virtualKeyCode": _virtual(one), "down": False} for one in reversed(strokes)
    ]
    return down + up


def _virtual(stroke: KeyStroke) -> int:
    left_windows = 0x5B
    return left_windows if stroke.key == "Meta" else stroke.number


def _apple_name(stroke: KeyStroke) -> str:
    if len(stroke.key) == 1:
        return stroke.key
    return f"XCUIKeyboardKey{_APPLE_NAMES.get(stroke.key, stroke.key)}"
