"""Which earlier steps a model is told, and how: the same when it is taught and when it plays.

What a convention makes of the steps that it is given is its own matter. A policy chooses them, puts
the older ones into a line each, and can show the screens of the latest ones beside.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast, get_args

from tapwright.actions import describe
from tapwright.conventions.convention import HISTORY_STEPS, Convention
from tapwright.episode import Decision, Step
from tapwright.errors import UsageError
from tapwright.language import language_of
from tapwright.messages import Message, Part, Picture, Text
from tapwright.observation import Observation

__all__ = ["DEFAULT_HISTORY", "HistoryMode", "HistoryPolicy"]

HistoryMode: TypeAlias = Literal["last", "summaries", "pictures"]

_MORE = {"en": "Steps before that:", "zh": "更早的步骤："}
_SCREEN = {"en": "The screen before step {number}:", "zh": "第 {number} 步之前的屏幕："}


@dataclass(frozen=True, slots=True)
class HistoryPolicy:
    """Which earlier steps are told.

    The `last` ones as the convention tells them; None is all of them. By "summaries" the steps
    before those are told too, a line each, behind the instruction. By "pictures" the screens on
    which the told steps were decided are shown before the present one, where the convention does
    not show them itself.
    """

    last: int | None = HISTORY_STEPS
    by: HistoryMode = "last"

    @classmethod
    def from_text(cls, text: str) -> "HistoryPolicy":
        """The policy that "none", "full", "last:K", "summaries:K" or "pictures:K" means.

        "summaries" is "summaries:1": the step before is told in full, the others in a line each.

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
        """What the convention's prompt is under this policy."""
        told = self.select(before)
        asked = self.extend_instruction(instruction, before)
        messages = convention.prompt(asked, told, observation)
        if self.by != "pictures":
            return messages
        shown = {
            part.screenshot
            for message in messages
            for part in message.parts
            if isinstance(part, Picture)
        }
        words = _SCREEN[language_of(instruction)]
        parts: list[Part] = []
        for number, step in enumerate(told, start=len(before) - len(told) + 1):
            screen = step.observation.screenshot
            if screen.recorded and screen not in shown:
                parts += [Text(f"{words.format(number=number)}\n"), Picture(screen), Text("\n")]
        if not parts:
            return messages
        *others, last = messages
        return [*others, replace(last, parts=(*parts, *last.parts))]


DEFAULT_HISTORY = HistoryPolicy()
"""What is told where nobody says otherwise."""


def _summarize(decision: Decision) -> str:
    if not decision.target:
        return describe(decision.action)
    return f"{describe(decision.action).partition(' at ')[0]}: {decision.target}"
