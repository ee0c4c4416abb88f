"""How fast a trainer gets decoded screens out of a store and out of a pack, beside Pillow alone.

The same pictures are decoded in the same order, in one process: by Pillow from bytes in memory, by
a `StepStream` over the store, and by one over the pack. The share is Pillow's CPU time divided by
the stream's; 0.9 is what is promised. Screens are drawn, or your own with --frames.

Run: python bench/bench_loading.py [--frames DIRECTORY] [--steps N] [--json]
"""

import argparse
import asyncio
import io
import json
import os
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from PIL import Image

from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import FakeDevice
from tapwright.formats.loading.steps import RecordedStep, StoreSteps
from tapwright.formats.loading.torch_datasets import StepStream
from tapwright.formats.pack.pack import pack_store
from tapwright.formats.pack.reader import PackedSteps
from tapwright.store.store import EpisodeStore

EPISODE_STEPS, BATCH = 12, 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=Path, help="a directory of real screenshots")
    parser.add_argument("--steps", type=int, default=240)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    seen = list(map(_read, sorted(given.frames.iterdir()))) if given.frames else _drawn()
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-loading-") as name:
        store = EpisodeStore(Path(name) / "store")
        for number in range(given.steps // EPISODE_STEPS):
            steps = tuple(
                Step(replace(seen[(number + n) % len(seen)], time_s=float(n)), Decision(_tap(n)))
                for n in range(EPISODE_STEPS)
            )
            store.write(Episode(f"e{number:05d}", "t", "Do it", steps))
        asyncio.run(_pack(store, Path(name) / "pack"))
        result = _measured(StoreSteps(store), PackedSteps(Path(name) / "pack"))
    result["load_average"] = round(os.getloadavg()[0], 2)
    if given.json:
        print(json.dumps(result))
        return
    for key, value in result.items():
        print(f"{key:<36} {value}")


def _measured(store: StoreSteps, pack: PackedSteps) -> dict[str, float]:
    pictures = [store.read(number).step.observation.screenshot.data for number in range(len(store))]

    def alone() -> Iterator[Image.Image]:
        for data in pictures:
            with Image.open(io.BytesIO(data)) as image:
                image.load()
                yield image if image.mode == "RGB" else image.convert("RGB")

    def drawn(images: Callable[[], Iterable[Image.Image]]) -> Callable[[], None]:
        def run() -> None:
            batch: deque[Image.Image] = deque(maxlen=BATCH)  # held at once, as a trainer does
            batch.extend(images())

        return run

    streams = [StepStream(source, _decode, batch_size=BATCH) for source in (store, pack)]
    works = {
        "Pillow": drawn(alone),
        "store": drawn(streams[0].__iter__),
        "pack": drawn(streams[1].__iter__),
    }
    spent = {name: float("inf") for name in works}
    for _ in range(5):  # in turn, so that what else runs here counts for all of them
        for name, work in works.items():
            begun = time.process_time()
            work()
            spent[name] = min(spent[name], time.process_time() - begun)
    result = {f"{name}: CPU ms a step": round(1000 * one / len(pictures), 2)
              for name, one in spent.items()}  # fmt: skip
    for name in ("store", "pack"):
        result[f"{name}: share of Pillow's speed"] = round(spent["Pillow"] / spent[name], 3)
    return result


def _decode(step: RecordedStep) -> Image.Image:
    return step.step.observation.screenshot.image()


def _tap(number: int) -> Tap:
    return Tap(at=Point(0.5, 0.05 * number))


async def _pack(store: EpisodeStore, out: Path) -> None:
    async for shard in pack_store(store, out):
        assert not shard.unreadable, shard


def _read(path: Path) -> Observation:
    shot = Screenshot(path.read_bytes())
    return Observation(shot, shot.size)


def _drawn() -> list[Observation]:
    device = FakeDevice()
    device.reset()
    drawn = []
    for number in range(EPISODE_STEPS):
        drawn.append(device.observe())
        device.perform(_tap(number))
    return drawn


if __name__ == "__main__":
    main()
