"""How quickly a large store is listed, selected from, and its catalog made again.

Run: python bench/bench_catalog.py [--episodes N] [--json]
The store is made of hard links to the lines of one recording; an episode's header is its own.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.store.catalog import Catalog
from tapwright.store.filters import has_app
from tapwright.store.store import EpisodeStore
from tapwright.web.library.episodes import Episodes

SIZE = Size(108, 240)
LENGTHS = (5, 6, 7, 8)
WHERE = 'steps > 6 and app == "notes" and outcome != "failure" and not tag("bad")'
REPEATS = 5


COMMANDS = {
    "ls": ["ls"],
    "stats": ["stats"],
    "check_fast": ["check", "--fast"],
    "check_fast_again": ["check", "--fast"],
    "dedupe": ["dedupe"],
}


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds by the clock and of CPU, and the largest memory of one of its processes."""

    wall_s: float
    cpu_s: float
    peak_mb: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-catalog-") as directory:
        root = Path(directory) / "store"
        make_store(root, given.episodes)
        result = {
            "episodes": given.episodes,
            "load_before": load(),
            **measure(root, given.episodes),
        }
    result |= {"machine": f"{os.cpu_count()} cores, {platform.machine()}", "load_after": load()}
    if given.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:<32}{value}")


def make_store(root: Path, count: int) -> None:
    """A store of `count` episodes, whose lines and pictures are those of four."""
    models = EpisodeStore(root.with_name("models"))
    for length in LENGTHS:
        steps = tuple(make_step(number) for number in range(length))
        models.write(Episode(f"m{length}", "t", "do it", steps, outcome="success"))
    kept = {
        folder: [entry.path for entry in os.scandir(folder)]
        for model in models.root.iterdir()
        for folder in (model / "frames", model / "ui")
    }
    for number in range(count):
        length = LENGTHS[number % len(LENGTHS)]
        model, home = models.root / f"m{length}", root / f"e{number:07d}"
        home.mkdir(parents=True)
        header = json.loads((model / "episode.json").read_bytes())
        header |= {
            "id": home.name,
            "task_id": f"task-{number % 500}",
            "instruction": f"Open the notes, and delete number {number}",
            "agent": f"agent-{number % 7}",
            "created": f"2026-01-{1 + number % 28:02d}T10:00:00.{number % 1000:03d}+00:00",
        }
        (home / "episode.json").write_text(json.dumps(header))
        os.link(model / "steps.jsonl", home / "steps.jsonl")
        for folder in ("frames", "ui"):
            (home / folder).mkdir()
            for file in kept[model / folder]:
                os.link(file, home / folder / os.path.basename(file))
    old = time.time() - 60
    for path in root.iterdir():
        os.utime(path / "episode.json", (old, old))
        os.utime(path, (old, old))
    for path in models.root.glob("*/*.jsonl"):
        os.utime(path, (old, old))


def make_step(number: int) -> Step:
    scene = painted_scene(number, SIZE)
    app = ("org.example.notes", "org.example.mail")[number // 3 % 2]
    seen = Observation(
        Screenshot(scene.picture), SIZE, UiTree(scene.xml, SIZE), app=app, time_s=1.5 * number
    )
    return Step(seen, Decision(Tap(at=Point(0.5, 0.25)), "the list is there", "the first note"))


def measure(root: Path, count: int) -> dict[str, float]:
    result: dict[str, float] = {}
    made = run("-m", "tapwright", "episodes", "reindex", str(root))
    result["reindex_per_s"] = round(count / made.wall_s)
    result["reindex_per_cpu_s"] = round(count / made.cpu_s)
    time.sleep(3)  # what was written a moment ago is looked at again
    selected = [
        run("-m", "tapwright", "episodes", "ls", str(root), "--where", WHERE, "--limit", "50")
        for _ in range(REPEATS)
    ]
    result["ls_where_s"] = round(min(one.wall_s for one in selected), 3)
    result["ls_where_cpu_s"] = round(min(one.cpu_s for one in selected), 3)
    result |= measure_pages(root)
    result |= measure_recording(root)
    for name, words in COMMANDS.items():
        took = run("-m", "tapwright", "episodes", *words, str(root))
        result |= {
            f"{name}_s": round(took.wall_s, 1),
            f"{name}_cpu_s": round(took.cpu_s, 1),
            f"{name}_mb": took.peak_mb,
        }
    return result


def measure_pages(root: Path) -> dict[str, float]:
    episodes = Episodes(EpisodeStore(root))
    episodes.page()
    wall, cpu = [], []
    for page in range(20):
        begun, worked = time.perf_counter(), time.thread_time()
        episodes.page(has_app("notes"), sort="-steps", page=page)
        wall.append(time.perf_counter() - begun)
        cpu.append(time.thread_time() - worked)
    begun = time.perf_counter()
    Catalog(EpisodeStore(root)).compare()
    return {
        "page_ms": round(1000 * sorted(wall)[len(wall) // 2], 1),
        "page_cpu_ms": round(1000 * sorted(cpu)[len(cpu) // 2], 1),
        "compare_s": round(time.perf_counter() - begun, 2),
    }


def measure_recording(root: Path, steps: int = 60) -> dict[str, float]:
    """What the catalog adds to a recorded step: the CPU of an answer after each episode, or each.

    The answer is to what costs nothing itself. While it goes on, a page of the web's list is asked
    for after each step.
    """
    store = EpisodeStore(root)
    catalog = Catalog(store, freshness="noted")
    catalog.unreadable()
    episode = Episode("recorded", "t", "do it", tuple(make_step(n) for n in range(6)))
    for number in range(steps // 6):
        store.write(replace(episode, id=f"recorded-{number}"))
    before = time.thread_time()
    catalog.unreadable()
    kept = time.thread_time() - before
    asked, pages, listing = 0.0, list[float](), Episodes(store)
    listing.page()
    for number in range(steps // 6):
        with store.create(
            task_id="t", instruction="do it", agent="a", device="d", id=f"live-{number}"
        ) as writer:
            for step in episode.steps:
                writer.append(step)
                before = time.thread_time()
                catalog.unreadable()
                now = time.thread_time()
                asked += now - before
                listing.page()
                pages.append(time.thread_time() - now)
            writer.finish("success")
    return {
        "kept_cpu_ms_a_step": round(1000 * kept / steps, 2),
        "kept_and_asked_cpu_ms_a_step": round(1000 * asked / steps, 2),
        "page_while_recording_cpu_ms": round(1000 * sorted(pages)[len(pages) // 2], 1),
    }


def run(*words: str) -> Took:
    """What a whole command takes."""
    begun = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([sys.executable, *words], stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Took(
        time.perf_counter() - begun, used.ru_utime + used.ru_stime, round(used.ru_maxrss / 1024)
    )


def load() -> float:
    return round(os.getloadavg()[0], 1)


if __name__ == "__main__":
    main()
