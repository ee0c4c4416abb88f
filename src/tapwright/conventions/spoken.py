"""How a convention is spoken to one model: in its words, or by the tool that the model's API has.

Agents, grounders and benchmarks make their prompts here, so that one model is asked alike by all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from tapwright.conventions.convention import Convention
from tapwright.conventions.grounding import grounding_messages
from tapwright.conventions.history import DEFAULT_HISTORY, HistoryPolicy
from tapwright.conventions.tool_calls import ToolConvention, tool_messages
from tapwright.core.episode import Step
from tapwright.core.geometry import Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation

__all__ = ["SpokenConvention"]


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
