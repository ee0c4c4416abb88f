"""What packing costs and saves: bytes per step, one step at random, and a store of 1,000 episodes.

The screens are those of the built-in phone in eight apps, or your own with --frames. The share is
of the 6.2 MB that a step of 1080x1920 takes in Mobile-Env's pickles, for as many pixels. With
--workers the same screens are packed by so many processes of Ray, several shards of them.

Run: python bench/bench_pack.py [--frames DIRECTORY] [--episodes N] [--workers 1,2,4] [--json]
"""

import argparse
import asyncio
import io
import json
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

import pyarrow.parquet as pq
from PIL import Image

from tapwright.core.actions import OpenApp, Swipe, Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.curate.check.check import check_episode
from tapwright.devices.fake import FakeDevice
from tapwright.formats.pack.pack import count_shards, pack_store
from tapwright.formats.pack.pictures import ImageEncoding
from tapwright.formats.pack.unpack import unpack_store
from tapwright.store.store import EpisodeStore
from tapwright.visualize.stats import collect_stats
from tapwright.workflows.directories import Location
from tapwright.workflows.engine import Engine
from tapwright.workflows.workers import open_packing

ORIGINAL_BYTES, ORIGINAL_PIXELS = 6_221_138, 1080 * 1920
SHARD_STEPS = 128
APPS = ("Notes", "Settings", "Shop", "Clock", "Contacts", "Mail", "Calendar", "Files")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=Path, help="a directory of real screenshots")
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--workers", default="", help="numbers of Ray's processes: 1,2,4")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-pack-") as name:
        directory = Path(name)
        screens = list(_read(given.frames) if given.frames else _phone())
        result: dict[str, float] = {"screens": len(screens)}
        result |= _reading(screens)
        for pictures in ("original", "webp"):
            result |= _packed(directory / pictures, screens, pictures)
        for workers in filter(None, given.workers.split(",")):
            result |= _by_workers(directory / f"ray-{workers}", screens, int(workers))
        result |= _many(directory / "many", given.episodes)
        result["load_average"] = round(os.getloadavg()[0], 2)
    if given.json:
        print(json.dumps(result))
        return
    for key, value in result.items():
        print(f"{key:<36} {value}")


def _phone() -> Iterator[Observation]:
    from tapwright.devices.phone.device import Phone

    phone = Phone.named("")
    try:
        phone.reset()
        for app in APPS:
            phone.perform(OpenApp(app=app))
            yield phone.observe()
            phone.perform(Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.3)))
            yield phone.observe()
            phone.perform(Tap(at=Point(0.5, 0.5)))
            yield phone.observe()
    finally:
        phone.close()


def _read(frames: Path) -> Iterator[Observation]:
    """The pictures as PNG, as a device gives them; a JPEG would stay one."""
    kinds = {".png", ".jpg", ".jpeg"}
    for path in sorted(one for one in frames.rglob("*") if one.suffix.lower() in kinds):
        shot, buffer = Screenshot(path.read_bytes()), io.BytesIO()
        if shot.media_type == "image/png":
            yield Observation(shot, shot.size)
        else:
            shot.image().save(buffer, "PNG")
            yield Observation(Screenshot(buffer.getvalue()), shot.size)


def _reading(screens: list[Observation]) -> dict[str, float]:
    """What a reader pays for a frame as it was recorded: the floor that an encoder is held to."""
    spent = [
        min(_cpu(lambda data=seen.screenshot.data: Image.open(io.BytesIO(data)).load())  # type: ignore[misc]
            for _ in range(3))
        for seen in screens
    ]  # fmt: skip
    return {"reading a recorded frame, CPU ms": round(1000 * sum(spent) / len(spent), 1)}


