"""Work for workers of a cluster, which tells what they did; they load it from here, and fast."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import JsonValue

from tapwright.errors import DeviceError, UsageError
from tapwright.jobs.cluster import Work


@asynccontextmanager
async def open_noting(notes: Path) -> AsyncIterator[Work[str, JsonValue]]:
    """Notes each item that it begins, and that it was closed."""

    def note(words: str) -> int:
        with notes.open("a+") as file:
            file.write(f"{words}\n")
            file.flush()
            file.seek(0)
            return file.read().split().count(words)

    async def work(item: str) -> JsonValue:
        times = note(item)
        match item:
            case "bad":
                raise DeviceError("no such device", hint="take another")
            case "fatal":
                raise UsageError("nothing can be done", hint="give up")
            case "broken":
                raise ZeroDivisionError("of our own")
            case "deadly":
                os._exit(1)
            case "silent" if times == 1:
                await asyncio.Event().wait()
        return os.getpid()

    yield work
    note("closed")


class Unloadable:
    """What is there for the driver and not for a worker."""

    def __reduce__(self) -> tuple[object, ...]:
        return __import__, ("a_package_that_only_the_driver_has",)


@asynccontextmanager
async def open_with(_: Unloadable) -> AsyncIterator[Work[str, JsonValue]]:
    """Work that no worker ever sees."""

    async def work(item: str) -> JsonValue:
        return item

    yield work
