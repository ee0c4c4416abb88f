"""The pictures of a prompt, in the size in which a family's own client sends them."""

import io
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tapwright.conventions import conventions
from tapwright.conventions.family import user_message
from tapwright.conventions.grounders import HOLO, PHI_GROUND
from tapwright.conventions.json import JsonConvention
from tapwright.conventions.sent_pictures import SentFilter, resize_pictures
from tapwright.core.actions import Wait
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Picture, Text
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.errors import BadImageError


@dataclass(frozen=True)
class Halving(JsonConvention):
    """Its client sends pictures of half the size, at least one pixel."""

    def sent_size(self, size: Size) -> Size:
        return Size(max(size.width // 2, 1), max(size.height // 2, 1))


@dataclass(frozen=True)
class Sharp(Halving):
    """The same by another filter."""

    sent_filter: SentFilter = "lanczos"


def drawn(size: Size, kind: str = "PNG") -> Screenshot:
    data = io.BytesIO()
    image = Image.linear_gradient("L").resize((size.width, size.height)).convert("RGB")
    image.save(data, kind)
    return Screenshot(data.getvalue())


def pictures(messages: list[Message]) -> list[Screenshot]:
    return [part.screenshot for one in messages for part in one.parts if isinstance(part, Picture)]


@given(width=st.integers(1, 64), height=st.integers(1, 64))
def test_every_picture_has_the_size_that_the_client_sends(width: int, height: int) -> None:
    screen = drawn(Size(width, height))
    sent = resize_pictures(Halving(), [user_message("a", screen, "b"), user_message(screen)])
    assert [one.size for one in pictures(sent)] == [Halving().sent_size(screen.size)] * 2
    assert [message.text for message in sent] == ["ab", ""]


def test_a_picture_of_that_size_keeps_its_bytes() -> None:
    screen = drawn(Size(1, 1))
    (kept,) = pictures(resize_pictures(Halving(), [user_message(screen)]))
    assert kept is screen


def test_without_a_size_of_its_own_a_convention_sends_what_was_recorded() -> None:
    messages = [Message("system", (Text("s"),)), user_message(drawn(Size(4000, 100)))]
    assert resize_pictures(JsonConvention(), messages) == messages


@pytest.mark.parametrize(("kind", "sent_as"), [("PNG", "png"), ("JPEG", "jpg"), ("WEBP", "png")])
def test_a_jpeg_stays_one_and_others_lose_nothing(kind: str, sent_as: str) -> None:
    (sent,) = pictures(resize_pictures(Halving(), [user_message(drawn(Size(40, 40), kind))]))
    assert sent.extension == sent_as


@pytest.mark.parametrize(
    ("convention", "sent_filter"),
    [(Halving(), Image.Resampling.BICUBIC), (Sharp(), Image.Resampling.LANCZOS)],
)
def test_the_filter_is_pillows_default_or_the_conventions(
    convention: Halving, sent_filter: Image.Resampling
) -> None:
    screen = drawn(Size(60, 40))
    (sent,) = pictures(resize_pictures(convention, [user_message(screen)]))
    assert sent.image().tobytes() == screen.image().resize((30, 20), sent_filter).tobytes()


def test_a_canvas_is_white_around_the_picture_in_its_corner() -> None:
    (sent,) = pictures(resize_pictures(PHI_GROUND, [user_message(drawn(Size(200, 100)))]))
    assert sent.size == Size(1008, 672)
    image = sent.image()
    assert image.getpixel((1007, 504)) == image.getpixel((0, 671)) == (255, 255, 255)
    assert image.getpixel((504, 0)) != (255, 255, 255)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("glm-4.1v-computer", [Size(40, 60), Size(20, 30), Size(20, 30)]),
        ("glm-4.5v-computer", [Size(20, 30), Size(20, 30), Size(40, 60)]),
    ],
)
def test_the_screens_of_earlier_steps_may_be_sent_in_half_their_size(
    name: str, sizes: list[Size]
) -> None:
    convention = conventions.get(name)
    before = Observation(drawn(Size(40, 60)), Size(40, 60))
    now = Observation(drawn(Size(40, 60), "JPEG"), Size(40, 60))
    steps = [Step(before, Decision(Wait()))] * 2
    prompt = convention.prompt("do it", steps, now)
    assert [one.size for one in pictures(resize_pictures(convention, prompt))] == sizes


def test_a_picture_that_was_resized_before_is_not_resized_again() -> None:
    first, second = (
        pictures(resize_pictures(Halving(), [user_message(drawn(Size(44, 36)))])) for _ in range(2)
    )
    assert first[0] is second[0]


def test_a_picture_that_no_server_resizes_is_refused_with_its_size() -> None:
    with pytest.raises(BadImageError, match="10x2001 pixels cannot be resized for the model"):
        resize_pictures(HOLO, [user_message(drawn(Size(10, 2001)))])


def test_a_broken_picture_is_one_error_that_names_it() -> None:
    torn = Screenshot(drawn(Size(60, 60)).data[:-40], origin="demo-7, step 3")
    with pytest.raises(BadImageError, match="demo-7, step 3: the image is broken"):
        resize_pictures(Halving(), [user_message(torn)])
