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
and is written as `Type`, too. `finish` ends a task that is done, also without a message or its
quotes; it has no words for a failure or for an answer. Type_Name is read as Type, and a tap's
message ignored. Take_over and Interact ask the user. Note and Call_API do nothing to the phone, as
in handler.py: each is a wait of no time, and what it says stands behind the thought. An answer is
one call, which is all that `parse_action` reads.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from pydantic import JsonValue

from tapwright.conventions import parsing
from tapwright.conventions.arguments import Is, Lost, Number, On, Words
from tapwright.conventions.call_syntax import find_only_call
from tapwright.conventions.family import Family, assistant_message, read_template, user_message
from tapwright.conventions.literals import NUMBER
from tapwright.conventions.rendering import plain_action, render_step, round_number
from tapwright.conventions.verbs import Grammar, verb
from tapwright.core.actions import Action, Finish, TypeText, Wait
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation

_ANSWER = re.compile(r"<answer>(?=\s*+(?:do|finish)\()")
_MESSAGE = r"finish\(\s*+(?:message=)?+([^\"'()]*+)\)"
_BARE = re.compile(rf"(?<![\w\"'])(?=(?:do\(action=|finish\(message=)[\"']|{_MESSAGE}\s*+\Z)")
_TYPED = re.compile(
    r"(do\(\s*action=(['\"])Type(?:_Name)?\2,\s*text=|finish\(\s*message=)(['\"])(.*)\3\s*\)",
    re.DOTALL,
)
_FINISH = re.compile(_MESSAGE)
_TAKE_OVER = "User intervention required"  # what handler.py asks without a message


class _Plain(Words):
    """A text that stands between quotation marks as it is, and so has none, and no line break."""

    def encode(self, value: object, on: On) -> JsonValue:
        return None if set(str(value)) & set('"\\\n\r') else str(value)


class _Message(_Plain):
    """What is asked; a question without words is another verb."""

    def encode(self, value: object, on: On) -> JsonValue:
        return None if value == "" or "\t" in str(value) else super().encode(value, on)


class _App(_Plain):
    """An app by the name that the model knows it by."""

    def encode(self, value: object, on: On) -> JsonValue:
        said = super().encode(value, on)
        return None if said is None else _name_of(str(said)) or said


class _Seconds(Number):
    """A number with its unit in words."""

    def decode(self, value: JsonValue, on: On) -> object:
        if isinstance(value, str):
            value = value.strip().removesuffix("s").removesuffix("second").strip()
            if not NUMBER.fullmatch(value):
                return 1.0  # as handler.py takes what is no number
        return parsing.read_number(value, "duration")

    def encode(self, value: object, on: On) -> JsonValue:
        assert isinstance(value, int | float)
        return f"{round_number(value)} seconds"


_GRAMMAR = Grammar(
    (
        verb("Tap", "tap", at="element"),
        verb("Double Tap", "double_tap", at="element"),
        verb("Long Press", "long_press", at="element"),
        verb("Swipe", "swipe", start="start", end="end"),
        verb("Type|Type_Name", "type_text", text="text", clear=Lost(True)),
        verb("Launch", "open_app", app=_App("app")),
        verb("Back", "press_key", key=Is("back")),
        verb("Home", "press_key", key=Is("home")),
        verb("Interact", "ask_user", text=Is("")),
        verb("Take_over", "ask_user", text=_Message("message?", unset=_TAKE_OVER)),
        verb("Wait", "wait", duration_s=_Seconds("duration?")),
    )
)


@dataclass(frozen=True, slots=True)
class _Texts:
    """The answers so far behind texts with the open app, and one screen, the present one."""

    def messages(
        self, family: Family, task: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The system turn, the task with the first app, the answers so far, the screen now."""
        messages = [Message("system", (Text(read_template(family.name)),))]
        words = f"{task}\n\n"
        for step in history:
            answer = render_step(family, step).replace("</think>\n<answer>", "</think><answer>", 1)
            messages.append(user_message(words + _render_app(step.observation)))
            messages.append(assistant_message(answer))
            words = "** Screen Info **\n\n"
        return [*messages, user_message(observation.screenshot, words + _render_app(observation))]


class AutoGlm(Family):
    """Speaks and reads `<answer>do(action="Tap", element=[x,y])</answer>` and so on."""

    def render(self, decision: Decision, size: Size) -> str:
        """Why, between tags, and the call."""
        call = self._render_action(plain_action(self.name, decision), self.on(size))
        return f"<think>{decision.reasoning.strip()}</think>\n<answer>{call}</answer>"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last answer between tags, or of a call without them."""
        thoughts, text = parsing.read_answer(text)
        thought, call = parsing.split_at_last(text, _ANSWER)
        if not call:
            thought, call = parsing.split_at_last(text, _BARE)
        inside, ended, _ = call.rpartition("</answer>")
        action, said = self._read((inside if ended else call).strip(), self.on(size))
        reasoning = parsing.reasoning_before(thought) or thoughts
        return parsing.make_decision(action, "\n".join(filter(None, (reasoning, said))))

    def _render_action(self, action: Action, on: On) -> str:
        if isinstance(action, Finish) and action.outcome == "success":
            return f'finish(message="{action.reason}")'
        word, args = self.grammar.write(action, on)
        return "".join([f'do(action="{word}"', *map(_spell, args.items()), ")"])

    def _read(self, text: str, on: On) -> tuple[Action, str]:
        """The action of a call, and what a note or a question to another model says."""
        typed = _TYPED.fullmatch(text)
        if typed is not None:
            words = typed[4]
            finished = typed[1].startswith("finish")
            return Finish(reason=words) if finished else TypeText(text=words, clear=True), ""
        bare = _FINISH.fullmatch(text)
        if bare is not None:
            return Finish(reason=bare[1].strip()), ""
        call = find_only_call(text, {"do", "finish"})
        if call.name == "finish":
            raise parsing.bad_answer("finish has no message")
        kind = call.get("action", at=0)
        if kind in ("Note", "Call_API"):
            said = call.get("message" if kind == "Note" else "instruction")
            return Wait(duration_s=0), f"{kind}: {said}"
        return self.grammar.read_object(dict(call.named), on, kind), ""


def _spell(argument: tuple[str, JsonValue]) -> str:
    name, value = argument
    spelled = f"[{value[0]},{value[1]}]" if isinstance(value, list) else f'"{value}"'
    return f", {name}={spelled}"


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


AUTOGLM = AutoGlm(
    name="autoglm",
    source="zai-org/Open-AutoGLM@6b18d7b phone_agent/config/prompts_zh.py",
    space="permille",
    grammar=_GRAMMAR,
    asks=_Texts(),
)
AUTOGLM_EN = replace(
    AUTOGLM, name="autoglm-en", source=AUTOGLM.source.replace("prompts_zh", "prompts_en")
)
