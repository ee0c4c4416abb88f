"""What the tests of suites on pages share; each file has a `worker` of its own."""

from collections.abc import Iterator

import pytest

from tapwright.devices.web.device import WebDevice
from tapwright.harnesses.worker import SuiteWorker


@pytest.fixture(scope="module")
def browser() -> Iterator[WebDevice]:
    """A browser that reaches this machine alone."""
    with WebDevice.named("about:blank,400x300", network="127.0.0.1") as device:
        yield device


@pytest.fixture
def put_away(worker: SuiteWorker) -> Iterator[None]:
    """What a test set up is torn down."""
    yield
    if worker.alive:
        worker.tear_down()
