"""The code in which AgentNet records a person's actions: parsed, never executed.

    pyautogui.click(x=0.5, y=0.25)        pyautogui.write(message='hello')
    pyautogui.moveTo(x=0.1, y=0.2)        pyautogui.hotkey(['ctrl', 'c'])
    pyautogui.dragTo(x=0.3, y=0.4, button='left')
    computer.terminate(status='success')

One call a line, with constants only; `conventions.pyautogui` reads the calls. A recording is exact,
so an unknown call or argument is refused here; a model's answer may hold prose.
"""

import ast
import warnings
from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.pyautogui import CallPointer, fold_gestures, read_call
from tapwright.core.actions import Action, ButtonUp, KeyUp, TripleTap
from tapwright.errors import BadAnswerError
from tapwright.files.python_source import parse_statements
from tapwright.formats.errors import ForeignDataError

_PLACE = ("x", "y")
_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "pyautogui.click": (*_PLACE, "clicks", "interval", "button"),
    "pyautogui.leftClick": _PLACE,
    "pyautogui.rightClick": _PLACE,
    "pyautogui.middleClick": _PLACE,
    "pyautogui.doubleClick": _PLACE,
    "pyautogui.tripleClick": _PLACE,
    "computer.tripleClick": _PLACE,
    "computer.triple_click": _PLACE,
    "pyautogui.moveTo": _PLACE,
    "pyautogui.dragTo": _PLACE,
    "pyautogui.scroll": ("clicks", *_PLACE),
    "pyautogui.vscroll": ("clicks", *_PLACE),
    "pyautogui.hscroll": ("clicks", *_PLACE),
    "pyautogui.write": ("message",),
    "pyautogui.typewrite": ("message",),
    "pyautogui.press": ("keys", "presses"),
    "pyautogui.hotkey": ("keys",),
    "pyautogui.keyDown": ("key",),
    "pyautogui.keyUp": ("key",),
    "pyautogui.mouseDown": (*_PLACE, "button"),
    "pyautogui.mouseUp": (*_PLACE, "button"),
    "pyautogui.sleep": ("seconds",),
    "time.sleep": ("seconds",),
    "computer.wait": ("seconds",),
    "computer.terminate": ("status",),
}
_NAMES: Mapping[str, str] = {name.lower(): name for name in _ARGUMENTS}
"""The calls as they are spelled: OmniACT has `hotKey`, too."""
_TRIPLE_CLICKS = frozenset(name for name in _ARGUMENTS if "triple" in name)
_IGNORED = frozenset({"duration", "interval", "tween", "pause", "_pause", "logScreenshot"})
_MAX_CODE = 100_000
"""Characters of the code of one step."""
_SCREENS_PER_CLICK = 0.1
"""How far a click of the wheel scrolls is never recorded; see `desktop`."""


def parse_code(code: str, pointer: CallPointer, where: str) -> tuple[list[Action], list[str]]:
    """Parses code into actions, and the calls that an action does not represent completely.

    `pointer` is where earlier code left it, and is moved.

    Raises:
        ForeignDataError: it is not such code, or has a call that no action represents.
    """
    actions: list[Action] = []
    log: list[str] = []
    for line in parse_lines(code, where):
        if isinstance(line, ast.Import):
            continue
        source = ast.unparse(line)
        here = f"{where}, {source[:100]}"
        call = _parse_call(line, here)
        actions.extend(to_actions(call, pointer, here))
        if call.name.endswith("scroll"):
            log.append(source)
    if any(isinstance(one, KeyUp | ButtonUp) for one in actions):
        actions = fold_gestures(actions)
    return actions, log


def parse_lines(code: str, where: str) -> list[ast.stmt]:
    """The statements of the code of one step.

    Raises:
        ForeignDataError: it is too long, or no Python.
    """
    if len(code) > _MAX_CODE:
        raise ForeignDataError(f"{where}: {len(code)} characters of code; at most {_MAX_CODE}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it may hold a path with backslashes
            return parse_statements(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ForeignDataError(f"{where}: not Python: {error}") from error


def to_actions(call: ParsedCall, pointer: CallPointer, where: str) -> Sequence[Action]:
    """The actions of one call; OpenCUA records a triple click as a call of its own.

    Raises:
        ForeignDataError: an argument is missing or does not fit.
    """
    is_triple = call.named.get("clicks") == 3 and call.named.get("button") in (None, "left")
    try:
        if call.name in _TRIPLE_CLICKS or (call.name == "pyautogui.click" and is_triple):
            return [TripleTap(at=pointer.move(call))]
        return read_call(call, pointer, scroll_unit=_SCREENS_PER_CLICK)
    except BadAnswerError as error:
        raise ForeignDataError(f"{where}: {error}") from error


def _parse_call(line: ast.stmt, where: str) -> ParsedCall:
    """Parses a line as a call with constants, each argument by its name."""
    if not isinstance(line, ast.Expr) or not isinstance(line.value, ast.Call):
        raise ForeignDataError(f"{where}: not a call")
    written = ast.unparse(line.value.func)
    name = _NAMES.get(written.lower())
    if name is None:
        raise ForeignDataError(f"{where}: unknown call {written[:60]!r}")
    names = _ARGUMENTS[name]
    given = [parse_constant(argument, where) for argument in line.value.args]
    if name == "pyautogui.hotkey" and all(isinstance(one, str) for one in given) and given:
        given = [[*given]]
    if len(given) > len(names):
        raise ForeignDataError(f"{where}: {len(given)} arguments; expected {', '.join(names)}")
    arguments = dict(zip(names, given, strict=False))
    for keyword in line.value.keywords:
        if keyword.arg in arguments or keyword.arg is None:
            raise ForeignDataError(f"{where}: the argument {keyword.arg} twice")
        arguments[keyword.arg] = parse_constant(keyword.value, where)
    unknown = arguments.keys() - {*names, "button"} - _IGNORED
    if unknown:
        raise ForeignDataError(f"{where}: unknown arguments {', '.join(sorted(unknown))}")
    return ParsedCall(name, (), arguments)


def parse_constant(node: ast.expr, where: str) -> JsonValue:
    """The value of a constant, a tuple as a list.

    Raises:
        ForeignDataError: it is something else, or bytes, a set or a complex number.
    """
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError) as error:
        raise ForeignDataError(f"{where}: an argument is not a constant") from error
    if isinstance(value, tuple):
        value = [*value]
    if isinstance(value, bytes | set | complex) or value is ...:
        raise ForeignDataError(f"{where}: an argument is {type(value).__name__}")
    return cast(JsonValue, value)
