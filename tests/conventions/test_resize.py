import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.conventions.anthropic_computer import ANTHROPIC_COMPUTER, ANTHROPIC_COMPUTER_HIGH
from tapwright.conventions.resize import (
    GUI_OWL,
    OPENCUA,
    QWEN2_5_VL,
    QWEN3_VL,
    UI_TARS,
    AreaLimit,
    FitInto,
    SmartResize,
)
from tapwright.core.geometry import Size
from tapwright.errors import BadImageError

OLD_DEFAULT = SmartResize(28, 4 * 28**2, 1_003_520)
EVERY = st.sampled_from([QWEN2_5_VL, QWEN3_VL, UI_TARS, OPENCUA, GUI_OWL, OLD_DEFAULT])
SIDES = st.integers(100, 4000)


@given(resize=EVERY, size=st.builds(Size, SIDES, SIDES))
def test_a_picture_that_was_resized_is_left_as_it_is(resize: SmartResize, size: Size) -> None:
    seen = resize.size(size)
    assert resize.size(seen) == seen
    assert seen.width % resize.factor == seen.height % resize.factor == 0
    assert resize.min_pixels <= seen.width * seen.height <= resize.max_pixels


@pytest.mark.parametrize(
    ("resize", "size", "seen"),
    [
        # What the models' own preprocessors give.
        (QWEN2_5_VL, Size(1080, 2400), Size(1092, 2408)),
        (OLD_DEFAULT, Size(1080, 2400), Size(672, 1484)),
        (QWEN3_VL, Size(1080, 2400), Size(1088, 2400)),
        (GUI_OWL, Size(1080, 2400), Size(1088, 2400)),
        (QWEN2_5_VL, Size(1440, 3120), Size(1428, 3108)),
        (OLD_DEFAULT, Size(1440, 3120), Size(672, 1456)),
        (QWEN3_VL, Size(1440, 3120), Size(1440, 3136)),
        (UI_TARS, Size(1080, 2400), Size(1092, 2408)),
    ],
)
def test_sizes_are_those_of_the_models(resize: SmartResize, size: Size, seen: Size) -> None:
    assert resize.size(size) == seen


@pytest.mark.parametrize(
    ("size", "seen"),
    [(Size(1920, 1080), Size(1932, 1092)), (Size(3840, 2160), Size(2800, 1568))],
)
def test_an_area_limit_shrinks_before_the_sides_are_rounded(size: Size, seen: Size) -> None:
    assert AreaLimit(5600 * 28**2, SmartResize(28, 3136, 12_845_056)).size(size) == seen


@given(size=st.builds(Size, SIDES, SIDES))
def test_a_picture_that_is_fitted_fills_the_canvas_in_one_direction(size: Size) -> None:
    canvas = Size(1008, 672)
    fitted = FitInto(canvas).size(size)
    assert fitted.width == canvas.width or fitted.height == canvas.height
    assert fitted.width <= canvas.width
    assert fitted.height <= canvas.height


def test_a_picture_much_longer_than_wide_is_refused() -> None:
    assert QWEN2_5_VL.size(Size(20, 4000)) == Size(28, 4004)
    with pytest.raises(BadImageError, match="one side is more than 200 times the other"):
        QWEN2_5_VL.size(Size(20, 4001))


@pytest.mark.parametrize(
    ("size", "seen"),
    [
        (Size(1024, 768), Size(1024, 768)),
        (Size(1920, 1080), Size(1456, 819)),
        (Size(2560, 1440), Size(1456, 819)),
        (Size(400, 3136), Size(200, 1568)),
    ],
)
def test_anthropic_scales_down_by_the_long_side_and_the_tiles(size: Size, seen: Size) -> None:
    assert ANTHROPIC_COMPUTER.model_size(size) == seen
    assert ANTHROPIC_COMPUTER.sent_size(size) == seen


@given(st.builds(Size, st.integers(1, 6000), st.integers(1, 6000)))
def test_what_anthropic_is_sent_is_not_scaled_again(size: Size) -> None:
    for convention in (ANTHROPIC_COMPUTER, ANTHROPIC_COMPUTER_HIGH):
        sent = convention.sent_size(size)
        assert convention.sent_size(sent) == sent
        assert convention.sent_size(Size(size.height, size.width)) == Size(sent.height, sent.width)


def test_a_high_resolution_screen_is_sent_as_it_is_to_models_that_see_it() -> None:
    for size in (Size(1920, 1080), Size(2576, 1449)):
        assert ANTHROPIC_COMPUTER_HIGH.sent_size(size) == size
