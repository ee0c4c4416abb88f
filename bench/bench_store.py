"""What a durable step costs: frame, tree and line written and synced; and reading it all back.

Run: python bench/bench_store.py [--steps N] [--json]
"""

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from io import BytesIO
from pathlib import Path

from PIL import Image

from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.store.store import EpisodeStore

SIZE = Size(1080, 2400)
NOISE_SIDE_PX = 380  # noise does not compress: this many pixels make a frame of about 450 kB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    steps = [_step(number) for number in range(given.steps)]
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-store-") as directory:
        store = EpisodeStore(directory)
        durable: list[float] = []
        with store.create(
            task_id="bench", instruction="", agent="", device="", id="bench"
        ) as writer:
            for step in steps:
                begun = time.perf_counter()
                writer.append(step)
                durable.append(1000 * (time.perf_counter() - begun))
            writer.finish("success")
        floor = [
            _floor(step.observation.screenshot.data, Path(directory) / f"floor-{number}")
            for number, step in enumerate(steps)
        ]
        begun = time.perf_counter()
        store.read("bench")
        read_ms = 1000 * (time.perf_counter() - begun)
    frame_kb = statistics.median(len(step.observation.screenshot.data) for step in steps) / 1000
    result = {
        "frame_kb": round(frame_kb),
        "durable_step_p50_ms": round(statistics.median(durable), 2),
        "durable_step_p95_ms": round(statistics.quantiles(durable, n=20)[18], 2),
        "floor_write_and_sync_the_frame_p50_ms": round(statistics.median(floor), 2),
        "read_per_step_ms": round(read_ms / given.steps, 3),
        "load_average": round(os.getloadavg()[0], 2),
    }
    if given.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:<40} {value}")


def _step(number: int) -> Step:
    noise = random.Random(number).randbytes(NOISE_SIDE_PX * NOISE_SIDE_PX * 3)
    picture = Image.new("RGB", (SIZE.width, SIZE.height), "white")
    picture.paste(Image.frombytes("RGB", (NOISE_SIDE_PX, NOISE_SIDE_PX), noise), (100, 100))
    buffer = BytesIO()
    picture.save(buffer, "PNG", compress_level=1)
    xml = painted_scene(number, SIZE).xml.replace("Button", f"Button {number} " * 400)
    observation = Observation(Screenshot(buffer.getvalue()), SIZE, UiTree(xml, SIZE))
    return Step(observation, Decision(Tap(at=Point(0.5, 0.5))))


def _floor(data: bytes, path: Path) -> float:
    begun = time.perf_counter()
    with path.open("wb", buffering=0) as file:
        file.write(data)
        os.fsync(file.fileno())
    return 1000 * (time.perf_counter() - begun)


if __name__ == "__main__":
    main()
