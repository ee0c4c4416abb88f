"""What it costs to import Mobile-Env's pickle of 100 screens of 1080x1920, 628 MB, in a process.

The screens are drawn: rows of text, icons and photos that differ from record to record, or frames
of your own with --frames.

Run: python bench/bench_import.py [--records N] [--frames DIRECTORY] [--json]
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from tapwright.formats.pickles.write import write_pickle

WIDTH_PX, HEIGHT_PX = 1080, 1920
ORIGINAL_BYTES = 6_221_138


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100)
    parser.add_argument("--frames", type=Path, help="a directory of real screenshots")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", nargs=2, type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        import_one(*given.child)
        return
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-import-") as directory:
        source, store = Path(directory, "bench.1.pkl"), Path(directory, "store")
        with source.open("wb") as file:
            write_pickle(records(given.records, given.frames), file)
        run = subprocess.run(
            [sys.executable, __file__, "--child", source, store],
            check=True,
            capture_output=True,
            text=True,
        )
        kept = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
        result = {
            "pickle_mb": round(source.stat().st_size / 1e6),
            **json.loads(run.stdout),
            "kb_per_record": round(kept / given.records / 1000),
            "share_of_the_original": round(kept / given.records / ORIGINAL_BYTES, 3),
            "load_average": round(os.getloadavg()[0], 2),
        }
    if given.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:<40} {value}")


def import_one(source: Path, store: Path) -> None:
    """Import in this process, and print what it took."""
    import asyncio

    from tapwright.formats.importers.job import import_sources
    from tapwright.formats.importers.sources import ImportSource
    from tapwright.formats.mobile_env.episodes import MOBILE_ENV
    from tapwright.store.store import EpisodeStore

    async def run() -> None:
        async for ended in import_sources(
            [ImportSource(source, MOBILE_ENV, source)], EpisodeStore(store)
        ):
            assert not ended.unreadable, ended

    begun, cpu = time.perf_counter(), time.process_time()
    asyncio.run(run())
    print(
        json.dumps(
            {
                "seconds": round(time.perf_counter() - begun, 2),
                "cpu_seconds": round(time.process_time() - cpu, 2),
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000,
            }
        )
    )


def records(count: int, frames: Path | None) -> Any:
    """A head and `count - 1` records: touches, lifts and words."""
    xml = "<hierarchy>" + '<node text="row" bounds="[0,0][1080,96]"/>' * 200 + "</hierarchy>"
    for number, screen in zip(range(count), screens(frames), strict=False):
        seen = {"observation": screen, "view_hierarchy": xml, "orientation": np.int64(0)}
        if number == 0:
            yield {"task_id": "bench", "task": "Bench", "command": ["Scroll."], **seen}
        elif number % 2:
            at = np.array([0.5, (number % 90) / 100])
            yield {"action_type": 0, "touch_position": at, "reward": 0.0, **seen}
        else:
            yield {"action_type": 1, "reward": 0.0, **seen}


def screens(frames: Path | None) -> Any:
    """Endless screens of uint8 (height, width, 3)."""
    paths = sorted(frames.rglob("*.png")) if frames else []
    number = 0
    while True:
        if paths:
            image = Image.open(paths[number % len(paths)]).convert("RGB")
            image = image.resize((WIDTH_PX, HEIGHT_PX), Image.Resampling.LANCZOS)
        else:
            image = drawn(number)
        yield np.asarray(image)
        number += 1


def drawn(number: int) -> Image.Image:
    chance = random.Random(number)
    image = Image.new("RGB", (WIDTH_PX, HEIGHT_PX), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(36)
    photo: NDArray[np.uint8] = np.random.default_rng(number).integers(0, 255, (40, 60, 3), np.uint8)
    smooth = Image.fromarray(photo).resize((480, 320), Image.Resampling.BICUBIC)
    image.paste(smooth, (60, 1500))
    image.paste(smooth.rotate(180), (560, 1500))
    for row in range(14):
        top = 80 + row * 100
        draw.ellipse((40, top, 110, top + 70), fill=tuple(chance.choices(range(256), k=3)))
        words = " ".join("".join(chance.choices("aeioulnrst", k=6)) for _ in range(8))
        draw.text((140, top + 12), words, fill="black", font=font)
        draw.line((0, top + 90, WIDTH_PX, top + 90), fill="#dddddd")
    return image


if __name__ == "__main__":
    main()
