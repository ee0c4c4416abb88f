"""What an agent of OSWorld does in a step, as actions: code for the VM is parsed, never executed.

An action is "WAIT", "DONE" or "FAIL", which says that a task cannot be done; Python with calls of
PyAutoGUI, alone or in a dictionary, as the `command` of Claude's agent or the `action` of OpenAI's;
or a member of the action space computer_13 (desktop_env/actions.py of the package desktop-env
1.0.2). Calls that only together are one gesture are joined: keys that go down and up again, a
button that does, the clipboard that is filled and then pasted, and a text that is typed key by key.
Keys and buttons that stay down go down, and up, as actions of their own.
"""

import ast
from base64 import b64decode
from collections.abc import Mapping, Sequence
from itertools import groupby, takewhile

from pydantic import JsonValue

from tapwright.conventions.call_syntax import ParsedCall
from tapwright.conventions.parsing import build_action
from tapwright.conventions.pyautogui import CallPointer, fold_gestures
from tapwright.conventions.rendering import read_held
from tapwright.core import actions as act
from tapwright.errors import BadAnswerError
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.agentnet import join_moves
from tapwright.formats.importers.pyautogui import parse_constant, parse_lines, to_actions

__all__ = ["read_osworld_action"]

_PAUSE_S = 2.0
"""How long WAIT waits: `pause` of DesktopEnv.step."""
_WORDS: Mapping[str, act.Action] = {
    "WAIT": act.Wait(duration_s=_PAUSE_S),
    "DONE": act.Finish(outcome="success"),
    "FAIL": act.Finish(outcome="infeasible"),
}
_SPACE_13 = {
    "MOVE_TO": "moveTo", "CLICK": "click", "RIGHT_CLICK": "rightClick", "MOUSE_DOWN": "mouseDown",
    "DOUBLE_CLICK": "doubleClick", "DRAG_TO": "dragTo", "MOUSE_UP": "mouseUp", "PRESS": "press",
    "TYPING": "write", "KEY_DOWN": "keyDown", "KEY_UP": "keyUp", "HOTKEY": "hotkey",
}  # fmt: skip
_NAMES_13 = {"num_clicks": "clicks", "text": "message", "key": "keys"}
_MODULES = frozenset({"pyautogui", "time", "pyperclip", "computer"})
_PASTE = ["ctrl", "v"]
_HELD_S = 0.4
"""A button that is held for so long is no click."""


def read_osworld_action(action: JsonValue, pointer: CallPointer, where: str) -> list[act.Action]:
    """The actions that an entry of `traj.jsonl` stands for; `pointer` is moved.

    Raises:
        ForeignDataError: no action of ours stands for it.
    """
    if isinstance(action, str):
        word = _WORDS.get(action.strip())
        return [word] if word is not None else _Hands(pointer, where).read(_calls(action, where))
    if isinstance(action, dict):
        kind, code = action.get("action_type"), action.get("command", action.get("action"))
        if isinstance(code, str):  # Claude's has a type, too: "tool_use"
            return read_osworld_action(code, pointer, where)
        if isinstance(kind, str):
            if kind in _WORDS:
                return [_WORDS[kind]]
            return _Hands(pointer, where).read(_calls_of_13(kind, action, where))
    raise ForeignDataError(f"{where}: an action of an unknown form: {str(action)[:100]}")


def _calls(code: str, where: str) -> list[ParsedCall]:
    """The calls of a piece of code; imports and texts that stand alone do nothing."""
    calls: list[ParsedCall] = []
    texts: dict[str, ast.Constant] = {}
    for line in parse_lines(code, where):
        match line:
            case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if text := _decoded(value):
                texts[name] = text
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=module))) as call
            ) if module in _MODULES:
                calls.append(_call(call, texts, f"{where}, {ast.unparse(line)[:100]}"))
            case _:
                raise ForeignDataError(f"{where}: not a call of pyautogui: {_shown(line)}")
    return calls


def _shown(line: ast.stmt) -> str:
    return ast.unparse(line).replace("\n", " ")[:100]


def _decoded(value: ast.expr) -> ast.Constant | None:
    """The text of `base64.b64decode('…').decode()`, as GPT-5.4's agent writes what is no ASCII."""
    match value:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id="base64"), attr="b64decode"),
                    args=[ast.Constant(value=str(coded))],
                ),
                attr="decode",
            )
        ):
            try:
                return ast.Constant(b64decode(coded, validate=True).decode())
            except ValueError:
                return None
    return None


def _call(call: ast.Call, texts: Mapping[str, ast.Constant], where: str) -> ParsedCall:
    """A call with constants, or with the name of a text that was decoded before."""
    given = [texts.get(one.id, one) if isinstance(one, ast.Name) else one for one in call.args]
    args = tuple(parse_constant(argument, where) for argument in given)
    named = {one.arg: parse_constant(one.value, where) for one in call.keywords if one.arg}
    if len(named) != len(call.keywords):
        raise ForeignDataError(f"{where}: arguments that are not written out")
    return ParsedCall(ast.unparse(call.func), args, named)


