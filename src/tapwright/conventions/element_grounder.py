"""What models have in common that find one element and do nothing else.

Each has one prompt, one unit, one size of picture and one form of answer; the models themselves
stand in `grounders`. A prompt is `prompts/<name>.txt`, with `{picture}` where the screen stands,
and `prompts/<name>-system.txt` where upstream sends a system turn.

Places are read as the family's own evaluation reads them: the first or the last in the answer, the
middle of a box. Unlike there, a place off the screen is refused and not clipped, and an answer
without a place is never a place in the corner.
"""

import re
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from tapwright.conventions.convention import from_point
from tapwright.conventions.family import Ask, Family, OneTurn, fill
from tapwright.conventions.parsing import bad_answer, make_decision, read_answer
from tapwright.conventions.rendering import plain_action, round_number, unsupported
from tapwright.core.actions import Finish, Tap
from tapwright.core.episode import Decision
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation

__all__ = ["NUMBER", "ElementGrounder", "PlaceForm"]

NUMBER = r"([-+]?+(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][-+]?+\d++)?+)"
"""A number as a group of a `PlaceForm`'s pattern."""

_LETTERS = {"x": "X", "y": "Y", "right": "X", "bottom": "Y"}
_Which = Literal["first", "last"]


@dataclass(frozen=True, slots=True)
class PlaceForm:
    """How a place is written: `text` with `{x}` and `{y}`, and the pattern by which it is read.

    Numbers are written with at most `digits` decimals, with all of them where it is `padded`. The
    groups of a pattern are `NUMBER`s, of which two or four match: a point, or a box. Where the
    pattern matches nothing, the first match of `otherwise` counts. Where a family can answer that
    there is no such element, `no_element` is that answer and `refusal` the pattern of it, which is
    looked for first.
    """

    text: str
    pattern: re.Pattern[str]
    which: _Which = "first"
    digits: int = 0
    padded: bool = False
    otherwise: re.Pattern[str] | None = None
    no_element: str = ""
    refusal: re.Pattern[str] | None = None

    @property
    def boxed(self) -> bool:
        """Whether it is a box; of a place alone both corners are there."""
        return "{right}" in self.text

    def write(self, low: tuple[float, float], high: tuple[float, float] | None = None) -> str:
        """The answer for the place `low`, or for a box from there to `high`, in its units."""
        x, y = map(self._number, low)
        said = self.text.replace("{x}", x).replace("{y}", y)
        if not self.boxed:
            return said
        right, bottom = (x, y) if high is None else map(self._number, high)
        return said.replace("{right}", right).replace("{bottom}", bottom)

    def read(self, answer: str) -> list[float] | None:
        """The numbers of the place; None: there is no such element.

        Raises:
            BadAnswerError: the answer has neither.
        """
        if self.refusal is not None and self.refusal.search(answer):
            return None
        chosen = self._find(answer)
        if chosen is None and self.otherwise is not None:
            chosen = self.otherwise.search(answer)
        if chosen is None:
            raise bad_answer(
                f"no place in the answer; expected one like {fill(self.text, **_LETTERS)!r}"
            )
        return [float(number) for number in chosen.groups() if number is not None]

    def _find(self, answer: str) -> re.Match[str] | None:
        if self.which == "first":
            return self.pattern.search(answer)
        matches = deque(self.pattern.finditer(answer), maxlen=1)
        return matches[0] if matches else None

    def _number(self, value: float) -> str:
        if self.padded:
            return f"{value:.{self.digits}f}"
        return str(round_number(value, self.digits))


@dataclass(frozen=True, kw_only=True)
class ElementGrounder(Family):
    """Finds one element; it knows no history."""

    asks: Ask = field(default=OneTurn("{template}"), repr=False)
    form: PlaceForm

    def grounding_prompt(
        self, target: str, observation: Observation, reasoning: str = ""
    ) -> list[Message]:
        """The messages that request the place of `target`; upstream tells no reason."""
        return self.asks.messages(self, target, (), observation)

    def parse_point(self, text: str, size: Size) -> Point | None:
        """The place in an answer on a screen of `size`; None: there is no such element."""
        numbers = self.form.read(read_answer(text)[1])
        return None if numbers is None else self._place(numbers, size)

    def render(self, decision: Decision, size: Size) -> str:
        """The place of a tap, or that there is no such element where it cannot be done."""
        return self.render_boxed(decision, size, None)

    def render_boxed(self, decision: Decision, size: Size, box: Box | None) -> str:
        """The same, as a box where the family answers with one."""
        action = plain_action(self.name, decision)
        match action:
            case Tap(at=at, button="left"):
                if box is None or not self.form.boxed:
                    return self.form.write(self._numbers(at, size))
                low, high = Point(box.left, box.top), Point(box.right, box.bottom)
                return self.form.write(self._numbers(low, size), self._numbers(high, size))
            case Finish(outcome="infeasible") if self.form.no_element:
                return self.form.no_element
        raise unsupported(self.name, action, "it only names where to tap")

    def parse(self, text: str, size: Size) -> Decision:
        """The tap at the place; an attempt that cannot be done where there is no such element."""
        at = self.parse_point(text, size)
        return make_decision(Finish(outcome="infeasible") if at is None else Tap(at=at))

    def _place(self, numbers: list[float], size: Size) -> Point:
        return self.on(size).place([*numbers], "the place")

    def _numbers(self, at: Point, size: Size) -> tuple[float, float]:
        return from_point(at, self.on(size).size, self.space)
