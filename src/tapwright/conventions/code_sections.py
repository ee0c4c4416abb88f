"""Answers in sections with a block of pyautogui code: OpenCUA, EvoCUA (S1), Kimi.

    ## Thought:  …  ## Action:  …  ## Code:  ```python … ```

The sections, the functions beside pyautogui's and the history follow OSWorld's `mm_agents/opencua`
and `mm_agents/kimi`, read in the mirror https://github.com/ljxpython/OSWorldUse/tree/
b5007a93c4da37b08ba1ef7936b5c70bc38b7ed6, as OSWorld itself cannot be had here. An earlier step
comes back as a turn of the model without its code; the screens of the latest stand before theirs,
all older ones are one turn at the start.

- "opencua" is AgentNetBench of https://github.com/xlang-ai/OpenCUA/blob/
  1d70f20663dcaa01f10c7fed5669887286545866/evaluation/agentnetbench/agent/opencua.py (L2): fractions
  of the screen, as AgentNet has them, and the latest ten steps come back, each as a turn.
  "opencua-agentnetbench" is the same for the released models, which are built on Qwen2.5-VL and
  answer in pixels of the resized picture. "opencua-qwen2.5" (7B, 32B) and "opencua-72b" have the
  prompts of OSWorld-Verified (mm_agents/opencua/prompts.py of the mirror), with the password that
  its runner fills in by default. The prompt for one element is that of OpenCUA's
  model/inference/huggingface_inference.py.
- "evocua-s1" (https://github.com/meituan/EvoCUA/blob/4a0ad5fd4eb1d5b65966e1c7cc3feaa3b534eadd
  /mm_agents/evocua) has the prompt of OpenCUA-72B, word for word; pixels of the resized picture are
  the only unit that its code reads, and the last three steps come back with their screens.
- "kimi-k2.5" (thinking) and "kimi-k2.5-instant": mm_agents/kimi/kimi_agent.py of the mirror;
  earlier steps come back with their thoughts, the last two with their screens. Numbers above 1,
  which upstream takes for pixels, are refused, as a unit is never guessed.
- "kimi-vl" has the prompt of https://github.com/likaixin2000/ScreenSpot-Pro-GUI-Grounding/blob/
  bd8bbbb470fbc4fda2a4fa9ec90bd2572507794e/models/kimivl.py, for one element and, as there is no
  other of its own, for a task.

Rules: it has a computer's actions alone, so what only a phone has (swipe, long press, open an app,
back, home) is refused. Ten notches of the wheel are a screen. `computer.wait` waits 20 seconds.
An end with an answer is that answer: the model ends in its next turn. It ends as success or
failure, of which "fail" is another spelling.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import JsonValue

from tapwright.conventions import parsing, pyautogui, rendering
from tapwright.conventions.call_syntax import ParsedCall, find_calls
from tapwright.conventions.family import (
    Family,
    Finding,
    OneTurn,
    assistant_message,
    fill,
    read_template,
    user_message,
)
from tapwright.conventions.resize import OPENCUA as OPENCUA_RESIZE
from tapwright.core import actions as act
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation
from tapwright.errors import BadAnswerError

_NOTCHES = 10
_WAIT_S = 20
_END = "computer.terminate"
_ASK = (
    "# Task Instruction:\n{instruction}\n\nPlease generate the next move according to the "
    "screenshot, task instruction and previous steps (if provided).\n"
)
_BLOCK = re.compile(
    r"^```(?:(?:python|code)\b\s*+|[ \t]*+\n(?=pyautogui\.|computer\.|import ))",
    re.MULTILINE | re.IGNORECASE,
)
_ACTION = re.compile(r"^(?:##[ \t]*+)?Action:?[ \t]*+$|^(?:##[ \t]*+)?Action:", re.MULTILINE)
_THOUGHT = re.compile(r"^(?:##[ \t]*+)?Thought:?[ \t]*+$|^(?:##[ \t]*+)?Thought:", re.MULTILINE)
_CODE = re.compile(r"^(?:##[ \t]*+)?Code:?\s*\Z", re.MULTILINE)

Thoughts = Literal["section", "marks"]
"""Where the thought stands: in a section of its own, or before the sections in Kimi's marks."""


