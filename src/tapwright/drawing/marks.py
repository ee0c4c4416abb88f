"""Marks on a frame: the place of an action, a target's box, a point, a typed text.

Every function returns a new picture. Marks differ in shape and have a light rim, so that they can
be distinguished without colour and seen on any background. The colours are those of Okabe and Ito
(https://jfly.uni-koeln.de/color/), which colour-blind readers can distinguish.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import atan2, cos, hypot, sin

from PIL import Image, ImageDraw, ImageFont

from tapwright.core import actions as act
from tapwright.core.geometry import Box, Point, Size, to_pixel
from tapwright.drawing.text import BLACK, draw_text_strip, font_size

__all__ = [
    "BLACK", "BLUE", "GREEN", "ORANGE", "VERMILION", "mark_action", "mark_actions", "mark_box",
    "mark_point", "mark_text", "thumbnail",
]  # fmt: skip

BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
_RIM = "#FFFFFF"
_FINE = 3  # marks are drawn this much larger and scaled down, so that their edges are smooth


def mark_action(image: Image.Image, action: act.Action, *, color: str = ORANGE) -> Image.Image:
    """The frame with the place that an action touches.

    A tap, and typing at a place, is a ring with a dot, a double tap two rings, a long press a ring
    within a thick one, a swipe or drag an arrow from its start along its path, a scroll an arrow
    the way the content goes, a hover a cross. A button that goes down is a thick dot in a ring, one
    that goes up a ring alone. Keys that are held stand below. Actions without a place leave the
    frame as it is.
    """
    pen = _Pen(image, color)
    unit = pen.unit
    match action:
        case act.Tap(at=at) | act.TypeText(at=Point() as at):
            pen.ring(at, 5 * unit)
            pen.dot(at, 1.4 * unit)
        case act.ButtonDown(at=Point() as at):
            pen.ring(at, 5 * unit)
            pen.dot(at, 3 * unit)
        case act.ButtonUp(at=Point() as at):
            pen.ring(at, 5 * unit)
        case act.DoubleTap(at=at):
            pen.ring(at, 3.4 * unit)
            pen.ring(at, 6 * unit)
        case act.TripleTap(at=at):
            pen.ring(at, 2.6 * unit)
            pen.ring(at, 4.8 * unit)
            pen.ring(at, 7 * unit)
        case act.LongPress(at=at):
            pen.ring(at, 3.2 * unit)
            pen.ring(at, 6 * unit, thick=2.2)
        case act.Swipe(start=start, end=end):
            pen.arrow(start, end)
        case act.Drag(start=start, end=end, path=path):
            pen.arrow(start, *path, end)
        case act.Scroll(at=at, dx=dx, dy=dy):
            # Positive dy brings up what is below, so the content, and the arrow, go up.
            pen.arrow(at, Point(_clip(at.x - dx * 0.3), _clip(at.y - dy * 0.3)))
        case act.Hover(at=at):
            pen.cross(at, color)
        case _:
            pass
    held, begin = act.held_keys(action), _begin(action)
    if held and begin is not None:
        pen.label(begin, "+".join(held))
    return pen.image


def mark_actions(
    image: Image.Image, actions: Sequence[act.Action], *, color: str = ORANGE
) -> Image.Image:
    """The frame with the places of actions that are done on one look.

    Of several, each that has a place has its number beside it, from 1.
    """
    for action in actions:
        image = mark_action(image, action, color=color)
    if len(actions) == 1:
        return image
    pen = _Pen(image, color)
    for number, action in enumerate(actions, start=1):
        at = _begin(action)
        if at is not None:
            pen.number(at, number)
    return pen.image


def _begin(action: act.Action) -> Point | None:
    at = getattr(action, "at", None) or getattr(action, "start", None)
    return at if isinstance(at, Point) else None


def mark_box(
    image: Image.Image, box: Box, *, color: str = BLUE, dashed: bool = True
) -> Image.Image:
    """The frame with a rectangle around `box`; dashed for a truth, solid for an answer."""
    pen = _Pen(image, color)
    pen.box(box, color, dashed=dashed)
    return pen.image


def mark_point(image: Image.Image, point: Point, *, color: str = VERMILION) -> Image.Image:
    """The frame with crosshairs at `point`, open in the middle to show what is there."""
    pen = _Pen(image, color)
    pen.cross(point, color)
    return pen.image


def mark_text(image: Image.Image, text: str, *, color: str = ORANGE) -> Image.Image:
    """The frame with a typed text on a label across its lower part, in four rows at most."""
    marked = image.convert("RGB")
    size_px = font_size(image.width)
    left, width = image.width // 10, max(1, image.width - image.width // 5)
    label = draw_text_strip([text or " "], width, size_px=size_px, max_rows=4)
    top = max(0, min(round(image.height * 0.85) - label.height // 2, image.height - label.height))
    marked.paste(label, (left, top))
    edge = (left, top, left + width - 1, min(top + label.height, image.height) - 1)
    ImageDraw.Draw(marked).rectangle(edge, outline=color, width=max(1, size_px // 8))
    return marked


def thumbnail(image: Image.Image, width_px: int) -> Image.Image:
    """The picture scaled down to a width; a narrower one is returned as it is."""
    if image.width <= width_px:
        return image
    height = max(1, round(image.height * width_px / image.width))
    return image.resize((width_px, height), Image.Resampling.HAMMING)


class _Pen:
    """Draws on a copy of a picture; sizes count in `unit`, about a hundredth of its width."""

    def __init__(self, image: Image.Image, color: str) -> None:
        self.image = image.convert("RGB")
        self.color = color
        self.size = Size(*image.size)
        self.unit = max(1.6, min(image.size) / 90)

    def ring(self, at: Point, radius: float, *, thick: float = 1.0) -> None:
        x, y = self._at(at)
        with_rim = ((_RIM, 2.0 * thick * 0.62 + 1.0), (self.color, thick))
        with _Layer(self, x - radius, y - radius, x + radius, y + radius) as layer:
            for color, width in with_rim:
                layer.circle(x, y, radius + self.unit * width / 2, color, self.unit * width)
            layer.circle(x, y, radius + self.unit * (thick + 1.0), BLACK, self.unit * 0.25)

    def dot(self, at: Point, radius: float) -> None:
        x, y = self._at(at)
        with _Layer(self, x - radius, y - radius, x + radius, y + radius) as layer:
            layer.disc(x, y, radius + self.unit * 0.6, _RIM)
            layer.disc(x, y, radius, self.color)

    def number(self, at: Point, number: int) -> None:
        """On a disc right above the place, or below it at the upper edge; kept in the picture."""
        x, y = self._at(at)
        radius = 3.2 * self.unit
        x = min(max(x + 7 * self.unit, radius), self.size.width - radius)
        y = y - 7 * self.unit if y > 10 * self.unit else y + 7 * self.unit
        with _Layer(self, x - radius, y - radius, x + radius, y + radius) as layer:
            layer.disc(x, y, radius + self.unit * 0.6, _RIM)
            layer.disc(x, y, radius, BLACK)
            layer.text(x, y, str(number), _RIM, 4.2 * self.unit)

    def label(self, at: Point, text: str) -> None:
        """Words on a dark strip below the place, or above it at the lower edge, in the picture."""
        x, y = self._at(at)
        size = 4.2 * self.unit
        wide, high = _Layer.width_of(text, size) / 2 + self.unit, 0.7 * size
        if y + 14 * self.unit < self.size.height:  # clear of the number, wherever that is
            y += (10 if y > 10 * self.unit else 15) * self.unit
        else:
            y -= 15 * self.unit
        x = min(max(x, wide), max(wide, self.size.width - wide))
        with _Layer(self, x - wide, y - high, x + wide, y + high) as layer:
            for color, more in ((_RIM, 0.6 * self.unit), (BLACK, 0.0)):
                left, top, right, bottom = x - wide, y - high, x + wide, y + high
                corners = [(left - more, top - more), (right + more, top - more)]
                corners += [(right + more, bottom + more), (left - more, bottom + more)]
                layer.polygon(corners, color, 0)
            layer.text(x, y, text, _RIM, size)

    def arrow(self, *places: Point) -> None:
        """Straight from each place to the next, with its head at the end.

        A last leg too short to be seen is lengthened within the picture.
        """
        *path, start, end = places
        (x0, y0), (x1, y1) = self._at(start), self._at(end)
        # By the fractions: on a scaled-down picture both may be the same pixel.
        dx = (end.x - start.x) * self.size.width
        dy = (end.y - start.y) * self.size.height
        angle, length = atan2(dy, dx), hypot(dx, dy)
        head = 4.5 * self.unit
        if 0 < length < 2 * head:
            x1, y1 = x0 + 2 * head * cos(angle), y0 + 2 * head * sin(angle)
            back_x = min(max(x1, 0), self.size.width) - x1
            back_y = min(max(y1, 0), self.size.height) - y1
            x0, x1, y0, y1 = x0 + back_x, x1 + back_x, y0 + back_y, y1 + back_y
        elif not length:
            head = self.unit
        way = [*map(self._at, path), (x0, y0)]
        xs, ys = zip(*way, (x1, y1), strict=True)
        bounds = min(xs) - head, min(ys) - head, max(xs) + head, max(ys) + head
        tips = [
            (x1, y1),
            (x1 - head * 1.8 * cos(angle + 0.42), y1 - head * 1.8 * sin(angle + 0.42)),
            (x1 - head * 1.8 * cos(angle - 0.42), y1 - head * 1.8 * sin(angle - 0.42)),
        ]
        neck = (x1 - head * cos(angle), y1 - head * sin(angle))
        with _Layer(self, *bounds) as layer:
            for color, more in ((_RIM, 1.2), (self.color, 0.0)):
                width = self.unit * (1.5 + more)
                layer.line([*way, neck], color, width)
                layer.polygon(tips, color, self.unit * more)
                layer.disc(*way[0], self.unit * (1.9 + more / 2), color)

    def box(self, box: Box, color: str, *, dashed: bool) -> None:
        width, height = self.size.width, self.size.height
        left, top = box.left * width, box.top * height
        right, bottom = box.right * width, box.bottom * height
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        with _Layer(self, left, top, right, bottom) as layer:
            for one, other in pairwise(corners):
                layer.line([one, other], _RIM, self.unit * 1.3)
            for one, other in pairwise(corners):
                pieces = _dashes(one, other, self.unit * 3) if dashed else iter([(one, other)])
                for begin, stop in pieces:
                    layer.line([begin, stop], color, self.unit * 0.8)

    def cross(self, at: Point, color: str) -> None:
        x, y = self._at(at)
        inner, outer = self.unit * 1.3, self.unit * 5
        with _Layer(self, x - outer, y - outer, x + outer, y + outer) as layer:
            for shade, width in ((_RIM, 2.0), (color, 1.0)):
                layer.circle(x, y, self.unit * 3.2, shade, self.unit * width)
                for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                    begin = (x + dx * inner, y + dy * inner)
                    layer.line([begin, (x + dx * outer, y + dy * outer)], shade, self.unit * width)

    def _at(self, point: Point) -> tuple[float, float]:
        x, y = to_pixel(point, self.size)
        return x + 0.5, y + 0.5


class _Layer:
    """A transparent layer over a part of the picture, composited when the block ends."""

    def __init__(self, pen: _Pen, left: float, top: float, right: float, bottom: float) -> None:
        margin = pen.unit * 4
        self._pen = pen
        self._left = max(0, int(left - margin))
        self._top = max(0, int(top - margin))
        self._right = min(pen.size.width, int(right + margin) + 1)
        self._bottom = min(pen.size.height, int(bottom + margin) + 1)
        wide, high = self._right - self._left, self._bottom - self._top
        self._sheet = Image.new("RGBA", (wide * _FINE, high * _FINE), (0, 0, 0, 0))
        self._draw = ImageDraw.Draw(self._sheet)

    def __enter__(self) -> "_Layer":
        return self

    def __exit__(self, *exception: object) -> None:
        place = (self._left, self._top, self._right, self._bottom)
        small = self._sheet.resize(
            (self._right - self._left, self._bottom - self._top), Image.Resampling.BOX
        )
        part = self._pen.image.crop(place).convert("RGBA")
        self._pen.image.paste(Image.alpha_composite(part, small).convert("RGB"), place[:2])

    def circle(self, x: float, y: float, radius: float, color: str, width: float) -> None:
        self._draw.ellipse(
            self._around(x, y, radius), outline=color, width=max(1, round(width * _FINE))
        )

    def disc(self, x: float, y: float, radius: float, color: str) -> None:
        self._draw.ellipse(self._around(x, y, radius), fill=color)

    def line(self, points: Sequence[tuple[float, float]], color: str, width: float) -> None:
        places = [self._place(x, y) for x, y in points]
        self._draw.line(places, fill=color, width=max(1, round(width * _FINE)), joint="curve")

    @staticmethod
    def width_of(text: str, size: float) -> float:
        return ImageFont.load_default(size * _FINE).getlength(text) / _FINE

    def text(self, x: float, y: float, text: str, color: str, size: float) -> None:
        font = ImageFont.load_default(size * _FINE)
        self._draw.text(self._place(x, y), text, fill=color, font=font, anchor="mm")

    def polygon(self, points: Sequence[tuple[float, float]], color: str, rim: float) -> None:
        places = [self._place(x, y) for x, y in points]
        self._draw.polygon(places, fill=color, outline=color, width=max(1, round(rim * _FINE)))

    def _around(self, x: float, y: float, radius: float) -> tuple[float, float, float, float]:
        return (*self._place(x - radius, y - radius), *self._place(x + radius, y + radius))

    def _place(self, x: float, y: float) -> tuple[float, float]:
        return (x - self._left) * _FINE, (y - self._top) * _FINE


def _dashes(
    start: tuple[float, float], end: tuple[float, float], length: float
) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Every other piece of a line, the first and the last ones drawn, so that corners are seen."""
    (x0, y0), (x1, y1) = start, end
    pieces = max(1, round((abs(x1 - x0) + abs(y1 - y0)) / length)) // 2 * 2 + 1
    for number in range(0, pieces, 2):
        a, b = number / pieces, (number + 1) / pieces
        yield ((x0 + (x1 - x0) * a, y0 + (y1 - y0) * a), (x0 + (x1 - x0) * b, y0 + (y1 - y0) * b))


def _clip(value: float) -> float:
    return min(max(value, 0.0), 1.0)
