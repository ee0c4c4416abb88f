"""Which earlier steps a prompt holds, and how: the same in training texts and in rollouts.

How a convention writes the steps that it receives, and which of them its family's own agent drops,
is its own matter: by default it receives all. A policy selects fewer, puts the older ones into a
line each, and can add the screens of the latest ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast, get_args

from tapwright.conventions.convention import Convention
from tapwright.core.episode import Decision, Step, describe_actions
from tapwright.core.language import language_of
from tapwright.core.messages import Message, Part, Picture, Text
from tapwright.core.observation import Observation
from tapwright.errors import UsageError

__all__ = ["DEFAULT_HISTORY", "HistoryMode", "HistoryPolicy"]

HistoryMode: TypeAlias = Literal["last", "summaries", "pictures"]

_MORE = {"en": "Steps before that:", "zh": "更早的步骤："}
_SCREEN = {"en": "The screen before step {number}:", "zh": "第 {number} 步之前的屏幕："}


@dataclass(frozen=True, slots=True)
class HistoryPolicy:
    """Which earlier steps a prompt holds.

    The `last` ones as the convention writes them; None is all of them. By "summaries" the steps
    before those follow the instruction, a line each. By "pictures" the screens on which the
    selected steps were decided stand before the present one, where the convention does not include
    them itself.
    """

    last: int | None = None
    by: HistoryMode = "last"

    @classmethod
    def from_text(cls, text: str) -> "HistoryPolicy":
        """The policy that "none", "full", "last:K", "summaries:K" or "pictures:K" means.

        "summaries" is "summaries:1": the step before is written in full, the others in a line each.

        Raises:
            UsageError: it means none.
        """
        name, colon, number = text.partition(":")
        if not colon and name in ("none", "full"):
            return cls(0 if name == "none" else None)
        if not colon and name == "summaries":
            return cls(1, "summaries")
        if name in get_args(HistoryMode) and number.isdecimal() and number.isascii():
            return cls(int(number), cast(HistoryMode, name))
        raise UsageError(
            f"no history policy is called {text!r}",
            hint="none, full, last:K, summaries:K or pictures:K, where K is a number of steps",
        )

    def __str__(self) -> str:
        return "full" if self.last is None else f"{self.by}:{self.last}"

    def select(self, before: Sequence[Step]) -> Sequence[Step]:
        """Those of the steps before, oldest first, that the convention is given."""
        return before if self.last is None else before[max(len(before) - self.last, 0) :]

    def extend_instruction(self, instruction: str, before: Sequence[Step]) -> str:
        """The instruction, and behind it the older steps where the policy sums them up."""
        older = before[: len(before) - len(self.select(before))]
        if self.by != "summaries" or not older:
            return instruction
        lines = [f"{number}. {_summarize(step.decision)}" for number, step in enumerate(older, 1)]
        return "\n".join([instruction, "", _MORE[language_of(instruction)], *lines])

    def prompt(
        self,
        convention: Convention,
        instruction: str,
        before: Sequence[Step],
        observation: Observation,
    ) -> list[Message]:
        """The convention's prompt under this policy."""
        selected = self.select(before)
        extended = self.extend_instruction(instruction, before)
        messages = convention.prompt(extended, selected, observation)
        if self.by != "pictures":
            return messages
        included = {
            part.screenshot
            for message in messages
            for part in message.parts
            if isinstance(part, Picture)
        }
        words = _SCREEN[language_of(instruction)]
        parts: list[Part] = []
        for number, step in enumerate(selected, start=len(before) - len(selected) + 1):
            screen = step.observation.screenshot
            if screen.recorded and screen not in included:
                parts += [Text(f"{words.format(number=number)}\n"), Picture(screen), Text("\n")]
        if not parts:
            return messages
        *others, last = messages
        return [*others, replace(last, parts=(*parts, *last.parts))]


DEFAULT_HISTORY = HistoryPolicy()
"""The policy where none is chosen."""


def _summarize(decision: Decision) -> str:
    if not decision.target:
        return describe_actions(decision.actions)
    words, comma, others = describe_actions(decision.actions).partition(", then ")
    return f"{words.partition(' at ')[0]}: {decision.target}{comma}{others}"
