from collections.abc import Iterator

import pytest

from tapwright.devices.miniwob.device import MiniWob


@pytest.fixture(scope="package")
def miniwob() -> Iterator[MiniWob]:
    with MiniWob() as device:
        yield device
