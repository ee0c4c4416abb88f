"""ScaleCUA: a thought, what to do, and a call like PyAutoGUI's, each in tags; resized pixels.

    <think>…</think> <operation>Open the file.</operation> <action>click(x=966, y=546)</action>

Follows https://github.com/OpenGVLab/ScaleCUA/tree/5d92feea9f1e14b8303ce37da45b286fb1f4d3aa: on a
computer ("scalecua", Ubuntu) evaluation/OSWorld/mm_agents (prompts.py, scalecua_agent.py), on a
phone ("scalecua-android") evaluation/AndroidWorld/android_world/agents (PROMPT.py, seeact_v.py).
Every earlier operation is a line of text, no earlier screen is shown. Places are pixels of the
picture after `smart_resize` to at most 2,109,744 of them; pictures are sent in that size, whatever
the server's own limit is. The prompt for an element is that of playground/config/prompt_template
(ours_ubuntu.json, ours_android.json).

Rules: a swipe with a direction is that of the finger. Ten notches of the wheel are a screen. An
answer is `response`, and `call_user` asks the user, without words of its own. A wait without a time
is six seconds on a computer, as its agent has it, and the prompt's three on a phone, where a verb
may be written in any case, and `answer` and `keyboard_enter` are read (agents/utils.py).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pydantic import JsonValue

from tapwright.conventions import rendering
from tapwright.conventions.arguments import ENDS, MIDDLE, XY, Choice, Is, Number, On
from tapwright.conventions.call_syntax import ParsedCall, find_calls
from tapwright.conventions.family import Finding, OneTurn
from tapwright.conventions.parsing import bad_answer, make_decision, read_answer, read_number
from tapwright.conventions.pyautogui import KEY_NAMES, CallPointer, read_actions, render_held
from tapwright.conventions.resize import SmartResize
from tapwright.conventions.verbs import Grammar, verb
from tapwright.core import actions as act
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size

_RESIZE = SmartResize(28, 3136, 2_109_744)
_NOTCHES = 10
_VERB = re.compile(r"^[ \t]*+[A-Za-z_]++(?=\()", re.MULTILINE)
_OPERATION = re.compile(r"<operation>\s*+(.*?)\s*+</operation>", re.DOTALL)
_PYAUTOGUI = frozenset(
    {
        "click", "doubleClick", "rightClick", "scroll", "moveTo", "dragTo", "press", "hotkey",
        "write", "keyDown", "keyUp",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Times:
    """How often is clicked."""

    count: int
    fields: tuple[str, ...] = ()

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        return {}

    def write(self, action: act.Action, on: On) -> Mapping[str, JsonValue] | None:
        return {"clicks": self.count}


@dataclass(frozen=True, slots=True)
class _Stroke:
    """A swipe from place to place, or by a direction and a share of the screen from the middle."""

    fields: tuple[str, ...] = ("start", "end")

    def read(self, call: ParsedCall, on: On) -> Mapping[str, object]:
        start, end = call.get("from_coord", at=0), call.get("to_coord", at=1)
        begin = MIDDLE if start is None else on.place(start, "from_coord")
        if end is not None:
            return {"start": begin, "end": on.place(end, "to_coord")}
        direction = rendering.read_direction(call.get("direction", at=2) or "up")
        amount = call.get("amount", at=3)
        share = 0.5 if amount is None else read_number(amount, "amount")
        signed = -share if direction in ("up", "left") else share
        x = begin.x + (signed if direction in ("left", "right") else 0.0)
        y = begin.y + (signed if direction in ("up", "down") else 0.0)
        return {"start": begin, "end": Point(min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0))}

    def write(self, action: act.Action, on: On) -> Mapping[str, JsonValue] | None:
        assert isinstance(action, act.Swipe)
        return {"from_coord": on.numbers(action.start), "to_coord": on.numbers(action.end)}


_BOTH = (
    verb("call_user", "ask_user", text=Is("")),
    verb("response", "answer", text="answer@0"),
    verb("terminate", "finish", outcome=Choice("status@0?", ENDS)),
)
_PHONE_READS = (
    verb("long_press", "long_press", at=XY(), duration_s=Number("duration@2?", unset=1.0)),
    verb("swipe", "swipe", stroke=_Stroke()),
    verb("open_app", "open_app", app="app_name@0"),
    verb("navigate_home", "press_key", key=Is("home")),
    verb("navigate_back", "press_key", key=Is("back")),
)
_CLICKS = (verb("click", "tap", at=XY()), verb("click", "triple_tap", at=XY(), times=_Times(3)))
_PHONE = Grammar(
    (
        *_CLICKS,
        verb("click", "double_tap", at=XY(), times=_Times(2)),
        *_PHONE_READS,
        *_BOTH,
        verb("wait", "wait", duration_s=Number("seconds@0?", unset=3.0)),
    ),
    also=(
        verb("keyboard_enter", "press_key", key=Is("enter")),
        verb("answer", "answer", text="text@0"),
    ),
)
_COMPUTER = Grammar(
    (
        *_CLICKS,
        verb("doubleClick", "double_tap", at=XY()),
        verb("rightClick", "tap", at=XY(), button=Is("right")),
        verb("click", "tap", at=XY(), button="button"),
        verb("moveTo", "hover", at=XY()),
        *_BOTH,
        verb("wait", "wait", duration_s=Number("seconds@0?", unset=6.0)),
    ),
    also=_PHONE_READS,
)


@dataclass(frozen=True, kw_only=True)
class ScaleCua(Finding):
    """Speaks and reads `<think>`, `<operation>` and `<action>`."""

    def render(self, decision: Decision, size: Size) -> str:
        """The thought, what to do, and the call."""
        on = self.on(size)
        call = "\n".join([self._held(action, on) for action in decision.actions])
        thought = decision.reasoning.strip()
        before = f"<think>\n{thought}\n</think>\n" if thought else ""
        return (
            f"{before}<operation>\n{rendering.render_imperative(decision, size)}\n</operation>\n"
            f"<action>\n{call}\n</action>"
        )

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the calls in `<action>`, or of an answer that is calls alone."""
        thoughts, answer = read_answer(text)
        before, mark, code = answer.rpartition("<action>")
        actions = self._read(code if mark else answer, self.on(size))
        line = _OPERATION.search(before)
        return make_decision(
            actions,
            thoughts,
            "" if line is None else rendering.parse_target(line[1], actions, size),
        )

    def _held(self, action: act.Action, on: On) -> str:
        if self.grammar is _PHONE:
            return self._call(action, on)
        return render_held(self.name, action, lambda bare: self._call(bare, on), module="")

    def _call(self, action: act.Action, on: On) -> str:
        rendering.check_plain(self.name, action)
        match action:
            case act.TypeText(text=text, at=at, clear=False):
                click = "" if at is None else f"{self.say(act.Tap(at=at), on, '')}\n"
                return f"{click}write(message={rendering.quote(text)})"
            case (
                act.PressKey()
                | act.Hotkey()
                | act.KeyDown()
                | act.KeyUp()
                | act.Drag()
                | act.Scroll()
            ):
                if self.grammar is _COMPUTER:
                    return self._on_computer(action, on)
        return self.say(action, on, "[{}, {}]")

    def _on_computer(
        self,
        action: act.PressKey | act.Hotkey | act.KeyDown | act.KeyUp | act.Drag | act.Scroll,
        on: On,
    ) -> str:
        match action:
            case act.Drag(start=start, end=end):
                return f"moveTo({_name(start, on)})\ndragTo({_name(end, on)}, button='left')"
            case act.Scroll(at=at):
                word, amount = rendering.split_scroll(self.name, action)
                if word in ("left", "right"):
                    raise rendering.unsupported(self.name, action, "its wheel turns up and down")
                notches = max(1, round(amount * _NOTCHES)) * (1 if word == "up" else -1)
                return f"scroll(clicks={notches}, {_name(at, on)})"
            case act.KeyDown(key=key) | act.KeyUp(key=key):
                (name,) = rendering.spell_held(self.name, action, [key], KEY_NAMES)
                verb = "keyDown" if isinstance(action, act.KeyDown) else "keyUp"
                return f"{verb}({rendering.quote(name)})"
        names = ", ".join(
            map(rendering.quote, rendering.spell_keys(self.name, action, KEY_NAMES, ""))
        )
        return f"press(keys={names})" if isinstance(action, act.PressKey) else f"hotkey({names})"

    def _read(self, code: str, on: On) -> list[act.Action]:
        own = self.grammar.words - _PYAUTOGUI
        if self.grammar is _PHONE:  # in any case
            code = _VERB.sub(
                lambda one: one[0].lower() if one[0].lower().strip() in own else one[0], code
            )
        made = find_calls(code, _PYAUTOGUI | own)
        if not made:
            raise bad_answer("no call of its functions in the answer")
        calls = [
            call if call.name in own else call._replace(name=f"pyautogui.{call.name}")
            for call in made
        ]

        def read_own(call: ParsedCall) -> act.Action | None:
            return self.grammar.read(call, on) if call.name in own else None

        return read_actions(
            calls, CallPointer(on.size, on.space), scroll_unit=1 / _NOTCHES, own=read_own
        )


def _name(point: Point, on: On) -> str:
    x, y = on.numbers(point)
    return f"x={x}, y={y}"


_ASKS = OneTurn(
    "{picture}Please generate the next move according to the UI screenshot, the task and previous "
    "operations.\n\nTask:\n{task}\n\nPrevious operations:\n{history}",
    system="{template}",
    line="Step {number}: {step}\n",
    nothing="None\n",
)
_SOURCE = "OpenGVLab/ScaleCUA@5d92fee evaluation/"

SCALECUA = ScaleCua(
    name="scalecua",
    source=f"{_SOURCE}OSWorld/mm_agents/prompts.py",
    space="pixel",
    resize=_RESIZE,
    sends=_RESIZE,
    grammar=_COMPUTER,
    asks=_ASKS,
    finds=OneTurn("{picture}{task}", system="{template:scalecua-grounding}"),
)
SCALECUA_ANDROID = replace(
    SCALECUA,
    name="scalecua-android",
    source=f"{_SOURCE}AndroidWorld/android_world/agents/PROMPT.py",
    grammar=_PHONE,
    asks=replace(_ASKS, nothing=""),
    finds=OneTurn("{picture}{task}", system="{template:scalecua-android-grounding}"),
)
