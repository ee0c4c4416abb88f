"""A store of many small episodes that has no catalog yet."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

from tapwright.store.catalog_file import CatalogFile
from tapwright.store.catalog_follow import CatalogFollower
from tapwright.store.store import EpisodeStore
from tests.store.episodes import episode

COUNT = 1600


def while_reading(store: EpisodeStore, look: Callable[[], None]) -> None:
    """Read a store that has no catalog; `look` is called while all but the newest are read."""
    read: list[int] = []

    def work(connection: sqlite3.Connection) -> None:
        follower = CatalogFollower(store.root, notes=True)
        follower.renew(connection, advance)

    def advance(count: int) -> None:
        read.append(count)
        if len(read) > 1:
            look()

    CatalogFile(store.root).use(work)


def make_many(home: Path, count: int = COUNT) -> EpisodeStore:
    """A store whose episodes were made one after the other."""
    store = EpisodeStore(home / "many")
    store.write(episode(1, "e0"))
    first = store.root / "e0"
    header, steps = (first / "episode.json").read_text(), (first / "steps.jsonl").read_bytes()
    for number in range(1, count):
        directory = store.root / f"e{number}"
        directory.mkdir()
        day = f"2026-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}+00:00"
        words = header.replace('"e0"', f'"e{number}"')
        (directory / "episode.json").write_text(words.replace('"created":""', f'"created":"{day}"'))
        (directory / "steps.jsonl").write_bytes(steps)
    shutil.rmtree(store.root / ".catalog", ignore_errors=True)
    return store