def _calls_of_13(kind: str, action: Mapping[str, JsonValue], where: str) -> list[ParsedCall]:
    """The calls that DesktopEnv makes of an action of computer_13."""
    given = action.get("parameters")
    found = given if isinstance(given, dict) else {**action}
    named = {
        _NAMES_13.get(name, name): value for name, value in found.items() if name != "action_type"
    }
    if kind == "SCROLL":
        named = {name: named[name] for name in ("dx", "dy") if name in named}
        sideways = {"dx": "pyautogui.hscroll", "dy": "pyautogui.vscroll"}
        return [ParsedCall(sideways[name], (value,), {}) for name, value in named.items() if value]
    if kind not in _SPACE_13:
        raise ForeignDataError(f"{where}: unknown action {kind[:60]!r} of computer_13")
    return [ParsedCall(f"pyautogui.{_SPACE_13[kind]}", (), named)]


class _Hands:
    """Reads the calls of one step, with the clipboard and the button that is down."""

    def __init__(self, pointer: CallPointer, where: str) -> None:
        self._pointer, self._where = pointer, where
        self._is_down = False
        self._clipboard: str | None = None

    def read(self, calls: Sequence[ParsedCall]) -> list[act.Action]:
        """The actions of the calls, in order.

        Raises:
            ForeignDataError: a call is none that an action stands for.
        """
        try:
            actions = [action for call in calls for action in self._one(call)]
        except BadAnswerError as error:
            raise ForeignDataError(f"{self._where}: {error}") from error
        held = _hold(actions)
        # Pauses between what is done are pace, and no decision.
        return _join(_chords([*filter(_acts, held)] or held))

    def _one(self, call: ParsedCall) -> Sequence[act.Action]:
        match call.name.partition(".")[2]:
            case "copy" if call.name == "pyperclip.copy":
                text = call.get("text", at=0)
                self._clipboard = text if isinstance(text, str) else None
                return []
            case "hotkey" if self._clipboard is not None and _keys(call) == _PASTE:
                text, self._clipboard = self._clipboard, None
                return [act.TypeText(text=text)]
            case "keyDown" | "keyUp" as name:
                return [act.KeyDown(key=key) if name == "keyDown" else act.KeyUp(key=key)
                        for key in read_held(_keys(call))]  # fmt: skip
            case "mouseDown":
                self._is_down = True
                return [
                    build_action(act.ButtonDown, at=self._pointer.move(call), button=_button(call))
                ]
            case "mouseUp":
                self._is_down = False
                return [
                    build_action(act.ButtonUp, at=self._pointer.move(call), button=_button(call))
                ]
            case "dragTo" if self._is_down:
                return [act.Hover(at=self._pointer.move(call))]
        return to_actions(call, self._pointer, self._where)


def _hold(actions: Sequence[act.Action]) -> list[act.Action]:
    """The actions, where a button that stays down for a while at one place is a long press."""
    held: list[act.Action] = []
    for action in actions:
        waits = list(takewhile(lambda one: isinstance(one, act.Wait), reversed(held)))
        seconds = sum(one.duration_s for one in waits if isinstance(one, act.Wait))
        down = held[-len(waits) - 1] if len(held) > len(waits) else None
        if (
            seconds >= _HELD_S
            and isinstance(action, act.ButtonUp)
            and isinstance(down, act.ButtonDown)
            and (down.at, down.button) == (action.at, "left")
            and down.at is not None
        ):
            del held[-len(waits) - 1 :]
            action = build_action(act.LongPress, at=down.at, duration_s=seconds)
        held.append(action)
    return held


def _chords(actions: Sequence[act.Action]) -> list[act.Action]:
    """The gestures of the actions; the keys of a chord may go up in any order."""
    ordered: list[act.Action] = []
    down: list[str] = []
    for key_up, run in groupby(actions, key=lambda one: isinstance(one, act.KeyUp)):
        several = list(run)
        if key_up:
            several.sort(key=lambda one: -_place(down, one))
        ordered += several
        down += [one.key for one in several if isinstance(one, act.KeyDown)]
    return fold_gestures(ordered)


def _place(down: Sequence[str], up: act.Action) -> int:
    key = up.key if isinstance(up, act.KeyUp) else ""
    return max((at for at, one in enumerate(down) if one == key), default=-1)


def _join(actions: Sequence[act.Action]) -> list[act.Action]:
    """A move with what is done there, and what is typed piece by piece as one text."""
    joined: list[act.Action] = []
    for action in join_moves(actions):
        typed = _character(action)
        match joined[-1:], action:
            case [act.Hover(at=moved)], act.PointAction(at=place) if moved == place:
                joined[-1] = action
            case [act.TypeText(text=text)], act.PressKey(key="enter" | "tab" as key):
                joined[-1] = act.TypeText(text=text + ("\n" if key == "enter" else "\t"))
            case [act.TypeText(text=text)], act.TypeText(text=more):
                joined[-1] = act.TypeText(text=text + more)
            case [act.TypeText(text=text)], _ if typed:
                joined[-1] = act.TypeText(text=text + typed)
            case [one], _ if typed and (first := _character(one)):
                joined[-1] = act.TypeText(text=first + typed)
            case _:
                joined.append(action)
    return joined


def _character(action: act.Action) -> str:
    """What pressing a key types, if it is one that types."""
    match action:
        case act.PressKey(key="space"):
            return " "
        case act.Hotkey(keys=(key,)) if len(key) == 1:
            return key
        case _:
            return ""


def _acts(action: act.Action) -> bool:
    return not isinstance(action, act.Wait)


def _button(call: ParsedCall) -> JsonValue:
    return call.get("button", at=2) or "left"


def _keys(call: ParsedCall) -> list[str]:
    given = call.get("keys", "key", at=0)
    listed = given if isinstance(given, list) else [given, *call.args[1:]]
    return [key for key in listed if isinstance(key, str)]
