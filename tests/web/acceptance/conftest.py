"""One browser for a module of tests; each test has a page, a store and a server of its own."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.web.browsing import chromium


# Not for the whole session: its driver keeps a loop in this thread, where others run theirs.
@pytest.fixture(scope="module")
def browser_process() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser
