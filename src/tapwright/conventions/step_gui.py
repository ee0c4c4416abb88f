"""Step-GUI and GELab-Zero on a phone: `<THINK>`, then fields between tabs, `action:CLICK`.

Follows https://github.com/stepfun-ai/gelab-zero/blob/19465cf337effc20db25830688aeec5a72855c0a
/copilot_tools/parser_0920_summary.py: prompt, history and fields. Of the steps so far the prompt
has the model's own summary alone, which its last answer ended with; where a recording has none, it
has one line of ours for each step.

Rules: thousandths. The summary is kept at the end of the decision's reasoning, in a line that
begins with "summary:", and what the model explains is its target. TYPE touches the field at its
point before, unless the answer says that the keyboard is up, as copilot_front_end/
pu_frontend_executor.py does; that takes an answer without a word on it for one with the keyboard
up, although its prompt requires a point and knows no such word. INFO tells the user something. A
value is one line, and has no tab.
"""

import re
from collections.abc import Mapping, Sequence

from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    bad_answer,
    build_action,
    make_decision,
    read_answer,
    read_number,
    read_place,
    shorten,
)
from tapwright.conventions.prompting import fill, read_template, user_message
from tapwright.conventions.rendering import (
    action_line,
    plain_action,
    round_number,
    unsupported,
    whole_numbers,
)
from tapwright.core.actions import (
    Action,
    Answer,
    Finish,
    LongPress,
    OpenApp,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation

_SPACE: Space = "permille"
_NOTHING_YET = "暂无历史操作"
_SUMMARY = "\nsummary:"
_MISSPELT = re.compile(r"<(\s*+/?)TINK\s*+>", re.IGNORECASE)
_KEYBOARD_UP = ("keyboard_exists", "is_keyboard")
_SPACES = re.compile(r"\s+")


class StepGui:
    """Speaks and reads `explain:…	action:CLICK	point:x,y	summary:…`."""

    name = "step-gui"
    source = "stepfun-ai/gelab-zero@19465cf copilot_tools/parser_0920_summary.py"
    space: Space = _SPACE
    """Whole thousandths of the screen."""

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """One turn: the actions, task and summary, the screen, and the form of the answer."""
        status = fill(
            read_template("step-gui-status"),
            task=instruction,
            history=_summarize(history) or _NOTHING_YET,
        )
        return [
            user_message(
                read_template("step-gui-task"),
                status,
                observation.screenshot,
                read_template("step-gui-output"),
            )
        ]

    def render(self, decision: Decision, size: Size) -> str:
        """Thought, what is done, the action with its values, and the summary."""
        thought, summary = _split_summary(decision.reasoning)
        action = self._render_action(plain_action(self.name, decision), size)
        fields = [f"explain:{_one_line(decision.target)}", *action, f"summary:{_one_line(summary)}"]
        return f"<THINK> {thought} </THINK>\n" + "\t".join(fields) + "\n"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the fields behind the thought.

        Raises:
            BadAnswerError: there is no action, or one that is not in the grammar.
        """
        thought, answer = read_answer(_MISSPELT.sub(r"<\1THINK>", text))
        fields: dict[str, str] = {}
        for field in answer.split("\t"):
            key, colon, value = field.partition(":")
            if colon:
                fields[key.strip()] = value.strip()
        summary = fields.get("summary", "")
        reasoning = thought.strip() + (_SUMMARY + summary if summary else "")
        return make_decision(_parse_action(fields, size), reasoning, fields.get("explain", ""))

    def _render_action(self, action: Action, size: Size) -> list[str]:
        match action:
            case Tap(at=at, button="left"):
                return ["action:CLICK", f"point:{_point(at, size)}"]
            case LongPress(at=at):
                return ["action:LONGPRESS", f"point:{_point(at, size)}"]
            case Swipe(start=start, end=end):
                return [
                    "action:SLIDE", f"point1:{_point(start, size)}", f"point2:{_point(end, size)}"
                ]  # fmt: skip
            case TypeText(text=text, at=at, clear=False):
                point = [] if at is None else [f"point:{_point(at, size)}"]
                return ["action:TYPE", f"value:{self._value(action, text)}", *point]
            case OpenApp(app=app):
                return ["action:AWAKE", f"value:{self._value(action, app)}"]
            case Answer(text=text):
                return ["action:INFO", f"value:{self._value(action, text)}"]
            case Wait(duration_s=seconds):
                return ["action:WAIT", f"value:{round_number(seconds)}"]
            case Finish(outcome="success", reason=reason):
                return ["action:COMPLETE", f"return:{_one_line(reason)}"]
            case Finish(outcome="failure", reason=reason):
                return ["action:ABORT", f"value:{_one_line(reason)}"]
        raise unsupported(self.name, action, "its prompt has no such action")

    def _value(self, action: Action, text: str) -> str:
        if text != text.strip() or set(text) & set("\t\n\r"):
            raise unsupported(
                self.name, action, "a value is one line without a tab or outer spaces"
            )
        return text


def _summarize(history: Sequence[Step]) -> str:
    if not history:
        return ""
    own = _split_summary(history[-1].decision.reasoning)[1].strip()
    return own or "\n".join(
        f"{number}. {action_line(step)}" for number, step in enumerate(history, start=1)
    )


def _split_summary(reasoning: str) -> tuple[str, str]:
    thought, _, summary = f"\n{reasoning.strip()}".rpartition(_SUMMARY)
    return (thought.strip(), summary) if _ else (summary.strip(), "")


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", text).strip()


def _point(point: Point, size: Size) -> str:
    x, y = whole_numbers(point, size, _SPACE)
    return f"{x},{y}"


def _parse_action(fields: Mapping[str, str], size: Size) -> Action:
    def at(name: str) -> Point:
        return read_place(fields.get(name), name, size, _SPACE)

    def value(name: str = "value") -> str:
        if name not in fields:
            raise bad_answer(f"{fields['action']} has no {name}")
        return fields[name]

    match fields.get("action"):
        case "CLICK":
            return Tap(at=at("point"))
        case "LONGPRESS":
            return LongPress(at=at("point"))
        case "SLIDE":
            return Swipe(start=at("point1"), end=at("point2"))
        case "TYPE":
            up = any(fields.get(key, "").lower() == "true" for key in _KEYBOARD_UP)
            at_place = at("point") if "point" in fields and not up else None
            return TypeText(text=value(), at=at_place)
        case "AWAKE":
            return OpenApp(app=value())
        case "INFO":
            return Answer(text=value())
        case "WAIT":
            return build_action(Wait, duration_s=read_number(value(), "value"))
        case "COMPLETE":
            return Finish(reason=value("return"))
        case "ABORT":
            return Finish(outcome="failure", reason=fields.get("value", ""))
        case other:
            raise bad_answer(
                f"the action is {shorten(other)}; expected CLICK, TYPE, SLIDE or the like"
            )


STEP_GUI = StepGui()
