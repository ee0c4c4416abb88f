import numpy as np
import pytest
from PIL import Image, ImageChops

from tapwright.core import actions
from tapwright.core.actions import MAX_PATH, Action
from tapwright.core.geometry import WHOLE_SCREEN, Box, Point
from tapwright.drawing.marks import (
    BLUE,
    VERMILION,
    mark_action,
    mark_actions,
    mark_box,
    mark_point,
    mark_text,
    thumbnail,
)
from tapwright.drawing.text import CaptionLine, add_caption, draw_text_strip

PLACED: list[Action] = [
    actions.Tap(at=Point(0.5, 0.5)),
    actions.DoubleTap(at=Point(0.5, 0.5)),
    actions.LongPress(at=Point(0.5, 0.5)),
    actions.Hover(at=Point(0.5, 0.5)),
    actions.Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2), duration_s=0.3),
    actions.Drag(start=Point(0.2, 0.5), end=Point(0.8, 0.5)),
    actions.Drag(start=Point(0.2, 0.5), end=Point(0.8, 0.5), path=(Point(0.5, 0.2),)),
    actions.Scroll(at=Point(0.5, 0.5), dy=0.5),
    actions.ButtonDown(at=Point(0.5, 0.5)),
    actions.ButtonUp(at=Point(0.5, 0.5)),
    actions.Tap(at=Point(0.5, 0.5), held=("control",)),
    actions.Tap(at=Point(0.5, 0.5), held=("shift",)),
]


def screen(color: str = "white") -> Image.Image:
    return Image.new("RGB", (180, 400), color)


@pytest.mark.parametrize("action", PLACED, ids=lambda action: action.type)
@pytest.mark.parametrize("color", ["white", "black", "#E69F00"])
def test_a_mark_is_seen_on_any_background_and_the_frame_is_left_alone(
    action: Action, color: str
) -> None:
    before = screen(color)
    after = mark_action(before, action)
    changed = np.asarray(ImageChops.difference(before, after)).max(axis=2) > 60
    assert changed.sum() > 50
    assert before.tobytes() == screen(color).tobytes()
    assert after.size == before.size


def test_marks_of_different_actions_differ_in_shape() -> None:
    marked = {mark_action(screen(), action).convert("L").tobytes() for action in PLACED}
    assert len(marked) == len(PLACED)


@pytest.mark.parametrize(
    "action", [actions.TypeText(text="x"), actions.Finish()], ids=lambda action: action.type
)
def test_an_action_without_a_place_leaves_no_mark(action: Action) -> None:
    assert mark_action(screen(), action).tobytes() == screen().tobytes()


@pytest.mark.parametrize("at", [Point(0, 0), Point(1, 1), Point(0, 1), Point(0.5, 0)])
def test_a_mark_at_the_edge_is_drawn_as_far_as_it_is_seen(at: Point) -> None:
    assert mark_action(screen(), actions.Tap(at=at)).tobytes() != screen().tobytes()
    assert mark_point(screen(), at).tobytes() != screen().tobytes()


def test_a_crosshair_leaves_its_middle_open() -> None:
    assert mark_point(screen(), Point(0.5, 0.5)).getpixel((90, 200)) == (255, 255, 255)


def test_a_dashed_box_shows_less_colour_than_a_solid_one() -> None:
    box = Box(0.2, 0.2, 0.8, 0.6)

    def coloured(image: Image.Image) -> int:
        return int((np.asarray(image)[..., 0] < 100).sum())

    dashed, solid = mark_box(screen(), box), mark_box(screen(), box, color=BLUE, dashed=False)
    assert 0 < coloured(dashed) < coloured(solid)
    assert mark_box(screen(), WHOLE_SCREEN).size == (180, 400)


def test_a_caption_adds_rows_below_and_wraps_long_ones() -> None:
    short, long = add_caption(screen(), ["tap"]), add_caption(screen(), ["a word " * 20])
    assert short.width == long.width == 180
    assert 400 < short.height < long.height
    assert short.crop((0, 0, 180, 400)).tobytes() == screen().tobytes()


def test_a_word_longer_than_the_frame_is_broken() -> None:
    assert add_caption(screen(), ["x" * 200]).height > add_caption(screen(), ["x"]).height + 60


def test_words_have_their_colour_and_may_stand_above() -> None:
    made = add_caption(
        screen(), [CaptionLine("CLICK [500, 300]", VERMILION)], background="white", above=True
    )
    added = made.height - 400
    assert made.crop((0, added, 180, made.height)).tobytes() == screen().tobytes()
    words = np.asarray(made.crop((0, 0, 180, added)), int)
    red = (words[..., 0] - words[..., 2] > 150).sum()
    assert red > 50
    assert mark_action(screen(), PLACED[0], color=VERMILION) != mark_action(screen(), PLACED[0])


def test_a_text_that_is_typed_is_shown_on_the_screen_and_cut_when_it_is_long() -> None:
    for text in ("milk", "买牛奶", "", "a word " * 99):
        changed = np.asarray(ImageChops.difference(screen(), mark_text(screen(), text))).any(axis=2)
        rows, columns = np.nonzero(changed)
        assert rows.min() > 200
        assert (columns.min(), columns.max()) == (18, 161)
    assert mark_text(Image.new("RGB", (20, 12)), "much more than fits").size == (20, 12)


