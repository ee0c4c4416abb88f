"""Qwen2.5-VL on a phone: one call of `mobile_use`, places in pixels of the resized picture.

Prompt, history and answer follow https://github.com/QwenLM/Qwen3-VL/blob/
8cdcb85d224a71da4a999e73877fd5c686db5237/cookbooks/mobile_agent.ipynb, as its outputs show them. The
reason, for which the grammar has no place, stands before the call; the target is not written.
"""

from collections.abc import Sequence
from dataclasses import replace

from tapwright.conventions.convention import Space
from tapwright.conventions.mobile_use import (
    MOBILE_USE,
    parse_mobile_use,
    render_mobile_use,
)
from tapwright.conventions.parsing import (
    JsonObject,
    make_decision,
    read_answer,
    read_last_object,
    reasoning_before,
)
from tapwright.conventions.prompting import fill, read_template, user_message
from tapwright.conventions.rendering import plain_action, render_step
from tapwright.conventions.resize import QWEN2_5_VL as RESIZE
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation

_VERBS = MOBILE_USE - {"answer"}


class Qwen25Vl:
    """Speaks and reads `<tool_call>{"name": "mobile_use", "arguments": …}</tool_call>`."""

    name = "qwen2.5-vl"
    source = "QwenLM/Qwen3-VL@8cdcb85 cookbooks/mobile_agent.ipynb"
    space: Space = "pixel"
    """Pixels of the picture after `smart_resize`."""

    def model_size(self, size: Size) -> Size:
        """The size after `smart_resize` with factor 28 and the processor's limits."""
        return RESIZE.size(size)

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The tool in the system turn; then the task, the calls so far, and the screen."""
        seen = self.model_size(observation.size)
        system = fill(read_template("qwen2.5-vl"), width=str(seen.width), height=str(seen.height))
        past = "".join(
            f"Step {number}: {self._render_past_call(step)}; "
            for number, step in enumerate(history, start=1)
        )
        words = (
            f"The user query:  {instruction}\n"
            f"Task progress (You have done the following operation on the current device): {past}"
        )
        return [Message("system", (Text(system),)), user_message(words, observation.screenshot)]

    def render(self, decision: Decision, size: Size) -> str:
        """The reason, if there is one, and the call."""
        call = render_mobile_use(
            self.name, _VERBS, plain_action(self.name, decision), self.model_size(size), self.space
        )
        reasoning = decision.reasoning.strip()
        return f"{reasoning}\n{call}" if reasoning else call

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last call that can be read, tags or not.

        Raises:
            BadAnswerError: there is none.
        """
        thoughts, answer = read_answer(text)

        def read(call: JsonObject, before: str) -> Decision:
            action = parse_mobile_use(call, _VERBS, self.model_size(size), self.space)
            return make_decision(action, reasoning_before(before) or thoughts)

        return read_last_object(answer, read)

    def _render_past_call(self, step: Step) -> str:
        """A call without its tags, as the history writes it."""
        alone = replace(step, decision=replace(step.decision, reasoning=""))
        return (
            render_step(self, alone)
            .removeprefix("<tool_call>")
            .removesuffix("</tool_call>")
            .strip()
        )


QWEN2_5_VL = Qwen25Vl()
