"""CogAgent-9B (20241220): an action in words and a grounded operation with a box, in thousandths.

    Action: Click the 'Send' button.
    Grounded Operation: CLICK(box=[[219,186,311,207]], element_info='Send')
    <<一般操作>>

Prompt, history and answer follow https://github.com/THUDM/CogAgent/blob/
5fde01e4fe52b9c224fbff256b79f613dcaf286b (README.md, app/client.py, Action_space_en.md): one message
with the task, every earlier operation with its action, the platform and the form of the answer
(Action-Operation-Sensitive, its default). "cogagent" is a phone, "cogagent-win" Windows and
"cogagent-mac" macOS.

Rules: an operation acts in the middle of its box; we write the box of one place, three digits a
side. `TYPE` names a box, too, where it types; the whole screen's is our word for the field that has
the focus. `LAUNCH` of a page is `Goto`; quoting and calls of a language model are refused. Ten
steps of the wheel are a screen. It tells no reason: what stands before the action (`Status:`,
`Plan:`) is read as one.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import JsonValue

from tapwright.conventions.boxes import touched_box
from tapwright.conventions.call_syntax import ParsedCall, find_calls, find_only_call
from tapwright.conventions.convention import ScreenKind, Space
from tapwright.conventions.grounding import place_of
from tapwright.conventions.parsing import (
    bad_answer,
    build_action,
    make_decision,
    read_answer,
    read_number,
    read_place,
    read_text,
    reasoning_before,
    shorten,
    split_at_last,
)
from tapwright.conventions.prompting import user_message
from tapwright.conventions.rendering import (
    box_numbers,
    make_scroll,
    normalize_keys,
    parse_target,
    plain_action,
    press_keys,
    quote,
    read_direction,
    render_imperative,
    spell_keys,
    split_scroll,
    unsupported,
)
from tapwright.core.actions import (
    Action,
    DoubleTap,
    Finish,
    Goto,
    Hotkey,
    Hover,
    OpenApp,
    PressKey,
    Tap,
    TypeText,
)
from tapwright.core.actions import Scroll as ScrollAction
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.errors import UnsupportedByConventionError

_SPACE: Space = "permille"
_NOTCHES = 10
_LAST = 999
_WHOLE_SCREEN = "box=[[000,000,999,999]]"
_FORM = "(Answer in Action-Operation-Sensitive format.)\n"
_CLICKS = ("CLICK", "DOUBLE_CLICK", "RIGHT_CLICK", "HOVER")
_OPERATIONS = frozenset(
    {
        *_CLICKS, "TYPE", "SCROLL_UP", "SCROLL_DOWN", "SCROLL_LEFT", "SCROLL_RIGHT", "KEY_PRESS",
        "GESTURE", "LAUNCH", "END",
    }
)  # fmt: skip
_ACTION = re.compile(r"^[ \t]*+Action:", re.MULTILINE)
_OPERATION = re.compile(r"^[ \t]*+Grounded Operation:", re.MULTILINE)
_NESTED = re.compile(r"KEY_(DOWN|PRESS|UP)\(\s*+(?:key\s*+=\s*+)?['\"]([^'\"]{1,40})['\"]\s*+\)")
_KEYS: Mapping[str, str] = {
    "enter": "Return", "space": "Space", "control": "Lcontrol", "alt": "Lmenu", "shift": "Lshift",
    "meta": "Command", "up": "Up", "down": "Down", "left": "Left", "right": "Right",
    "escape": "Escape", "tab": "Tab", "backspace": "Backspace", "delete": "Delete",
    "page_up": "PageUp", "page_down": "PageDown", "move_home": "Home", "move_end": "End",
}  # fmt: skip
_KEY_OF = {
    **{foreign.lower(): key for key, foreign in _KEYS.items()},
    "rcontrol": "control", "right control": "control", "rmenu": "alt", "rshift": "shift",
    "right shift": "shift", "right command": "meta", "up arrow": "up", "down arrow": "down",
    "left arrow": "left", "right arrow": "right",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CogAgent:
    """Speaks and reads `Action:` and `Grounded Operation:`; `platform` is a word of its prompt."""

    name: str
    platform: str
    space: ClassVar[Space] = _SPACE
    """Whole thousandths of the screen, in boxes."""

    @property
    def screen(self) -> ScreenKind:
        """One grammar for all (Action_space_en.md), but the prompt tells the platform."""
        return "phone" if self.platform == "Mobile" else "computer"

    @property
    def source(self) -> str:
        """The file that its words come from."""
        return "THUDM/CogAgent@5fde01e README.md"

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """One message: task, every operation so far, platform, form of the answer, screen."""
        past = "".join(f"\n{number}. {self._recall(step)}" for number, step in enumerate(history))
        words = f"Task: {instruction}\nHistory steps: {past}\n(Platform: {self.platform})\n{_FORM}"
        return [user_message(words, observation.screenshot)]

    def render(self, decision: Decision, size: Size) -> str:
        """What to do, the operation, and that nothing sensitive is done."""
        return self.render_boxed(decision, size, None)

    def render_boxed(self, decision: Decision, size: Size, box: Box | None) -> str:
        """The same, in the box of what is touched where it is known."""
        operation = self._render_action(decision, size, box)
        return (
            f"Action: {render_imperative(decision, size)}\n"
            f"Grounded Operation: {operation}\n<<一般操作>>"
        )

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last operation, or of the only one in an answer.

        Raises:
            BadAnswerError: there is none, or it is none of one step.
        """
        thoughts, answer = read_answer(text)
        before, code = split_at_last(answer, _OPERATION)
        if not code:
            before, code = "", before
        action = _parse_action(code, size)
        thought, line = split_at_last(before, _ACTION)
        return make_decision(
            action, reasoning_before(thought) or thoughts, parse_target(line, [action], size)
        )

    def grounding_prompt(
        self, target: str, observation: Observation, reasoning: str = ""
    ) -> list[Message]:
        """The messages that request the place of `target`, as a task."""
        return self.prompt(target, (), observation)

    def parse_point(self, text: str, size: Size) -> Point | None:
        """The middle of the operation's box.

        Raises:
            BadAnswerError: it has none.
        """
        return place_of(self.parse(text, size).action)

    def _recall(self, step: Step) -> str:
        size = step.observation.size
        line = render_imperative(step.decision, size)
        try:
            return f"{self._render_action(step.decision, size, touched_box(step))}\t{line}"
        except UnsupportedByConventionError:
            return line

    def _render_action(self, decision: Decision, size: Size, box: Box | None) -> str:
        action = plain_action(self.name, decision)
        match action:
            case Tap(at=at, button="left"):
                return f"CLICK({_box(at, size, box)})"
            case Tap(at=at, button="right"):
                return f"RIGHT_CLICK({_box(at, size, box)})"
            case DoubleTap(at=at):
                return f"DOUBLE_CLICK({_box(at, size, box)})"
            case Hover(at=at):
                return f"HOVER({_box(at, size, box)})"
            case TypeText(text=text, at=at, clear=False):
                where = _WHOLE_SCREEN if at is None else _box(at, size, box)
                return f"TYPE({where}, text={quote(text)})"
            case ScrollAction(at=at):
                word, amount = split_scroll(self.name, action)
                count = max(1, round(amount * _NOTCHES))
                return f"SCROLL_{word.upper()}({_box(at, size, box)}, step_count={count})"
            case PressKey():
                (key,) = spell_keys(self.name, action, {}, "")
                return f"KEY_PRESS(key={quote(_KEYS.get(key, key))})"
            case Hotkey():
                return self._gesture(action)
            case OpenApp(app=app) if app not in ("", "None"):
                return f"LAUNCH(app={quote(app)}, url='None')"
            case Goto(url=url) if url != "None":
                return f"LAUNCH(app='None', url={quote(url)})"
            case Finish(outcome="success"):
                return "END()"
        raise unsupported(self.name, action, "it has no such operation")

    def _gesture(self, action: Hotkey) -> str:
        keys = [_KEYS.get(key, key) for key in spell_keys(self.name, action, {}, "")]
        if any("'" in key or '"' in key or len(key) > 40 for key in keys) or len(keys) < 2:
            raise unsupported(self.name, action, f"{keys!r} is no gesture of keys")
        *held, last = keys
        parts = [f"KEY_DOWN(key='{key}')" for key in held]
        parts.append(f"KEY_PRESS(key='{last}')")
        parts += [f"KEY_UP(key='{key}')" for key in reversed(held)]
        text = f"GESTURE(actions=[{', '.join(parts)}])"
        if _read_gesture(text) != action:
            raise unsupported(self.name, action, f"{keys!r} would be read as other keys")
        return text