@dataclass(frozen=True, slots=True)
class _Recalling:
    """Earlier steps as the model's turns, the `shown` latest behind their screens.

    `recalls_thought` is whether the thought of a step comes back beside its action; all older steps
    are one turn at the start, or each one of its own, of so many steps that are `apart`.
    """

    template: str
    shown: int = 2
    recalls_thought: bool = False
    apart: int | None = None

    def messages(
        self, family: Family, task: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The form of an answer in the system turn; the steps so far; screen and task."""
        assert isinstance(family, CodeSections)
        messages = [Message("system", (Text(read_template(self.template)),))]
        first = max(len(history) - self.shown, 0)
        lines = [self._recall(family, number, step) for number, step in enumerate(history, start=1)]
        older = lines[:first]
        if self.apart is not None:
            messages += [assistant_message(line) for line in lines[-self.apart : first]]
        elif older:
            messages.append(assistant_message("\n".join(older)))
        for step, line in zip(history[first:], lines[first:], strict=True):
            messages += [user_message(step.observation.screenshot), assistant_message(line)]
        ask = fill(_ASK, instruction=task)
        if self.apart is not None:
            ask = f"\n{ask}"
        return [*messages, user_message(observation.screenshot, ask)]

    def _recall(self, family: "CodeSections", number: int, step: Step) -> str:
        thought = family.thought(step.decision) if self.recalls_thought else ""
        line = rendering.action_line(step)
        return f"# Step {number}:\n{thought}## Action:\n{line}\n"


class _Pointer(pyautogui.CallPointer):
    """Takes fractions between 0 and 1 for what they are where pixels are meant, as OSWorld's do."""

    def read(self, call: ParsedCall) -> Point:
        x = call.get("x")
        if type(x) is int and x > 1:
            return super().read(call)
        with suppress(BadAnswerError):
            at = pyautogui.read_call_place(call, Size(1, 1), "fraction")
            if not (at.x.is_integer() and at.y.is_integer()):
                return at
        return super().read(call)


@dataclass(frozen=True, kw_only=True)
class CodeSections(Family):
    """Speaks and reads `## Thought:`, `## Action:`, `## Code:` and a block of code.

    `triple_click` is the function for one, and with `waits` the prompt has functions to wait and to
    answer. `keys` are names of keys that its runner takes for others.
    """

    thoughts: Thoughts = "section"
    triple_click: str = "pyautogui.tripleClick"
    waits: bool = True
    keys: Mapping[str, str] = field(default_factory=dict)

    def render(self, decision: Decision, size: Size) -> str:
        """The sections, the last a block of code."""
        code = "\n".join([self._render_action(action, size) for action in decision.actions])
        kind = "code" if code.startswith("computer.") else "python"
        bare = self.thoughts == "marks" and not decision.reasoning.strip()
        thought = "" if bare else self.thought(decision)
        return (
            f"{thought}## Action:\n{rendering.render_imperative(decision, size)}\n\n"
            f"## Code:\n```{kind}\n{code}\n```"
        )

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last block of code, or of an answer without one."""
        thoughts, answer = parsing.read_answer(text)
        before, code = parsing.split_at_last(answer, _BLOCK)
        if not code:
            before, code = "", before
        made = [self._rename_keys(call) for call in find_calls(code, pyautogui.CALLS)]
        if not made:
            raise parsing.bad_answer("no call of pyautogui in the answer")
        actions = pyautogui.read_actions(
            made,
            _Pointer(self.on(size).size, self.space),
            scroll_unit=1 / _NOTCHES,
            own=self._read_own,
        )
        thought, line = parsing.split_at_last(
            _CODE.sub("", parsing.reasoning_before(before)), _ACTION
        )
        reasoning = parsing.split_at_last(thought, _THOUGHT)[1].strip() or thoughts
        return parsing.make_decision(
            actions, reasoning, rendering.parse_target(line, actions, size)
        )

    def _rename_keys(self, call: ParsedCall) -> ParsedCall:
        if not self.keys or call.name not in ("pyautogui.press", "pyautogui.hotkey"):
            return call

        def rename(value: JsonValue) -> JsonValue:
            if isinstance(value, list):
                return [rename(one) for one in value]
            return self.keys.get(value.lower(), value) if isinstance(value, str) else value

        named = {name: rename(value) for name, value in call.named.items()}
        return ParsedCall(call.name, tuple(map(rename, call.args)), named)

    def _read_own(self, call: ParsedCall) -> act.Action | None:
        is_wait = self.waits and call.name == "computer.wait"
        return act.Wait(duration_s=_WAIT_S) if is_wait else None

    def thought(self, decision: Decision) -> str:
        """The thought of a decision, as an answer has it."""
        thought = decision.reasoning.strip()
        if self.thoughts == "marks":
            return f"◁think▷{thought}◁/think▷"
        return f"## Thought:\n{thought}\n\n"

    def _render_action(self, action: act.Action, size: Size) -> str:
        return pyautogui.render_held(self.name, action, lambda bare: self._render_alone(bare, size))

    def _render_alone(self, action: act.Action, size: Size) -> str:
        if isinstance(action, act.Drag) and (action.path or action.button != "left"):
            return self._render_stroke(action, size)
        rendering.check_plain(self.name, action)
        match action:
            case act.Drag(start=start, end=end):
                return (
                    f"pyautogui.moveTo({self._named(start, size)})\n"
                    f"pyautogui.dragTo({self._named(end, size)}, button='left')"
                )
            case act.Scroll(at=at):
                word, amount = rendering.split_scroll(self.name, action)
                verb = "scroll" if word in ("up", "down") else "hscroll"
                notches = max(1, round(amount * _NOTCHES)) * (1 if word in ("up", "right") else -1)
                where = "" if at == Point(0.5, 0.5) else f", {self._named(at, size)}"
                return f"pyautogui.{verb}({notches}{where})"
            case act.TripleTap(at=at):
                return f"{self.triple_click}({self._named(at, size)})"
            case act.Wait() if self.waits:
                return "computer.wait()"
            case act.Answer(text=text) if self.waits and text:
                return f"{_END}(status='success', answer={rendering.quote(text)})"
            case act.Finish(outcome=("success" | "failure") as outcome):
                return f"{_END}(status='{outcome}')"
            case act.Finish():
                raise rendering.unsupported(self.name, action, "it ends as success or failure only")
        place = pyautogui.place_in_call(action)
        return pyautogui.render_call(
            self.name, action, "" if place is None else self._named(place, size)
        )

    def _render_stroke(self, drag: act.Drag, size: Size) -> str:
        """A drag with another button or through places, call by call."""
        calls: list[act.Action] = [act.ButtonDown(at=drag.start, button=drag.button)]
        calls += [act.Hover(at=at) for at in (*drag.path, drag.end)]
        calls.append(act.ButtonUp(button=drag.button))
        return "\n".join([self._render_alone(one, size) for one in calls])

    def _named(self, point: Point, size: Size) -> str:
        if self.resize is not None:
            x, y = rendering.whole_numbers(point, self.on(size).size, self.space)
            return f"x={x}, y={y}"
        return f"x={rendering.round_number(point.x)}, y={rendering.round_number(point.y)}"


@dataclass(frozen=True, kw_only=True)
class FindingSections(Finding, CodeSections):
    """The same with a prompt for one element."""


_OSWORLD = "ljxpython/OSWorldUse@b5007a9 mm_agents/{} (a mirror of OSWorld)"

OPENCUA = FindingSections(
    name="opencua",
    source="xlang-ai/OpenCUA@1d70f20 evaluation/agentnetbench/agent/opencua.py",
    space="fraction",
    triple_click="computer.triple_click",
    waits=False,
    asks=_Recalling("opencua", apart=10),
    finds=OneTurn(
        "{picture}{task}",
        system="You are a GUI agent. You are given a task and a screenshot of the screen. "
        "You need to perform a series of pyautogui actions to complete the task.",
    ),
)
OPENCUA_AGENTNETBENCH = replace(
    OPENCUA,
    name="opencua-agentnetbench",
    space="pixel",
    resize=OPENCUA_RESIZE,
    keys={"cmd": "ctrl", "command": "ctrl"},
)
OPENCUA_QWEN2_5 = replace(
    OPENCUA_AGENTNETBENCH,
    name="opencua-qwen2.5",
    source=_OSWORLD.format("opencua/prompts.py"),
    keys={},
    asks=_Recalling("opencua-qwen2.5"),
)
OPENCUA_72B = replace(
    OPENCUA_QWEN2_5,
    name="opencua-72b",
    triple_click="pyautogui.tripleClick",
    waits=True,
    asks=_Recalling("opencua-72b"),
)
EVOCUA_S1 = CodeSections(
    name="evocua-s1",
    source="meituan/EvoCUA@4a0ad5f mm_agents/evocua/prompts.py",
    space="pixel",
    resize=OPENCUA_RESIZE,
    asks=_Recalling("opencua-72b", shown=3),
)
KIMI_K2_5 = CodeSections(
    name="kimi-k2.5",
    source=_OSWORLD.format("kimi/kimi_agent.py"),
    space="fraction",
    thoughts="marks",
    asks=_Recalling("kimi-k2.5", recalls_thought=True),
)
KIMI_K2_5_INSTANT = replace(
    KIMI_K2_5,
    name="kimi-k2.5-instant",
    thoughts="section",
    asks=_Recalling("kimi-k2.5-instant", recalls_thought=True),
)
KIMI_VL = FindingSections(
    name="kimi-vl",
    source="likaixin2000/ScreenSpot-Pro-GUI-Grounding@bd8bbbb models/kimivl.py",
    space="fraction",
    thoughts="marks",
    waits=False,
    asks=_Recalling("kimi-vl"),
    finds=OneTurn("{picture}## Task Instruction:\n{task}", system="{template}"),
)