def _by_workers(directory: Path, screens: list[Observation], workers: int) -> dict[str, float]:
    """Seconds on the clock for eight shards of them as WebP, once the processes have begun."""
    store = EpisodeStore(directory / "store")
    steps = tuple(Step(screens[n % len(screens)], Decision(Tap(at=Point(0.5, n / 200))))
                  for n in range(SHARD_STEPS))  # fmt: skip
    for number in range(8):
        # The first screen differs, so that no shard's work is another's.
        store.write(Episode(f"bench{number}", "t", "Do it", steps[number:] + steps[:number]))

    async def run() -> float:
        engine, count = Engine(workers), count_shards(store)
        open_work = partial(
            open_packing, Location(store.root), Location(directory / "pack"), "webp"
        )
        (directory / "pack").mkdir()
        async with engine.start(open_work, items=count) as work:
            begun = time.perf_counter()
            async for shard in pack_store(store, directory / "pack", pictures="webp", workers=work):
                assert not shard.unreadable, shard
            return time.perf_counter() - begun

    return {f"webp: {workers} workers, frames/s": round(8 * len(steps) / asyncio.run(run()), 1)}


def _packed(
    directory: Path, screens: list[Observation], pictures: ImageEncoding
) -> dict[str, float]:
    store, out = EpisodeStore(directory / "store"), directory / "pack"
    taken = tuple(Step(seen, Decision(Tap(at=Point(0.5, 0.5)))) for seen in screens)
    store.write(Episode("bench", "t", "Do it", taken))
    pixels = sum(step.observation.size.width * step.observation.size.height for step in taken)

    async def run(source: EpisodeStore, to: Path) -> None:
        async for shard in pack_store(source, to, pictures=pictures):
            assert not shard.unreadable, shard

    first = EpisodeStore(directory / "first")
    first.write(Episode("first", "t", "Do it", taken[:1]))
    asyncio.run(run(first, directory / "first-pack"))  # imports, and whatever else is done once
    begun = time.perf_counter()
    seconds = _cpu(lambda: asyncio.run(run(store, out)))
    clock = time.perf_counter() - begun
    recorded = sum(len(seen.screenshot.data) for seen in screens)
    whole = sum(path.stat().st_size for path in out.rglob("*.parquet"))
    table = pq.ParquetFile(out / "steps" / "00000.parquet", memory_map=True)
    chance = random.Random(0)
    groups = [chance.randrange(table.num_row_groups) for _ in range(50)]
    reading = [_cpu(partial(_one, table, group)) for group in groups]
    data = _one(table, 0)
    back = _cpu(lambda: list(unpack_store(out, EpisodeStore(directory / "back"))))
    return {
        f"{pictures}: recorded kB per frame": round(recorded / len(screens) / 1000),
        f"{pictures}: recorded MB packed a second": round(recorded / clock / 1e6, 1),
        f"{pictures}: packed kB per step": round(whole / len(taken) / 1000),
        f"{pictures}: share of the original": round(
            whole / pixels * ORIGINAL_PIXELS / ORIGINAL_BYTES, 4
        ),
        f"{pictures}: pack, CPU ms per frame": round(1000 * seconds / len(screens)),
        f"{pictures}: unpack, CPU ms per step": round(1000 * back / len(taken), 2),
        f"{pictures}: one step at random, CPU ms": round(1000 * median(reading), 2),
        f"{pictures}: its decoding, CPU ms": round(
            1000 * _cpu(lambda: Image.open(io.BytesIO(data)).load()), 1
        ),
    }


def _one(table: pq.ParquetFile, group: int) -> bytes:
    rows = table.read_row_group(group, columns=["image", "action"])
    data: bytes = rows["image"][rows.num_rows - 1]["bytes"].as_py()
    return data


def _many(directory: Path, episodes: int) -> dict[str, float]:
    """A store of many episodes of 10 steps, with screens of 270x600."""
    store, device = EpisodeStore(directory), FakeDevice()
    taken = []
    for number in range(10):
        at = Tap(at=Point(0.05 * number, 0.5))
        taken.append(Step(replace(device.observe(), time_s=float(number)), Decision(at)))
        device.perform(at)
    for number in range(episodes):
        store.write(Episode(f"e{number:05d}", "t", "Do it", tuple(taken), taken[0].observation))
    work: dict[str, Callable[[], object]] = {
        "ids": store.ids,
        "ids and steps, as ls reads them": partial(list, store),
        "stats": partial(collect_stats, store),
        "check": lambda: [check_episode(store, id_) for id_ in store.ids()],
    }
    return {f"{episodes} episodes: {what}, CPU s": round(_cpu(do), 2) for what, do in work.items()}


def _cpu(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


if __name__ == "__main__":
    main()
