"""UI-TARS on a phone and on a computer: a thought and one call, `Action: click(…)`.

Three generations. 1.0 gives thousandths between box tags; its prompts are those of README_v1.md in
https://github.com/bytedance/UI-TARS (582f3a7). 1.5 is the open 7B, which is built on Qwen2.5-VL: it
gives pixels of the resized picture between box tags. Its phone prompt is that of `prompts.py` on
the day it was published (7eca1f0), its computer prompt `getSystemPromptV1_5` of
https://github.com/bytedance/UI-TARS-desktop (239b654, apps/ui-tars/src/main/agent/prompts.ts).
Doubao-1.5-UI-TARS, which is served and not open, gives thousandths between point tags; its prompts
are today's `codes/ui_tars/prompt.py` (582f3a7), which earlier versions of this file gave to 1.5.

History is that of `data/training_example.json`, and of OSWorld's `mm_agents/uitars15_v1.py` and
`uitars15_v2.py` (read in the copies of vis-nlp/DSAgentBench@fe67080): the task is a turn of its
own, every earlier answer is kept, and of the screens the last five, the present one among them.
Prompts for one element: README_v1.md (1.0), `GROUNDING` of codes/prompts.py (6b315cc, 1.5) and
`GROUNDING_DOUBAO`, with upstream's slips. What the calls mean is in `ui_tars_calls`.

On a computer every call of an answer is done: `action_parser.py` (582f3a7) and OSWorld's agents
split it where a call ends with a blank line.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tapwright.conventions.call_syntax import find_calls, find_only_call
from tapwright.conventions.convention import ScreenKind, Space
from tapwright.conventions.parsing import (
    bad_answer,
    make_decision,
    read_answer,
    read_place,
    reasoning_before,
    split_at_last,
)
from tapwright.conventions.prompting import assistant_message, fill, read_template, user_message
from tapwright.conventions.rendering import plain_actions, render_step, sole_action
from tapwright.conventions.resize import UI_TARS
from tapwright.conventions.ui_tars_calls import VERBS, CallGrammar, Generation
from tapwright.core.actions import PointAction
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.language import language_of
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation

_SHOWN_SCREENS = 5
_ACTION = re.compile(r"^[ \t]*+Action:", re.MULTILINE)
_ACTION_IN_LINE = re.compile(r"\sAction:")
_THOUGHT = re.compile(r"\A\s*+Thought:")
_BARE_PLACE = re.compile(
    r"\A\s*+((?:<\|box_start\|>)?[(\[][^()\[\]<>]*+[)\]](?:<\|box_end\|>)?|<point>[^<>]*+</point>)\s*\Z"
)
_LANGUAGES: Mapping[str, str] = {"en": "English", "zh": "Chinese"}
_ASK = (
    "Output only the coordinate of one point in your response. "
    "What element matches the following task: "
)
_SOURCES: Mapping[str, str] = {
    "ui-tars-1.0": "bytedance/UI-TARS@582f3a7 README_v1.md",
    "ui-tars-1.0-computer": "bytedance/UI-TARS@582f3a7 README_v1.md",
    "ui-tars-1.5": "bytedance/UI-TARS@7eca1f0 prompts.py",
    "ui-tars-1.5-computer": "bytedance/UI-TARS-desktop@239b654 "
    "apps/ui-tars/src/main/agent/prompts.ts",
}
_DOUBAO_SOURCE = "bytedance/UI-TARS@582f3a7 codes/ui_tars/prompt.py"


@dataclass(frozen=True, slots=True)
class UiTars:
    """Speaks and reads `Thought: …`, `Action: click(…)` of one generation, on one platform."""

    generation: Generation
    computer: bool = False

    @property
    def name(self) -> str:
        """The generation's name, and "-computer" for that platform: "ui-tars-1.5-computer"."""
        return self._family + ("-computer" if self.computer else "")

    @property
    def _family(self) -> str:
        family = self.generation
        return f"{family}-1.5-ui-tars" if family == "doubao" else f"ui-tars-{family}"

    @property
    def space(self) -> Space:
        """1.0 and Doubao: whole thousandths; 1.5: pixels of the picture after `smart_resize`."""
        return "pixel" if self.generation == "1.5" else "permille"

    @property
    def screen(self) -> ScreenKind:
        """Upstream has a prompt for each, with that platform's actions alone."""
        return "computer" if self.computer else "phone"

    @property
    def source(self) -> str:
        """Where its words come from."""
        return _SOURCES.get(self.name, _DOUBAO_SOURCE)

    def model_size(self, size: Size) -> Size:
        """1.5: the size after `smart_resize` with factor 28; else the size as it is."""
        return UI_TARS.size(size) if self.generation == "1.5" else size

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The task; then every answer so far, the latest four behind their screens; the screen."""
        words = fill(
            read_template(self.name),
            instruction=instruction,
            language=_LANGUAGES[language_of(instruction)],
        )
        messages = [*self._opening(), user_message(words)]
        first_shown = len(history) - _SHOWN_SCREENS + 1
        for number, step in enumerate(history):
            if number >= first_shown:
                messages.append(user_message(step.observation.screenshot))
            messages.append(assistant_message(render_step(self, step)))
        return [*messages, user_message(observation.screenshot)]

    def grounding_prompt(
        self, target: str, observation: Observation, reasoning: str = ""
    ) -> list[Message]:
        """1.0: one turn that requests a point; the others a call alone, for the target."""
        screen = observation.screenshot
        if self.generation == "1.0":
            return [user_message(screen, f"{_ASK}{target}")]
        words = fill(read_template(f"{self._family}-grounding"), instruction=target)
        return [*self._opening(), user_message(words), user_message(screen)]

    def render(self, decision: Decision, size: Size) -> str:
        """Why, then the call."""
        if not self.computer:
            sole_action(self.name, decision)
        actions, calls = plain_actions(self.name, decision), self._calls
        call = "\n\n".join([calls.render(action, size) for action in actions])
        return f"Thought: {decision.reasoning.strip()}\nAction: {call}"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the call after the last `Action:`, or of an answer that is a call alone.

        Raises:
            BadAnswerError: there is no call, several, or one that is not in the grammar.
        """
        thoughts, text = read_answer(text)
        thought, line = split_at_last(text, _ACTION)
        if not line:
            thought, line = split_at_last(text, _ACTION_IN_LINE)
        calls = find_calls(line or thought, VERBS) if self.computer else []
        calls = calls or [find_only_call(line or thought, VERBS)]
        reasoning = _THOUGHT.sub("", reasoning_before(thought)).strip() if line else ""
        return make_decision(
            [self._calls.parse(call, size) for call in calls], reasoning or thoughts
        )

    def parse_point(self, text: str, size: Size) -> Point:
        """The place of a bare point, or of a call with one.

        Raises:
            BadAnswerError: the answer is neither.
        """
        bare = _BARE_PLACE.match(read_answer(text)[1])
        if bare is not None:
            return read_place(bare[1], "the point", self.model_size(size), self.space)
        action = self.parse(text, size).action
        if not isinstance(action, PointAction):
            raise bad_answer(f"the answer is to {action.type}; expected one with a place")
        return action.at

    @property
    def _calls(self) -> CallGrammar:
        return CallGrammar(self.name, self.generation, self.computer, self.space, self.model_size)

    def _opening(self) -> list[Message]:
        if self.generation == "doubao":
            return []
        return [Message("system", (Text("You are a helpful assistant."),))]


UI_TARS_1_0 = UiTars("1.0")
UI_TARS_1_0_COMPUTER = UiTars("1.0", computer=True)
UI_TARS_1_5 = UiTars("1.5")
UI_TARS_1_5_COMPUTER = UiTars("1.5", computer=True)
DOUBAO = UiTars("doubao")
DOUBAO_COMPUTER = UiTars("doubao", computer=True)