def _box(at: Point, size: Size, box: Box | None) -> str:
    sides = (min(int(str(side)), _LAST) for side in box_numbers(at, box, size, _SPACE))
    return f"box=[[{','.join(f'{side:03d}' for side in sides)}]]"


def _parse_action(code: str, size: Size) -> Action:
    if "GESTURE(" in code:
        return _read_gesture(code)
    call = find_only_call(code, _OPERATIONS)
    match call.name:
        case "CLICK" | "DOUBLE_CLICK" | "RIGHT_CLICK" | "HOVER":
            return _point_at(call.name, read_place(call.get("box", at=0), "box", size, _SPACE))
        case "TYPE":
            text = read_text(call.get("text", at=1), "text")
            return TypeText(text=text, at=_typing_place(call.get("box", at=0), size))
        case "KEY_PRESS":
            return press_keys([_key(read_text(call.get("key", at=0), "key"))])
        case "LAUNCH":
            return _read_launch(call)
        case "END":
            return Finish()
    direction = read_direction(call.name.removeprefix("SCROLL_"))
    at = read_place(call.get("box", at=0), "box", size, _SPACE)
    return make_scroll(direction, at, read_number(call.get("step_count"), "step_count") / _NOTCHES)


def _typing_place(box: JsonValue, size: Size) -> Point | None:
    """The middle of a box; None for the whole screen's, as for none."""
    if box is None or box == [[0, 0, _LAST, _LAST]]:
        return None
    return read_place(box, "box", size, _SPACE)


