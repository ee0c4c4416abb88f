"""PyAutoGUI's functions for programs that run in a served desktop: its own mouse and keyboard act.

https://pyautogui.readthedocs.io/en/latest/quickstart.html: the names, the order of arguments and
the defaults are PyAutoGUI's; a `tween` and a `logScreenshot` change nothing. `write` types any
text. Nothing but the standard library is imported.
"""

import functools
import http.client
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

PAUSE = 0.1
FAILSAFE = True
MINIMUM_DURATION = 0.1
KEYBOARD_KEYS = KEY_NAMES = [
    "enter", "esc", "tab", "space", "backspace", "delete", "insert", "up", "down", "left", "right",
    "home", "end", "pageup", "pagedown", "ctrl", "shift", "alt", "win",
    *(f"f{number}" for number in range(1, 13)), *(chr(code) for code in range(0x20, 0x7F)),
]  # fmt: skip
LEFT, MIDDLE, RIGHT, PRIMARY, SECONDARY = "left", "middle", "right", "primary", "secondary"

_BUTTONS = {
    LEFT: LEFT, MIDDLE: MIDDLE, RIGHT: RIGHT, PRIMARY: LEFT, SECONDARY: RIGHT,
    1: LEFT, 2: MIDDLE, 3: RIGHT,
}  # fmt: skip
_DOUBLE_S = 0.05
_MOVE_S = 0.05
_SHORTEST_DRAG_S = 0.3


class Point(NamedTuple):
    """A place, in pixels."""

    x: Any
    y: Any


class Size(NamedTuple):
    """Of the screen, in pixels."""

    width: int
    height: int


class PyAutoGUIException(Exception):
    """The desktop refused what was asked."""


class FailSafeException(PyAutoGUIException):
    """Never raised: a served desktop has no corner that stops a program."""


def ask(**request: Any) -> Any:
    """Let the desktop do what a request says; returns its answer."""
    server, _, token = os.environ["TAPWRIGHT_INPUT"].partition("#")
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


def _paced(act: Callable[..., None]) -> Callable[..., None]:
    """An act that is followed by PyAutoGUI's pause, and takes the arguments that change nothing."""

    @functools.wraps(act)
    def paced(
        *given: Any, tween: Any = None, logScreenshot: Any = None, _pause: Any = True, **named: Any
    ) -> None:
        act(*given, **named)
        if _pause:
            time.sleep(PAUSE)

    return paced


def size() -> Size:
    """Width and height of the screen."""
    return Size(**ask(do="size"))


def position(x: Any = None, y: Any = None) -> Point:
    """Where the pointer is; what is given is told as it is."""
    told = Point(**ask(do="position"))
    return Point(told.x if x is None else x, told.y if y is None else y)


def onScreen(x: Any, y: Any = None) -> bool:
    """Whether a place is on the screen."""
    x, y = x if y is None else (x, y)
    width, height = size()
    return bool(0 <= x < width and 0 <= y < height)


def _go(x: Any, y: Any, duration: Any = 0.0) -> None:
    """Move to a place; what is not said of it stays as it is."""
    if isinstance(x, (tuple, list)):
        x, y = x
    if x is None and y is None:
        return
    if x is None or y is None:
        x, y = position(x, y)
    if duration > MINIMUM_DURATION:
        (from_x, from_y), moves = position(), max(2, int(duration / _MOVE_S))
        for share in (move / moves for move in range(1, moves)):
            at_x, at_y = from_x + (x - from_x) * share, from_y + (y - from_y) * share
            ask(do="move", x=round(at_x), y=round(at_y))
            time.sleep(duration / moves)
    ask(do="move", x=round(x), y=round(y))


def _hold(button: Any, *, down: bool) -> None:
    ask(do="button", button=_BUTTONS[button], down=down)


def _by(x: Any, y: Any) -> Point:
    """The place that is so far from the pointer."""
    if isinstance(x, (tuple, list)):
        x, y = x
    at = position()
    return Point(at.x + (x or 0), at.y + (y or 0))


@_paced
def moveTo(x: Any = None, y: Any = None, duration: Any = 0.0, *_: Any) -> None:
    """Move the pointer to a place."""
    _go(x, y, duration)


@_paced
def moveRel(xOffset: Any = None, yOffset: Any = None, duration: Any = 0.0, *_: Any) -> None:
    """Move the pointer by so much."""
    _go(*_by(xOffset, yOffset), duration)


