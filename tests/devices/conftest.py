from collections.abc import Callable, Iterator

import pytest

from tapwright.core.geometry import Size
from tapwright.devices.chromium import Browser
from tapwright.devices.tab import Tab

ORIGIN = "http://page.test"
HEAD = (
    "<!doctype html><meta charset=utf-8><meta name=viewport "
    "content='width=device-width, initial-scale=1, user-scalable=no'>"
    "<style>body { margin: 0; font: 16px sans-serif }</style>"
)

OpenPage = Callable[..., Tab]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Opens a tab of 400x800 CSS pixels that shows the given HTML."""
    tabs: list[Tab] = []

    def open_page(html: str, *, density: float = 1.0, timeout_s: float = 10.0) -> Tab:
        tab = browser.open_tab(Size(400, 800), density, timeout_s=timeout_s)
        tabs.append(tab)
        tab.serve({"index.html": ((HEAD + html).encode(), "text/html")}, ORIGIN)
        tab.goto(f"{ORIGIN}/")
        return tab

    yield open_page
    for tab in tabs:
        tab.close()
