import os
from collections.abc import Iterator

import pytest

from tapwright.devices.desktop.device import Desktop
from tapwright.devices.desktop.programs import INSTALL, find_programs, missing_packages
from tapwright.devices.errors import DesktopMissingError


@pytest.fixture(scope="session")
def programs() -> None:
    """Skips what needs a desktop where there is none."""
    try:
        find_programs()
        missing = missing_packages()
    except DesktopMissingError as error:
        missing = [str(error)]
    if missing:
        if "CI" in os.environ:
            pytest.fail(f"{', '.join(missing)}: {INSTALL}")
        pytest.skip(f"the desktop's programs are not installed; as root: {INSTALL}")


@pytest.fixture(scope="package")
def shared(programs: None) -> Iterator[Desktop]:
    with Desktop() as device:
        yield device


@pytest.fixture
def desktop(shared: Desktop) -> Desktop:
    """A desktop with nothing on it."""
    shared.reset()
    return shared
