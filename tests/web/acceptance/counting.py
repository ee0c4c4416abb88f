"""A screen that carries its number, so that a test can tell which one a person saw."""

from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from typing import overload

from PIL import Image, ImageDraw

from tapwright.core.geometry import Size
from tapwright.devices.fake import Scene

SIZE = Size(270, 600)
BITS = 10
_SIDE = 20

PAINTED = """() => {
    const canvas = document.querySelector("canvas");
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const drawn = copy.getContext("2d", { willReadFrequently: true });
    drawn.drawImage(canvas, 0, 0);
    let number = 0;
    for (let bit = 0; bit < 10; bit++)
        if (drawn.getImageData(bit * 20 + 10, 10, 1, 1).data[0] < 128) number |= 1 << bit;
    return number;
}"""
"""Reads the number of the screen that the page has painted."""

NOTES_WHAT_WAS_SEEN = f"""
    globalThis.seen = [];
    addEventListener("pointerdown", event => {{
        if (event.target.closest?.(".live")) globalThis.seen.push(({PAINTED})());
    }}, true);
"""
"""Keeps in `seen` the number that was painted at each press on the screen."""


class CountedScenes(Sequence[Scene]):
    """Screens without an end, each with its number in black squares, and in its tree."""

    def __len__(self) -> int:
        return 1 << BITS

    @overload
    def __getitem__(self, number: int) -> Scene: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Scene]: ...

    def __getitem__(self, number: int | slice) -> Scene | Sequence[Scene]:
        if isinstance(number, slice):
            return [_scene(one) for one in range(*number.indices(len(self)))]
        return _scene(number)


def number_in(picture: bytes) -> int:
    """The number that a screen carries."""
    with Image.open(BytesIO(picture)) as image:
        row = image.convert("L").tobytes()[10 * image.width :]
    return sum(1 << bit for bit in range(BITS) if row[bit * _SIDE + 10] < 128)


def _painted(number: int) -> Scene:
    image = Image.new("RGB", (SIZE.width, SIZE.height), "white")
    draw = ImageDraw.Draw(image)
    for bit in range(BITS):
        if number >> bit & 1:
            draw.rectangle((bit * _SIDE, 0, (bit + 1) * _SIDE - 1, _SIDE - 1), fill="black")
    draw.rectangle((30, 200, 239, 399), fill=(66, 133, 244))
    buffer = BytesIO()
    image.save(buffer, "PNG")
    xml = (
        '<hierarchy rotation="0"><node class="android.widget.FrameLayout" bounds="[0,0][270,600]">'
        f'<node text="Button {number}" class="android.widget.Button" clickable="true" '
        'enabled="true" bounds="[30,200][240,400]" /></node></hierarchy>'
    )
    return Scene(buffer.getvalue(), xml, app="com.example.counter")


_scene = lru_cache(maxsize=1 << BITS)(_painted)
