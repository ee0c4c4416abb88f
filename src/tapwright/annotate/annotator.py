"""The interface of annotators: a reasoning and a target element for each step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tapwright.core.episode import Episode

__all__ = ["Annotator", "Reasoning"]


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The reasoning and target element of step `step` (from 0); `target` is "" if there is none.

    Both are written from the agent's view, before the action: without coordinates, and without
    mention of a recording. With `codes` (of `finding_codes.REJECTIONS`) every explanation of the
    step was rejected, and both are empty; so they are of a step that was not asked about
    (`NOT_ASKED`).

    The rest is the origin: `request` is the key of the answer (`answer_book.AnswerRecord`),
    `asked` how often the step was queried, `repairs` and `warnings` are codes, and `match` is how
    well the target fits the element in the view hierarchy, 0 to 1, None where none has text.
    """

    step: int
    reasoning: str
    target: str
    codes: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    request: str = ""
    asked: int = 0
    match: float | None = None


@runtime_checkable
class Annotator(Protocol):
    """Explains the steps of an episode."""

    @property
    def name(self) -> str:
        """Its short name."""

    @property
    def version(self) -> str:
        """Changes whenever the same episode would be annotated differently."""

    async def annotate(self, episode: Episode) -> Sequence[Reasoning]:
        """Return a reasoning for every step, in order.

        Raises:
            TapwrightError: the episode cannot be annotated; nothing of it is kept.
        """
