"""Models that call `computer_use`: Qwen-VL, GUI-Owl 1.5 and EvoCUA (S2) on a computer.

They answer with the call, some with a line `Action: …` before it; the last four steps are turns
with their screens, older ones a line each. Each file that registers one names its source. The
grammar with an `Action:` line has no place for a reason; what stands before it is read as one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tapwright.conventions.computer_use import (
    COMPUTER_USE,
    TOOL,
    parse_computer_use,
    render_computer_use,
)
from tapwright.conventions.convention import Space
from tapwright.conventions.grounding import place_of
from tapwright.conventions.parsing import (
    JsonObject,
    bad_answer,
    find_runs,
    make_decision,
    read_answer,
    reasoning_before,
    split_at_last,
)
from tapwright.conventions.prompting import fill, read_template, user_message
from tapwright.conventions.pyautogui import fold_moves, pointer_after
from tapwright.conventions.rendering import parse_target, plain_actions, render_imperative
from tapwright.conventions.resize import SmartResize
from tapwright.conventions.tool_call import wrap_tool_call
from tapwright.conventions.turns import Order, ask_in_turns
from tapwright.core.actions import Action
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation
from tapwright.errors import BadAnswerError

__all__ = ["ComputerAgent", "GroundingComputerAgent"]

_SHOWN_STEPS = 4
_ACTION = re.compile(r"^[ \t]*+Action:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ComputerAgent:
    """Speaks and reads `<tool_call>{"name": "computer_use", "arguments": …}</tool_call>`.

    `line` is whether `Action: …` stands before the call, `lead` what stands before the words of
    the task, and `order` whether its picture stands before them. `sends` is how the client scales
    pictures, `resize` how they are scaled for the model, in whose pixels it answers. `verbs` are
    those that the prompt offers; all are read.
    """

    name: str
    source: str
    space: Space
    line: bool
    resize: SmartResize | None = None
    sends: SmartResize | None = None
    lead: str = "\n"
    order: Order = "picture first"
    verbs: frozenset[str] = field(default=COMPUTER_USE, repr=False)

    def model_size(self, size: Size) -> Size:
        """The size after `smart_resize`, or as it is."""
        return size if self.resize is None else self.resize.size(size)

    def sent_size(self, size: Size) -> Size:
        """The size after the client's `smart_resize`, or as it is."""
        return size if self.sends is None else self.sends.size(size)

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The tool in the system turn, the task with older steps, then screens and answers."""
        older = "\n".join(
            f"Step {number}: {render_imperative(step.decision, step.observation.size)}"
            for number, step in enumerate(history[:-_SHOWN_STEPS], start=1)
        )
        words = (
            f"{self.lead}Please generate the next move according to the UI screenshot, "
            f"instruction and previous actions.\n\nInstruction: {instruction}\n\n"
            f"Previous actions:\n{older or 'None'}"
        )
        return [
            self._tools(observation.size, self.name),
            *ask_in_turns(self, words, history[-_SHOWN_STEPS:], observation, self.order),
        ]

    def render(self, decision: Decision, size: Size) -> str:
        """What to do in one line, or the reason, and the call; a drag is two calls."""
        seen = self.model_size(size)
        calls = [
            call
            for action in plain_actions(self.name, decision)
            for call in render_computer_use(self.name, self.verbs, action, seen, self.space)
        ]
        called = "\n".join(self._wrap(call) for call in calls)
        before = decision.reasoning.strip()
        if self.line:
            before = f"Action: {render_imperative(decision, size)}"
        return f"{before}\n{called}" if before else called

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last calls that can be read; the line before them may be missing.

        Raises:
            BadAnswerError: there is no such call.
        """
        thoughts, answer = read_answer(text)
        problem: BadAnswerError | None = None
        for calls, before in find_runs(self._as_json(answer)):
            try:
                actions = self._read(calls, size)
            except BadAnswerError as error:
                problem = problem or error
                continue
            if not self.line:
                return make_decision(actions, reasoning_before(before) or thoughts)
            thought, line = split_at_last(reasoning_before(before), _ACTION)
            target = parse_target(line, actions, size)
            return make_decision(actions, reasoning_before(thought) or thoughts, target)
        raise problem or bad_answer("no JSON object in the answer")

    def _read(self, calls: Sequence[JsonObject], size: Size) -> list[Action]:
        """The actions of calls in a row; upstream passes over those that it cannot read.

        Raises:
            BadAnswerError: none can be read; names the problem of the last.
        """
        seen, pointer = self.model_size(size), None
        actions: list[Action] = []
        problem: BadAnswerError | None = None
        for call in calls:
            try:
                action = parse_computer_use(call, COMPUTER_USE, seen, self.space, pointer)
            except BadAnswerError as error:
                problem = error
                continue
            actions.append(action)
            pointer = pointer_after(action) or pointer
        if not actions:
            raise problem or bad_answer("no call in the answer")
        return fold_moves(actions)

    def _tools(self, size: Size, template: str) -> Message:
        seen = self.model_size(size)
        text = fill(read_template(template), width=str(seen.width), height=str(seen.height))
        return Message("system", (Text(text),))

    def _wrap(self, arguments: JsonObject) -> str:
        return wrap_tool_call(TOOL, arguments)

    def _as_json(self, answer: str) -> str:
        return answer


@dataclass(frozen=True, slots=True)
class GroundingComputerAgent(ComputerAgent):
    """The same with a prompt for one element: `grounding` is the system turn's template."""

    grounding: str = ""
    grounding_order: Order = "picture first"

    def grounding_prompt(
        self, target: str, observation: Observation, reasoning: str = ""
    ) -> list[Message]:
        """The messages that request the place of `target`; upstream tells no reason."""
        parts = (observation.screenshot, target)
        asked = parts if self.grounding_order == "picture first" else parts[::-1]
        return [self._tools(observation.size, self.grounding), user_message(*asked)]

    def parse_point(self, text: str, size: Size) -> Point | None:
        """The place of the call; None where it ends as a failure, as there is no such element.

        Raises:
            BadAnswerError: it has no place.
        """
        return place_of(self.parse(text, size).action)
