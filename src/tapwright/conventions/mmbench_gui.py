"""MMBench-GUI's element grounding (L2): one point, `(x,y)`, in pixels of the screenshot.

Prompts follow https://github.com/open-compass/MMBench-GUI/blob/
44bd4d95e074ee22c22d27d607d413757a88a39a/benchmarks/l2_element_grounding.py. Its evaluation takes
numbers up to 1 as fractions and others as pixels; here they are pixels, and are never guessed.
"""

import re
from collections.abc import Sequence

from tapwright.conventions.convention import Space
from tapwright.conventions.parsing import bad_answer, make_decision, read_answer, read_place
from tapwright.conventions.prompting import user_message
from tapwright.conventions.rendering import plain_action, unsupported, whole_numbers
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation

_SYSTEM = (
    "You are a GUI agent. You are given a task and a screenshot of the screen. "
    "You need to finish this task following instructions from users."
)
_ASK = (
    "Output only the coordinate (x,y) of one point in your response. "
    "What element matches the following task: "
)
_SPACE: Space = "pixel"
# Not from within a number, whose every digit would be tried as the first.
_NUMBER = r"[-+]?(?:(?<!\d)\d++(?:\.\d++)?|\.\d++)"
_BARE_POINT = re.compile(
    rf"({_NUMBER})(?:\s*+[,;]|\s)\s*+(?:y\s*+[:=]?\s*+)?({_NUMBER})", re.IGNORECASE
)
_POINT = re.compile(r"[(\[]\s*+(-?\d++(?:\.\d++)?)\s*+[,，]\s*+(-?\d++(?:\.\d++)?)\s*+[)\]]")


class MmbenchGui:
    """Speaks and reads `(x,y)`."""

    name = "mmbench-gui"
    source = "open-compass/MMBench-GUI@44bd4d9 benchmarks/l2_element_grounding.py"
    space: Space = _SPACE
    """Pixels of the screenshot."""

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """A system turn; then the screen, and what is to be found on it."""
        return [
            Message("system", (Text(_SYSTEM),)),
            user_message(observation.screenshot, f"{_ASK}{instruction}"),
        ]

    def render(self, decision: Decision, size: Size) -> str:
        """The point of a tap."""
        action = plain_action(self.name, decision)
        if not isinstance(action, Tap) or action.button != "left":
            raise unsupported(self.name, action, "it only names where to tap")
        x, y = whole_numbers(action.at, size, _SPACE)
        return f"({x},{y})"

    def parse(self, text: str, size: Size) -> Decision:
        """The tap at the last point between brackets, or at the first two numbers without them.

        Raises:
            BadAnswerError: there is none, or it is off the screen.
        """
        answer = read_answer(text)[1]
        points = _POINT.findall(answer)
        bare = _BARE_POINT.search(answer)
        if not points and bare is None:
            raise bad_answer("no point in the answer; expected (x,y)")
        x, y = points[-1] if points or bare is None else bare.groups()
        return make_decision(Tap(at=read_place([float(x), float(y)], "the point", size, _SPACE)))


MMBENCH_GUI = MmbenchGui()
