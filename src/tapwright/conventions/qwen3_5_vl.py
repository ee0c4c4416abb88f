"""Qwen3.5 on a computer: `computer_use` as `<function=…>` with a `<parameter=…>` per argument.

    Action: Open the file.
    <tool_call>
    <function=computer_use>
    <parameter=action>
    left_click
    </parameter>
    …

Follows OSWorld's mm_agents/qwen35vl_agent.py in the mirror https://github.com/mrwwk/DeskCraft/blob/
3e11457c9f4d0cd81f27d961b98ae65f8b6ed309/mm_agents/qwen35vl_agent.py, as OSWorld itself cannot be
had here: 0 to 999, the last hundred steps are turns, all screens but the first are responses of the
tool, and those before the last twenty are collapsed into a sentence. The line with today's date
is left out, as a recording does not know it. Its extra turns of an interactive user are not ours.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from tapwright.conventions.computer_agents import ComputerAgent
from tapwright.conventions.computer_use import TOOL
from tapwright.conventions.parsing import JsonObject
from tapwright.conventions.prompting import assistant_message, user_message
from tapwright.conventions.qwen_computer import OSWORLD_3
from tapwright.conventions.rendering import render_imperative, render_step
from tapwright.core.episode import Step
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot

_TURNS = 100
_SHOWN = 20
_COLLAPSED = "This screenshot has been collapsed."
_LISTS = ("coordinate", "start_coordinate", "keys")
_FUNCTION, _FUNCTION_END = f"<function={TOOL}>", "</function>"
_PARAMETER, _PARAMETER_END = "<parameter=", "</parameter>"


@dataclass(frozen=True, slots=True)
class Qwen35Vl(ComputerAgent):
    """Speaks and reads `Action: …`, `<tool_call><function=computer_use>…`."""

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The tool in the system turn, the task with older steps, then screens and answers."""
        first = max(len(history) - _TURNS + 1, 0)
        older = "\n".join(
            f"Step {number}: {render_imperative(step.decision, step.observation.size)}"
            for number, step in enumerate(history[:first], start=1)
        )
        words = (
            "\nPlease generate the next move according to the UI screenshot, instruction and "
            f"previous actions.\n\nInstruction: {instruction}\n\n"
            f"Previous actions:\n{older or 'None'}"
        )
        messages = [self._tools(observation.size, self.name)]
        hidden = len(history) + 1 - _SHOWN
        for number, step in enumerate(history[first:], start=first):
            screen = step.observation.screenshot if number >= hidden else None
            messages += [
                _ask(screen, words if number == first else ""),
                assistant_message(render_step(self, step)),
            ]
        now = observation.screenshot
        return [*messages, _ask(now, "" if history[first:] else words)]

    def _wrap(self, arguments: JsonObject) -> str:
        parameters = "".join(
            f"{_PARAMETER}{name}>\n{value if isinstance(value, str) else json.dumps(value)}\n"
            f"{_PARAMETER_END}\n"
            for name, value in arguments.items()
        )
        return f"<tool_call>\n{_FUNCTION}\n{parameters}{_FUNCTION_END}\n</tool_call>"

    def _as_json(self, answer: str) -> str:
        """The answer with each call in tags replaced by one in JSON."""
        made, at = [], 0
        while (begin := answer.find(_FUNCTION, at)) >= 0:
            end = answer.find(_FUNCTION_END, begin)
            if end < 0:
                break
            arguments = _read_parameters(answer[begin + len(_FUNCTION) : end])
            call = json.dumps({"name": TOOL, "arguments": arguments}, ensure_ascii=False)
            made += [answer[at:begin], call]
            at = end + len(_FUNCTION_END)
        return "".join([*made, answer[at:]])


def _ask(screen: Screenshot | None, words: str) -> Message:
    """A screen with the task, or as the response of the tool; None is one that is collapsed."""
    if words:
        return user_message(words) if screen is None else user_message(screen, words)
    return user_message("<tool_response>\n", screen or _COLLAPSED, "\n</tool_response>")


def _read_parameters(text: str) -> JsonObject:
    made: JsonObject = {}
    begin = text.find(_PARAMETER)
    while begin >= 0:
        name, _, _ = text[begin + len(_PARAMETER) : begin + 60].partition(">")
        start = begin + len(_PARAMETER) + len(name) + 1
        end = text.find(_PARAMETER_END, start)
        if end < 0:
            break
        value = text[start:end].removeprefix("\n").removesuffix("\n")
        made[name] = value
        if name in _LISTS:
            try:
                made[name] = json.loads(value)
            except (ValueError, RecursionError):
                made[name] = value
        begin = text.find(_PARAMETER, end)
    return made


QWEN3_5_VL_COMPUTER = Qwen35Vl(
    "qwen3.5-vl-computer",
    "mrwwk/DeskCraft@3e11457 mm_agents/qwen35vl_agent.py (a mirror of OSWorld)",
    "0-999",
    line=True,
    sends=OSWORLD_3,
)
