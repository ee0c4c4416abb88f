"""How quickly a shared store of many episodes is listed and selected from, by its log alone.

Run: python bench/bench_shared.py [--episodes N] [--json]
Commits of 1,000 episodes each are put as writers put them; there are no packs behind them.
"""

import argparse
import json
import os
import platform
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from bench_catalog import WHERE, Took, make_store, run
from tapwright.files.place import Place
from tapwright.formats.shared.copy import SharedCopy, copy_directory
from tapwright.formats.shared.log import SharedEntry, SharedLog, make_shared, new_name
from tapwright.store.catalog_entry import CatalogEntry, read_row

PACK = 1000
APPS = ("com.example.notes", "com.example.shop", "com.example.settings")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-shared-") as directory:
        root = Path(directory)
        url = (root / "shared").as_uri()
        put_log(root, url, given.episodes)
        os.environ["TAPWRIGHT_STORES"] = str(root / "stores")
        copy = SharedCopy(url, copy_directory(url, root / "stores"))
        found = {
            "first": measure(copy.sync),
            "again": measure(copy.sync),
            "list": command(url, "--limit", "50"),
            "filter": command(url, "--where", WHERE, "--limit", "50"),
            "longest": command(url, "--sort", "-steps", "--limit", "50"),
        }
    if given.json:
        print(json.dumps({name: round(one.wall_s, 2) for name, one in found.items()}))
        return
    print(f"{given.episodes:,} episodes; {os.cpu_count()} cores, {platform.machine()}")
    for name, one in found.items():
        print(f"{name}: {one.wall_s:.2f} s, {one.cpu_s:.2f} s of CPU, {one.peak_mb} MB")


def put_log(root: Path, url: str, count: int) -> None:
    """Put commits of episodes that differ in what a filter asks for."""
    make_store(root / "one", 1)
    (name,) = [path.name for path in (root / "one").iterdir() if path.name[0] != "."]
    row = read_row(str(root / "one"), name)
    assert row is not None
    assert isinstance(row.found, CatalogEntry)
    make_shared(Place(url))
    log = SharedLog(Place(url))
    for start in range(0, count, PACK):
        pack = new_name()
        entries = [
            SharedEntry(
                id=f"e{number:08d}", pack=pack, texts=pack, start=0, length=1, content="0" * 64,
                shown="0" * 64, row=vary(row.found, number), actions=f"{number:064x}",
                frames=row.frames.hex(),
            )
            for number in range(start, min(start + PACK, count))
        ]  # fmt: skip
        assert log.put(start // PACK + 1, entries, pack)


def vary(entry: CatalogEntry, number: int) -> CatalogEntry:
    """The entry of another episode."""
    return replace(
        entry,
        id=f"e{number:08d}",
        task_id=f"task-{number % 500}",
        instruction=f"Write the note {number} and send it",
        steps=5 + number % 4,
        outcome="failure" if number % 3 else "success",
        apps=(APPS[number % 3],),
        tags=("bad",) if number % 10 == 0 else (),
        created=f"2026-11-{1 + number % 28:02d}T10:00:00.{number % 1000:03d}+00:00",
    )


def command(url: str, *words: str) -> Took:
    return run("-m", "tapwright", "episodes", "ls", url, *words)


def measure(work: object) -> Took:
    wall, cpu = time.perf_counter(), time.process_time()
    assert callable(work)
    work()
    return Took(time.perf_counter() - wall, time.process_time() - cpu, 0)


if __name__ == "__main__":
    main()
