"""What a Ray cluster costs per item: `python bench/bench_cluster.py`.

1,000 items that take no time go through a job to two workers, four at a time in each, with the
ledger written, after a hundred that start the processes; then through the same job without them.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import JsonValue

from tapwright.jobs.cluster import RayWork, Work
from tapwright.jobs.job import Job

ITEMS = 1000


@asynccontextmanager
async def open_nothing() -> AsyncIterator[Work[str, JsonValue]]:
    yield nothing


async def nothing(item: str) -> JsonValue:
    return {"item": item}


async def seconds(work: Work[str, JsonValue], count: int, concurrency: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        job = Job("bench", key=str, work=work, config={}, concurrency=concurrency)
        before = time.perf_counter()
        async for _ in job.run(map(str, range(count)), Path(folder) / "ledger.jsonl"):
            pass
        return time.perf_counter() - before


async def main() -> None:
    began = time.perf_counter()
    async with RayWork(open_nothing, workers=2, each=4) as far:
        await seconds(far, 100, far.concurrency)
        started = time.perf_counter() - began
        there = await seconds(far, ITEMS, far.concurrency)
    here = await seconds(nothing, ITEMS, 8)
    print(f"a cluster of this machine with two workers: {started:.1f} s until they work")
    print(f"an item there: {1000 * there / ITEMS:.2f} ms; here: {1000 * here / ITEMS:.2f} ms")
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    asyncio.run(main())
