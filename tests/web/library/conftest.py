"""One browser for the tests of the library's pages, and a library that none of them changes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tapwright.core.episode import Episode
from tapwright.web.app import WebConfig
from tests.conftest import painted
from tests.web.browsing import chromium, serving, watched
from tests.web.library.world import World, annotate, make_world


# Not for the whole session: its driver keeps a loop in this thread, where others run theirs.
@pytest.fixture(scope="module")
def browser_process() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("kept"), painted())


@pytest.fixture(scope="session")
def site(kept: World) -> Iterator[str]:
    with serving(WebConfig(episodes=kept.store.root, runs=(kept.runs,))) as address:
        yield address


@pytest.fixture
def page(browser_process: Browser) -> Iterator[Page]:
    with watched(browser_process) as found:
        yield found.page


@pytest.fixture
def own(tmp_path: Path, episodes: list[Episode]) -> Iterator[tuple[World, str]]:
    """A library of the test's own, to change."""
    world = make_world(tmp_path, episodes, runs=False)
    annotate(world.store, broken=lambda number: number == 2)
    with serving(WebConfig(episodes=world.store.root)) as address:
        yield world, address
