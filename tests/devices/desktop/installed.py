"""What of a desktop is installed here, for tests that need it."""

import os
from collections.abc import Sequence

import pytest

from tapwright.devices.desktop.programs import (
    INSTALL,
    INSTALL_OFFICE,
    find_programs,
    missing_office,
    missing_packages,
)
from tapwright.errors import DeviceError


def need_desktop() -> None:
    """Skip the test where there is no desktop with its small applications; on CI it fails."""
    try:
        find_programs()
        missing = missing_packages()
    except DeviceError as error:
        missing = [str(error)]
    _need(missing, INSTALL)


def need_office() -> None:
    """Skip the test where there is no LibreOffice; on CI it fails."""
    _need(missing_office(), INSTALL_OFFICE)


def _need(missing: Sequence[str], install: str) -> None:
    if missing and "CI" in os.environ:
        pytest.fail(f"{', '.join(missing)}: {install}")
    if missing:
        pytest.skip(f"not installed here: {', '.join(missing)}; as root: {install}")
