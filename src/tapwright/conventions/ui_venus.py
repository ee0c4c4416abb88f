"""UI-Venus 1.0 and 1.5, phone and web: `<think>`, `<action>Click(box=(x,y))`, `<conclusion>`.

Follows https://github.com/inclusionAI/UI-Venus/blob/c3a1442c3c4501af18c124458dbbddcbda5c2c6f
/models/navigation: prompts and grammar of utils.py, history of ui_venus_navi_agent.py (every step
with its thought and action, counted from 0; run_navi.sh keeps the last five), turns of
ui_venus_navi_vllm.py; the prompt for one element of models/grounding/ui_venus1_5_gd.py, where
[-1,-1] is "no such element". 1.0 follows the same files before c6ce41f, of which only copies could
be had: its prompt, and the limits of pixels with which its 7B and its 72B were run.

Rules: 1.5 gives thousandths, as Venus_framework/policy/ui_venus_policy.py reads them; 1.0 pixels of
the resized picture. A conclusion is the decision's target. `CallUser` tells the user something, as
the prompt has it for questions. `Scroll` from place to place is a finger's stroke; with a direction
it names what comes into view; with both the places count, as in utils.py. `Type` on the web presses
Enter afterwards, so the line break that presses it is not written. `Launch` of a url is `Goto`.
"""

import re
from dataclasses import dataclass, replace

from tapwright.conventions.arguments import MIDDLE, Is, Lost, Turn, Typed
from tapwright.conventions.call_syntax import find_only_call
from tapwright.conventions.element_grounder import NUMBER, PlaceForm
from tapwright.conventions.family import Family, Finding, OneTurn
from tapwright.conventions.parsing import make_decision, read_answer
from tapwright.conventions.rendering import plain_action
from tapwright.conventions.resize import SmartResize
from tapwright.conventions.verbs import Grammar, Verb, keys_verb, verb
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.errors import UnsupportedByConventionError

_KEY_VERBS = {
    "PressBack": "back", "PressHome": "home", "PressEnter": "enter", "PressRecent": "recents",
}  # fmt: skip
_KEY_NAMES = {"control": "ctrl", "escape": "esc", "page_up": "pageup", "page_down": "pagedown",
              "move_home": "home", "move_end": "end"}  # fmt: skip
_MOST_KEYS = 3
_TAGS = re.compile(r"</?(?:think|action|conclusion)>")
_PAIR = rf"{NUMBER}\s*+,\s*+{NUMBER}"
_PLACE = PlaceForm(
    "[{x},{y}]",
    re.compile(rf"[(\[]\s*+{_PAIR}(?:\s*+[)\]]?+\s*+,\s*+[(\[]?+\s*+{_PAIR})?+"),
    no_element="[-1,-1]",
    refusal=re.compile(r"\[\s*+-1\s*+,\s*+-1\s*+\]"),
)

_SWIPE = verb("Scroll", "swipe", "start", start="start", end="end")
_WHEEL = verb("Scroll", "scroll", "direction", at=Lost(MIDDLE), turn=Turn("direction", axis="dy"))
_LAUNCH = verb("Launch", "open_app", app="app@0")
_GOTO = verb("Launch", "goto", "url", url="url")
_ON_WEB = (
    verb("Hover", "hover", at="box"),
    verb("DoubleClick", "double_tap", at="box"),
    keys_verb("Hotkey", "keys@0", _KEY_NAMES, most=_MOST_KEYS),
)


def _rows(typing: Verb) -> list[Verb]:
    return [
        verb("Click", "tap", at="box"),
        verb("LongPress", "long_press", at="box"),
        verb("Drag", "drag", start="start", end="end"),
        typing,
        verb("Launch", "open_app", "app@0", app="app@0"),
        *(verb(word, "press_key", key=Is(key)) for word, key in _KEY_VERBS.items()),
        verb("Wait", "wait"),
        verb("Finished", "finish", outcome=Is("success"), reason="content@0?"),
        verb("CallUser", "answer", text="content@0"),
    ]


