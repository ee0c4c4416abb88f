import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.errors import OffScreenError
from tapwright.geometry import Box, Point, Size, from_pixel, to_pixel

SIDES = st.integers(1, 4096)
SIZES = st.builds(Size, SIDES, SIDES)
FRACTIONS = st.floats(0, 1)
POINTS = st.builds(Point, FRACTIONS, FRACTIONS)


@given(size=SIZES, data=st.data())
def test_a_pixel_survives_the_trip_through_fractions(size: Size, data: st.DataObject) -> None:
    x = data.draw(st.integers(0, size.width - 1))
    y = data.draw(st.integers(0, size.height - 1))
    assert to_pixel(from_pixel(x, y, size), size) == (x, y)


def test_the_trip_is_exact_at_the_ends_and_the_middle_of_every_width_up_to_4096() -> None:
    for width in range(1, 4097):
        size = Size(width, 1)
        for x in (0, width // 2, width - 1):
            assert to_pixel(from_pixel(x, 0, size), size) == (x, 0)


@given(point=POINTS, size=SIZES)
def test_every_fraction_lies_on_some_pixel(point: Point, size: Size) -> None:
    x, y = to_pixel(point, size)
    assert 0 <= x < size.width
    assert 0 <= y < size.height


@given(size=SIZES, data=st.data())
def test_a_box_survives_the_trip_through_fractions(size: Size, data: st.DataObject) -> None:
    left = data.draw(st.integers(0, size.width))
    right = data.draw(st.integers(left, size.width))
    top = data.draw(st.integers(0, size.height))
    bottom = data.draw(st.integers(top, size.height))
    assert Box.from_pixels(left, top, right, bottom, size).to_pixels(size) == (
        left, top, right, bottom,
    )  # fmt: skip


@given(one=POINTS, other=POINTS)
def test_distance_is_symmetric_and_at_most_the_diagonal(one: Point, other: Point) -> None:
    assert one.distance(other) == other.distance(one)
    assert 0 <= one.distance(other) <= 2**0.5


@given(size=SIZES, data=st.data())
def test_a_box_holds_the_centres_of_its_own_pixels_only(size: Size, data: st.DataObject) -> None:
    left = data.draw(st.integers(0, size.width - 1))
    right = data.draw(st.integers(left + 1, size.width))
    box = Box.from_pixels(left, 0, right, size.height, size)
    x = data.draw(st.integers(0, size.width - 1))
    assert box.contains(from_pixel(x, 0, size)) == (left <= x < right)


@pytest.mark.parametrize(("x", "y"), [(1080, 40), (-1, 0), (0, 2400)])
def test_a_pixel_off_the_screen_is_refused_with_the_range(x: int, y: int) -> None:
    with pytest.raises(OffScreenError, match="x runs from 0 to 1079, y from 0 to 2399"):
        from_pixel(x, y, Size(1080, 2400))


@pytest.mark.parametrize("x", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_point_off_the_screen_is_refused(x: float) -> None:
    with pytest.raises(OffScreenError, match="fractions between 0 and 1"):
        Point(x, 0.5)


def test_swapped_edges_are_refused() -> None:
    with pytest.raises(OffScreenError, match="swapped edges"):
        Box.from_pixels(50, 0, 10, 10, Size(100, 100))


def test_overlap_is_intersection_over_union() -> None:
    assert Box(0, 0, 0.5, 1).overlap(Box(0.25, 0, 0.75, 1)) == pytest.approx(1 / 3)
    assert Box(0, 0, 0.5, 1).overlap(Box(0.6, 0, 1, 1)) == 0
    assert Box(0.2, 0.2, 0.2, 0.2).overlap(Box(0.2, 0.2, 0.2, 0.2)) == 0
