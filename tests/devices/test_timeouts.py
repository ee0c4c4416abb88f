"""Limits of blocking calls: what is late is given up, and not what a busy machine is slow with."""

import asyncio
import os
from threading import Event, Timer

import pytest

from tapwright.devices.timeouts import at_this_load, run_within
from tapwright.errors import DeviceLostError


def test_a_limit_is_for_as_many_programs_as_there_are_processors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    for load, limit_s in ((0.0, 30.0), (2.0, 30.0), (3.0, 45.0), (24.0, 360.0)):
        monkeypatch.setattr(os, "getloadavg", lambda load=load: (load, 0.0, 0.0))
        assert at_this_load(30.0) == limit_s


def test_where_no_load_is_told_a_limit_is_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "getloadavg")
    assert at_this_load(30.0) == 30.0


def test_a_limit_that_grows_while_it_passes_is_waited_for() -> None:
    limits, done = [0.01], Event()
    Timer(0.1, done.set).start()

    async def wait() -> bool:
        return await run_within(
            lambda: limits.pop(0) if limits else 60.0, lambda: done.wait(60), description="a call"
        )

    assert asyncio.run(wait())


def test_what_is_late_by_the_limit_of_now_is_given_up() -> None:
    limits, done = [0.01, 0.05], Event()

    async def wait() -> bool:
        return await run_within(
            lambda: limits.pop(0) if len(limits) > 1 else limits[0],
            lambda: done.wait(60),
            description="a call",
        )

    with pytest.raises(DeviceLostError, match=r"^a call took more than 0\.05 s$"):
        asyncio.run(wait())
    done.set()
