"""Holo as a localiser: where to click, and nothing else; Holo1, Holo1.5 and Holo2.

They share no limit of pixels, prompt or unit, so each is a convention of its own:

- Holo1: https://github.com/hcompai/hai-cookbook/blob/2ba89619bdcfe729d31649d976bdaa7b9551e216
  `utils/localization.py`, and `utils/image.py` for the size in which its client sends a picture.
- Holo1.5: https://github.com/likaixin2000/ScreenSpot-Pro-GUI-Grounding/blob
  /bd8bbbb470fbc4fda2a4fa9ec90bd2572507794e/models/holo1_5.py, by which its score was published. The
  cookbook requests JSON instead and limits a picture to 1,003,520 pixels.
- Holo2: `holo2/holo_2_localization_hosted_api.ipynb` of the cookbook.

`holo` is Holo1 by the name that it had first. All answers are read by all: `Click(x, y)`, and the
objects that guided decoding gives, `{"action": "click_absolute", "x": …, "y": …}`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tapwright.conventions.call_syntax import find_calls
from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import (
    JsonObject,
    bad_answer,
    make_decision,
    read_answer,
    read_last_object,
    read_number,
    read_place,
    reasoning_before,
    shorten,
)
from tapwright.conventions.prompting import read_template, user_message
from tapwright.conventions.rendering import plain_action, unsupported, whole_numbers
from tapwright.conventions.resize import SmartResize
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message
from tapwright.core.observation import Observation

_VERBS = frozenset({"Click"})
_ACTIONS = frozenset({None, "click", "click_absolute"})


@dataclass(frozen=True, slots=True)
class Holo:
    """Speaks `Click(x, y)` or an object with `x` and `y`, and reads both.

    `space` pixels are those of the picture in the size in which it is sent.
    """

    name: str
    source: str
    prompt_name: str
    space: Space
    resize: SmartResize
    speaks_json: bool = False

    def model_size(self, size: Size) -> Size:
        """The size after `smart_resize`."""
        return self.resize.size(size)

    def sent_size(self, size: Size) -> Size:
        """The same: the cookbook's client resizes, so that pixels are those of what it sent."""
        return self.resize.size(size)

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """One turn: the screen, and what is to be found on it."""
        return self.grounding_prompt(instruction, observation)

    def grounding_prompt(
        self, target: str, observation: Observation, reasoning: str = ""
    ) -> list[Message]:
        """One turn: the screen, and what is to be found on it; it has no place for a reason."""
        words = f"{read_template(self.prompt_name)}\n{target}"
        return [user_message(observation.screenshot, words)]

    def parse_point(self, text: str, size: Size) -> Point:
        """The place of the click; the family has no words for an element that is not there.

        Raises:
            BadAnswerError: there is none.
        """
        action = self.parse(text, size).action
        if not isinstance(action, Tap):
            raise bad_answer(f"the answer is to {action.type}; expected where to tap")
        return action.at

    def render(self, decision: Decision, size: Size) -> str:
        """One call, or one object."""
        action = plain_action(self.name, decision)
        if not isinstance(action, Tap) or action.button != "left":
            raise unsupported(self.name, action, "it only names where to click")
        x, y = whole_numbers(action.at, self.model_size(size), self.space)
        return f'{{"x":{x},"y":{y}}}' if self.speaks_json else f"Click({x}, {y})"

    def parse(self, text: str, size: Size) -> Decision:
        """The tap of the last `Click(x, y)`, or of the last JSON object where there is none.

        Raises:
            BadAnswerError: there is neither.
        """
        thoughts, text = read_answer(text)
        made = find_calls(text, _VERBS)
        if not made and "{" in text:
            return read_last_object(
                text,
                lambda found, before: self._read(found, reasoning_before(before) or thoughts, size),
            )
        if not made:
            raise bad_answer("no Click(x, y) and no object with x and y in the answer")
        call = made[-1]
        at = [read_number(call.get("x", at=0), "x"), read_number(call.get("y", at=1), "y")]
        return make_decision(Tap(at=read_place([*at], "Click", self.model_size(size), self.space)))

    def _read(self, found: JsonObject, reasoning: str, size: Size) -> Decision:
        action = found.get("action")
        if not (action is None or (isinstance(action, str) and action in _ACTIONS)):
            raise bad_answer(f"the action is {shorten(action)}; expected click")
        at = [read_number(found.get("x"), "x"), read_number(found.get("y"), "y")]
        return make_decision(
            Tap(at=read_place([*at], "x, y", self.model_size(size), self.space)), reasoning
        )


HOLO1 = Holo(
    "holo1",
    "hcompai/hai-cookbook@2ba8961 utils/localization.py, utils/image.py",
    "holo1",
    "pixel",
    SmartResize(28, 56 * 56, 14 * 14 * 4 * 1280),
)
HOLO = replace(HOLO1, name="holo")
HOLO1_5 = Holo(
    "holo1.5",
    "likaixin2000/ScreenSpot-Pro-GUI-Grounding@bd8bbbb models/holo1_5.py",
    "holo1.5",
    "pixel",
    SmartResize(28, 4 * 28**2, 2560 * 1440),
)
HOLO2 = Holo(
    "holo2",
    "hcompai/hai-cookbook@2ba8961 holo2/holo_2_localization_hosted_api.ipynb",
    "holo2",
    "permille",
    SmartResize(32, 64 * 32**2, 16384 * 32**2),
    speaks_json=True,
)
