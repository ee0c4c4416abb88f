"""What a convention is: how one model family is prompted, and how it answers."""

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from tapwright.episode import Decision, Step
from tapwright.geometry import Size
from tapwright.messages import Message
from tapwright.observation import Observation

__all__ = ["HISTORY_STEPS", "Convention", "Space"]

Space: TypeAlias = Literal["pixel", "fraction", "permille", "percent"]
"""The unit in which an answer gives places; declared, never guessed."""


HISTORY_STEPS = 10
"""How many of the latest steps a prompt tells, where nobody says otherwise; training sets and
agents share it, so that a model is asked as it was taught."""


@runtime_checkable
class Convention(Protocol):
    """How one model family speaks.

    Law: `parse(render(d, size), size) == d`, up to the grammar's own rounding of places.
    """

    @property
    def name(self) -> str:
        """Its short name."""

    @property
    def space(self) -> Space:
        """The unit of the places in its answers."""

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """What the model is sent to get its next decision."""

    def render(self, decision: Decision, size: Size) -> str:
        """The answer that a model of this family gives for `decision` on a screen of `size`.

        Raises:
            UnsayableActionError: the grammar has no words for the action.
        """

    def parse(self, text: str, size: Size) -> Decision:
        """The decision that an answer means on a screen of `size`.

        Raises:
            BadAnswerError: the answer is not in the grammar.
        """
