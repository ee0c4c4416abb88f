"""The calls of PyAutoGUI in which AgentNet tells what a person did: parsed, never executed.

    pyautogui.click(x=0.5, y=0.25)        pyautogui.write(message='hello')
    pyautogui.moveTo(x=0.1, y=0.2)        pyautogui.hotkey(['ctrl', 'c'])
    pyautogui.dragTo(x=0.3, y=0.4, button='left')
    computer.terminate(status='success')

One call a line, with constants only; places are fractions of the screen. The order of arguments is
PyAutoGUI's (https://pyautogui.readthedocs.io/en/latest/quickstart.html). Anything else is refused.
"""

import ast
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from pydantic import ValidationError

from tapwright.actions import (
    Action,
    DoubleTap,
    Finish,
    Hover,
    Tap,
    TypeText,
    Wait,
)
from tapwright.errors import OffScreenError, first_problem
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.desktop import Pointer, press_keys
from tapwright.geometry import Point

_Value: TypeAlias = object

_PLACE = ("x", "y")
_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "pyautogui.click": (*_PLACE, "clicks", "interval", "button"),
    "pyautogui.leftClick": _PLACE,
    "pyautogui.rightClick": _PLACE,
    "pyautogui.middleClick": _PLACE,
    "pyautogui.doubleClick": _PLACE,
    "pyautogui.moveTo": _PLACE,
    "pyautogui.dragTo": _PLACE,
    "pyautogui.scroll": ("clicks", *_PLACE),
    "pyautogui.vscroll": ("clicks", *_PLACE),
    "pyautogui.hscroll": ("clicks", *_PLACE),
    "pyautogui.write": ("message",),
    "pyautogui.typewrite": ("message",),
    "pyautogui.press": ("keys", "presses"),
    "pyautogui.hotkey": ("keys",),
    "pyautogui.sleep": ("seconds",),
    "time.sleep": ("seconds",),
    "computer.wait": ("seconds",),
    "computer.terminate": ("status",),
}
_PASSED_OVER = frozenset({"duration", "interval", "tween", "pause", "_pause", "logScreenshot"})
_MAX_CODE = 100_000
_MAX_PRESSES = 100


@dataclass(frozen=True, slots=True)
class _PyAutoGuiCall:
    name: str
    arguments: Mapping[str, _Value]
    where: str

    def number(self, name: str, otherwise: float | None = None) -> float:
        value = self.arguments.get(name, otherwise)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ForeignDataError(f"{self.where}: {name} is {value!r}; expected a number")
        return value

    def text(self, name: str, otherwise: str | None = None) -> str:
        value = self.arguments.get(name, otherwise)
        if not isinstance(value, str):
            raise ForeignDataError(f"{self.where}: {name} is {value!r}; expected text")
        return value

    def texts(self, name: str) -> list[str]:
        value = self.arguments.get(name)
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list | tuple) or not all(isinstance(one, str) for one in values):
            raise ForeignDataError(f"{self.where}: {name} are {value!r}; expected names of keys")
        return [str(one) for one in values]

    def place(self) -> Point | None:
        """The place of the call; None where it has none."""
        if self.arguments.get("x") is None and self.arguments.get("y") is None:
            return None
        try:
            return Point(self.number("x"), self.number("y"))
        except OffScreenError as error:
            raise ForeignDataError(f"{self.where}: {error}") from error


def parse_code(code: str, pointer: Pointer, where: str) -> tuple[list[Action], list[str]]:
    """The actions that code tells, and the calls of which an action does not hold all.

    `pointer` is where earlier code left it, and is moved on.

    Raises:
        ForeignDataError: it is no such code, or tells something that no action of ours is.
    """
    if len(code) > _MAX_CODE:
        raise ForeignDataError(f"{where}: {len(code)} characters of code")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it may hold a path with backslashes
            lines = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ForeignDataError(f"{where}: no Python: {error}") from error
    actions: list[Action] = []
    log: list[str] = []
    for line in lines:
        call = _call(line, where)
        if call is None:
            continue
        try:
            actions.extend(_actions(call, pointer))
        except ValidationError as error:
            raise ForeignDataError(f"{call.where}: {first_problem(error)}") from error
        if call.name.endswith("scroll"):
            log.append(ast.unparse(line))
    return actions, log


