"""How quickly a large store is listed, selected from, and its catalog made again.

Run: python bench/bench_catalog.py [--episodes N] [--json]
The store is made of hard links to the lines of one recording; an episode's header is its own.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tapwright.actions import Tap
from tapwright.devices.fake import painted_scene
from tapwright.episode import Decision, Episode, Step
from tapwright.geometry import Point, Size
from tapwright.observation import Observation, UiTree
from tapwright.screenshot import Screenshot
from tapwright.store.catalog import Catalog
from tapwright.store.filters import has_app
from tapwright.store.store import EpisodeStore
from tapwright.web.library.episodes import Episodes

SIZE = Size(108, 240)
LENGTHS = (5, 6, 7, 8)
WHERE = 'steps > 6 and app == "notes" and outcome != "failure" and not tag("bad")'
REPEATS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-catalog-") as directory:
        root = Path(directory) / "store"
        make_store(root, given.episodes)
        result = {"episodes": given.episodes, **measure(root, given.episodes)}
    result |= {"machine": f"{os.cpu_count()} cores, {platform.machine()}", "load": load()}
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
    took, _ = command("episodes", "reindex", str(root))
    result["reindex_per_s"] = round(count / took)
    whole = [
        command("episodes", "ls", str(root), "--where", WHERE, "--limit", "50")
        for _ in range(REPEATS)
    ]
    result["ls_where_s"] = round(min(wall for wall, _ in whole), 3)
    result["ls_where_cpu_s"] = round(min(cpu for _, cpu in whole), 3)
    episodes = Episodes(EpisodeStore(root))
    episodes.page()
    times = []
    for page in range(20):
        begun = time.perf_counter()
        episodes.page(has_app("notes"), sort="longest", page=page)
        times.append(time.perf_counter() - begun)
    result["page_ms"] = round(1000 * sorted(times)[len(times) // 2], 1)
    begun = time.perf_counter()
    Catalog(EpisodeStore(root)).count()
    result["compare_s"] = round(time.perf_counter() - begun, 3)
    result["peak_mb"] = round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000)
    return result


def command(*words: str) -> tuple[float, float]:
    """The seconds by the clock and of CPU that a whole command takes."""
    before, begun = os.times(), time.perf_counter()
    subprocess.run([sys.executable, "-m", "tapwright", *words], check=True, capture_output=True)
    wall, after = time.perf_counter() - begun, os.times()
    cpu = after.children_user + after.children_system
    return wall, cpu - before.children_user - before.children_system


def load() -> float:
    return round(os.getloadavg()[0], 1)


if __name__ == "__main__":
    main()
