"""How fast a trainer gets decoded screens out of a store, a pack and a shared store.

The same pictures are decoded in the same order, in one process: by Pillow from bytes in memory, and
by a `StepStream` over the store, over the pack, and over the shared store. The share is Pillow's
CPU time divided by the stream's; 0.9 is what is promised. Screens are drawn, or your own with
--frames.

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
from tapwright.curate.copying import StoreCopier
from tapwright.devices.fake import FakeDevice
from tapwright.files.place import Place
from tapwright.formats.loading.episodes import open_steps
from tapwright.formats.loading.steps import RecordedStep, StepSource, StoreSteps
from tapwright.formats.loading.torch_datasets import StepStream
from tapwright.formats.pack.pack import pack_store
from tapwright.formats.pack.reader import PackedSteps
from tapwright.formats.shared.log import make_shared
from tapwright.formats.shared.push import WorkingCopy
from tapwright.store.selection import EVERYTHING
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
                Step(
                    replace(seen[(number + n) % len(seen)], time_s=float(n)),
                    Decision(_tap(n), reasoning=f"{number}: no two episodes are copies"),
                )
                for n in range(EPISODE_STEPS)
            )
            store.write(Episode(f"e{number:05d}", "t", "Do it", steps))
        asyncio.run(_pack(store, Path(name) / "pack"))
        sources: dict[str, StepSource] = {
            "store": StoreSteps(store),
            "pack": PackedSteps(Path(name) / "pack"),
            "shared": _share(store, Path(name)),
        }
        result = _measured(sources)
    result["load_average"] = round(os.getloadavg()[0], 2)
    if given.json:
        print(json.dumps(result))
        return
    for key, value in result.items():
        print(f"{key:<36} {value}")


def _share(store: EpisodeStore, root: Path) -> StepSource:
    """The same episodes, put into a shared store."""
    url = (root / "shared").as_uri()
    make_shared(Place(url))
    copy = WorkingCopy(url, root / "copy")
    for _ in (copier := StoreCopier(EpisodeStore(copy.directory))).copy(
        copier.plan(store, EVERYTHING)
    ):
        pass
    copy.push()
    return open_steps(url)


def _measured(sources: dict[str, StepSource]) -> dict[str, float]:
    store = sources["store"]
    assert {len(source) for source in sources.values()} == {len(store)}
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

    works = {"Pillow": drawn(alone)}
    for name, source in sources.items():
        works[name] = drawn(StepStream(source, _decode, batch_size=BATCH).__iter__)
    spent = {name: float("inf") for name in works}
    for _ in range(5):  # in turn, so that what else runs here counts for all of them
        for name, work in works.items():
            begun = time.process_time()
            work()
            spent[name] = min(spent[name], time.process_time() - begun)
    result = {f"{name}: CPU ms a step": round(1000 * one / len(pictures), 2)
              for name, one in spent.items()}  # fmt: skip
    for name in sources:
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
