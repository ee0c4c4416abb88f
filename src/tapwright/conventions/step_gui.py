"""Step-GUI and GELab-Zero on a phone: `<THINK>`, then fields between tabs, `action:CLICK`.

Follows https://github.com/stepfun-ai/gelab-zero/blob/19465cf337effc20db25830688aeec5a72855c0a
/copilot_tools/parser_0920_summary.py: prompt, history and fields. Of the steps so far the prompt
has the model's own summary alone, which its last answer ended with; where a recording has none, it
has one line of ours for each step.

Rules: thousandths. The summary is kept at the end of the decision's reasoning, in a line that
begins with "summary:", and what the model explains is its target. TYPE touches the field at its
point before, unless the answer says that the keyboard is up, as copilot_front_end/
pu_frontend_executor.py does; that takes an answer without a word on it for one with the keyboard
up, although its prompt requires a point and knows no such word. INFO asks the user something.
A value is one line, and has no tab.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from tapwright.conventions.arguments import Is
from tapwright.conventions.family import Family, OneTurn
from tapwright.conventions.parsing import make_decision, read_answer
from tapwright.conventions.rendering import plain_action, unsupported
from tapwright.conventions.verbs import Grammar, verb
from tapwright.core.actions import Finish
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Size

_SUMMARY = "\nsummary:"
_MISSPELT = re.compile(r"<(\s*+/?)TINK\s*+>", re.IGNORECASE)
_KEYBOARD_UP = ("keyboard_exists", "is_keyboard")
_GRAMMAR = Grammar(
    (
        verb("CLICK", "tap", at="point"),
        verb("LONGPRESS", "long_press", at="point"),
        verb("SLIDE", "swipe", start="point1", end="point2"),
        verb("TYPE", "type_text", text="value", at="point?"),
        verb("AWAKE", "open_app", app="value"),
        verb("INFO", "ask_user", text="value"),
        verb("WAIT", "wait", duration_s="value"),
        verb("COMPLETE", "finish", outcome=Is("success"), reason="return"),
        verb("ABORT", "finish", outcome=Is("failure"), reason="value?"),
    )
)


@dataclass(frozen=True, slots=True)
class _Summing(OneTurn):
    """One turn, whose history is the model's own summary; in its place one line of ours a step."""

    def past(self, family: Family, history: Sequence[Step]) -> str:
        own = _split_summary(history[-1].decision.reasoning)[1].strip() if history else ""
        return own or OneTurn.past(self, family, history)


class StepGui(Family):
    """Speaks and reads `explain:…	action:CLICK	point:x,y	summary:…`."""

    def render(self, decision: Decision, size: Size) -> str:
        """Thought, what is done, the action with its values, and the summary."""
        thought, summary = _split_summary(decision.reasoning)
        action = plain_action(self.name, decision)
        word, args = self.grammar.write(action, self.on(size))
        fields = [f"explain:{_one_line(decision.target)}", f"action:{word}"]
        for name, value in args.items():
            said = _spell(value)
            if isinstance(action, Finish):
                said = _one_line(said)
            elif said != said.strip() or set(said) & set("\t\n\r"):
                raise unsupported(
                    self.name, action, "a value is one line without a tab or outer spaces"
                )
            fields.append(f"{name}:{said}")
        fields.append(f"summary:{_one_line(summary)}")
        return f"<THINK> {thought} </THINK>\n" + "\t".join(fields) + "\n"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the fields behind the thought."""
        thought, answer = read_answer(_MISSPELT.sub(r"<\1THINK>", text))
        fields: dict[str, JsonValue] = {}
        for field in answer.split("\t"):
            key, colon, value = field.partition(":")
            if colon:
                fields[key.strip()] = value.strip()
        if any(str(fields.get(key, "")).lower() == "true" for key in _KEYBOARD_UP):
            fields.pop("point", None)
        action = self.grammar.read_object(fields, self.on(size), fields.get("action"))
        summary, explain = str(fields.get("summary", "")), str(fields.get("explain", ""))
        reasoning = thought.strip() + (_SUMMARY + summary if summary else "")
        return make_decision(action, reasoning, explain)


def _split_summary(reasoning: str) -> tuple[str, str]:
    thought, found, summary = f"\n{reasoning.strip()}".rpartition(_SUMMARY)
    return (thought.strip(), summary) if found else (summary.strip(), "")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _spell(value: JsonValue) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


STEP_GUI = StepGui(
    name="step-gui",
    source="stepfun-ai/gelab-zero@19465cf copilot_tools/parser_0920_summary.py",
    space="permille",
    grammar=_GRAMMAR,
    asks=_Summing(
        "{template:step-gui-task}{part}{template:step-gui-status}{picture}"
        "{template:step-gui-output}",
        line="{number}. {step}",
        joiner="\n",
        nothing="暂无历史操作",
    ),
)
