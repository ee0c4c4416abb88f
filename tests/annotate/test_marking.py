from collections.abc import Sequence

import pytest
from PIL import Image, ImageChops

from tapwright.annotate.function_calls import function_call
from tapwright.annotate.marked_screen import MAX_PIXELS, describe_action, mark_screen
from tapwright.core.actions import Action, Drag, Finish, PressKey, Scroll, TypeText
from tapwright.core.geometry import Point, Size
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tests.annotate.test_vlm import EVERY

SIZE = Size(1080, 2400)


def red(image: Image.Image) -> Image.Image:
    """Where a picture is the red of marks and captions: 255, else 0."""
    bands = image.split()
    parts = [bands[0].point(lambda v: 255 * (v > 150)),
             *(band.point(lambda v: 255 * (v < 90)) for band in bands[1:])]  # fmt: skip
    return ImageChops.darker(parts[0], ImageChops.darker(parts[1], parts[2]))


@pytest.mark.parametrize("size", [Size(1080, 2400), Size(1920, 1080), Size(90, 120)], ids=str)
@pytest.mark.parametrize("action", EVERY, ids=lambda action: str(action.type))
def test_mark_and_caption_agree(action: Action, size: Size) -> None:
    shot = Screenshot(painted_scene(1, size).picture)
    made = mark_screen(shot, [action], describe_action(action, SIZE)).image()
    screen = size.shrink(max_pixels=MAX_PIXELS)
    top = made.height - screen.height
    assert top > 0
    assert red(made.crop((0, 0, made.width, top))).getbbox() is not None
    marks = red(made.crop((0, top, screen.width, made.height))).getbbox()
    places = _places(action)
    assert (marks is None) == (not places)
    for x, y in places:
        assert marks is not None
        left, upper, right, lower = marks
        slack = 0.06 * max(screen.width, screen.height)
        assert left - slack <= x * screen.width / 1000 <= right + slack
        assert upper - slack <= y * screen.height / 1000 <= lower + slack


def _places(action: Action) -> Sequence[tuple[int, int]]:
    """The places that the caption names."""
    words = (
        describe_action(action, SIZE).replace("[", " ").replace("]", " ").replace(",", " ").split()
    )
    numbers = [int(word) for word in words if word.isdecimal()]
    if isinstance(action, Finish | TypeText | PressKey) or len(numbers) < 2:
        return []
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def test_the_screen_after_the_last_step_has_no_mark() -> None:
    shot = Screenshot(painted_scene(1, Size(270, 600)).picture)
    made = mark_screen(shot, (), "after").image()
    assert red(made.crop((0, made.height - 600, 270, made.height))).getbbox() is None


def test_a_long_text_is_wrapped_and_cut_and_never_hides_the_screen() -> None:
    shot = Screenshot(painted_scene(1, Size(270, 600)).picture)
    short = mark_screen(shot, (), "one row").image()
    long = mark_screen(
        shot, [TypeText(text="周报" * 900)], describe_action(TypeText(text="周报" * 900), SIZE)
    ).image()
    assert short.height < long.height < 600 + 6 * short.height
    assert long.width == short.width
    assert not (long.height - 600) * long.width > 600 * 270


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Drag(start=Point(0, 0), end=Point(1, 1)), "DRAG [0, 0] to [1000, 1000]"),
        (Scroll(at=Point(0.5, 0.25), dy=-1), "SCROLL UP at [500, 250]"),
        (TypeText(text='a "b"\nc'), r'INPUT "a \"b\"\nc"'),
        (Finish(outcome="infeasible"), "DONE (infeasible)"),
    ],
)
def test_captions_are_in_thousandths_and_quoted(action: Action, words: str) -> None:
    assert describe_action(action, SIZE) == words


def test_every_action_has_a_call_and_a_caption() -> None:
    assert len({function_call(action, SIZE).name for action in EVERY}) == 13
    assert len({describe_action(action, SIZE) for action in EVERY}) == len(EVERY)
