import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tapwright.annotate.function_calls import function_call
from tapwright.conventions import conventions
from tapwright.core.actions import Drag, Scroll, Swipe
from tapwright.core.directions import (
    OPPOSITE,
    Direction,
    finger_direction,
    main_direction,
    scroll_direction,
    swipe_toward,
)
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size, from_pixel, to_pixel

PHONE = Size(1080, 2400)
SIZES = st.builds(Size, st.integers(1, 4096), st.integers(1, 4096))
POINTS = st.builds(Point, st.floats(0, 1), st.floats(0, 1))
PARTS = st.integers(-4096, 4096)
DIRECTIONS = st.sampled_from(sorted(OPPOSITE))

SLANTED = Swipe(start=from_pixel(216, 720, PHONE), end=from_pixel(216 + 324, 720 + 480, PHONE))
"""324 pixels to the right and 480 down: more of the width than of the height."""


@given(right=PARTS, down=PARTS)
def test_the_opposite_movement_has_the_opposite_direction(right: int, down: int) -> None:
    assume(right or down)
    there, back = main_direction(right, down), main_direction(-right, -down)
    assert there is not None
    assert back == OPPOSITE[there]


@given(start=POINTS, end=POINTS, size=SIZES)
def test_a_gesture_written_as_pixels_keeps_its_direction(
    start: Point, end: Point, size: Size
) -> None:
    pixels = [from_pixel(*to_pixel(point, size), size) for point in (start, end)]
    assume(pixels[0] != pixels[1])
    rounded = Drag(start=pixels[0], end=pixels[1])
    assert finger_direction(Swipe(start=start, end=end), size) == finger_direction(rounded, size)


@given(direction=DIRECTIONS, size=SIZES)
def test_the_swipe_toward_a_direction_goes_there_on_every_screen(
    direction: Direction, size: Size
) -> None:
    assert finger_direction(swipe_toward(direction), size) == direction


@pytest.mark.parametrize(
    ("right", "down", "direction"),
    [(3, 3, "down"), (3, -3, "up"), (4, -3, "right"), (-4, 3, "left"), (0, 0, None)],
)
def test_a_tie_is_vertical(right: int, down: int, direction: Direction | None) -> None:
    assert main_direction(right, down) == direction


def test_a_scroll_brings_in_what_lies_in_its_direction() -> None:
    assert scroll_direction(Scroll(at=Point(0.5, 0.5), dx=0.5, dy=0.3), PHONE) == "down"
    assert scroll_direction(Scroll(at=Point(0.5, 0.5), dx=0.5, dy=-0.2), PHONE) == "right"
    assert scroll_direction(Scroll(at=Point(0.5, 0.5)), PHONE) is None


def test_conventions_and_annotators_name_one_direction_for_one_swipe() -> None:
    decision = Decision(SLANTED)
    assert finger_direction(SLANTED, PHONE) == "down"
    assert function_call(SLANTED, PHONE).known == {"direction": "DOWN"}
    assert '"down"' in conventions.get("androidworld").render(decision, PHONE)
    assert '"DOWN"' in conventions.get("mobimind-decider").render(decision, PHONE)
    # OS-Atlas names what comes into view.
    assert conventions.get("os-atlas").render(decision, PHONE).endswith("SCROLL [UP]")
