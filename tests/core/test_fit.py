from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from tapwright.core.actions import Action, Tap, Wait
from tapwright.core.episode import Decision, Step
from tapwright.core.fit import BLANK, NO_PICTURE, STALE, Fit, find_fit
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot

SIZE = Size(270, 600)
TAP, WAIT = Tap(at=Point(0.5, 0.5)), Wait()


def screen(colour: tuple[int, int, int], size: Size = SIZE) -> Observation:
    made = BytesIO()
    Image.new("RGB", (size.width, size.height), colour).save(made, "PNG")
    return Observation(Screenshot(made.getvalue()), size)


BLACK, BLUE = screen((0, 0, 0)), screen((10, 20, 200))
STAND_IN = Observation(Screenshot.stand_in(SIZE), SIZE)


@pytest.mark.parametrize(
    ("seen", "action", "refused", "fit"),
    [
        (BLUE, TAP, "", Fit()),
        (BLACK, TAP, "", Fit(BLANK, BLANK)),
        (BLACK, WAIT, "", Fit(BLANK)),
        (screen((0, 0, 0), Size(20, 40)), TAP, "", Fit()),
        (STAND_IN, TAP, "", Fit(NO_PICTURE, NO_PICTURE)),
        (STAND_IN, WAIT, "", Fit(NO_PICTURE, NO_PICTURE)),
        (replace(BLUE, stale=True), TAP, "", Fit("", STALE)),
        (BLUE, TAP, "no such app", Fit("", "it was refused: no such app")),
    ],
)
def test_a_step_is_fit_for_what_the_rule_says(
    seen: Observation, action: Action, refused: str, fit: Fit
) -> None:
    assert find_fit(Step(seen, Decision(action), refused=refused)) == fit
