"""Actions as the PyAutoGUI code that OSWorld's VM runs, in pixels of its screen.

https://pyautogui.readthedocs.io/en/latest/quickstart.html; the code is run after "import pyautogui;
import time; pyautogui.FAILSAFE = False" (desktop_env/controllers/python.py of desktop-env 1.0.2).
PyAutoGUI types the keys of a US keyboard, so other text goes through the clipboard. "<", which it
types wrongly on X11, is pressed as shift and comma in code that is run, as DesktopEnv.step does.
"""

from collections.abc import Mapping, Sequence
from typing import assert_never

from tapwright.core import actions
from tapwright.core.actions import Action, Button, Key, typing_steps
from tapwright.core.geometry import Point, Size, to_pixel
from tapwright.devices.keys import key_stroke
from tapwright.errors import UnsupportedActionError

__all__ = ["CLICKS_PER_SCREEN", "KEYS", "write_code"]

CLICKS_PER_SCREEN = 10
"""How many clicks of the wheel are a screen: the unit that recordings are read by, too."""
_MEDIA: Mapping[str, str] = {"volume_up": "volumeup", "volume_down": "volumedown"}
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
    steps = typing_steps(action) if isinstance(action, actions.TypeText) else (action,)
    return "\n".join(
        _type(step.text, to_run=to_run)
        if isinstance(step, actions.TypeText)
        else _write(step, size)
        for step in steps
    )


def _write(action: Action, size: Size) -> str:
    match action:
        case actions.Tap(at=at, button=button, held=held):
            return _held(held, f"pyautogui.click({_place(at, size)}{_button(button)})")
        case actions.DoubleTap(at=at, button=button, held=held):
            return _held(held, f"pyautogui.doubleClick({_place(at, size)}{_button(button)})")
        case actions.TripleTap(at=at, button=button, held=held):
            return _held(held, f"pyautogui.tripleClick({_place(at, size)}{_button(button)})")
        case actions.LongPress(at=at, duration_s=duration_s, button=button, held=held):
            press = _button(button).removeprefix(", ")
            return _held(
                held,
                f"pyautogui.moveTo({_place(at, size)})\npyautogui.mouseDown({press})\n"
                f"time.sleep({duration_s:g})\npyautogui.mouseUp({press})",
            )
        case actions.Drag(held=held):
            return _held(held, _drag(action, size))
        case actions.Swipe(start=start, end=end):
            return _scroll(start, start.x - end.x, start.y - end.y, size)
        case actions.Scroll(at=at, dx=dx, dy=dy, held=held):
            return _held(held, _scroll(at, dx, dy, size))
        case actions.Hover(at=at, held=held):
            return _held(held, f"pyautogui.moveTo({_place(at, size)})")
        case actions.ButtonDown(at=at, button=button):
            return f"pyautogui.mouseDown({_button_at(at, button, size)})"
        case actions.ButtonUp(at=at, button=button):
            return f"pyautogui.mouseUp({_button_at(at, button, size)})"
        case actions.KeyDown(key=key):
            return f"pyautogui.keyDown({_key(key)!r})"
        case actions.KeyUp(key=key):
            return f"pyautogui.keyUp({_key(key)!r})"
        case actions.TypeText(text=text):
            return _type(text, to_run=False)
        case actions.PressKey(key="home"):
            return "pyautogui.hotkey('win', 'd')"
        case actions.PressKey(key=key):
            if key not in KEYS:
                raise UnsupportedActionError(
                    f"a keyboard has no key {key!r}", hint=f"it has: {', '.join(KEYS)}"
                )
            return f"pyautogui.press({_key(key)!r})"
        case actions.Hotkey(keys=keys, duration_s=duration_s):
            if duration_s:
                return _held(keys, f"time.sleep({duration_s:g})")
            return f"pyautogui.hotkey({', '.join(repr(_key(key)) for key in keys)})"
        case actions.Wait(duration_s=duration_s):
            return f"time.sleep({duration_s:g})"
        case actions.Answer() | actions.AskUser() | actions.Finish():
            return ""
        case (
            actions.OpenApp()
            | actions.Goto()
            | actions.NewTab()
            | actions.CloseTab()
            | actions.SwitchTab()
        ):
            raise UnsupportedActionError(
                f"a keyboard and a mouse have no {action.type}",
                hint="an agent of OSWorld opens it as a person does: by clicks and keys",
            )
        case _:
            assert_never(action)


def _held(keys: Sequence[str], code: str) -> str:
    """The code between keys that go down, and up in reverse."""
    down = [f"pyautogui.keyDown({_key(key)!r})\n" for key in keys]
    up = [f"\npyautogui.keyUp({_key(key)!r})" for key in reversed(keys)]
    return "".join((*down, code, *up))


def _drag(action: actions.Drag, size: Size) -> str:
    """A drag in one line, or with its path: each leg has its share of the time."""
    button, duration_s = action.button, action.duration_s
    start = f"pyautogui.moveTo({_place(action.start, size)})"
    if not action.path:
        _check_button(button)
        end = _place(action.end, size)
        return f"{start}\npyautogui.dragTo({end}, duration={duration_s:g}, button={button!r})"
    press = _button(button).removeprefix(", ")
    share_s = duration_s / (len(action.path) + 1)
    legs = [
        f"pyautogui.moveTo({_place(one, size)}, duration={share_s:g})"
        for one in (*action.path, action.end)
    ]
    mouse = f"pyautogui.mouseDown({press})", f"pyautogui.mouseUp({press})"
    return "\n".join((start, mouse[0], *legs, mouse[1]))


def _button(button: Button) -> str:
    """The argument that names a button; "" for the left one."""
    _check_button(button)
    return "" if button == "left" else f", button={button!r}"


def _button_at(at: Point | None, button: Button, size: Size) -> str:
    place = "" if at is None else _place(at, size)
    return f"{place}{_button(button)}".removeprefix(", ")


def _check_button(button: Button) -> None:
    if button in ("back", "forward"):
        raise UnsupportedActionError(
            f"PyAutoGUI has no {button} button", hint="press alt and left, or alt and right"
        )


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
    spelled = _MEDIA.get(name.lower()) or key_stroke(name).pyautogui
    if spelled or len(name) == 1:
        return spelled or name.lower()
    raise UnsupportedActionError(f"PyAutoGUI has no key {name!r}", hint="it has one enter key")
