"""What a training set costs: as recorded beside its floor, and re-encoded beside Pillow alone.

The floor reads each picture with its hash, and writes it and a line of JSON.

Run: python bench/bench_sft.py [--steps N] [--encoded N] [--json]
"""

import argparse
import hashlib
import json
import os
import random
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from PIL import Image

from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.store.store import EpisodeStore
from tapwright.workflows.sft import SampleConfig, export_training_set

EPISODE_STEPS = 25
FORMATS = ("llamafactory", "ms-swift", "trl", "webdataset")
RECORDED = SampleConfig("json", outcome="any")
ENCODED = replace(RECORDED, scale=0.5, jpeg_quality=90)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--encoded", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    result: dict[str, float] = {}
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-sft-") as directory:
        root = Path(directory)
        small = _store(root / "small", given.steps, Size(270, 600), side=60)
        used_s = _floor(small, root / "floor")
        result["floor, as recorded: cpu_us"] = round(used_s / given.steps * 1e6)
        for name in FORMATS:
            used_s = -_cpu_s()
            seconds = _export(small, root / name, name, RECORDED)
            used_s += _cpu_s()
            result[f"{name}: steps/s as recorded"] = round(given.steps / seconds)
            result[f"{name}, as recorded: cpu_us"] = round(used_s / given.steps * 1e6)
        large = _store(root / "large", given.encoded, Size(1080, 2400), side=380)
        floor = _pillow(large)
        seconds = _export(large, root / "encoded", "llamafactory", ENCODED)
        result["half-size JPEG: steps/s"] = round(given.encoded / seconds, 1)
        result["Pillow alone, as many threads: pictures/s"] = round(given.encoded / floor, 1)
        result["share of Pillow's own speed"] = round(floor / seconds, 3)
    result["load_average"] = round(os.getloadavg()[0], 2)
    if given.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:<48} {value}")


def _store(root: Path, steps: int, size: Size, *, side: int) -> EpisodeStore:
    store = EpisodeStore(root)
    background = Image.new("RGB", (size.width, size.height), "white")
    for first in range(0, steps, EPISODE_STEPS):
        made = tuple(_step(background, number, size, side) for number in range(first, first + 25))
        id_ = f"e{first:06d}"
        store.write(
            Episode(id=id_, task_id=str(first % 500), instruction="Open the settings", steps=made)
        )
    return store


def _step(background: Image.Image, number: int, size: Size, side: int) -> Step:
    picture = background.copy()
    noise = random.Random(number).randbytes(side * side * 3)
    picture.paste(Image.frombytes("RGB", (side, side), noise), (50, 50))
    buffer = BytesIO()
    picture.save(buffer, "PNG", compress_level=1)
    seen = Observation(Screenshot(buffer.getvalue()), size)
    return Step(seen, Decision(Tap(at=Point(0.5, 0.5)), "It is the next thing.", "the button"))


def _export(store: EpisodeStore, out: Path, name: str, config: SampleConfig) -> float:
    begun = time.perf_counter()
    export_training_set([store.root], out, config, format_name=name)
    return time.perf_counter() - begun


def _cpu_s() -> float:
    """Processor seconds of this process, and of those that it started and that have ended."""
    return sum(os.times()[:4])


def _floor(store: EpisodeStore, out: Path) -> float:
    """Processor seconds to read and hash each picture, and to write it and a line of 5 kB."""
    shots = [step.observation.screenshot for episode in store for step in episode.steps]
    out.mkdir()
    begun = time.process_time()
    with out.joinpath("rows").open("wb", buffering=1 << 20) as rows:
        for shot in shots:
            data = shot.data
            name = hashlib.sha256(data).hexdigest()
            with out.joinpath(name).open("wb") as file:
                file.write(data)
            rows.write(json.dumps({"image": name, "text": "a" * 5_000}).encode() + b"\n")
    return time.process_time() - begun


def _pillow(store: EpisodeStore) -> float:
    """Read, decode, halve and encode every picture, and nothing else."""
    shots = [step.observation.screenshot for episode in store for step in episode.steps]

    def work(shot: Screenshot) -> int:
        with Image.open(BytesIO(shot.data)) as image:
            small = image.convert("RGB").resize(
                (image.width // 2, image.height // 2), Image.Resampling.LANCZOS
            )
        buffer = BytesIO()
        small.save(buffer, "JPEG", quality=90)
        return len(buffer.getvalue())

    begun = time.perf_counter()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        sum(pool.map(work, shots))
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