def _point_at(operation: str, at: Point) -> Action:
    match operation:
        case "DOUBLE_CLICK":
            return DoubleTap(at=at)
        case "RIGHT_CLICK":
            return Tap(at=at, button="right")
        case "HOVER":
            return Hover(at=at)
        case _:
            return Tap(at=at)


def _read_launch(call: ParsedCall) -> OpenApp | Goto:
    app, url = call.get("app", at=0), call.get("url", at=1)
    if url not in (None, "None", ""):
        if app not in (None, "None", ""):
            raise bad_answer(f"LAUNCH of {shorten(app)} and of {shorten(url)}; expected one")
        return build_action(Goto, url=read_text(url, "url"))
    if app in (None, "None", ""):
        raise bad_answer("LAUNCH of nothing; expected an app or a url")
    return OpenApp(app=read_text(app, "app"))


def _read_gesture(code: str) -> PressKey | Hotkey:
    keys = [_key(name) for kind, name in _NESTED.findall(code) if kind != "UP"]
    if find_calls(code, {"GESTURE"}) and not keys:
        raise bad_answer("GESTURE presses no key")
    return press_keys([key.lower() for key in keys] if len(keys) > 1 else keys)


def _key(name: str) -> str:
    """Our name of a key, as `normalize_keys` and `press_keys` know it."""
    known = _KEY_OF.get(name.lower())
    return known if known is not None else name if len(name) == 1 else normalize_keys([name])[0]


COGAGENT = CogAgent("cogagent", "Mobile")
COGAGENT_WIN = CogAgent("cogagent-win", "WIN")
COGAGENT_MAC = CogAgent("cogagent-mac", "Mac")
