"""What looking costs: 100 steps of 1080x1920 as frames, a sheet and a video; and an edit of one.

Run: python bench/bench_visualize.py [--steps N] [--json]
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw

from tapwright.core.actions import Action, LongPress, Swipe, Tap, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.curate.edit.save import edit_episodes
from tapwright.store.store import EpisodeStore
from tapwright.visualize.contact_sheet import draw_contact_sheet
from tapwright.visualize.frames import draw_frames
from tapwright.visualize.video import write_video

SIZE = Size(1080, 1920)
LENGTHS = (100, 1_000, 10_000)
ACTIONS: tuple[Action, ...] = (
    Tap(at=Point(0.3, 0.4)),
    LongPress(at=Point(0.6, 0.5)),
    Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)),
    TypeText(text="买牛奶 and bread"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-visualize-") as name:
        directory = Path(name)
        store = EpisodeStore(directory / "store")
        store.write(_episode("bench", given.steps))
        episode = store.read("bench")
        result: dict[str, float] = {
            "steps": given.steps,
            "png_kb": round(len(episode.steps[0].observation.screenshot.data) / 1000),
        }
        for what, work in (
            ("frames", lambda: list(draw_frames(episode, directory / "frames"))),
            ("sheet", lambda: draw_contact_sheet([episode], directory / "sheet.jpg")),
            ("video", lambda: write_video(episode, directory / "video.webm")),
        ):
            result[f"{what}_s"], result[f"{what}_cpu_s"] = _timed(work)
        result["video_mb"] = round((directory / "video.webm").stat().st_size / 1e6, 2)
        for length in LENGTHS:
            result |= _edits(store, length)
    result["load_average"] = round(os.getloadavg()[0], 2)
    if given.json:
        print(json.dumps(result))
        return
    for key, value in result.items():
        print(f"{key:<28} {value}")


def _edits(store: EpisodeStore, length: int) -> dict[str, float]:
    """Milliseconds of CPU: one step edited by text, reading for it, saving it when it is open."""
    id_ = f"long-{length}"
    store.write(_episode(id_, length))
    middle = length // 2
    whole = min(
        _timed(lambda: edit_episodes(store, [id_], f"rewardize:{middle}:1"))[1] for _ in range(5)
    )
    reading = min(_timed(lambda: store.read(id_))[1] for _ in range(5))
    saving = []
    for _ in range(5):
        before = store.read(id_)
        steps = list(before.steps)
        steps[middle] = replace(steps[middle], reward=2.0)
        after = replace(before, steps=tuple(steps))
        saving.append(_timed(partial(store.save, before, after, edit="bench"))[1])
    return {
        f"edit_{length}_steps_ms": round(1000 * whole, 1),
        f"read_{length}_steps_ms": round(1000 * reading, 1),
        f"save_{length}_steps_ms": round(1000 * min(saving), 1),
    }


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall-clock and CPU seconds."""
    begun, cpu = time.perf_counter(), time.process_time()
    work()
    return round(time.perf_counter() - begun, 4), round(time.process_time() - cpu, 4)


def _episode(id_: str, length: int) -> Episode:
    screens = [_screen(number) for number in range(min(length, 20))]
    steps = tuple(
        Step(
            screens[number % len(screens)],
            Decision(
                ACTIONS[number % len(ACTIONS)],
                "先看屏幕，再点击右上角的按钮，因为它打开设置。 The task asks for it.",
                "the button in the top right corner",
            ),
            reward=float(number % 7 == 0),
        )
        for number in range(length)
    )
    return Episode(id_, "bench", "Find the settings", steps, screens[0], "success", "bench")


def _screen(number: int) -> Observation:
    """A screen with as many letters and edges as an app's list has."""
    image = Image.new("RGB", (SIZE.width, SIZE.height), "white")
    draw = ImageDraw.Draw(image)
    for row in range(16):
        top = 120 * row
        draw.rectangle((0, top, SIZE.width, top + 116), fill=(240, 244 - row, 250))
        draw.ellipse((30, top + 20, 110, top + 100), fill=(number * 12 % 255, row * 15, 120))
        draw.text((150, top + 20), f"Item {number * 16 + row}: a title", "black", font_size=38)
        draw.text((150, top + 70), "a second line with more words of it", "gray", font_size=28)
    buffer = BytesIO()
    image.save(buffer, "PNG", compress_level=1)
    return Observation(Screenshot(buffer.getvalue()), SIZE)


if __name__ == "__main__":
    main()
