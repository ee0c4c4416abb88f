"""AutoGLM-Phone: `<think>…</think>`, `<answer>do(action=…)</answer>`; thousandths.

Prompt, history and answer follow https://github.com/zai-org/Open-AutoGLM/blob/
6b18d7bed0a8b5696760b06f7d18065b150901a2/phone_agent: the prompt in Chinese of config/prompts_zh.py,
and in English ("autoglm-en") of prompts_en.py, without the first line, today's date, which a
recording does not know; all earlier turns as text without their screens, as agent.py keeps them,
with no line break between thought and answer; typed text and the last message unescaped between the
quotes, as actions/handler.py takes them. An app goes by the name that config/apps.py has for its
package, the open one (adb/device.py) and one that is launched; an open one that is not there is
"System Home".

Rules: the prompt counts to 999 and the code divides by 1000, as here. `Type` empties the field
before, and so does what is read of it; a text that is typed behind another has no words of its own,
and is written as `Type`, too. `finish` ends a task that is done; it has no words for a
failure or for an answer. Type_Name is read as Type, and a tap's message ignored. Take_over and
Interact ask the user. Note and Call_API do nothing to the phone, as in handler.py: each is a wait
of no time, and what it says stands behind the thought. An answer is one call, which is all that
`parse_action` reads.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from tapwright.conventions.call_syntax import ParsedCall, find_only_call
from tapwright.conventions.convention import Space
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
from tapwright.conventions.prompting import assistant_message, read_template, user_message
from tapwright.conventions.rendering import (
    plain_action,
    render_step,
    round_number,
    unsupported,
    whole_numbers,
)
from tapwright.core.actions import (
    Action,
    AskUser,
    DoubleTap,
    Finish,
    LongPress,
    OpenApp,
    PressKey,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation

_SPACE: Space = "permille"
_ANSWER = re.compile(r"<answer>(?=\s*+(?:do|finish)\()")
_BARE = re.compile(r'(?<![\w"\'])(?=(?:do\(action=|finish\(message=)["\'])')
_TYPED = re.compile(
    r"(do\(\s*action=(['\"])Type(?:_Name)?\2,\s*text=|finish\(\s*message=)(['\"])(.*)\3\s*\)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class AutoGlm:
    """Speaks and reads `<answer>do(action="Tap", element=[x,y])</answer>` and so on."""

    name: str
    source: str
    space: Space = _SPACE
    """Whole thousandths of the screen."""

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The system turn, the task with the first app, the answers so far, the screen now."""
        messages = [Message("system", (Text(read_template(self.name)),))]
        task = f"{instruction}\n\n"
        for step in history:
            messages += [
                user_message(task + _render_app(step.observation)),
                assistant_message(
                    render_step(self, step).replace("</think>\n<answer>", "</think><answer>", 1)
                ),
            ]
            task = "** Screen Info **\n\n"
        return [*messages, user_message(observation.screenshot, task + _render_app(observation))]

    def render(self, decision: Decision, size: Size) -> str:
        """Why, between tags, and the call."""
        call = self._render_action(plain_action(self.name, decision), size)
        return f"<think>{decision.reasoning.strip()}</think>\n<answer>{call}</answer>"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last answer between tags, or of a call without them.

        Raises:
            BadAnswerError: there is no call, several, or one that is not in the grammar.
        """
        thoughts, text = read_answer(text)
        thought, call = split_at_last(text, _ANSWER)
        if not call:
            thought, call = split_at_last(text, _BARE)
        inside, ended, _ = call.rpartition("</answer>")
        action, said = _parse_action((inside if ended else call).strip(), size)
        reasoning = reasoning_before(thought) or thoughts
        return make_decision(action, "\n".join(filter(None, (reasoning, said))))

    def _render_action(self, action: Action, size: Size) -> str:
        match action:
            case Tap(at=at, button="left"):
                return f'do(action="Tap", element={_point(at, size)})'
            case DoubleTap(at=at):
                return f'do(action="Double Tap", element={_point(at, size)})'
            case LongPress(at=at):
                return f'do(action="Long Press", element={_point(at, size)})'
            case Swipe(start=start, end=end):
                return f'do(action="Swipe", start={_point(start, size)}, end={_point(end, size)})'
            case TypeText(text=text, at=None):
                return f'do(action="Type", text="{text}")'
            case OpenApp(app=app) if not set(app) & set('"\\\n\r'):
                return f'do(action="Launch", app="{_name_of(app) or app}")'
            case PressKey(key=("back" | "home") as key):
                return f'do(action="{key.capitalize()}")'
            case AskUser(text=""):
                return 'do(action="Interact")'
            case AskUser(text=text) if not set(text) & set('"\\\n\r\t'):
                return f'do(action="Take_over", message="{text}")'
            case Wait(duration_s=seconds):
                return f'do(action="Wait", duration="{round_number(seconds)} seconds")'
            case Finish(outcome="success", reason=reason):
                return f'finish(message="{reason}")'
        raise unsupported(self.name, action, "its prompt has no such action")


@cache
def _packages() -> Mapping[str, str]:
    """The packages of apps by the names that the model knows them by."""
    rows = (line.partition("\t") for line in read_template("autoglm-apps").splitlines())
    return {name: package for name, _, package in rows}


def _name_of(app: str) -> str | None:
    """The first name of a package, which may stand in more words; None of an unknown one."""
    return next((name for name, package in _packages().items() if package in app), None)


def _render_app(observation: Observation) -> str:
    app = observation.app
    known = app if app in _packages() else _name_of(app)
    return json.dumps({"current_app": known or "System Home"}, ensure_ascii=False)


def _point(point: Point, size: Size) -> str:
    x, y = whole_numbers(point, size, _SPACE)
    return f"[{x},{y}]"


def _parse_action(text: str, size: Size) -> tuple[Action, str]:
    """The action of a call, and what a note or a question to another model says."""
    typed = _TYPED.fullmatch(text)
    if typed is not None:
        words = typed[4]
        finished = typed[1].startswith("finish")
        return (Finish(reason=words) if finished else TypeText(text=words, clear=True)), ""
    call = find_only_call(text, {"do", "finish"})
    if call.name == "finish":
        raise bad_answer("finish has no message")
    kind = call.get("action", at=0)
    if kind in ("Note", "Call_API"):
        said = call.get("message" if kind == "Note" else "instruction")
        return Wait(duration_s=0), f"{kind}: {said}"
    return _parse_call(call, size), ""


def _parse_call(call: ParsedCall, size: Size) -> Action:
    match call.get("action", at=0):
        case "Tap":
            return Tap(at=_read_point(call, "element", size))
        case "Double Tap":
            return DoubleTap(at=_read_point(call, "element", size))
        case "Long Press":
            return LongPress(at=_read_point(call, "element", size))
        case "Swipe":
            return Swipe(start=_read_point(call, "start", size), end=_read_point(call, "end", size))
        case "Launch":
            return OpenApp(app=read_text(call.get("app"), "app"))
        case "Back":
            return PressKey(key="back")
        case "Home":
            return PressKey(key="home")
        case "Take_over":
            message = call.get("message")
            return AskUser(text="" if message is None else read_text(message, "message"))
        case "Interact":
            return AskUser(text="")
        case "Wait":
            duration = call.get("duration")
            if isinstance(duration, str):
                duration = duration.strip().removesuffix("s").removesuffix("second").strip()
            return (
                Wait()
                if duration is None
                else build_action(Wait, duration_s=read_number(duration, "duration"))
            )
        case other:
            raise bad_answer(
                f"the action is {shorten(other)}; expected Tap, Type, Swipe, Launch or the like"
            )


def _read_point(call: ParsedCall, name: str, size: Size) -> Point:
    return read_place(call.get(name), name, size, _SPACE)


_CONFIG = "zai-org/Open-AutoGLM@6b18d7b phone_agent/config/"
AUTOGLM = AutoGlm("autoglm", f"{_CONFIG}prompts_zh.py")
AUTOGLM_EN = AutoGlm("autoglm-en", f"{_CONFIG}prompts_en.py")
