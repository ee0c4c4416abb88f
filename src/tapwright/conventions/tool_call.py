"""Answers that call a tool by JSON in tags: `<tool_call>{"name": …, "arguments": …}</tool_call>`.

Follows the `nous` template of Qwen-Agent, which Qwen's models and those built on them were trained
with (https://github.com/QwenLM/Qwen3-VL/blob/8cdcb85d224a71da4a999e73877fd5c686db5237
/cookbooks/mobile_agent.ipynb). A call is also read without tags, in a fence, and as its arguments
alone, as servers that split tool calls off hand them on. Families differ in what stands before the
call, in the tool and in its verbs.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tapwright.conventions import parsing, rendering
from tapwright.conventions.arguments import On
from tapwright.conventions.family import Family, Finding
from tapwright.conventions.grounding import place_of
from tapwright.conventions.pyautogui import fold_moves, pointer_after
from tapwright.core.actions import Action, Finish, Tap
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size
from tapwright.errors import BadAnswerError

__all__ = ["FindingToolCaller", "ToolCaller"]

_COMPACT = json.JSONEncoder(separators=(",", ":")).encode
_LINE = re.compile(r"^[ \t]*+Action:", re.MULTILINE)
_THOUGHT = re.compile(r"\A\s*+Thought:")


@dataclass(frozen=True, kw_only=True)
class ToolCaller(Family):
    """Speaks and reads `<tool_call>…</tool_call>`.

    `before` is what stands before it, with `{reasoning}` and `{line}`, which is nothing where it
    has no line and there is no reasoning. `several` is whether an answer may have several calls.
    """

    tool: str
    before: str = "{reasoning}\n"
    several: bool = False
    compact: bool = False

    def render(self, decision: Decision, size: Size) -> str:
        """What stands before the call, and the call or calls."""
        if not self.several:
            rendering.sole_action(self.name, decision)
        on = self.on(size)
        calls = [
            self._wrap(call)
            for action in rendering.plain_actions(self.name, decision)
            for call in self._calls(action, on)
        ]
        return self._lead(decision, size) + "\n".join(calls)

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of the last call that can be read, or of the last calls in a row."""
        thoughts, answer = parsing.read_answer(text)
        if not self.several:
            return parsing.read_last_object(
                answer, lambda call, before: self._decide([call], before, thoughts, size)
            )
        problem: BadAnswerError | None = None
        for calls, before in parsing.find_runs(self._as_json(answer)):
            try:
                return self._decide(calls, before, thoughts, size)
            except BadAnswerError as error:
                problem = problem or error
        raise problem or parsing.bad_answer("no JSON object in the answer")

    def _lead(self, decision: Decision, size: Size) -> str:
        reasoning = decision.reasoning.strip()
        head, has_line, tail = self.before.partition("{line}")
        if not (has_line or reasoning):
            return ""
        lead = head.replace("{reasoning}", reasoning)
        return f"{lead}{rendering.render_imperative(decision, size)}{tail}" if has_line else lead

    def _decide(
        self, calls: Sequence[parsing.JsonObject], before: str, thoughts: str, size: Size
    ) -> Decision:
        actions = self._read(calls, size)
        if self.before.startswith("<"):  # its thoughts are between tags
            return parsing.make_decision(actions, thoughts or parsing.reasoning_before(before))
        if "{line}" not in self.before:
            return parsing.make_decision(actions, parsing.reasoning_before(before) or thoughts)
        thought, line = parsing.split_at_last(parsing.reasoning_before(before), _LINE)
        reasoning = parsing.reasoning_before(_THOUGHT.sub("", thought)) or thoughts
        return parsing.make_decision(
            actions, reasoning, rendering.parse_target(line, actions, size)
        )

    def _read(self, calls: Sequence[parsing.JsonObject], size: Size) -> list[Action]:
        """The actions of calls in a row, up to the end of the task.

        Upstream passes over calls that it cannot read, and does none behind the end.

        Raises:
            BadAnswerError: none can be read; names the problem of the last.
        """
        on = self.on(size)
        if len(calls) == 1:
            return [self._read_call(calls[0], on)]
        actions: list[Action] = []
        problem: BadAnswerError | None = None
        for call in calls:
            try:
                action = self._read_call(call, on)
            except BadAnswerError as error:
                problem = error
                continue
            actions.append(action)
            if isinstance(action, Finish):
                break
            on = on._replace(pointer=pointer_after(action) or on.pointer)
        if not actions:
            raise problem or parsing.bad_answer("no call in the answer")
        return fold_moves(actions)

    def _read_call(self, call: parsing.JsonObject, on: On) -> Action:
        given = self._arguments(call)
        return self.grammar.read_object(given, on, given.get("action"))

    def _arguments(self, call: parsing.JsonObject) -> parsing.JsonObject:
        """The arguments of a call of the tool, which may stand alone.

        Raises:
            BadAnswerError: it is a call of another tool.
        """
        name = call.get("name", self.tool)
        given = parsing.decode_json(call.get("arguments", call), "the arguments")
        if name != self.tool or not isinstance(given, dict):
            raise parsing.bad_answer(
                f"a call of {parsing.shorten(name)}; expected {self.tool} with arguments"
            )
        return given

    def _calls(self, action: Action, on: On) -> list[parsing.JsonObject]:
        """The arguments of the calls that an action is."""
        word, said = self.grammar.write(action, on)
        return [{"action": word, **said}]

    def _wrap(self, arguments: parsing.JsonObject) -> str:
        encode = _COMPACT if self.compact else rendering.encode_json
        call = encode({"name": self.tool, "arguments": arguments})
        return f"<tool_call>\n{call}\n</tool_call>"

    def _as_json(self, answer: str) -> str:
        """The answer with its calls as JSON."""
        return answer


@dataclass(frozen=True, kw_only=True)
class FindingToolCaller(Finding, ToolCaller):
    """The same with a prompt for one element; its answer may be a `coordinate` alone."""

    def parse_point(self, text: str, size: Size) -> Point | None:
        """The place in the last object with a `coordinate`, or of a call of the tool."""
        if self.several:
            return place_of(self.parse(text, size).first)

        def read(found: parsing.JsonObject, before: str) -> Decision:
            if "coordinate" not in found or "action" in found:
                return Decision(self._read_call(found, self.on(size)))
            return Decision(Tap(at=self.on(size).place(found["coordinate"], "coordinate")))

        return place_of(parsing.read_last_object(parsing.read_answer(text)[1], read).first)