def _call(line: ast.stmt, where: str) -> _PyAutoGuiCall | None:
    """A line as a call with constants; None when it only imports."""
    if isinstance(line, ast.Import):
        return None
    said = ast.unparse(line)[:100]
    if not isinstance(line, ast.Expr) or not isinstance(line.value, ast.Call):
        raise ForeignDataError(f"{where}: {said!r} is no call")
    name, where = ast.unparse(line.value.func), f"{where}, {said}"
    names = _ARGUMENTS.get(name)
    if names is None:
        raise ForeignDataError(f"{where}: no action is {name[:60]!r}")
    given = [_constant(argument, where) for argument in line.value.args]
    if name == "pyautogui.hotkey" and all(isinstance(one, str) for one in given) and given:
        given = [given]
    if len(given) > len(names):
        raise ForeignDataError(f"{where}: {len(given)} arguments; expected {', '.join(names)}")
    arguments = dict(zip(names, given, strict=False))
    for keyword in line.value.keywords:
        if keyword.arg in arguments or keyword.arg is None:
            raise ForeignDataError(f"{where}: the argument {keyword.arg} twice")
        arguments[keyword.arg] = _constant(keyword.value, where)
    unknown = arguments.keys() - {*names, "button"} - _PASSED_OVER
    if unknown:
        raise ForeignDataError(f"{where}: no argument is called {', '.join(sorted(unknown))}")
    return _PyAutoGuiCall(name, arguments, where)


def _constant(node: ast.expr, where: str) -> _Value:
    try:
        return cast(_Value, ast.literal_eval(node))
    except (ValueError, TypeError, RecursionError) as error:
        raise ForeignDataError(f"{where}: an argument is no constant") from error


def _actions(call: _PyAutoGuiCall, pointer: Pointer) -> Sequence[Action]:
    where = call.where
    match call.name.partition(".")[2]:
        case "click" | "leftClick" | "rightClick" | "middleClick":
            return [_click(call, pointer)]
        case "doubleClick":
            return [DoubleTap(at=pointer.to(call.place(), where))]
        case "moveTo":
            return [Hover(at=pointer.to(call.place(), where))]
        case "dragTo":
            end = call.place()
            if end is None or call.text("button", "left") != "left":
                raise ForeignDataError(f"{where}: not a drag to a place with the left button")
            return [pointer.drag(end, where)]
        case "scroll" | "vscroll":
            return [pointer.wheel(call.place(), where, down=-call.number("clicks"))]
        case "hscroll":
            return [pointer.wheel(call.place(), where, right=call.number("clicks"))]
        case "write" | "typewrite":
            return [TypeText(text=call.text("message"))]
        case "press":
            times = call.number("presses", 1)
            if not 1 <= times <= _MAX_PRESSES:
                raise ForeignDataError(f"{where}: pressed {times} times")
            return [press_keys([key], where) for key in call.texts("keys")] * int(times)
        case "hotkey":
            return [press_keys(call.texts("keys"), where)]
        case "sleep" | "wait":
            return [Wait(duration_s=call.number("seconds", 1))]
        case "terminate":
            status = call.text("status")
            if status not in ("success", "failure"):
                raise ForeignDataError(f"{where}: ends with {status!r}")
            return [Finish(outcome="success" if status == "success" else "failure")]
    raise AssertionError(f"{call.name} has arguments and no meaning")


def _click(call: _PyAutoGuiCall, pointer: Pointer) -> Action:
    by_name = {"rightClick": "right", "middleClick": "middle"}
    otherwise = by_name.get(call.name.partition(".")[2], "left")
    button = call.text("button", otherwise)
    at = pointer.to(call.place(), call.where)
    match call.number("clicks", 1), button:
        case 1, "left" | "right" | "middle":
            return Tap(at=at, button=button)
        case 2, "left":
            return DoubleTap(at=at)
        case clicks, _:
            raise ForeignDataError(f"{call.where}: {clicks} clicks with the {button} button")