def test_of_too_many_rows_the_last_one_says_so() -> None:
    assert (
        draw_text_strip(["word " * 99], 200, max_rows=3).height
        == draw_text_strip(["a", "b", "c"], 200).height
    )


@pytest.mark.parametrize("way", [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)])
@pytest.mark.parametrize("far", [0.0005, 0.01, 0.06])
def test_a_short_arrow_points_where_it_leads(way: tuple[int, int], far: float) -> None:
    dx, dy = way
    wide = Image.new("RGB", (400, 400), "white")
    end = Point(0.5 + far * dx, 0.5 + far * dy)
    marked = np.asarray(mark_action(wide, actions.Swipe(start=Point(0.5, 0.5), end=end)))
    down, right = np.argwhere(marked.min(axis=2) < 200).mean(axis=0) - 200
    along, across = right * dx + down * dy, right * dy - down * dx
    assert along > 8
    assert abs(across) < 2


@pytest.mark.parametrize("way", [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_the_arrow_of_a_scroll_points_where_the_content_goes(way: tuple[int, int]) -> None:
    dx, dy = way
    wide = Image.new("RGB", (400, 400), "white")
    scroll = actions.Scroll(at=Point(0.5, 0.5), dx=0.5 * dx, dy=0.5 * dy)
    marked = np.asarray(mark_action(wide, scroll))
    down, right = np.argwhere(marked.min(axis=2) < 200).mean(axis=0) - 200
    assert right * dx + down * dy < -8
    assert abs(right * dy - down * dx) < 2


@pytest.mark.parametrize("corner", [0.0, 1.0])
def test_a_short_arrow_in_a_corner_stays_on_the_picture(corner: float) -> None:
    inner = abs(corner - 0.001)
    ways = [((corner, inner), (corner, corner)), ((inner, corner), (corner, corner))]
    ways += [(end, start) for start, end in ways]
    seen = set()
    for start, end in ways:
        marked = mark_action(screen(), actions.Swipe(start=Point(*start), end=Point(*end)))
        assert (np.asarray(marked).min(axis=2) < 200).sum() > 60
        seen.add(marked.tobytes())
    assert len(seen) == 4


def test_a_narrow_picture_is_not_scaled_up() -> None:
    assert thumbnail(screen(), 500).size == (180, 400)
    assert thumbnail(screen(), 90).size == (90, 200)


def test_of_several_actions_each_place_has_its_number() -> None:
    taps: list[Action] = [
        actions.Tap(at=Point(0.2, 0.3)),
        actions.TypeText(text="a"),
        actions.Tap(at=Point(0.7, 0.6)),
    ]
    alone = mark_actions(screen(), taps[:1])
    assert alone.tobytes() == mark_action(screen(), taps[0]).tobytes()
    every = mark_actions(screen(), taps)
    plain = mark_action(mark_action(screen(), taps[0]), taps[2])
    numbers = np.asarray(ImageChops.difference(every, plain)).max(axis=2) > 60
    rows, columns = numbers.nonzero()
    near = {(round(x / 180, 1), round(y / 400, 1)) for x, y in zip(columns, rows, strict=True)}
    assert any(x < 0.5 and y < 0.5 for x, y in near)
    assert any(x > 0.5 and y > 0.4 for x, y in near)


def test_a_drag_is_drawn_through_each_place_of_its_path() -> None:
    corner = Point(0.5, 0.1)
    drag = actions.Drag(start=Point(0.1, 0.5), end=Point(0.9, 0.5), path=(corner,))
    straight = drag.model_copy(update={"path": ()})
    at = (90, 40)
    assert mark_action(screen(), drag).getpixel(at) != (255, 255, 255)
    assert mark_action(screen(), straight).getpixel(at) == (255, 255, 255)
    long = drag.model_copy(update={"path": (corner,) * MAX_PATH})
    assert mark_action(screen(), long).getpixel(at) != (255, 255, 255)


@pytest.mark.parametrize("at", [Point(0, 0), Point(1, 1), Point(0.5, 0.5)])
def test_the_name_of_a_held_key_covers_no_number(at: Point) -> None:
    held = [actions.Tap(at=at, held=("control", "shift")), actions.Tap(at=Point(0.5, 0.2))]
    plain = [actions.Tap(at=at), actions.Tap(at=Point(0.5, 0.2))]
    marked = mark_actions(screen(), held)
    label = ImageChops.difference(marked, mark_actions(screen(), plain)).getbbox()
    numbered = mark_actions(screen(), plain)
    unnumbered = mark_action(mark_action(screen(), plain[0]), plain[1])
    number = ImageChops.difference(numbered, unnumbered)
    assert label is not None
    assert number.crop(label).getbbox() is None


@pytest.mark.parametrize("at", [Point(0, 0), Point(1, 0), Point(1, 1), Point(0, 1)])
def test_a_number_stays_in_the_picture(at: Point) -> None:
    taps = [actions.Tap(at=at), actions.Tap(at=Point(0.5, 0.5))]
    assert mark_actions(screen(), taps).size == (180, 400)
