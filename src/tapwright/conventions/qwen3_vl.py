"""Qwen3-VL on a phone: a thought, an imperative line, one call of `mobile_use`; 0 to 999.

Prompt and answer follow the mobile agent of https://github.com/QwenLM/Qwen3-VL
(cookbooks/mobile_agent.ipynb at 9658872). Its prompt states that the screen has 999x999 pixels and
its code divides by 999, and so do we. It has neither `open` nor `key`, so an app cannot be opened
by name.
"""

import re
from collections.abc import Sequence

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
    split_at_last,
)
from tapwright.conventions.prompting import read_template, user_message
from tapwright.conventions.rendering import parse_target, plain_action, render_imperative
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation

_VERBS = MOBILE_USE - {"open", "key"}
_SPACE: Space = "0-999"
_THOUGHT = re.compile(r"\A\s*+Thought:")
_ACTION = re.compile(r"^[ \t]*+Action:", re.MULTILINE)


class Qwen3Vl:
    """Speaks and reads `Thought: …`, `Action: …`, `<tool_call>…</tool_call>`."""

    name = "qwen3-vl"
    source = "QwenLM/Qwen3-VL@9658872 cookbooks/mobile_agent.ipynb"
    space: Space = _SPACE
    """Whole numbers from 0 to 999."""

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The tool in the system turn; then the task, one line per step so far, and the screen."""
        lines = [render_imperative(step.decision, step.observation.size) for step in history]
        past = "".join(
            f"Step {number}: {line.replace(chr(34), '')}; "
            for number, line in enumerate(lines, start=1)
        )
        words = (
            f"The user query: {instruction}.\n"
            "Task progress (You have done the following operation on the current device): "
            f"{past}.\n"
        )
        return [
            Message("system", (Text(read_template("qwen3-vl")),)),
            user_message(words, observation.screenshot),
        ]

    def render(self, decision: Decision, size: Size) -> str:
        """Three parts: why, what in one line, and the call."""
        call = render_mobile_use(self.name, _VERBS, plain_action(self.name, decision), size, _SPACE)
        return (
            f"Thought: {decision.reasoning.strip()}\n"
            f"Action: {render_imperative(decision, size)}\n{call}"
        )

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last call that can be read; the lines before it may be missing.

        Raises:
            BadAnswerError: there is no such call.
        """
        thoughts, answer = read_answer(text)

        def read(call: JsonObject, before: str) -> Decision:
            action = parse_mobile_use(call, _VERBS, size, _SPACE)
            thought, line = split_at_last(reasoning_before(before), _ACTION)
            reasoning = _THOUGHT.sub("", thought).strip() or thoughts
            return make_decision(action, reasoning, parse_target(line, [action], size))

        return read_last_object(answer, read)


QWEN3_VL = Qwen3Vl()