@_paced
def mouseDown(
    x: Any = None, y: Any = None, button: Any = PRIMARY, duration: Any = 0.0, *_: Any
) -> None:
    """Press a button, at a place if one is given."""
    _go(x, y, duration)
    _hold(button, down=True)


@_paced
def mouseUp(
    x: Any = None, y: Any = None, button: Any = PRIMARY, duration: Any = 0.0, *_: Any
) -> None:
    """Release a button, at a place if one is given."""
    _go(x, y, duration)
    _hold(button, down=False)


@_paced
def click(
    x: Any = None, y: Any = None, clicks: Any = 1, interval: Any = 0.0, button: Any = PRIMARY,
    duration: Any = 0.0, *_: Any,
) -> None:  # fmt: skip
    """Click, at a place if one is given."""
    _go(x, y, duration)
    at = position()
    counts, wait_s = ([clicks], 0) if interval <= _DOUBLE_S else ([1] * clicks, interval)
    for count in counts:
        ask(do="click", x=at.x, y=at.y, button=_BUTTONS[button], clicks=count)
        time.sleep(wait_s)


def _click_with(button: str) -> Callable[..., None]:
    def clicked(
        x: Any = None, y: Any = None, interval: Any = 0.0, duration: Any = 0.0, *_: Any, **more: Any
    ) -> None:
        click(x, y, 1, interval, button, duration, **more)

    return clicked


def _click_times(clicks: int) -> Callable[..., None]:
    def clicked(
        x: Any = None, y: Any = None, interval: Any = 0.0, button: Any = LEFT, duration: Any = 0.0,
        *_: Any, **more: Any,
    ) -> None:  # fmt: skip
        click(x, y, clicks, interval, button, duration, **more)

    return clicked


leftClick, middleClick, rightClick = map(_click_with, (LEFT, MIDDLE, RIGHT))
doubleClick, tripleClick = map(_click_times, (2, 3))


@_paced
def dragTo(
    x: Any = None, y: Any = None, duration: Any = 0.0, tween: Any = None, button: Any = PRIMARY,
    *_: Any, mouseDownUp: Any = True,
) -> None:  # fmt: skip
    """Drag from where the pointer is to a place."""
    if mouseDownUp:
        _hold(button, down=True)
    _go(x, y, max(duration, _SHORTEST_DRAG_S))
    if mouseDownUp:
        _hold(button, down=False)


def dragRel(xOffset: Any = 0, yOffset: Any = 0, *given: Any, **named: Any) -> None:
    """Drag from where the pointer is by so much."""
    dragTo(*_by(xOffset, yOffset), *given, **named)


@_paced
def scroll(clicks: Any, x: Any = None, y: Any = None, *_: Any) -> None:
    """Turn the wheel; positive is up."""
    _go(x, y)
    ask(do="wheel", notches=-int(clicks), sideways=False)


@_paced
def hscroll(clicks: Any, x: Any = None, y: Any = None, *_: Any) -> None:
    """Turn the wheel sideways; positive is to the right."""
    _go(x, y)
    ask(do="wheel", notches=int(clicks), sideways=True)


@_paced
def keyDown(key: Any, *_: Any) -> None:
    """Press a key and hold it."""
    ask(do="key", key=key, down=True)


@_paced
def keyUp(key: Any, *_: Any) -> None:
    """Release a key."""
    ask(do="key", key=key, down=False)


@_paced
def press(keys: Any, presses: Any = 1, interval: Any = 0.0, *_: Any) -> None:
    """Press a key, or several one after the other."""
    for key in _listed(keys) * presses:
        ask(do="chord", keys=[key])
        time.sleep(interval)


@contextmanager
def hold(keys: Any, *_: Any, **_named: Any) -> Iterator[None]:
    """Hold keys while the block lasts."""
    for key in _listed(keys):
        keyDown(key)
    try:
        yield
    finally:
        for key in reversed(_listed(keys)):
            keyUp(key)


@_paced
def hotkey(*keys: Any, interval: Any = 0.0) -> None:
    """Press keys together."""
    ask(do="chord", keys=_listed(keys[0]) if len(keys) == 1 else list(keys))


@_paced
def write(message: Any, interval: Any = 0.0, *_: Any) -> None:
    """Type a text; a list is keys by their names."""
    if isinstance(message, str):
        ask(do="type", text=message)
    else:
        press(message, interval=interval, _pause=False)


def sleep(seconds: Any) -> None:
    """Wait."""
    time.sleep(seconds)


def _listed(keys: Any) -> list[Any]:
    return [keys] if isinstance(keys, str) else list(keys)


move, drag, vscroll, typewrite = moveRel, dragRel, scroll, write
