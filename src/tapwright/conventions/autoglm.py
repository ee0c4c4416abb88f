"""AutoGLM-Phone: `<think>…</think>`, `<answer>do(action=…)</answer>`; thousandths.

Prompt, history and answer follow https://github.com/zai-org/Open-AutoGLM/blob/
21b935f238083a4c543b9e0c4c22a1632d33f42a/phone_agent: the prompt in Chinese of config/prompts_zh.py,
without its first line, today's date, which a recording does not know; all earlier turns as text
without their screens, as agent.py keeps them; typed text and the last message unescaped between the
quotes, as actions/handler.py takes them.

Rules: the prompt counts to 999 and the code divides by 1000, as here. `Type` empties the field
before, which `TypeText` does not. `finish` says that the task is done; it has no words for a
failure or for an answer. Type_Name is read as Type, and a tap's message ignored; what calls the
user or writes notes (Interact, Take_over, Note, Call_API) is refused.
"""

import json
import re
from collections.abc import Sequence

from tapwright.actions import (
    Action,
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
from tapwright.conventions.calling import Call, only_call
from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    after_mark,
    bad,
    built,
    decided,
    lead,
    number,
    place,
    read_answer,
    short,
    text_field,
)
from tapwright.conventions.prompting import said, shown, template
from tapwright.conventions.rendering import retold, rounded, unsayable, whole
from tapwright.episode import Decision, Step
from tapwright.geometry import Point, Size
from tapwright.messages import Message, Text
from tapwright.observation import Observation

_SPACE: Space = "permille"
_ANSWER = re.compile(r"<answer>(?=\s*+(?:do|finish)\()")
_BARE = re.compile(r'(?<![\w"\'])(?=(?:do\(action=|finish\(message=)["\'])')
_TYPED = re.compile(
    r"(do\(\s*action=(['\"])Type(?:_Name)?\2,\s*text=|finish\(\s*message=)(['\"])(.*)\3\s*\)",
    re.DOTALL,
)


class AutoGlm:
    """Speaks and reads `<answer>do(action="Tap", element=[x,y])</answer>` and so on."""

    @property
    def name(self) -> str:
        """The word "autoglm"."""
        return "autoglm"

    @property
    def space(self) -> Space:
        """Whole thousandths of the screen."""
        return _SPACE

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The system turn, the task with the first app, the answers so far, the screen now."""
        messages = [Message("system", (Text(template("autoglm")),))]
        task = f"{instruction}\n\n"
        for step in history:
            messages += [shown(task + _app(step.observation)), said(retold(self, step))]
            task = "** Screen Info **\n\n"
        return [*messages, shown(observation.screenshot, task + _app(observation))]

    def render(self, decision: Decision, size: Size) -> str:
        """Why, between tags, and the call."""
        call = self._said(decision.action, size)
        return f"<think>{decision.reasoning.strip()}</think>\n<answer>{call}</answer>"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last answer between tags, or of a call without them.

        Raises:
            BadAnswerError: there is no call, several, or one that is not in the grammar.
        """
        thoughts, text = read_answer(text)
        thought, call = after_mark(text, _ANSWER)
        if not call:
            thought, call = after_mark(text, _BARE)
        inside, ended, _ = call.rpartition("</answer>")
        return decided(_meant((inside if ended else call).strip(), size), lead(thought) or thoughts)

    def _said(self, action: Action, size: Size) -> str:
        match action:
            case Tap(at=at, button="left"):
                return f'do(action="Tap", element={_place(at, size)})'
            case DoubleTap(at=at):
                return f'do(action="Double Tap", element={_place(at, size)})'
            case LongPress(at=at):
                return f'do(action="Long Press", element={_place(at, size)})'
            case Swipe(start=start, end=end):
                return f'do(action="Swipe", start={_place(start, size)}, end={_place(end, size)})'
            case TypeText(text=text):
                return f'do(action="Type", text="{text}")'
            case OpenApp(app=app) if not set(app) & set('"\\\n\r'):
                return f'do(action="Launch", app="{app}")'
            case PressKey(key=("back" | "home") as key):
                return f'do(action="{key.capitalize()}")'
            case Wait(duration_s=seconds):
                return f'do(action="Wait", duration="{rounded(seconds)} seconds")'
            case Finish(outcome="success", reason=reason):
                return f'finish(message="{reason}")'
        raise unsayable(self.name, action, "its prompt has no such action")


def _app(observation: Observation) -> str:
    return json.dumps({"current_app": observation.app}, ensure_ascii=False)


def _place(point: Point, size: Size) -> str:
    x, y = whole(point, size, _SPACE)
    return f"[{x},{y}]"


def _meant(text: str, size: Size) -> Action:
    typed = _TYPED.fullmatch(text)
    if typed is not None:
        words = typed[4]
        return Finish(reason=words) if typed[1].startswith("finish") else TypeText(text=words)
    call = only_call(text, {"do", "finish"})
    if call.name == "finish":
        raise bad("finish has no message")
    match call.get("action", at=0):
        case "Tap":
            return Tap(at=_at(call, "element", size))
        case "Double Tap":
            return DoubleTap(at=_at(call, "element", size))
        case "Long Press":
            return LongPress(at=_at(call, "element", size))
        case "Swipe":
            return Swipe(start=_at(call, "start", size), end=_at(call, "end", size))
        case "Launch":
            return OpenApp(app=text_field(call.get("app"), "app"))
        case "Back":
            return PressKey(key="back")
        case "Home":
            return PressKey(key="home")
        case "Wait":
            duration = call.get("duration")
            if isinstance(duration, str):
                duration = duration.strip().removesuffix("s").removesuffix("second").strip()
            return (
                Wait() if duration is None else built(Wait, duration_s=number(duration, "duration"))
            )
        case other:
            raise bad(
                f"the action is {short(other)}; expected Tap, Type, Swipe, Launch or the like"
            )


def _at(call: Call, name: str, size: Size) -> Point:
    return place(call.get(name), name, size, _SPACE)


AUTOGLM = AutoGlm()
