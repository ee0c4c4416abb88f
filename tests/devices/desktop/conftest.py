from collections.abc import Iterator

import pytest

from tapwright.devices.desktop.device import Desktop
from tests.devices.desktop.installed import need_desktop


@pytest.fixture(scope="session")
def programs() -> None:
    """Skips what needs a desktop where there is none."""
    need_desktop()


@pytest.fixture(scope="package")
def shared(programs: None) -> Iterator[Desktop]:
    with Desktop() as device:
        yield device


@pytest.fixture
def desktop(shared: Desktop) -> Desktop:
    """A desktop with nothing on it."""
    shared.reset()
    return shared
