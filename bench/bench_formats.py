"""What reading other tools' episodes costs: CPU time per step, and the memory of a long file.

Run: python bench/bench_formats.py [--json]
"""

import argparse
import gzip
import json
import os
import struct
import tempfile
import time
import tracemalloc
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

from PIL import Image

from tapwright.core.episode import Episode
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.android_control import ANDROID_CONTROL
from tapwright.formats.importers.records_pb2 import Example
from tapwright.formats.importers.tfrecord import masked_checksum
from tapwright.formats.mobiagent.importer import MOBIAGENT

WIDTH, HEIGHT = 1080, 2400
STEPS, EPISODES = 10, 30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    rows: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        _write_records(root / "few.tfrecord", EPISODES)
        _write_records(root / "many.tfrecord", 4 * EPISODES)
        found: list[Episode] = []
        count, cpu = _read(ANDROID_CONTROL.read(root / "few.tfrecord"), found)
        rows["android-control: ms per step"] = 1000 * cpu / count
        for size in ("few", "many"):
            tracemalloc.start()
            _read(ANDROID_CONTROL.read(root / f"{size}.tfrecord"))
            rows[f"android-control: MB at most, {size} episodes"] = (
                tracemalloc.get_traced_memory()[1] / 1e6
            )
            tracemalloc.stop()
        begun = time.process_time()
        MOBIAGENT.write(found, root / "mobiagent")
        rows["mobiagent, written: ms per step"] = 1000 * (time.process_time() - begun) / count
        count, cpu = _read(MOBIAGENT.read(root / "mobiagent"))
        rows["mobiagent, read: ms per step"] = 1000 * cpu / count
    rows["load"] = os.getloadavg()[0]
    if wanted.json:
        print(json.dumps(rows, indent=1))
    else:
        for what, value in rows.items():
            print(f"{what:<46} {value:8.2f}")


def _read(
    read: Iterable[Episode | UnreadableEpisode], kept: list[Episode] | None = None
) -> tuple[int, float]:
    """The number of steps read, and the CPU time it took; the episodes go into `kept`."""
    steps, begun = 0, time.process_time()
    for one in read:
        assert isinstance(one, Episode), one
        steps += len(one.steps)
        if kept is not None:
            kept.append(one)
    return steps, time.process_time() - begun


def _write_records(path: Path, count: int) -> None:
    noise = Image.frombytes("L", (600, 600), os.urandom(360_000)).convert("RGB")
    screen = Image.new("RGB", (WIDTH, HEIGHT), "white")
    screen.paste(noise, (100, 100))  # about 500 kB, as screens with photographs have
    packed = BytesIO()
    screen.save(packed, "PNG", compress_level=1)
    with gzip.open(path, "wb", compresslevel=1) as file:
        for number in range(count):
            made = Example()
            feature = made.features.feature
            feature["episode_id"].int64_list.value.append(number)
            feature["goal"].bytes_list.value.append(b"measure")
            feature["screenshots"].bytes_list.value.extend([packed.getvalue()] * (STEPS + 1))
            feature["screenshot_widths"].int64_list.value.extend([WIDTH] * (STEPS + 1))
            feature["screenshot_heights"].int64_list.value.extend([HEIGHT] * (STEPS + 1))
            tap = json.dumps({"action_type": "click", "x": 9, "y": 9}).encode()
            feature["actions"].bytes_list.value.extend([tap] * STEPS)
            feature["step_instructions"].bytes_list.value.extend([b"tap"] * STEPS)
            data = made.SerializeToString()
            length = struct.pack("<Q", len(data))
            file.write(length + struct.pack("<I", masked_checksum(length)))
            file.write(data + struct.pack("<I", masked_checksum(data)))


if __name__ == "__main__":
    main()
