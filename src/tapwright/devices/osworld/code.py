"""Actions as the PyAutoGUI code that OSWorld's VM runs, in pixels of its screen.

https://pyautogui.readthedocs.io/en/latest/quickstart.html; the code is run after "import pyautogui;
import time; pyautogui.FAILSAFE = False" (desktop_env/controllers/python.py of desktop-env 1.0.2).
PyAutoGUI types the keys of a US keyboard, so other text goes through the clipboard. "<", which it
types wrongly on X11, is pressed as shift and comma in code that is run, as DesktopEnv.step does.
"""

from collections.abc import Mapping, Sequence
from typing import assert_never

from tapwright.core.actions import (
    Action,
    Answer,
    AskUser,
    ButtonDown,
    ButtonUp,
    CloseTab,
    DoubleTap,
    Drag,
    Finish,
    Goto,
    Hotkey,
    Hover,
    Key,
    KeyDown,
    KeyUp,
    LongPress,
    NewTab,
    OpenApp,
    PressKey,
    Scroll,
    Swipe,
    SwitchTab,
    Tap,
    TripleTap,
    TypeText,
    Wait,
    typing_steps,
)
from tapwright.core.geometry import Point, Size, to_pixel
from tapwright.errors import UnsupportedActionError

__all__ = ["CLICKS_PER_SCREEN", "KEYS", "write_code"]

CLICKS_PER_SCREEN = 10
"""How many clicks of the wheel are a screen: the unit that recordings are read by, too."""
_KEYS: Mapping[str, str] = {
    "control": "ctrl", "meta": "win", "super": "win", "cmd": "win", "escape": "esc",
    "page_up": "pageup", "page_down": "pagedown", "move_home": "home", "move_end": "end",
    "arrowup": "up", "arrowdown": "down", "arrowleft": "left", "arrowright": "right",
    "menu": "apps", "volume_up": "volumeup", "volume_down": "volumedown",
}  # fmt: skip
KEYS: Sequence[Key] = (
    "home", "menu", "enter", "backspace", "delete", "tab", "escape", "space", "up", "down", "left",
    "right", "page_up", "page_down", "move_home", "move_end", "volume_up", "volume_down",
)  # fmt: skip
"""The keys of `PressKey` that PyAutoGUI has; "home" shows the bare desktop."""
_FIRST, _LAST = " ", "~"


def write_code(action: Action, size: Size, *, to_run: bool = False) -> str:
    """The code, a statement a line; "" for what is said to the user and not to the screen.

    Without `to_run` it is as an agent of OSWorld answers, before what DesktopEnv makes of it.

    Raises:
        UnsupportedActionError: a keyboard and a mouse cannot do this.
    """
    steps = typing_steps(action) if isinstance(action, TypeText) else (action,)
    return "\n".join(
        _type(step.text, to_run=to_run) if isinstance(step, TypeText) else _write(step, size)
        for step in steps
    )


def _write(action: Action, size: Size) -> str:
    match action:
        case Tap(at=at, button=button):
            extra = "" if button == "left" else f", button={button!r}"
            return f"pyautogui.click({_place(at, size)}{extra})"
        case DoubleTap(at=at):
            return f"pyautogui.doubleClick({_place(at, size)})"
        case TripleTap(at=at):
            return f"pyautogui.tripleClick({_place(at, size)})"
        case LongPress(at=at, duration_s=duration_s):
            return (
                f"pyautogui.moveTo({_place(at, size)})\npyautogui.mouseDown()\n"
                f"time.sleep({duration_s:g})\npyautogui.mouseUp()"
            )
        case Drag(start=start, end=end, duration_s=duration_s):
            return (
                f"pyautogui.moveTo({_place(start, size)})\n"
                f"pyautogui.dragTo({_place(end, size)}, duration={duration_s:g}, button='left')"
            )
        case Swipe(start=start, end=end):
            return _scroll(start, start.x - end.x, start.y - end.y, size)
        case Scroll(at=at, dx=dx, dy=dy):
            return _scroll(at, dx, dy, size)
        case Hover(at=at):
            return f"pyautogui.moveTo({_place(at, size)})"
        case TypeText(text=text):
            return _type(text, to_run=False)
        case PressKey(key="home"):
            return "pyautogui.hotkey('win', 'd')"
        case PressKey(key=key):
            if key not in KEYS:
                raise UnsupportedActionError(
                    f"a keyboard has no key {key!r}", hint=f"it has: {', '.join(KEYS)}"
                )
            return f"pyautogui.press({_key(key)!r})"
        case Hotkey(keys=keys):
            return f"pyautogui.hotkey({', '.join(repr(_key(key)) for key in keys)})"
        case Wait(duration_s=duration_s):
            return f"time.sleep({duration_s:g})"
        case Answer() | AskUser() | Finish():
            return ""
        case ButtonDown() | ButtonUp() | KeyDown() | KeyUp():
            raise UnsupportedActionError(f"no code for {action.type} yet")
        case OpenApp() | Goto() | NewTab() | CloseTab() | SwitchTab():
            raise UnsupportedActionError(
                f"a keyboard and a mouse have no {action.type}",
                hint="an agent of OSWorld opens it as a person does: by clicks and keys",
            )
        case _:
            assert_never(action)


def _place(point: Point, size: Size) -> str:
    x, y = to_pixel(point, size)
    return f"{x}, {y}"


def _scroll(at: Point, dx: float, dy: float, size: Size) -> str:
    """Positive is up in PyAutoGUI, and to the right."""
    lines = [f"pyautogui.moveTo({_place(at, size)})"]
    if dy:
        lines.append(f"pyautogui.scroll({-_clicks(dy)})")
    if dx:
        lines.append(f"pyautogui.hscroll({_clicks(dx)})")
    return "\n".join(lines)


def _clicks(screens: float) -> int:
    return round(screens * CLICKS_PER_SCREEN) or (1 if screens > 0 else -1)


def _type(text: str, *, to_run: bool) -> str:
    if not all(_FIRST <= one <= _LAST or one in "\n\t" for one in text):
        return f"import pyperclip\npyperclip.copy({text!r})\npyautogui.hotkey('ctrl', 'v')"
    pieces = text.split("<") if to_run else [text]
    parts = [f"pyautogui.write({part!r}, interval=0.01)" if part else "" for part in pieces]
    press = "pyautogui.hotkey('shift', ',')"
    lines = [line for part in parts for line in (press, part)][1:]
    return "\n".join(line for line in lines if line)


def _key(name: str) -> str:
    lowered = name.lower()
    return _KEYS.get(lowered, lowered)
