"""Phi-Ground: thousandths of a canvas of 1008x672 pixels, in whose corner the screen stands.

Follows https://github.com/microsoft/Phi-Ground/blob/395640833d9b4748446d007257d87924df733ecb
/examples/call_example.py: the screen is scaled (Lanczos) until it fills the canvas in one
direction, and the rest is white. The words come before the picture; the chat template of the model
puts the turns' marks around them. The prompt requests a box, and the answer is a point.
"""

import re
from dataclasses import dataclass

from tapwright.conventions.element_grounder import NUMBER, ElementGrounder, PlaceForm
from tapwright.conventions.parsing import bad_answer, read_answer
from tapwright.conventions.rendering import plain_action, unsupported
from tapwright.conventions.resize import FitInto
from tapwright.conventions.sent_pictures import SentFilter
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision
from tapwright.core.geometry import Box, Point, Size

_CANVAS = Size(1008, 672)
_WHOLE = 1000
_FORM = PlaceForm(
    "<point>{x}, {y}</point>", re.compile(rf"<point>\s*+{NUMBER}\s*+,\s*+{NUMBER}\s*+</point>")
)


@dataclass(frozen=True, slots=True)
class PhiGround(ElementGrounder):
    """Speaks and reads `<point>x, y</point>`."""

    sent_filter: SentFilter = "lanczos"

    def canvas_size(self, size: Size) -> Size:
        """The canvas on which the picture is sent, whatever its size."""
        return _CANVAS

    def parse_point(self, text: str, size: Size) -> Point | None:
        """The place in an answer on a screen of `size`, wherever on the canvas that is.

        Raises:
            BadAnswerError: it has none, or one beside the screen.
        """
        numbers = self.form.read(read_answer(text)[1])
        if numbers is None:
            return None
        seen = self.model_size(size)
        x, y = numbers[0] * _CANVAS.width / _WHOLE, numbers[1] * _CANVAS.height / _WHOLE
        if not (0 <= x <= seen.width and 0 <= y <= seen.height):
            raise bad_answer(
                f"the place ({numbers[0]:g}, {numbers[1]:g}) is off the screen, which fills "
                f"{seen} of the {_CANVAS} pixels of the canvas"
            )
        return Point(x / seen.width, y / seen.height)

    def render_boxed(self, decision: Decision, size: Size, box: Box | None) -> str:
        """The place of a tap, in thousandths of the canvas.

        Raises:
            UnsupportedByConventionError: it is any other action.
        """
        action = plain_action(self.name, decision)
        if not isinstance(action, Tap) or action.button != "left":
            raise unsupported(self.name, action, "it only names where to tap")
        seen = self.model_size(size)
        x, y = action.at.x * seen.width, action.at.y * seen.height
        # Rounded down at the far edges, so that the place stays on the screen.
        x = min(round(x * _WHOLE / _CANVAS.width), int(seen.width * _WHOLE / _CANVAS.width))
        y = min(round(y * _WHOLE / _CANVAS.height), int(seen.height * _WHOLE / _CANVAS.height))
        return self.form.write((x, y))


PHI_GROUND = PhiGround(
    "phi-ground",
    "microsoft/Phi-Ground@3956408 examples/call_example.py",
    "permille",
    _FORM,
    FitInto(_CANVAS),
    sends_resized=True,
)
