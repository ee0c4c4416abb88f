"""GUI-Owl 1.5 (Mobile-Agent-v3.5): an imperative line and one call of `mobile_use`; thousandths.

Prompt, history and answer follow https://github.com/X-PLUG/MobileAgent/blob/
2ebed74fb9138c32eb257d9e2595cf2ae719b4a9/Mobile-Agent-v3.5/mobile_use/utils.py: older steps are
lines of text, the last four are turns with their screens. Today's date, which stands before the
task there, is left out, as a recording does not know it. The grammar has no place for a reason;
what stands before the line is read as one. `interact`, which calls the user, is refused.
"""

import re
from collections.abc import Sequence

from tapwright.conventions.convention import Space
from tapwright.conventions.mobile_use import MOBILE_USE, meant_by_tool, said_by_tool, tool_call
from tapwright.conventions.parsing import (
    JsonObject,
    after_mark,
    decided,
    last_object,
    lead,
    read_answer,
)
from tapwright.conventions.prompting import said, shown, template
from tapwright.conventions.rendering import imperative, retold, target_of
from tapwright.episode import Decision, Step
from tapwright.geometry import Size
from tapwright.messages import Message, Text
from tapwright.observation import Observation

_SPACE: Space = "permille"
_SHOWN_STEPS = 4
_ACTION = re.compile(r"^[ \t]*+Action:", re.MULTILINE)


class GuiOwl:
    """Speaks and reads `Action: …`, `<tool_call>…</tool_call>`."""

    @property
    def name(self) -> str:
        """The word "gui-owl"."""
        return "gui-owl"

    @property
    def space(self) -> Space:
        """Whole thousandths of the screen."""
        return _SPACE

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The tool in the system turn, the task with older steps, then screens and answers."""
        first = max(len(history) - _SHOWN_STEPS, 0)
        older = "\n".join(
            f"Step {number}: {imperative(step.decision, step.observation.size)}"
            for number, step in enumerate(history[:first], start=1)
        )
        words = (
            "Please generate the next move according to the UI screenshot, instruction and "
            f"previous actions.\n\nInstruction: {instruction}\n\n"
            f"Previous actions:\n{older or 'None'}"
        )
        messages = [Message("system", (Text(template("gui-owl")),))]
        for step in history[first:]:
            messages += [shown(words, step.observation.screenshot), said(retold(self, step))]
            words = ""
        return [*messages, shown(words, observation.screenshot)]

    def render(self, decision: Decision, size: Size) -> str:
        """What to do in one line, and the call."""
        arguments = said_by_tool(self.name, MOBILE_USE, decision.action, size, _SPACE)
        return f"Action: {imperative(decision, size)}\n{tool_call(arguments)}"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last call that can be read; the line before it may be missing.

        Raises:
            BadAnswerError: there is no such call.
        """
        thoughts, answer = read_answer(text)

        def read(call: JsonObject, before: str) -> Decision:
            action = meant_by_tool(call, MOBILE_USE, size, _SPACE)
            thought, line = after_mark(lead(before), _ACTION)
            return decided(action, lead(thought) or thoughts, target_of(line, action, size))

        return last_object(answer, read)


GUI_OWL = GuiOwl()
