from hypothesis import given
from hypothesis import strategies as st

from tapwright.devices.occlusion import NOTHING, Cover, CssRect, inside, join, meet, visible_part

EDGE = st.integers(0, 100)


@st.composite
def rectangles(draw: st.DrawFn) -> CssRect:
    left, top = draw(EDGE), draw(EDGE)
    return left, top, left + draw(st.integers(1, 100)), top + draw(st.integers(1, 100))


@given(one=rectangles(), other=rectangles())
def test_what_two_share_is_inside_both_and_both_are_inside_what_joins_them(
    one: CssRect, other: CssRect
) -> None:
    shared = meet(one, other)
    assert shared is NOTHING or (inside(shared, one) and inside(shared, other))
    assert inside(one, join(one, other))
    assert inside(other, join(one, other))


@given(edges=rectangles(), covers=st.lists(rectangles(), max_size=5))
def test_what_is_left_under_covers_is_never_more_than_there_was(
    edges: CssRect, covers: list[CssRect]
) -> None:
    left = visible_part(edges, [Cover(1, cover, 9, 9) for cover in covers], 0, 0, 0)
    assert left is None or inside(left, edges)


@given(edges=rectangles(), cover=rectangles())
def test_what_is_painted_later_is_not_covered(edges: CssRect, cover: CssRect) -> None:
    assert visible_part(edges, [Cover(1, cover, 9, 9)], 0, 0, 1) == edges


def test_a_bar_over_the_lower_part_cuts_that_part_off() -> None:
    bar = Cover(2, (0, 80, 100, 120), 5, 6)
    assert visible_part((10, 50, 90, 100), [bar], 1, 1, 1) == (10, 50, 90, 80)


def test_a_small_thing_in_the_middle_cuts_nothing_off() -> None:
    button = Cover(2, (40, 60, 60, 70), 5, 6)
    assert visible_part((10, 50, 90, 100), [button], 1, 1, 1) == (10, 50, 90, 100)


def test_what_is_touched_keeps_the_largest_part_beside_what_covers_its_middle() -> None:
    button = Cover(2, (40, 60, 60, 80), 5, 6)
    assert visible_part((10, 50, 90, 100), [button], 1, 1, 1, touched=True) == (10, 80, 90, 100)
    assert visible_part((35, 50, 65, 100), [button], 1, 1, 1, touched=True) == (35, 80, 65, 100)


@given(edges=rectangles(), cover=rectangles())
def test_what_is_touched_has_its_middle_free(edges: CssRect, cover: CssRect) -> None:
    left = visible_part(edges, [Cover(1, cover, 9, 9)], 0, 0, 0, touched=True)
    if left is not None:
        x, y = (left[0] + left[2]) / 2, (left[1] + left[3]) / 2
        assert not (cover[0] < x < cover[2] and cover[1] < y < cover[3])


def test_what_is_part_of_the_cover_stays() -> None:
    dialog = Cover(2, (0, 0, 100, 100), 5, 9)
    assert visible_part((10, 10, 20, 20), [dialog], 6, 6, 1) == (10, 10, 20, 20)
    assert visible_part((0, 0, 100, 100), [dialog], 4, 12, 1) == (0, 0, 100, 100)
