import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tapwright.core.geometry import WHOLE_SCREEN, Box, Point, Size, from_pixel, to_pixel
from tapwright.errors import OffScreenError

SIDES = st.integers(1, 4096)
SIZES = st.builds(Size, SIDES, SIDES)
FRACTIONS = st.floats(0, 1)
POINTS = st.builds(Point, FRACTIONS, FRACTIONS)


@given(size=SIZES, side=st.integers(1, 4096))
def test_a_longest_side_is_kept_as_pillow_keeps_it(size: Size, side: int) -> None:
    picture = Image.new("1", (size.width, size.height))
    picture.thumbnail((side, side), Image.Resampling.NEAREST)
    assert size.shrink(max_side=side) == Size(*picture.size)


@given(size=SIZES, side=SIDES, pixels=st.integers(1, 10**7))
def test_both_limits_hold_and_one_is_reached(size: Size, side: int, pixels: int) -> None:
    seen = size.shrink(max_side=side, max_pixels=pixels)
    longest = max(seen.width, seen.height)
    assert longest <= side
    assert seen.width * seen.height <= pixels or 1 in (seen.width, seen.height)
    short, long = sorted((size.width, size.height))
    assert seen == size or longest == side or (longest + 1) ** 2 * short > pixels * long


@pytest.mark.parametrize(
    ("limits", "seen"),
    [({"max_side": 15, "max_pixels": 400}, 15), ({"max_pixels": 225}, 15), ({"scale": 0.5}, 11)],
)
def test_no_side_is_a_pixel_shorter_than_its_limit(limits: dict[str, int], seen: int) -> None:
    assert Size(22, 22).shrink(**limits) == Size(seen, seen)


@given(size=SIZES, scale=st.floats(0, 1, exclude_min=True))
def test_a_scale_and_the_longest_side_that_it_gives_make_one_size(size: Size, scale: float) -> None:
    scaled = size.shrink(scale=scale)
    longest = max(size.width, size.height)
    assert abs(max(scaled.width, scaled.height) - max(longest * scale, 1)) <= 0.5
    limited = size.shrink(max_side=max(scaled.width, scaled.height))
    short, long = sorted((size.width, size.height))
    between = 2 * short * max(scaled.width, scaled.height) % (2 * long) == long
    assert scaled == limited or between  # where Pillow's floats decide


def test_every_scale_of_a_phone_s_picture_is_that_of_a_longest_side() -> None:
    for size in (Size(411, 914), Size(1080, 2400)):
        for percent in range(20, 100):
            scaled = size.shrink(scale=percent / 100)
            assert size.shrink(max_side=scaled.height) == scaled


@given(one=SIDES, other=SIDES)
def test_half_of_an_upright_phone_s_picture_is_the_one_that_mobiagent_makes(
    one: int, other: int
) -> None:
    width, height = sorted((one, other))
    half = Size(width, height).shrink(scale=0.5)
    assert half == Size(max(width // 2, 1), max(height // 2, 1))


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


@pytest.mark.parametrize(
    "edges",
    [
        (-0.1, 0, 1, 1), (0, -0.1, 1, 1), (0, 0, 1.1, 1), (0, 0, 1, 1.1),
        (0.6, 0, 0.5, 1), (0, 0.6, 1, 0.5), (float("nan"), 0, 1, 1),
    ],
)  # fmt: skip
def test_edges_off_the_screen_or_swapped_make_no_box(
    edges: tuple[float, float, float, float],
) -> None:
    with pytest.raises(OffScreenError, match="expected 0 <= left <= right <= 1"):
        Box(*edges)


def test_a_box_may_be_empty_and_may_be_the_screen() -> None:
    assert Box(0.5, 0.5, 0.5, 0.5).area == 0
    assert (WHOLE_SCREEN.area, WHOLE_SCREEN.center) == (1, Point(0.5, 0.5))
    assert Box(0.2, 0.1, 0.6, 0.9).center == Point(0.4, 0.5)
    assert Box(0, 0, 0.5, 0.25).area == 0.125


@pytest.mark.parametrize(
    ("x", "y", "inside"),
    [
        (0.25, 0.5, True), (0.75, 0.5, True), (0.5, 0.25, True), (0.5, 0.75, True),
        (0.24, 0.5, False), (0.76, 0.5, False), (0.5, 0.24, False), (0.5, 0.76, False),
    ],
)  # fmt: skip
def test_the_edges_of_a_box_are_inside(x: float, y: float, inside: bool) -> None:
    assert Box(0.25, 0.25, 0.75, 0.75).contains(Point(x, y)) is inside


@pytest.mark.parametrize("side", [(0, 5), (5, 0), (-1, 5), (5, -1)])
def test_a_screen_has_pixels(side: tuple[int, int]) -> None:
    with pytest.raises(OffScreenError):
        Size(*side)


def test_boxes_one_above_the_other_do_not_overlap() -> None:
    assert Box(0, 0, 1, 0.4).overlap(Box(0, 0.5, 1, 1)) == 0
    assert Box(0, 0, 1, 0.5).overlap(Box(0, 0.25, 1, 0.75)) == pytest.approx(1 / 3)
    assert Box(0, 0, 0.2, 0.2).overlap(Box(0.5, 0.5, 1, 1)) == 0


def test_a_box_of_pixels_off_the_screen_is_clipped() -> None:
    box = Box.from_pixels(-10, -20, 110, 220, Size(100, 200))
    assert box == WHOLE_SCREEN
    assert box.to_pixels(Size(100, 200)) == (0, 0, 100, 200)


@pytest.mark.parametrize(
    ("edges", "touches"),
    [
        ((-9, 5, 0, 9), True), ((5, -9, 9, 0), True),
        ((10, 5, 19, 9), True), ((5, 20, 9, 29), True),
        ((-9, 5, -1, 9), False), ((5, -9, 9, -1), False),
        ((11, 5, 19, 9), False), ((5, 21, 9, 29), False),
    ],
)  # fmt: skip
def test_a_box_that_touches_the_screen_is_empty_and_one_beyond_is_refused(
    edges: tuple[int, int, int, int], touches: bool
) -> None:
    if touches:
        assert Box.from_pixels(*edges, Size(10, 20)).area == 0
    else:
        with pytest.raises(OffScreenError, match="is off a 10x20 screen"):
            Box.from_pixels(*edges, Size(10, 20))


def test_the_far_edges_belong_to_the_last_pixel() -> None:
    assert to_pixel(Point(1, 1), Size(3, 5)) == (2, 4)
    assert to_pixel(Point(0, 0), Size(3, 5)) == (0, 0)
    assert from_pixel(0, 4, Size(2, 5)) == Point(0.25, 0.9)


def test_a_size_is_written_as_width_by_height() -> None:
    assert str(Size(1080, 2400)) == "1080x2400"
