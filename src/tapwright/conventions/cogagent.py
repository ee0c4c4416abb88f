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
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pydantic import JsonValue

from tapwright.conventions import parsing, rendering
from tapwright.conventions.arguments import Is, On, Place
from tapwright.conventions.call_syntax import ParsedCall, find_calls, find_only_call
from tapwright.conventions.convention import ScreenKind
from tapwright.conventions.family import Family, Finding, OneTurn
from tapwright.conventions.grounding import touched_box
from tapwright.conventions.verbs import Grammar, Verb, verb
from tapwright.core.actions import Action, Goto, Hotkey, OpenApp, PressKey, Scroll
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Box, Point, Size
from tapwright.errors import UnsupportedByConventionError

_LAST = 999
_WHOLE_SCREEN: list[JsonValue] = [[0, 0, _LAST, _LAST]]
_ACTION = re.compile(r"^[ \t]*+Action:", re.MULTILINE)
_OPERATION = re.compile(r"^[ \t]*+Grounded Operation:", re.MULTILINE)
_NESTED = re.compile(r"KEY_(DOWN|PRESS|UP)\(\s*+(?:key\s*+=\s*+)?['\"]([^'\"]{1,40})['\"]\s*+\)")
_KEYS = {
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


class _Box(Place):
    """A place by the box of what is there, at most 999 a side."""

    def encode(self, value: object, on: On) -> JsonValue:
        assert isinstance(value, Point)
        return [
            min(int(str(side)), _LAST)
            for side in rendering.box_numbers(value, on.box, on.size, on.space)
        ]


class _Field(_Box):
    """Where it types: the whole screen's box is our word for the field that has the focus."""

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        return {} if call.get("box", at=0) in (None, _WHOLE_SCREEN) else super().read(call, on)

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        return super().write(action, on) or {"box": [0, 0, _LAST, _LAST]}


@dataclass(frozen=True, slots=True)
class _Steps:
    """Steps of the wheel in one direction, ten to a screen."""

    direction: str
    fields: tuple[str, ...] = ("dx", "dy")

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        screens = parsing.read_number(call.get("step_count"), "step_count") / 10
        signed = screens if self.direction in ("down", "right") else -screens
        return {"dy" if self.direction in ("up", "down") else "dx": signed}

    def write(self, action: Action, on: On) -> Mapping[str, JsonValue] | None:
        assert isinstance(action, Scroll)
        word, screens = rendering.split_scroll(on.convention, action)
        return {"step_count": max(1, round(screens * 10))} if word == self.direction else None


def _scroll(direction: str) -> Verb:
    return verb(f"SCROLL_{direction.upper()}", "scroll", at=_Box("box@0"), steps=_Steps(direction))


_GRAMMAR = Grammar(
    (
        verb("CLICK", "tap", at=_Box("box@0")),
        verb("RIGHT_CLICK", "tap", at=_Box("box@0"), button=Is("right")),
        verb("DOUBLE_CLICK", "double_tap", at=_Box("box@0")),
        verb("HOVER", "hover", at=_Box("box@0")),
        verb("TYPE", "type_text", at=_Field("box@0"), text="text@1"),
        *map(_scroll, ("up", "down", "left", "right")),
        verb("END", "finish", outcome=Is("success")),
    )
)
_PLACE = "[[{:03d},{:03d},{:03d},{:03d}]]"
_OPERATIONS = _GRAMMAR.words | {"KEY_PRESS", "GESTURE", "LAUNCH"}


@dataclass(frozen=True, kw_only=True)
class CogAgent(Finding):
    """Speaks and reads `Action:` and `Grounded Operation:`.

    One grammar for all (Action_space_en.md), but the prompt tells the platform.
    """

    screen: ScreenKind

    def render(self, decision: Decision, size: Size) -> str:
        """What to do, the operation, and that nothing sensitive is done."""
        return self.render_boxed(decision, size, None)

    def render_boxed(self, decision: Decision, size: Size, box: Box | None) -> str:
        """The same, in the box of what is touched where it is known."""
        operation = self.operation(decision, self.on(size, box))
        return (
            f"Action: {rendering.render_imperative(decision, size)}\n"
            f"Grounded Operation: {operation}\n<<一般操作>>"
        )

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last operation, or of the only one in an answer."""
        thoughts, answer = parsing.read_answer(text)
        before, code = parsing.split_at_last(answer, _OPERATION)
        if not code:
            before, code = "", before
        action = self._read(code, self.on(size))
        thought, line = parsing.split_at_last(before, _ACTION)
        return parsing.make_decision(
            action,
            parsing.reasoning_before(thought) or thoughts,
            rendering.parse_target(line, [action], size),
        )

    def operation(self, decision: Decision, on: On) -> str:
        """The operation of a decision."""
        action = rendering.plain_action(self.name, decision)
        if type(action) in self.grammar.kinds:
            return self.say(action, on, _PLACE)
        match action:
            case PressKey():
                (key,) = rendering.spell_keys(self.name, action, {}, "")
                return f"KEY_PRESS(key={rendering.quote(_KEYS.get(key, key))})"
            case Hotkey():
                return self._gesture(action)
            case OpenApp(app=app) if app not in ("", "None"):
                return f"LAUNCH(app={rendering.quote(app)}, url='None')"
            case Goto(url=url) if url != "None":
                return f"LAUNCH(app='None', url={rendering.quote(url)})"
        return self.say(action, on, _PLACE)

    def _read(self, code: str, on: On) -> Action:
        if "GESTURE(" in code:
            return _read_gesture(code)
        call = find_only_call(code, _OPERATIONS)
        match call.name:
            case "KEY_PRESS":
                return rendering.press_keys([_key(parsing.read_text(call.get("key", at=0), "key"))])
            case "LAUNCH":
                return _read_launch(call)
        return self.grammar.read(call, on)

    def _gesture(self, action: Hotkey) -> str:
        keys = [_KEYS.get(key, key) for key in rendering.spell_keys(self.name, action, {}, "")]
        if any("'" in key or '"' in key or len(key) > 40 for key in keys) or len(keys) < 2:
            raise rendering.unsupported(self.name, action, f"{keys!r} is no gesture of keys")
        *held, last = keys
        parts = [f"KEY_DOWN(key='{key}')" for key in held]
        parts.append(f"KEY_PRESS(key='{last}')")
        parts += [f"KEY_UP(key='{key}')" for key in reversed(held)]
        text = f"GESTURE(actions=[{', '.join(parts)}])"
        if _read_gesture(text) != action:
            raise rendering.unsupported(self.name, action, f"{keys!r} would be read as other keys")
        return text


def _recall(family: Family, step: Step) -> str:
    assert isinstance(family, CogAgent)
    size = step.observation.size
    line = rendering.action_line(step)
    try:
        return f"{family.operation(step.decision, family.on(size, touched_box(step)))}\t{line}"
    except UnsupportedByConventionError:
        return line


def _read_launch(call: ParsedCall) -> OpenApp | Goto:
    app, url = call.get("app", at=0), call.get("url", at=1)
    if url not in (None, "None", ""):
        if app not in (None, "None", ""):
            raise parsing.bad_answer(
                f"LAUNCH of {parsing.shorten(app)} and of {parsing.shorten(url)}; expected one"
            )
        return parsing.build_action(Goto, url=parsing.read_text(url, "url"))
    if app in (None, "None", ""):
        raise parsing.bad_answer("LAUNCH of nothing; expected an app or a url")
    return OpenApp(app=parsing.read_text(app, "app"))


def _read_gesture(code: str) -> PressKey | Hotkey:
    keys = [_key(name) for kind, name in _NESTED.findall(code) if kind != "UP"]
    if find_calls(code, {"GESTURE"}) and not keys:
        raise parsing.bad_answer("GESTURE presses no key")
    return rendering.press_keys(keys)


def _key(name: str) -> str:
    """A name of a key that `press_keys` knows."""
    return _KEY_OF.get(name.lower(), name)


_ASKS = OneTurn(
    "Task: {task}\nHistory steps: {history}\n(Platform: Mobile)\n"
    "(Answer in Action-Operation-Sensitive format.)\n{picture}",
    line="\n{number}. {step}",
    first=0,
    recall=_recall,
)


def _row(name: str, platform: str, screen: ScreenKind) -> CogAgent:
    asks = replace(_ASKS, words=_ASKS.words.replace("Mobile", platform))
    return CogAgent(
        name=name,
        source="THUDM/CogAgent@5fde01e README.md",
        space="permille",
        screen=screen,
        grammar=_GRAMMAR,
        asks=asks,
        finds=asks,
    )


COGAGENT = _row("cogagent", "Mobile", "phone")
COGAGENT_WIN = _row("cogagent-win", "WIN", "computer")
COGAGENT_MAC = _row("cogagent-mac", "Mac", "computer")
