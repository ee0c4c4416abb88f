"""GUI-Owl 1.5 (Mobile-Agent-v3.5): an imperative line and one call of `mobile_use`.

Prompt, history and answer of "gui-owl" follow https://github.com/X-PLUG/MobileAgent/blob/
11cea575561fb7800b5fb6b6cafa56f7a91de11f/Mobile-Agent-v3.5/mobile_use/utils.py, those of
"gui-owl-androidworld", with which the published AndroidWorld run was made, its
android_world_v3.5/android_world/agents/gui_owl.py, and "gui-owl-computer" its
computer_use/utils.py, which calls `computer_use`; its prompt for one element is that of
grounding_and_kb/eval_grounding_benchmarks.py. Older steps are lines of text, the last four are
turns with their screens. Today's date, which stands before the task in the former, is left out, as
a recording does not know it. The grammar has no place for a reason; what stands before the line is
read as one. `interact`, which calls the user, is refused. The client scales pictures to multiples
of 28 before it sends them, but not in AndroidWorld.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tapwright.conventions.computer_agents import GroundingComputerAgent
from tapwright.conventions.convention import Space
from tapwright.conventions.mobile_use import MOBILE_USE, parse_mobile_use, render_mobile_use
from tapwright.conventions.parsing import (
    JsonObject,
    make_decision,
    read_answer,
    read_last_object,
    reasoning_before,
    split_at_last,
)
from tapwright.conventions.prompting import read_template
from tapwright.conventions.rendering import parse_target, plain_action, render_imperative
from tapwright.conventions.resize import SmartResize
from tapwright.conventions.turns import ask_in_turns
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation

_SPACE: Space = "permille"
_SHOWN_STEPS = 4
_ACTION = re.compile(r"^[ \t]*+Action:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GuiOwl:
    """Speaks and reads `Action: …`, `<tool_call>…</tool_call>`.

    `step` opens the line of an older step, `nothing` stands where there is none.
    """

    name: str
    path: str
    step: str
    nothing: str
    sends: SmartResize | None = None
    space: ClassVar[Space] = _SPACE
    """Whole thousandths of the screen."""

    @property
    def source(self) -> str:
        """The file that its words come from."""
        return f"X-PLUG/MobileAgent@11cea57 Mobile-Agent-v3.5/{self.path}"

    def sent_size(self, size: Size) -> Size:
        """The size after the client's `smart_resize`, or as it is."""
        return size if self.sends is None else self.sends.size(size)

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The tool in the system turn, the task with older steps, then screens and answers."""
        older = "\n".join(
            f"{self.step}{number}: {render_imperative(step.decision, step.observation.size)}"
            for number, step in enumerate(history[:-_SHOWN_STEPS], start=1)
        )
        words = (
            "Please generate the next move according to the UI screenshot, instruction and "
            f"previous actions.\n\nInstruction: {instruction}\n\n"
            f"Previous actions:\n{older or self.nothing}"
        )
        return [
            Message("system", (Text(read_template(self.name)),)),
            *ask_in_turns(self, words, history[-_SHOWN_STEPS:], observation),
        ]

    def render(self, decision: Decision, size: Size) -> str:
        """What to do in one line, and the call."""
        call = render_mobile_use(
            self.name, MOBILE_USE, plain_action(self.name, decision), size, _SPACE
        )
        return f"Action: {render_imperative(decision, size)}\n{call}"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last call that can be read; the line before it may be missing.

        Raises:
            BadAnswerError: there is no such call.
        """
        thoughts, answer = read_answer(text)

        def read(call: JsonObject, before: str) -> Decision:
            action = parse_mobile_use(call, MOBILE_USE, size, _SPACE)
            thought, line = split_at_last(reasoning_before(before), _ACTION)
            return make_decision(
                action, reasoning_before(thought) or thoughts, parse_target(line, [action], size)
            )

        return read_last_object(answer, read)


_SENDS = SmartResize(28, 3136, 10_035_200)

GUI_OWL = GuiOwl("gui-owl", "mobile_use/utils.py", "Step ", "None", _SENDS)
GUI_OWL_ANDROIDWORLD = GuiOwl(
    "gui-owl-androidworld",
    "android_world_v3.5/android_world/agents/gui_owl.py",
    "Step",
    "No previous action.",
)
GUI_OWL_COMPUTER = GroundingComputerAgent(
    "gui-owl-computer",
    "X-PLUG/MobileAgent@11cea57 Mobile-Agent-v3.5/computer_use/utils.py",
    _SPACE,
    line=True,
    sends=_SENDS,
    lead="",
    order="words first",
    grounding="gui-owl-grounding",
)
