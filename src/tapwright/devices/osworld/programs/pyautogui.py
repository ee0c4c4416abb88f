"""PyAutoGUI's functions for programs that run in a served desktop: its own mouse and keyboard act.

https://pyautogui.readthedocs.io/en/latest/quickstart.html: the names, the order of
arguments and the defaults are PyAutoGUI's. `write` types any text. Nothing but the standard library
is imported.
"""

import http.client
import json
import os
import time
from typing import Any

PAUSE = 0.1
FAILSAFE = True
MINIMUM_DURATION = 0.1
KEYBOARD_KEYS = KEY_NAMES = [
    "enter", "esc", "tab", "space", "backspace", "delete", "insert", "up", "down", "left", "right",
    "home", "end", "pageup", "pagedown", "ctrl", "shift", "alt", "win",
    *(f"f{number}" for number in range(1, 13)), *(chr(code) for code in range(0x20, 0x7F)),
]  # fmt: skip
LEFT, MIDDLE, RIGHT, PRIMARY, SECONDARY = "left", "middle", "right", "left", "right"

_ADDRESS = os.environ["TAPWRIGHT_INPUT"]
_BUTTONS = {
    "primary": "left", "secondary": "right", 1: "left", 2: "middle", 3: "right",
    "left": "left", "middle": "middle", "right": "right",
}  # fmt: skip
_DOUBLE_S = 0.05


class PyAutoGUIException(Exception):
    """The desktop refused what was asked."""


class FailSafeException(PyAutoGUIException):
    """Never raised: a served desktop has no corner that stops a program."""


def ask(**request: Any) -> Any:
    """Let the desktop do what a request says; returns its answer."""
    server, _, token = _ADDRESS.partition("#")
    connection = http.client.HTTPConnection(server, timeout=60)
    connection.request(
        "POST", "/tapwright/input", json.dumps(request), {"Authorization": f"Bearer {token}"}
    )
    response = connection.getresponse()
    told = json.loads(response.read() or b"null")
    connection.close()
    if response.status != 200:
        raise PyAutoGUIException(told.get("message") if isinstance(told, dict) else str(told))
    return told


def _pause(pause: Any = None) -> None:
    time.sleep(PAUSE if pause is None else pause)


def size() -> tuple[int, int]:
    """Width and height of the screen."""
    told = ask(do="size")
    return told["width"], told["height"]


def position(x: Any = None, y: Any = None) -> tuple[Any, Any]:
    """Where the pointer is."""
    told = ask(do="position")
    return (told["x"] if x is None else x), (told["y"] if y is None else y)


def onScreen(x: Any, y: Any = None) -> bool:
    """Whether a place is on the screen."""
    x, y = x if y is None else (x, y)
    width, height = size()
    return bool(0 <= x < width and 0 <= y < height)


def _target(x: Any, y: Any) -> Any:
    if isinstance(x, (tuple, list)):
        x, y = x
    if x is None and y is None:
        return None
    old_x, old_y = position() if x is None or y is None else (x, y)
    return round(old_x if x is None else x), round(old_y if y is None else y)


def _go(x: Any, y: Any, duration: Any = 0.0) -> None:
    at = _target(x, y)
    if at is None:
        return
    if duration > MINIMUM_DURATION:
        start, moves = position(), max(2, int(duration / 0.05))
        for move in range(1, moves):
            share = move / moves
            ask(do="move", x=round(start[0] + (at[0] - start[0]) * share),
                 y=round(start[1] + (at[1] - start[1]) * share))  # fmt: skip
            time.sleep(duration / moves)
    ask(do="move", x=at[0], y=at[1])


def moveTo(
    x: Any = None,
    y: Any = None,
    duration: Any = 0.0,
    tween: Any = None,
    logScreenshot: Any = False,
    **_: Any,
) -> None:
    """Move the pointer to a place."""
    _go(x, y, duration)
    _pause()


def moveRel(
    xOffset: Any = None, yOffset: Any = None, duration: Any = 0.0, tween: Any = None, **_: Any
) -> None:
    """Move the pointer by so much."""
    if isinstance(xOffset, (tuple, list)):
        xOffset, yOffset = xOffset
    x, y = position()
    _go(x + (xOffset or 0), y + (yOffset or 0), duration)
    _pause()


move = moveRel


def mouseDown(
    x: Any = None,
    y: Any = None,
    button: Any = "left",
    duration: Any = 0.0,
    tween: Any = None,
    **_: Any,
) -> None:
    """Press a button, at a place if one is given."""
    _go(x, y, duration)
    ask(do="button", button=_BUTTONS[button], down=True)
    _pause()


def mouseUp(
    x: Any = None,
    y: Any = None,
    button: Any = "left",
    duration: Any = 0.0,
    tween: Any = None,
    **_: Any,
) -> None:
    """Release a button, at a place if one is given."""
    _go(x, y, duration)
    ask(do="button", button=_BUTTONS[button], down=False)
    _pause()


