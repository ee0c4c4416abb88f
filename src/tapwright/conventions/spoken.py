"""How a convention is spoken to one model: in its words, or by the tool that the model's API has.

Agents, grounders and benchmarks make their prompts here, so that one model is asked alike by all.

A convention of a provider's computer tool can be spoken in two ways. To a model behind any server
its words go as text (`Convention.prompt`). To a model behind the provider's own API the tool is
declared, earlier answers go as the calls that they were, and the screen after each as its result
(`tool_messages`); the client gives the answer back as the text that `Convention.parse` reads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from tapwright.conventions.convention import Convention
from tapwright.conventions.grounding import grounding_messages
from tapwright.conventions.history import DEFAULT_HISTORY, HistoryPolicy
from tapwright.core.episode import Decision, Step, describe_actions
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Part, Picture, Text, ToolCall
from tapwright.core.observation import Observation
from tapwright.errors import UnsupportedByConventionError

__all__ = ["SpokenConvention", "ToolConvention", "tool_messages"]


@runtime_checkable
class ToolConvention(Convention, Protocol):
    """A convention that declares a tool of a provider's API."""

    @property
    def tool_client(self) -> str:
        """The model client whose API has the tool: "anthropic"."""

    @property
    def tool_pictures(self) -> int | None:
        """How many of the latest screens the provider's own agent keeps; None: all."""

    def tools(self, size: Size) -> list[JsonValue]:
        """The tools for a screen of `size`, in the provider's own form."""

    def tool_calls(self, decision: Decision, size: Size) -> Sequence[ToolCall]:
        """The calls that a decision is on a screen of `size`.

        Raises:
            UnsupportedByConventionError: the tool has no such action.
        """


def tool_messages(
    convention: ToolConvention, instruction: str, history: Sequence[Step], observation: Observation
) -> list[Message]:
    """The task with the first screen; then each call, and the screen after it as its result.

    Of several calls each has its result: the screen that was seen after it, where there is one. A
    step that the tool has no action for is told in words.
    """
    screens = [*(step.observation for step in history), observation]
    kept = convention.tool_pictures or len(screens)
    shown = [number >= len(screens) - kept for number in range(len(screens))]
    messages = [Message("user", (Text(instruction), *_screen(screens[0], is_shown=shown[0])))]
    for number, step in enumerate(history, start=1):
        after = _screen(screens[number], is_shown=shown[number])
        refused = (Text(f"Not performed: {step.refused}"),) if step.refused else ()
        reasoning = step.decision.reasoning.strip()
        words: tuple[Part, ...] = (Text(reasoning),) if reasoning else ()
        try:
            calls = convention.tool_calls(step.decision, step.observation.size)
        except UnsupportedByConventionError:
            done = Text(describe_actions(step.decision.actions))
            messages += [Message("assistant", (*words, done)), Message("user", (*refused, *after))]
        else:
            messages.append(Message("assistant", (*words, *calls)))
            for seen in _between(step, len(calls), is_shown=shown[number]):
                messages.append(Message("tool", seen))
            messages.append(Message("tool", (*refused, *after)))
    return messages


def _between(step: Step, calls: int, *, is_shown: bool) -> list[tuple[Part, ...]]:
    """The results of all calls but the last."""
    seen = [_screen(one, is_shown=is_shown) for one in step.between[: calls - 1]]
    return [*seen, *[(Text("(no screenshot)"),)] * (calls - 1 - len(seen))]


def _screen(screen: Observation, *, is_shown: bool) -> tuple[Part, ...]:
    if is_shown and screen.screenshot.recorded:
        return (Picture(screen.screenshot),)
    return (Text("(an earlier screenshot, left out)"),)


@dataclass(frozen=True, slots=True)
class SpokenConvention:
    """A convention as it is spoken to the models of a client, whose API may have its `tool`."""

    convention: Convention
    tool: ToolConvention | None = None

    @classmethod
    def to(cls, model: str, convention: Convention) -> "SpokenConvention":
        """To a model by its name, "anthropic/claude-sonnet-4-5"; "" for one behind any server."""
        client = model.partition("/")[0]
        if isinstance(convention, ToolConvention) and convention.tool_client == client:
            return cls(convention, convention)
        return cls(convention)

    def prompt(
        self,
        instruction: str,
        before: Sequence[Step],
        seen: Observation,
        history: HistoryPolicy = DEFAULT_HISTORY,
    ) -> list[Message]:
        """The prompt for the next action, with the steps `before` that the policy selects."""
        if self.tool is None:
            return history.prompt(self.convention, instruction, before, seen)
        extended = history.extend_instruction(instruction, before)
        return tool_messages(self.tool, extended, history.select(before), seen)

    def request_place(self, target: str, seen: Observation, reasoning: str = "") -> list[Message]:
        """The prompt for the place of one element; `reasoning` is why it is tapped."""
        if self.tool is None:
            return grounding_messages(self.convention, target, seen, reasoning)
        return tool_messages(self.tool, target, (), seen)

    def settings(self, own: Mapping[str, JsonValue], size: Size) -> dict[str, JsonValue]:
        """What a request about a screen of `size` holds beside the model's `own` settings."""
        if self.tool is None or "tools" in own:
            return {}
        return {"tools": self.tool.tools(size)}
