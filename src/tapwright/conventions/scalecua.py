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
answer is `response`, and `call_user` asks the user, without words of its own.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tapwright.conventions.call_syntax import ParsedCall, find_calls
from tapwright.conventions.convention import Space
from tapwright.conventions.grounding import place_of
from tapwright.conventions.parsing import (
    bad_answer,
    build_action,
    make_decision,
    read_answer,
    read_number,
    read_place,
    read_text,
)
from tapwright.conventions.prompting import read_template, user_message
from tapwright.conventions.pyautogui import KEY_NAMES, read_actions, read_call_place, render_held
from tapwright.conventions.rendering import (
    check_plain,
    parse_target,
    quote,
    read_direction,
    render_imperative,
    round_number,
    spell_held,
    spell_keys,
    split_scroll,
    unsupported,
    whole_numbers,
)
from tapwright.conventions.resize import SmartResize
from tapwright.core.actions import (
    Action,
    Answer,
    AskUser,
    DoubleTap,
    Drag,
    Finish,
    Hotkey,
    Hover,
    KeyDown,
    KeyUp,
    LongPress,
    OpenApp,
    PressKey,
    Scroll,
    Swipe,
    Tap,
    TripleTap,
    TypeText,
    Wait,
)
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation

_RESIZE = SmartResize(28, 3136, 2_109_744)
_NOTCHES = 10
_WAIT_S = 3.0
_OPERATION = re.compile(r"<operation>\s*+(.*?)\s*+</operation>", re.DOTALL)
_PYAUTOGUI = frozenset(
    {
        "click", "doubleClick", "rightClick", "scroll", "moveTo", "dragTo", "press", "hotkey",
        "write", "keyDown", "keyUp", "wait", "terminate",
    }
)  # fmt: skip
_OWN = frozenset(
    {"call_user", "response", "swipe", "long_press", "open_app", "navigate_home", "navigate_back"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScaleCua:
    """Speaks and reads `<think>`, `<operation>` and `<action>`.

    `path` is the file of its prompt, `phone` whether it acts on one.
    """

    name: str
    path: str
    phone: bool
    space: ClassVar[Space] = "pixel"
    """Pixels of the picture after `smart_resize`."""

    @property
    def source(self) -> str:
        """The file that its words come from."""
        return f"OpenGVLab/ScaleCUA@5d92fee evaluation/{self.path}"

    def model_size(self, size: Size) -> Size:
        """The size after `smart_resize` with factor 28 and at most 2,109,744 pixels."""
        return _RESIZE.size(size)

    def sent_size(self, size: Size) -> Size:
        """The same, so that the server has nothing to scale."""
        return _RESIZE.size(size)

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The functions in the system turn; then screen, task and one line per step so far."""
        lines = [
            f"Step {number}: {render_imperative(step.decision, step.observation.size)}"
            for number, step in enumerate(history, start=1)
        ]
        past = "".join(f"{line}\n" for line in lines)
        if not self.phone:
            past = "\n".join(lines or ["None"]) + "\n"
        words = (
            "Please generate the next move according to the UI screenshot, the task and previous "
            f"operations.\n\nTask:\n{instruction}\n\nPrevious operations:\n{past}"
        )
        return [self._system(self.name), user_message(observation.screenshot, words)]

    def render(self, decision: Decision, size: Size) -> str:
        """The thought, what to do, and the call."""
        seen = self.model_size(size)
        call = "\n".join([self._render_action(action, seen) for action in decision.actions])
        thought = decision.reasoning.strip()
        before = f"<think>\n{thought}\n</think>\n" if thought else ""
        return (
            f"{before}<operation>\n{render_imperative(decision, size)}\n</operation>\n"
            f"<action>\n{call}\n</action>"
        )

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the calls in `<action>`, or of an answer that is calls alone.

        Raises:
            BadAnswerError: there is no call, or one that is not in the grammar.
        """
        thoughts, answer = read_answer(text)
        before, mark, code = answer.rpartition("<action>")
        actions = _parse_actions(code if mark else answer, self.model_size(size))
        line = _OPERATION.search(before)
        return make_decision(
            actions, thoughts, "" if line is None else parse_target(line[1], actions, size)
        )

    def grounding_prompt(
        self, target: str, observation: Observation, reasoning: str = ""
    ) -> list[Message]:
        """The messages that request the place of `target`; upstream tells no reason."""
        return [
            self._system(f"{self.name}-grounding"),
            user_message(observation.screenshot, target),
        ]

    def parse_point(self, text: str, size: Size) -> Point | None:
        """The place of the call; None where it ends as a failure.

        Raises:
            BadAnswerError: it has no place.
        """
        return place_of(self.parse(text, size).action)

    def _system(self, template: str) -> Message:
        return Message("system", (Text(read_template(template)),))

    def _render_action(self, action: Action, seen: Size) -> str:
        if self.phone:
            return self._render_alone(action, seen)
        return render_held(
            self.name, action, lambda bare: self._render_alone(bare, seen), module=""
        )

    def _render_alone(self, action: Action, seen: Size) -> str:
        check_plain(self.name, action)
        named = self._render_placed(action, seen)
        if named:
            return named
        match action:
            case Scroll(at=at) if not self.phone:
                word, amount = split_scroll(self.name, action)
                if word in ("left", "right"):
                    raise unsupported(self.name, action, "its wheel turns up and down")
                notches = max(1, round(amount * _NOTCHES)) * (1 if word == "up" else -1)
                return f"scroll(clicks={notches}, {_name(at, seen)})"
            case TypeText(text=text, at=at, clear=False):
                click = "" if at is None else f"click({_name(at, seen)})\n"
                return f"{click}write(message={quote(text)})"
            case PressKey(key=("home" | "back") as key) if self.phone:
                return f"navigate_{key}()"
            case PressKey() if not self.phone:
                (name,) = spell_keys(self.name, action, KEY_NAMES, "")
                return f"press(keys={quote(name)})"
            case Hotkey() if not self.phone:
                names = spell_keys(self.name, action, KEY_NAMES, "")
                return f"hotkey({', '.join(map(quote, names))})"
            case KeyDown(key=key) | KeyUp(key=key) if not self.phone:
                (name,) = spell_held(self.name, action, [key], KEY_NAMES)
                return f"{'keyDown' if isinstance(action, KeyDown) else 'keyUp'}({quote(name)})"
            case AskUser(text=""):
                return "call_user()"
            case OpenApp(app=app) if self.phone:
                return f"open_app(app_name={quote(app)})"
            case Wait(duration_s=seconds):
                return f"wait(seconds={round_number(seconds)})"
            case Answer(text=text):
                return f"response(answer={quote(text)})"
            case Finish(outcome=("success" | "failure") as outcome):
                return f"terminate(status='{outcome}')"
        raise unsupported(self.name, action, "it has no such function")

    def _render_placed(self, action: Action, seen: Size) -> str:
        match action:
            case Tap(at=at, button="left"):
                return f"click({_name(at, seen)})"
            case Tap(at=at, button="right") if not self.phone:
                return f"rightClick({_name(at, seen)})"
            case Tap(at=at, button=button) if not self.phone:
                return f"click({_name(at, seen)}, button='{button}')"
            case DoubleTap(at=at):
                call = f"click({_name(at, seen)}, clicks=2)"
                return call if self.phone else f"doubleClick({_name(at, seen)})"
            case TripleTap(at=at):
                return f"click({_name(at, seen)}, clicks=3)"
            case Hover(at=at) if not self.phone:
                return f"moveTo({_name(at, seen)})"
            case Drag(start=start, end=end) if not self.phone:
                return f"moveTo({_name(start, seen)})\ndragTo({_name(end, seen)}, button='left')"
            case Swipe(start=start, end=end) if self.phone:
                return f"swipe(from_coord={_list(start, seen)}, to_coord={_list(end, seen)})"
            case LongPress(at=at, duration_s=seconds) if self.phone:
                return f"long_press({_name(at, seen)}, duration={round_number(seconds)})"
        return ""


def _name(point: Point, seen: Size) -> str:
    x, y = whole_numbers(point, seen, "pixel")
    return f"x={x}, y={y}"


def _list(point: Point, seen: Size) -> str:
    x, y = whole_numbers(point, seen, "pixel")
    return f"[{x}, {y}]"


def _parse_actions(code: str, seen: Size) -> list[Action]:
    made = find_calls(code, _PYAUTOGUI | _OWN)
    if not made:
        raise bad_answer("no call of its functions in the answer")

    def read_own(call: ParsedCall) -> Action | None:
        return _parse_own(call, seen)

    owners = {"wait": "computer", "terminate": "computer"}
    calls = [
        call
        if call.name in _OWN
        else replace(call, name=f"{owners.get(call.name, 'pyautogui')}.{call.name}")
        for call in made
    ]
    return read_actions(calls, seen, "pixel", scroll_unit=1 / _NOTCHES, own=read_own)


def _parse_own(call: ParsedCall, seen: Size) -> Action | None:
    match call.name:
        case "computer.wait" if call.get("seconds", at=0) is None:
            return Wait(duration_s=_WAIT_S)
        case "computer.terminate" if call.get("status", at=0) is None:
            return Finish()
        case "call_user":
            return AskUser(text="")
        case "response":
            return Answer(text=read_text(call.get("answer", at=0), "answer"))
        case "open_app":
            return OpenApp(app=read_text(call.get("app_name", at=0), "app_name"))
        case "navigate_home":
            return PressKey(key="home")
        case "navigate_back":
            return PressKey(key="back")
        case "long_press":
            seconds = call.get("duration", at=2)
            duration = 1.0 if seconds is None else read_number(seconds, "duration")
            at = read_call_place(call, seen, "pixel")
            return build_action(LongPress, at=at, duration_s=duration)
        case "swipe":
            return _parse_swipe(call, seen)
    return None


def _parse_swipe(call: ParsedCall, seen: Size) -> Swipe:
    start_at, end_at = call.get("from_coord", at=0), call.get("to_coord", at=1)
    start = Point(0.5, 0.5)
    if start_at is not None:
        start = read_place(start_at, "from_coord", seen, "pixel")
    if end_at is not None:
        return Swipe(start=start, end=read_place(end_at, "to_coord", seen, "pixel"))
    direction = read_direction(call.get("direction", at=2) or "up")
    amount = call.get("amount", at=3)
    share = 0.5 if amount is None else read_number(amount, "amount")
    signed = -share if direction in ("up", "left") else share
    x = start.x + (signed if direction in ("left", "right") else 0.0)
    y = start.y + (signed if direction in ("up", "down") else 0.0)
    return Swipe(start=start, end=Point(min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)))


SCALECUA = ScaleCua("scalecua", "OSWorld/mm_agents/prompts.py", phone=False)
SCALECUA_ANDROID = ScaleCua(
    "scalecua-android", "AndroidWorld/android_world/agents/PROMPT.py", phone=True
)
