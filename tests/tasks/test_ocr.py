from io import BytesIO

import pytest
from PIL import Image, ImageDraw, ImageFont

from tapwright.core.geometry import Box
from tapwright.core.screenshot import Screenshot
from tapwright.tasks.events.ocr import RapidReader, find_texts


def screen() -> Screenshot:
    image = Image.new("RGB", (400, 300), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(36)
    draw.text((30, 30), "Shopping list", fill="black", font=font)
    draw.text((30, 220), "Buy milk 42", fill="black", font=font)
    buffer = BytesIO()
    image.save(buffer, "PNG")
    return Screenshot(buffer.getvalue())


@pytest.mark.slow
def test_the_texts_of_a_screen_are_read_where_they_stand_and_once() -> None:
    reader = RapidReader()
    seen = reader.read(screen())
    assert [one.text for one in seen] == ["Shopping list", "Buy milk 42"]
    assert find_texts(seen, Box(0, 0.5, 1, 1)) == ["Buy milk 42"]
    assert reader.read(screen()) is seen
