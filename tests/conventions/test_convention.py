from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.conventions.convention import Space, from_point, to_point
from tapwright.core.geometry import Point, Size, from_pixel, to_pixel
from tapwright.errors import OffScreenError

SIZE = Size(1080, 2400)
SPACES = st.sampled_from(get_args(Space))
POINTS = st.builds(Point, st.floats(0, 1), st.floats(0, 1))


@given(point=POINTS, space=SPACES)
def test_a_place_survives_the_trip_through_every_unit(point: Point, space: Space) -> None:
    back = to_point(*from_point(point, SIZE, space), SIZE, space)
    if space == "pixel":
        assert back == from_pixel(*to_pixel(point, SIZE), SIZE)
    else:
        assert back.distance(point) < 1e-12


@pytest.mark.parametrize(
    ("x", "y", "space"),
    [
        (1080, 0, "pixel"), (0, 2400, "pixel"), (-0.1, 0, "pixel"), (1.01, 0, "fraction"),
        (0, 100.5, "percent"), (1001, 0, "permille"), (float("nan"), 0, "permille"),
        (float("inf"), 0, "pixel"),
    ],
)  # fmt: skip
def test_what_runs_past_the_screen_is_refused(x: float, y: float, space: Space) -> None:
    with pytest.raises(OffScreenError):
        to_point(x, y, SIZE, space)


def test_a_decimal_number_of_pixels_means_the_pixel_that_holds_it() -> None:
    assert to_point(540.9, 0.2, SIZE, "pixel") == from_pixel(540, 0, SIZE)
