"""Work that workers of a cluster load from here: it logs the items that it begins."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from pydantic import JsonValue

from tapwright.errors import DeviceError, UsageError
from tapwright.jobs.cluster import OpenWork, Work

R = TypeVar("R")


@asynccontextmanager
async def open_recorder(log: Path) -> AsyncIterator[Work[str, JsonValue]]:
    """Work that writes each item that it begins into a log, and at the end that it was closed."""

    def write(words: str) -> int:
        with log.open("a+") as file:
            file.write(f"{words}\n")
            file.flush()
            file.seek(0)
            return file.read().split().count(words)

    async def work(item: str) -> JsonValue:
        times = write(item)
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
    write("closed")


@asynccontextmanager
async def open_large(log: Path) -> AsyncIterator[Work[str, bytes]]:
    """Work whose results stay on their machine until the driver fetches them."""

    async def work(item: str) -> bytes:
        with log.open("a") as file:
            file.write(f"{item}\n")
        return item.encode() * 1_000_000

    yield work


class Unloadable:
    """What the driver can load, and no worker."""

    def __reduce__(self) -> tuple[object, ...]:
        return __import__, ("a_package_that_only_the_driver_has",)


@asynccontextmanager
async def open_with(_: Unloadable) -> AsyncIterator[Work[str, JsonValue]]:
    """Work that no worker can load."""

    async def work(item: str) -> JsonValue:
        return item

    yield work


@asynccontextmanager
async def open_fatal(deaths: Path, open_work: OpenWork[str, R]) -> AsyncIterator[Work[str, R]]:
    """Other work, whose worker dies once after each item that ends in "2", before it can tell."""
    async with open_work() as work:

        async def do(item: str) -> R:
            result = await work(item)
            if item.endswith("2") and not (deaths / item.replace("/", "_")).exists():
                (deaths / item.replace("/", "_")).touch()
                os._exit(1)
            return result

        yield do
