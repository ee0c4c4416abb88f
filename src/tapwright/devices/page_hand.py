"""The hand on a page of Chromium, in CSS pixels."""

import time
from collections.abc import Callable, Sequence

from tapwright.core.actions import Button
from tapwright.core.geometry import Point, Size
from tapwright.devices.hand import Hand
from tapwright.devices.mouse import Mouse
from tapwright.devices.page import Page
from tapwright.devices.touch import CssPoint

__all__ = ["PageHand"]


class PageHand(Hand):
    """A mouse and a keyboard of one page; `spend` lets time pass on its clock.

    Places are shares of `area`, which begins where the page does; None is all of the page.
    """

    def __init__(
        self, page: Page, area: Size | None = None, *, spend: Callable[[float], None] = time.sleep
    ) -> None:
        super().__init__()
        self.page = page
        self.mouse = Mouse(page)
        self._area = area
        self._spend = spend

    def spend(self, duration_s: float) -> None:
        """Let time pass on the page's clock."""
        self._spend(duration_s)

    def move(self, at: Point) -> None:
        """Move the pointer."""
        self.mouse.move(self.css(at))

    def click(self, at: Point, button: Button, times: int) -> None:
        """Click."""
        self.mouse.click(self.css(at), button, times=times)

    def hold(self, at: Point, button: Button, duration_s: float) -> None:
        """Press, and release after a while."""
        self.move(at)
        self.mouse.press(button)
        self._spend(duration_s)
        self.mouse.release(button)

    def drag(self, places: Sequence[Point], button: Button, duration_s: float) -> None:
        """Drag through the places at once: pages need no time for it."""
        self.mouse.drag([self.css(one) for one in places], button)

    def scroll(self, at: Point, dx: float, dy: float) -> None:
        """Turn the wheel."""
        size = self._area or self.page.size
        self.page.wheel(*self.css(at), dx * size.width, dy * size.height)

    def button(self, button: Button, *, down: bool) -> None:
        """Press or release a button."""
        (self.mouse.press if down else self.mouse.release)(button)

    def key(self, name: str, *, down: bool) -> None:
        """Press or release a key."""
        self.page.hold_key(name, down=down)

    def chord(self, names: Sequence[str]) -> None:
        """Press keys together."""
        self.page.press(names)

    def type(self, text: str) -> None:
        """Type on the keyboard."""
        self.page.type_keys(text)

    def css(self, at: Point) -> CssPoint:
        """Where a place is on the page."""
        size = self._area or self.page.size
        return at.x * size.width, at.y * size.height
