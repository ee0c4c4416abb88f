"""What the thread of a desktop's bus tells of failures that nobody waits for."""

import asyncio
import errno
import gc
from collections.abc import Iterator

import pytest

from tapwright.devices.desktop.accessibility_bus import BusThread


@pytest.fixture
def thread() -> Iterator[BusThread]:
    found = BusThread()
    yield found
    found.close()


async def fail_unheard(error: OSError) -> None:
    asyncio.get_running_loop().create_future().set_exception(error)
    gc.collect()


async def fail_in_a_callback(error: OSError) -> None:
    def fail() -> None:
        raise error

    asyncio.get_running_loop().call_soon(fail)
    await asyncio.sleep(0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "error", [BrokenPipeError("the bus ended"), OSError(errno.EBADF, "Bad file descriptor")]
)
def test_a_message_that_a_bus_did_not_take_is_not_told(
    thread: BusThread, caplog: pytest.LogCaptureFixture, error: OSError
) -> None:
    thread.run(fail_unheard(error), limit_s=5, what="fail")
    assert caplog.text == ""


@pytest.mark.slow
def test_every_other_failure_of_the_system_is_told(
    thread: BusThread, caplog: pytest.LogCaptureFixture
) -> None:
    thread.run(fail_unheard(PermissionError("no entry")), limit_s=5, what="fail")
    assert "no entry" in caplog.text
    thread.run(fail_in_a_callback(ConnectionResetError("our own fault")), limit_s=5, what="fail")
    assert "our own fault" in caplog.text
