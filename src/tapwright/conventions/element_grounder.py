"""What models have in common that find one element and do nothing else.

Each has one prompt, one unit, one size of picture and one form of answer; the models themselves
stand in `grounders`. A prompt is `prompts/<name>.txt`, with `{picture}` where the screen stands,
and `prompts/<name>-system.txt` where upstream sends a system turn.

Places are read as the family's own evaluation reads them: the first or the last in the answer, the
middle of a box. Unlike there, a place off the screen is refused and not clipped, and an answer
without a place is never a place in the corner.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from tapwright.conventions.convention import Space, from_point
from tapwright.conventions.parsing import bad_answer, make_decision, read_answer, read_place
from tapwright.conventions.prompting import fill, read_template, user_message
from tapwright.conventions.rendering import plain_action, round_number, unsupported
from tapwright.core.actions import Finish, Tap
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation

__all__ = ["NUMBER", "ElementGrounder", "PlaceForm", "Resize"]

NUMBER = r"(-?+(?:\d++(?:\.\d*+)?|\.\d++))"
"""A number as a group of a `PlaceForm`'s pattern."""

_PICTURE = "{picture}"
_LETTERS = {"x": "X", "y": "Y", "right": "X", "bottom": "Y"}


class Resize(Protocol):
    """How a picture is resized before it is looked at."""

    def size(self, size: Size) -> Size:
        """The size to which a picture of `size` is resized."""


@dataclass(frozen=True, slots=True)
class PlaceForm:
    """How a place is written: `text` with `{x}` and `{y}`, and the pattern by which it is read.

    Numbers are written with at most `digits` decimals, with all of them where it is `padded`. The
    groups of the pattern are `NUMBER`s, of which two or four match: a point, or a box. Where a
    family can answer that there is no such element, `no_element` is that answer and `refusal` the
    pattern of it, which is looked for first.
    """

    text: str
    pattern: re.Pattern[str]
    which: Literal["first", "last"] = "first"
    digits: int = 0
    padded: bool = False
    no_element: str = ""
    refusal: re.Pattern[str] | None = None

    @property
    def boxed(self) -> bool:
        """Whether it is a box; of a place alone both corners are there."""
        return "{right}" in self.text

    def write(self, low: tuple[float, float], high: tuple[float, float] | None = None) -> str:
        """The answer for the place `low`, or for a box from there to `high`, in its units."""
        x, y = map(self._number, low)
        if not self.boxed:
            return fill(self.text, x=x, y=y)
        right, bottom = (x, y) if high is None else map(self._number, high)
        return fill(self.text, x=x, y=y, right=right, bottom=bottom)

    def read(self, answer: str) -> list[float] | None:
        """The numbers of the place; None: there is no such element.

        Raises:
            BadAnswerError: the answer has neither.
        """
        if self.refusal is not None and self.refusal.search(answer):
            return None
        found = list(self.pattern.finditer(answer))
        if not found:
            raise bad_answer(
                f"no place in the answer; expected one like {fill(self.text, **_LETTERS)!r}"
            )
        chosen = found[0 if self.which == "first" else -1]
        return [float(number) for number in chosen.groups() if number is not None]

    def _number(self, value: float) -> str:
        if self.padded:
            return f"{value:.{self.digits}f}"
        return str(round_number(value, self.digits))


@dataclass(frozen=True, slots=True)
class ElementGrounder:
    """Finds one element; `space` pixels are those of `resize`, and of the screen without it.

    `sends_resized` is whether upstream's client sends the resized picture, or the recorded one and
    the server resizes it.
    """

    name: str
    source: str
    space: Space
    form: PlaceForm
    resize: Resize | None = None
    sends_resized: bool = False
    has_system: bool = False

    def model_size(self, size: Size) -> Size:
        """The size in which the model sees a picture of `size`."""
        return size if self.resize is None else self.resize.size(size)

    def sent_size(self, size: Size) -> Size:
        """The size in which upstream's client sends a picture of `size`."""
        return self.model_size(size) if self.sends_resized else size

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The request for the element that `instruction` describes; it knows no history."""
        return self.grounding_prompt(instruction, observation)

    def grounding_prompt(
        self, target: str, observation: Observation, reasoning: str = ""
    ) -> list[Message]:
        """The family's own request for `target`; it has no place for a reason."""
        seen = self.model_size(observation.size)
        values = {
            "target": target,
            "width": str(seen.width),
            "height": str(seen.height),
        }
        before, _, after = read_template(self.name).partition(_PICTURE)
        user = user_message(fill(before, **values), observation.screenshot, fill(after, **values))
        if not self.has_system:
            return [user]
        system = fill(read_template(f"{self.name}-system"), **values)
        return [Message("system", (Text(system),)), user]

    def parse_point(self, text: str, size: Size) -> Point | None:
        """The place in an answer on a screen of `size`; None: there is no such element.

        Raises:
            BadAnswerError: it has none, or one off the screen.
        """
        numbers = self.form.read(read_answer(text)[1])
        if numbers is None:
            return None
        return read_place([*numbers], "the place", self.model_size(size), self.space)

    def render(self, decision: Decision, size: Size) -> str:
        """The place of a tap, or that there is no such element for an attempt that cannot be done.

        Raises:
            UnsupportedByConventionError: it is any other action.
        """
        return self.render_boxed(decision, size, None)

    def render_boxed(self, decision: Decision, size: Size, box: Box | None) -> str:
        """The same, as a box where the family answers with one.

        Raises:
            UnsupportedByConventionError: it is any other action.
        """
        action = plain_action(self.name, decision)
        match action:
            case Tap(at=at, button="left"):
                seen = self.model_size(size)
                if box is None or not self.form.boxed:
                    return self.form.write(from_point(at, seen, self.space))
                low, high = Point(box.left, box.top), Point(box.right, box.bottom)
                first = from_point(low, seen, self.space)
                return self.form.write(first, from_point(high, seen, self.space))
            case Finish(outcome="infeasible") if self.form.no_element:
                return self.form.no_element
        raise unsupported(self.name, action, "it only names where to tap")

    def parse(self, text: str, size: Size) -> Decision:
        """The tap at the place; an attempt that cannot be done where there is no such element.

        Raises:
            BadAnswerError: the answer is neither.
        """
        at = self.parse_point(text, size)
        return make_decision(Finish(outcome="infeasible") if at is None else Tap(at=at))