_TYPE = verb("Type", "type_text", text="content@0")
_TYPE_ENTER = verb("Type", "type_text", text=Typed("content@0"))
_PHONE = Grammar([_SWIPE, *_rows(_TYPE)], [_WHEEL, _GOTO, _LAUNCH, *_ON_WEB])
_WEB = Grammar([*_rows(_TYPE_ENTER), _GOTO, _WHEEL, *_ON_WEB], [_SWIPE, _LAUNCH])


@dataclass(frozen=True, kw_only=True)
class UiVenus(Family):
    """Speaks and reads `<action>Click(box=(x,y))</action>` and so on."""

    def render(self, decision: Decision, size: Size) -> str:
        """Thought, call, and the target as the conclusion."""
        call = self._call(decision, size)
        conclusion = _TAGS.sub("", decision.target).strip()
        return (
            f"<think>{decision.reasoning.strip()}</think>\n<action>{call}</action>\n"
            f"<conclusion>{conclusion}</conclusion>"
        )

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the call between the action's tags, or of an answer that is one call."""
        thoughts, text = read_answer(text)
        before, tag, after = text.partition("<action>")
        line, _, rest = (after if tag else before).partition("<conclusion>")
        call = find_only_call(line.rpartition("</action>")[0] or line, self.grammar.words)
        conclusion = rest.partition("</conclusion>")[0].strip()
        return make_decision(self.grammar.read(call, self.on(size)), thoughts, conclusion)

    def _call(self, decision: Decision, size: Size) -> str:
        return self.say(plain_action(self.name, decision), self.on(size), "({},{})")


def _recall(family: Family, step: Step) -> str:
    assert isinstance(family, UiVenus)
    try:
        call = family._call(step.decision, step.observation.size)
    except UnsupportedByConventionError:
        call = " ".join(one.type for one in step.decision.actions)
    return f"<think>{step.decision.reasoning.strip()}</think><action>{call}</action>"


@dataclass(frozen=True, kw_only=True)
class UiVenusFinding(Finding, UiVenus):
    """The same, and the place of one element by a prompt of its own."""

    def grounding_prompt(
        self, target: str, observation: Observation, reasoning: str = ""
    ) -> list[Message]:
        """The request for `target`, without its full stop."""
        return super().grounding_prompt(target.removesuffix("."), observation)

    def parse_point(self, text: str, size: Size) -> Point | None:
        """The place in an answer; None: there is no such element."""
        numbers = _PLACE.read(read_answer(text)[1])
        return None if numbers is None else self.on(size).place([*numbers], "the place")


_ASKS = OneTurn(
    "{template}{picture}",
    system="You are a helpful assistant.",
    line="Step {number}: {step}",
    first=0,
    joiner="\n",
    recall=_recall,
)
_RESIZE_7B = SmartResize(28, 830_000, 937_664)
_RESIZE_72B = SmartResize(28, 3136, 12_845_056)

UI_VENUS_1_0 = UiVenus(
    name="ui-venus-1.0",
    source="inclusionAI/UI-Venus before c6ce41f models/navigation/utils.py (a copy)",
    space="pixel",
    resize=_RESIZE_7B,
    sends=_RESIZE_7B,
    grammar=_PHONE,
    asks=_ASKS,
)
UI_VENUS_1_0_72B = replace(
    UI_VENUS_1_0,
    name="ui-venus-1.0-72b",
    resize=_RESIZE_72B,
    sends=_RESIZE_72B,
    asks=replace(_ASKS, words="{template:ui-venus-1.0}{picture}"),
)
UI_VENUS_1_5 = UiVenusFinding(
    name="ui-venus-1.5",
    source="inclusionAI/UI-Venus@c3a1442 models/navigation/utils.py",
    space="permille",
    grammar=_PHONE,
    asks=_ASKS,
    finds=OneTurn("{picture}{template:ui-venus-1.5-grounding}"),
)
UI_VENUS_1_5_WEB = replace(UI_VENUS_1_5, name="ui-venus-1.5-web", grammar=_WEB)
