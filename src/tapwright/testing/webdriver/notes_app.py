"""The app on the screen of `FakeWebDriver`: notes in a list, which each gesture and key changes.

Places are in the driver's units. What is drawn is what is there: each widget fills its box with the
colour of its kind, so that a picture tells which widget owns a pixel.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Literal, TypeAlias

from PIL import Image, ImageDraw

from tapwright.core.geometry import Size
from tapwright.drawing.text import draw_text

__all__ = ["COLORS", "Edges", "NotesApp", "Widget", "WidgetKind"]

WidgetKind: TypeAlias = Literal[
    "window", "title", "field", "button", "switch", "label", "list", "row", "icon"
]
Edges: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom."""

COLORS: dict[WidgetKind, tuple[int, int, int]] = {
    "window": (245, 245, 245), "title": (225, 230, 240), "field": (255, 250, 205),
    "button": (90, 150, 230), "switch": (120, 200, 120), "label": (230, 225, 215),
    "list": (210, 210, 210), "row": (250, 220, 225), "icon": (200, 140, 60),
}  # fmt: skip
_DESKTOP = (60, 60, 70)
_ROWS = 7
"""Rows of the list that are seen at once."""


@dataclass(frozen=True, slots=True)
class Widget:
    """One widget in its `edges`; `text` is what it says, or a field holds."""

    kind: WidgetKind
    name: str
    edges: Edges
    text: str = ""
    on: bool = False
    focused: bool = False
    children: tuple["Widget", ...] = ()

    def all(self) -> Iterator["Widget"]:
        """Itself and every one in it, parents first."""
        yield self
        for child in self.children:
            yield from child.all()


@dataclass(slots=True)
class NotesApp:
    """The app in a `window` of a screen; a `home` screen with its icon is behind it.

    Places are in points, with (0, 0) at the top left of the screen.
    """

    window: Edges
    rows: list[str] = field(default_factory=lambda: [f"Note {number}" for number in range(1, 13)])
    draft: str = ""
    dark: bool = False
    focused: bool = False
    front: bool = True
    first: float = 0.0
    """The row at the top of the list; a part of a row is scrolled away in between."""

    def root(self) -> Widget:
        """What is on the screen now."""
        if not self.front:
            icon = Widget("icon", "Notes", self._part(0.1, 0.1, 0.3, 0.2))
            return Widget("window", "Home", self.window, children=(icon,))
        return Widget(
            "window",
            "Notes",
            self.window,
            children=(
                Widget("title", "All notes", self._part(0.05, 0.07, 0.95, 0.13), "All notes"),
                Widget(
                    "field", "New note", self._part(0.05, 0.16, 0.7, 0.22), self.draft,
                    focused=self.focused,
                ),
                Widget("button", "Add", self._part(0.74, 0.16, 0.95, 0.22)),
                Widget("label", "Dark", self._part(0.05, 0.25, 0.7, 0.3), "Dark"),
                Widget("switch", "Dark mode", self._part(0.74, 0.25, 0.95, 0.3), on=self.dark),
                Widget("list", "Notes", self._list(), children=tuple(self._row_widgets())),
            ),
        )  # fmt: skip

    def at(self, x: float, y: float) -> Widget | None:
        """The topmost widget at a place; a window is one, too."""
        found = None
        for widget in self.root().all():
            left, top, right, bottom = widget.edges
            if left <= x < right and top <= y < bottom:
                found = widget
        return found

    def tap(self, x: float, y: float) -> None:
        """A field gets the focus, other widgets do what they are for."""
        widget = self.at(x, y)
        kind = None if widget is None else widget.kind
        self.focused = kind == "field"
        if kind == "icon":
            self.front = True
        elif kind == "switch":
            self.dark = not self.dark
        elif kind == "button":
            self._add()

    def remove(self, x: float, y: float) -> None:
        """What a long press or a right click does: a row goes away."""
        widget = self.at(x, y)
        if widget is not None and widget.kind == "row":
            self.rows.remove(widget.text)
            self.scroll(0)

    def star(self, x: float, y: float) -> None:
        """What a double tap does: a row gets a star."""
        widget = self.at(x, y)
        if widget is not None and widget.kind == "row":
            self.rows[self.rows.index(widget.text)] += " *"

    def scroll(self, distance: float) -> None:
        """Move the list by units: the rows below come into sight."""
        first = self.first + distance / self._row_height()
        self.first = min(max(first, 0.0), max(0.0, float(len(self.rows) - _ROWS)))

    def type(self, text: str) -> None:
        """Type into the field, if it has the focus; a line break adds the note."""
        for char in text if self.focused else "":
            if char in "\r\n":
                self._add()
            elif char == "\b":
                self.draft = self.draft[:-1]
            else:
                self.draft += char

    def draw(self, screen: Size, scale: float, origin: tuple[int, int]) -> bytes:
        """A PNG of `screen` pixels, `scale` to a unit, whose corner is at `origin` in units."""
        image = Image.new("RGB", (screen.width, screen.height), _DESKTOP)
        draw = ImageDraw.Draw(image)
        for widget in self.root().all():
            left, top, right, bottom = (
                round((edge - origin[number % 2]) * scale)
                for number, edge in enumerate(widget.edges)
            )
            color = COLORS[widget.kind]
            if self.dark and widget.kind == "window":
                color = (30, 30, 30)
            draw.rectangle((left, top, right - 1, bottom - 1), fill=color)
            words = widget.text or ("on" if widget.on else "" if widget.children else widget.name)
            size_px = max(8, (bottom - top) // 3)
            if widget.kind != "window":
                draw_text(draw, (left + size_px, top + 2 * size_px), words, size_px, "black")
        data = BytesIO()
        image.save(data, "PNG", compress_level=1)
        return data.getvalue()

    def _add(self) -> None:
        if self.draft:
            self.rows.insert(0, self.draft)
            self.draft = ""

    def _list(self) -> Edges:
        left, top, right, _ = self._part(0.05, 0.34, 0.95, 0.95)
        return left, top, right, top + _ROWS * self._row_height()

    def _row_height(self) -> int:
        _, top, _, bottom = self._part(0.05, 0.34, 0.95, 0.95)
        return (bottom - top) // _ROWS

    def _row_widgets(self) -> Iterator[Widget]:
        left, top, right, bottom = self._list()
        height = self._row_height()
        for number, row in enumerate(self.rows):
            above = top + round((number - self.first) * height)
            if above >= top and above + height <= bottom:
                yield Widget("row", row, (left, above, right, above + height), row)

    def _part(self, left: float, top: float, right: float, bottom: float) -> Edges:
        x, y, far_x, far_y = self.window
        width, height = far_x - x, far_y - y
        return (
            x + round(left * width), y + round(top * height),
            x + round(right * width), y + round(bottom * height),
        )  # fmt: skip
