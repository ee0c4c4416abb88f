"""Holo 1.5 as a localiser: `Click(x, y)` in pixels of the resized picture, and nothing else.

Follows https://github.com/hcompai/hai-cookbook/blob/bab64ee369ec739d64d4e6f095576ce89862d1e5
/utils/localization.py; guided decoding gives `{"action": "click", "x": …, "y": …}`, which is read
too.
"""

from collections.abc import Sequence

from tapwright.actions import Tap
from tapwright.conventions.calling import calls
from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    JsonObject,
    bad,
    decided,
    last_object,
    lead,
    number,
    place,
    read_answer,
    short,
)
from tapwright.conventions.prompting import shown, template
from tapwright.conventions.rendering import unsayable, whole
from tapwright.conventions.resize import HOLO as RESIZE
from tapwright.episode import Decision, Step
from tapwright.geometry import Size
from tapwright.messages import Message
from tapwright.observation import Observation

_VERBS = frozenset({"Click"})


class Holo:
    """Speaks and reads `Click(x, y)`."""

    @property
    def name(self) -> str:
        """The word "holo"."""
        return "holo"

    @property
    def space(self) -> Space:
        """Pixels of the picture after `smart_resize`."""
        return "pixel"

    def seen(self, size: Size) -> Size:
        """The size after `smart_resize` with factor 28, at most 2560x1440 pixels in all."""
        return RESIZE.size(size)

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """One turn: the screen, and what is to be found on it."""
        return [shown(observation.screenshot, f"{template('holo')}\n{instruction}")]

    def render(self, decision: Decision, size: Size) -> str:
        """One call."""
        if not isinstance(decision.action, Tap) or decision.action.button != "left":
            raise unsayable(self.name, decision.action, "it only says where to click")
        x, y = whole(decision.action.at, self.seen(size), self.space)
        return f"Click({x}, {y})"

    def parse(self, text: str, size: Size) -> Decision:
        """The tap of the last `Click(x, y)`, or of the last JSON object where there is none.

        Raises:
            BadAnswerError: there is neither.
        """
        thoughts, text = read_answer(text)
        made = calls(text, _VERBS)
        if not made and "{" in text:
            return last_object(
                text, lambda found, before: self._read(found, lead(before) or thoughts, size)
            )
        if not made:
            raise bad("no Click(x, y) in the answer")
        call = made[-1]
        at = [number(call.get("x", at=0), "x"), number(call.get("y", at=1), "y")]
        return decided(Tap(at=place([*at], "Click", self.seen(size), self.space)))

    def _read(self, found: JsonObject, reasoning: str, size: Size) -> Decision:
        if found.get("action") not in ("click", "click_absolute"):
            raise bad(f"the action is {short(found.get('action'))}; expected click")
        at = [number(found.get("x"), "x"), number(found.get("y"), "y")]
        return decided(Tap(at=place([*at], "x, y", self.seen(size), self.space)), reasoning)


HOLO = Holo()
