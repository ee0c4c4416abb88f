from collections.abc import Iterator

import pytest

from tapwright.devices.fake import FakeDevice
from tapwright_adb_simulator import AdbPhone, AdbServer
from tests.adb_simulator.wire import Wire


@pytest.fixture
def device() -> FakeDevice:
    return FakeDevice()


@pytest.fixture
def phone(device: FakeDevice) -> Iterator[AdbPhone]:
    with AdbPhone(device) as phone:
        yield phone


@pytest.fixture
def wire(phone: AdbPhone) -> Iterator[Wire]:
    with Wire.greeted(phone) as wire:
        yield wire


@pytest.fixture(scope="module")
def server() -> Iterator[AdbServer]:
    with AdbServer() as server:
        yield server
