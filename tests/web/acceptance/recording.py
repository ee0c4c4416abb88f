"""The record page as a person uses it: by what its controls are called."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from tapwright.core.episode import Episode
from tapwright.devices.device import Device
from tapwright.store.store import EpisodeStore
from tapwright.tasks.task import Task
from tapwright.web.config import WebConfig
from tests.web.browsing import serving, watched

TWO_FRAMES = (
    "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
)


@dataclass(frozen=True)
class Recorder:
    """A page on which something is recorded into a store."""

    page: Page
    address: str
    store: EpisodeStore

    def start(self, instruction: str = "Tap the buttons") -> None:
        """Begin a demonstration with words of one's own, from the start page."""
        self.page.goto(self.address)
        self.page.get_by_role("radio", name="An instruction of your own").check()
        self.page.get_by_role("textbox", name="Instruction").fill(instruction)
        self.page.get_by_role("button", name="Start recording").click()
        self.ready()

    def start_task(self, instruction: str | re.Pattern[str]) -> None:
        """Begin a demonstration of a task, from the start page."""
        self.page.goto(self.address)
        self.page.get_by_role("radio", name=instruction).check()
        self.page.get_by_role("button", name="Start recording").click()
        self.ready()

    def ready(self) -> None:
        """Wait until the screen is there and takes input."""
        expect(self.press("Wait 1 s")).to_be_enabled()
        expect(self.page.get_by_text("Waiting for the first picture")).to_have_count(0)

    def bring_back(self) -> None:
        """Have the device set up again, and the recorded steps played on it."""
        button = self.press("Bring the device back")
        button.click()
        expect(button).to_have_count(0)

    @property
    def screen(self) -> Locator:
        return self.page.get_by_role("img", name=re.compile("^Live screen of"))

    @property
    def steps(self) -> Locator:
        return self.page.get_by_role("list", name="Steps").get_by_role("listitem")

    def press(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a fraction of the screen lies on the page."""
        left, top, width, height = self.place()
        return left + x * width, top + y * height

    def place(self) -> tuple[float, float, float, float]:
        """Where the picture lies on the page: left, top, width, height, without empty edges."""
        left, top, width, height = self.screen.evaluate(
            """canvas => {
                const box = canvas.getBoundingClientRect();
                const scale = Math.min(box.width / canvas.width, box.height / canvas.height);
                const [width, height] = [canvas.width * scale, canvas.height * scale];
                const [left, top] = [(box.width - width) / 2, (box.height - height) / 2];
                return [box.left + left, box.top + top, width, height];
            }"""
        )
        return left, top, width, height

    def place_at_rest(self) -> tuple[float, float, float, float]:
        """Where the picture lies once the page moves it no more."""
        place, before = self.place(), None
        while place != before:
            self.page.evaluate(TWO_FRAMES)
            place, before = self.place(), place
        return place

    def tap(self, x: float = 0.5, y: float = 0.4) -> None:
        self.page.mouse.click(*self.at(x, y))

    def saved(self, count: int) -> None:
        """Wait until so many steps are shown, and all are said to be saved."""
        expect(self.steps).to_have_count(count)
        expect(self.page.get_by_role("status").filter(has_text="All saved")).to_be_visible()

    def finish(self) -> None:
        """End it as a success, without a check's word."""
        self.press("Finish").click()
        dialog = self.page.get_by_role("dialog", name="Finish the demonstration")
        dialog.get_by_role("button", name="Finish", exact=True).click()
        expect(self.page.get_by_role("heading", name="Demonstration saved")).to_be_visible()

    @property
    def episode(self) -> Episode:
        """The only episode of the store."""
        (only,) = self.store.ids()
        return self.store.read(only)


@contextmanager
def recording(
    browser: Browser,
    store: Path,
    *devices: Callable[[], Device],
    tasks: Sequence[Task] = (),
    allow: str = "",
    ratio: float = 1,
) -> Iterator[Recorder]:
    """A server with these devices ("fake", "fake-2", …), and a page of its own.

    What goes wrong on the page fails the test, but for what `allow` (an expression) fits.
    """
    names = ("fake", *(f"fake-{number}" for number in range(2, len(devices) + 1)))
    config = WebConfig(
        episodes=store,
        devices=dict(zip(names, devices, strict=True)),
        suites={"mine": lambda: tasks} if tasks else {},
    )
    with serving(config) as address, watched(browser, allow=allow, ratio=ratio) as found:
        yield Recorder(found.page, address, EpisodeStore(store))
