"""Qwen-VL on phones and computers, by the tools `mobile_use` and `computer_use`; and InfiGUI-R1.

Its prompts for one element, as papers ask it, are in `grounders`. Of https://github.com/QwenLM/
Qwen3-VL at 8cdcb85d224a71da4a999e73877fd5c686db5237 and 96588727e44c78b25ba03ea03b8e12f7e64fd0da:

- "qwen2.5-vl": prompt and history of cookbooks/mobile_agent.ipynb at 8cdcb85, as its outputs show
  them. The reason, for which the grammar has no place, stands before the call; the target is not
  written.
- "qwen3-vl": the same notebook at 9658872. Its prompt states that the screen has 999x999 pixels and
  its code divides by 999, and so do we.
- "infigui-r1": Qwen2.5-VL's tool with a thought in tags, as
  https://github.com/Reallm-Labs/InfiGUI-R1 (d280ab8, eval/android_control/android_control.py, with
  `--thinking`) asks it on AndroidControl; its client resizes pictures to at most 6400 tokens.
- "qwen2.5-vl-computer" has cookbooks/utils/agent_function_call.py at 8cdcb85, in pixels;
  "qwen3-vl-computer" that at 9658872, with the screen of 1000x1000 that
  cookbooks/computer_use.ipynb fills in. That notebook requests one place, and its words are the
  prompt for an element of Qwen3-VL (read in copies, as it cannot be had here); for Qwen2.5-VL they
  are those of https://github.com/likaixin2000/
  ScreenSpot-Pro-GUI-Grounding/blob/bd8bbbb470fbc4fda2a4fa9ec90bd2572507794e/models/qwen2_5vl.py,
  with its limit of 99,999,999 pixels, to which pictures are scaled before they are sent; the
  server's own limit must be no lower. Upstream begins the answer for the model, which a chat
  cannot.
- "qwen2.5-vl-osworld" and "qwen3-vl-osworld" are OSWorld's mm_agents/qwen25vl_agent.py and
  qwen3vl_agent.py in the mirror https://github.com/ljxpython/OSWorldUse/tree/
  b5007a93c4da37b08ba1ef7936b5c70bc38b7ed6, with the sizes to which they scale pictures. Turns and
  history of all four Qwens are theirs, as the notebook has none.
- "qwen3.5-vl-computer" writes `<function=…>` with a `<parameter=…>` per argument, as OSWorld's
  mm_agents/qwen35vl_agent.py does in the mirror https://github.com/mrwwk/DeskCraft/blob/
  3e11457c9f4d0cd81f27d961b98ae65f8b6ed309: the last hundred steps are turns, all screens but the
  first are responses of the tool, and those before the last twenty are collapsed into a sentence.
  The line with today's date is left out, as a recording does not know it.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from tapwright.conventions import computer_use, mobile_use, rendering
from tapwright.conventions.computer_use import (
    ACTION_LINE,
    ASKS,
    COMPUTER_USE,
    FINDS,
    OSWORLD_SIZES,
    ComputerCaller,
    FindingComputerCaller,
)
from tapwright.conventions.family import Family, InTurns, OneTurn, assistant_message, user_message
from tapwright.conventions.mobile_use import MOBILE_USE
from tapwright.conventions.parsing import JsonObject
from tapwright.conventions.remembered import remember
from tapwright.conventions.resize import QWEN2_5_VL as QWEN_RESIZE
from tapwright.conventions.resize import SmartResize
from tapwright.conventions.tool_call import ToolCaller
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot


def _say_call(family: Family, step: Step) -> str:
    """An earlier call without its tags."""
    return _say_alone(step.decision, step.observation.size, family)


@remember
def _say_alone(decision: Decision, size: Size, family: Family) -> str:
    said = rendering.render_past(replace(decision, reasoning=""), size, family)
    return said.removeprefix("<tool_call>").removesuffix("</tool_call>").strip()


def _say_arguments(family: Family, step: Step) -> str:
    """The arguments of an earlier call."""
    call = _say_call(family, step)
    return call.removeprefix('{"name": "mobile_use", "arguments": ').removesuffix("}")


def _say_unquoted(family: Family, step: Step) -> str:
    return rendering.action_line(step).replace('"', "")


_QUERY = OneTurn(
    "The user query:  {task}\n"
    "Task progress (You have done the following operation on the current device): {history}"
    "{picture}",
    system="{template}",
    line="Step {number}: {step}; ",
    recall=_say_call,
)
QWEN2_5_VL = ToolCaller(
    name="qwen2.5-vl",
    source="QwenLM/Qwen3-VL@8cdcb85 cookbooks/mobile_agent.ipynb",
    space="pixel",
    resize=QWEN_RESIZE,
    tool=mobile_use.TOOL,
    grammar=MOBILE_USE.without("answer"),
    asks=_QUERY,
)
_INFIGUI = SmartResize(28, 3136, 6400 * 28**2)
INFIGUI_R1 = replace(
    QWEN2_5_VL,
    name="infigui-r1",
    source="Reallm-Labs/InfiGUI-R1@d280ab8 eval/android_control/android_control.py",
    resize=_INFIGUI,
    sends=_INFIGUI,
    before="<think>\n{reasoning}\n</think>\n",
    asks=replace(_QUERY, recall=_say_arguments),
)
QWEN3_VL = ToolCaller(
    name="qwen3-vl",
    source="QwenLM/Qwen3-VL@9658872 cookbooks/mobile_agent.ipynb",
    space="0-999",
    tool=mobile_use.TOOL,
    grammar=MOBILE_USE.without("open", "key"),
    before="Thought: {reasoning}\nAction: {line}\n",
    asks=OneTurn(
        "The user query: {task}.\n"
        "Task progress (You have done the following operation on the current device): {history}.\n"
        "{picture}",
        system="{template}",
        line="Step {number}: {step}; ",
        recall=_say_unquoted,
    ),
)

_COOKBOOK = "cookbooks/utils/agent_function_call.py"
_OSWORLD = "ljxpython/OSWorldUse@b5007a9 mm_agents/{}.py (a mirror of OSWorld)"
_SCREENSPOT_PRO = SmartResize(28, 28**2, 99_999_999)
_OSWORLD_2_5 = SmartResize(28, 56**2, 14 * 14 * 4 * 1280)
_OLDER = COMPUTER_USE.only(
    *(COMPUTER_USE.words - {"triple_click", "hscroll", "answer", "key_down", "key_up"})
)

QWEN2_5_VL_COMPUTER = FindingComputerCaller(
    name="qwen2.5-vl-computer",
    source=f"QwenLM/Qwen3-VL@8cdcb85 {_COOKBOOK}",
    space="pixel",
    resize=_SCREENSPOT_PRO,
    sends=_SCREENSPOT_PRO,
    grammar=_OLDER,
    asks=ASKS,
    finds=replace(FINDS, system="{template:qwen2.5-vl-grounding}"),
)
QWEN3_VL_COMPUTER = FindingComputerCaller(
    name="qwen3-vl-computer",
    source=f"QwenLM/Qwen3-VL@9658872 {_COOKBOOK}",
    space="permille",
    asks=ASKS,
    finds=replace(FINDS, words="{task}{picture}"),
)
QWEN2_5_VL_OSWORLD = ComputerCaller(
    name="qwen2.5-vl-osworld",
    source=_OSWORLD.format("qwen25vl_agent"),
    space="pixel",
    resize=_OSWORLD_2_5,
    sends=_OSWORLD_2_5,
    grammar=_OLDER,
    asks=ASKS,
)
QWEN3_VL_OSWORLD = ComputerCaller(
    name="qwen3-vl-osworld",
    source=_OSWORLD.format("qwen3vl_agent"),
    space="0-999",
    before=ACTION_LINE,
    sends=OSWORLD_SIZES,
    grammar=_OLDER,
    asks=ASKS,
)

_LISTS = ("coordinate", "start_coordinate", "keys")
_FUNCTION, _FUNCTION_END = f"<function={computer_use.TOOL}>", "</function>"
_PARAMETER, _PARAMETER_END = "<parameter=", "</parameter>"


@dataclass(frozen=True, slots=True)
class _Collapsing(InTurns):
    """The same turns, of which only so many have a screen, as responses of the tool."""

    screens: int = 20

    def messages(
        self, family: Family, task: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The system turn; then screens and answers, and the present screen."""
        system, words, recent = self.opening(family, task, history, observation)
        messages, hidden = [system], len(recent) + 1 - self.screens
        for number, step in enumerate(recent):
            screen = step.observation.screenshot if number >= hidden else None
            messages.append(_respond(screen, "" if number else words))
            messages.append(assistant_message(rendering.render_step(family, step)))
        return [*messages, _respond(observation.screenshot, "" if recent else words)]


def _respond(screen: Screenshot | None, words: str) -> Message:
    """A screen with the task, or as the response of the tool; None is one that is collapsed."""
    if words:
        return user_message(words) if screen is None else user_message(screen, words)
    shown = screen or "This screenshot has been collapsed."
    return user_message("<tool_response>\n", shown, "\n</tool_response>")


class Qwen35Vl(ComputerCaller):
    """Speaks and reads `Action: …`, `<tool_call><function=computer_use>…`."""

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
            call = json.dumps(
                {"name": computer_use.TOOL, "arguments": arguments}, ensure_ascii=False
            )
            made += [answer[at:begin], call]
            at = end + len(_FUNCTION_END)
        return "".join([*made, answer[at:]])


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
            with suppress(ValueError, RecursionError):
                made[name] = json.loads(value)
        begin = text.find(_PARAMETER, end)
    return made


QWEN3_5_VL_COMPUTER = Qwen35Vl(
    name="qwen3.5-vl-computer",
    source="mrwwk/DeskCraft@3e11457 mm_agents/qwen35vl_agent.py (a mirror of OSWorld)",
    space="0-999",
    before=ACTION_LINE,
    sends=OSWORLD_SIZES,
    asks=_Collapsing(ASKS.words, shown=99),
)