def click(
    x: Any = None,
    y: Any = None,
    clicks: Any = 1,
    interval: Any = 0.0,
    button: Any = "left",
    duration: Any = 0.0,
    tween: Any = None,
    **_: Any,
) -> None:
    """Click, at a place if one is given."""
    _go(x, y, duration)
    at = position()
    if interval <= _DOUBLE_S:
        ask(do="click", x=at[0], y=at[1], button=_BUTTONS[button], clicks=clicks)
    else:
        for _click in range(clicks):
            ask(do="click", x=at[0], y=at[1], button=_BUTTONS[button], clicks=1)
            time.sleep(interval)
    _pause()


def leftClick(
    x: Any = None,
    y: Any = None,
    interval: Any = 0.0,
    duration: Any = 0.0,
    tween: Any = None,
    **_: Any,
) -> None:
    """Click with the left button."""
    click(x, y, 1, interval, "left", duration)


def rightClick(
    x: Any = None,
    y: Any = None,
    interval: Any = 0.0,
    duration: Any = 0.0,
    tween: Any = None,
    **_: Any,
) -> None:
    """Click with the right button."""
    click(x, y, 1, interval, "right", duration)


def middleClick(
    x: Any = None,
    y: Any = None,
    interval: Any = 0.0,
    duration: Any = 0.0,
    tween: Any = None,
    **_: Any,
) -> None:
    """Click with the middle button."""
    click(x, y, 1, interval, "middle", duration)


def doubleClick(
    x: Any = None,
    y: Any = None,
    interval: Any = 0.0,
    button: Any = "left",
    duration: Any = 0.0,
    tween: Any = None,
    **_: Any,
) -> None:
    """Click twice."""
    click(x, y, 2, interval, button, duration)


def tripleClick(
    x: Any = None,
    y: Any = None,
    interval: Any = 0.0,
    button: Any = "left",
    duration: Any = 0.0,
    tween: Any = None,
    **_: Any,
) -> None:
    """Click three times."""
    click(x, y, 3, interval, button, duration)


def dragTo(
    x: Any = None,
    y: Any = None,
    duration: Any = 0.0,
    tween: Any = None,
    button: Any = "left",
    mouseDownUp: Any = True,
    **_: Any,
) -> None:
    """Drag from where the pointer is to a place."""
    if mouseDownUp:
        ask(do="button", button=_BUTTONS[button], down=True)
    _go(x, y, max(duration, 0.3))
    if mouseDownUp:
        ask(do="button", button=_BUTTONS[button], down=False)
    _pause()


def dragRel(
    xOffset: Any = 0,
    yOffset: Any = 0,
    duration: Any = 0.0,
    tween: Any = None,
    button: Any = "left",
    mouseDownUp: Any = True,
    **_: Any,
) -> None:
    """Drag from where the pointer is by so much."""
    x, y = position()
    dragTo(x + xOffset, y + yOffset, duration, tween, button, mouseDownUp)


drag = dragRel


def scroll(clicks: Any, x: Any = None, y: Any = None, **_: Any) -> None:
    """Turn the wheel; positive is up."""
    _go(x, y)
    ask(do="wheel", notches=-int(clicks), sideways=False)
    _pause()


vscroll = scroll


def hscroll(clicks: Any, x: Any = None, y: Any = None, **_: Any) -> None:
    """Turn the wheel sideways; positive is to the right."""
    _go(x, y)
    ask(do="wheel", notches=int(clicks), sideways=True)
    _pause()


def keyDown(key: Any, **_: Any) -> None:
    """Press a key and hold it."""
    ask(do="key", key=key, down=True)
    _pause()


def keyUp(key: Any, **_: Any) -> None:
    """Release a key."""
    ask(do="key", key=key, down=False)
    _pause()


def press(keys: Any, presses: Any = 1, interval: Any = 0.0, **_: Any) -> None:
    """Press a key, or several one after the other."""
    for _press in range(presses):
        for key in [keys] if isinstance(keys, str) else keys:
            ask(do="chord", keys=[key])
            time.sleep(interval)
    _pause()


class hold:
    """Hold keys while the block lasts."""

    def __init__(self, keys: Any, **_: Any) -> None:
        self._keys = [keys] if isinstance(keys, str) else list(keys)

    def __enter__(self) -> None:
        for key in self._keys:
            keyDown(key)

    def __exit__(self, *exception: Any) -> None:
        for key in reversed(self._keys):
            keyUp(key)


def hotkey(*keys: Any, interval: Any = 0.0, **_: Any) -> None:
    """Press keys together."""
    listed = keys[0] if len(keys) == 1 and isinstance(keys[0], (list, tuple)) else keys
    ask(do="chord", keys=list(listed))
    _pause()


def write(message: Any, interval: Any = 0.0, **_: Any) -> None:
    """Type a text; a list is keys by their names."""
    if isinstance(message, str):
        ask(do="type", text=message)
    else:
        press(list(message), interval=interval)
    _pause()


typewrite = write


def sleep(seconds: Any) -> None:
    """Wait."""
    time.sleep(seconds)
