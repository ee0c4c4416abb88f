"""What the campaign damages: a small good input, and what reads it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tapwright.errors import TapwrightError
from tapwright.files.regular import read_regular
from tapwright.formats import formats
from tapwright.formats.format import EpisodeImporter
from tapwright.formats.importers.job import import_sources
from tapwright.formats.importers.sources import find_sources
from tapwright.store.store import EpisodeStore


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader: `build` lays a good input out in a directory, `read` reads what lies there.

    `read` may write below `out`. Files whose names end in one of `left` are not damaged.
    """

    build: Callable[[Path], object]
    read: Callable[[Path, Path], object]
    left: tuple[str, ...] = ()


def import_all(root: Path, out: Path) -> None:
    """Import whatever a format recognizes below a directory."""
    members = (formats.get(name) for name in formats.names())
    importers = [one for one in members if isinstance(one, EpisodeImporter)]

    async def run() -> None:
        async for _ in import_sources(find_sources([root], importers), EpisodeStore(out)):
            pass

    asyncio.run(run())


def texts(*given: str) -> Callable[[Path], object]:
    """Lays each text in a file of its own."""

    def build(root: Path) -> None:
        for number, text in enumerate(given):
            (root / f"{number}.txt").write_text(text, encoding="utf-8")

    return build


def each_text(read: Callable[[str], object]) -> Callable[[Path, Path], object]:
    """Reads each file as a text; one that is refused keeps the others from nothing."""

    def read_all(root: Path, out: Path) -> None:
        for path in sorted(root.iterdir()):
            try:
                read(read_regular(path).decode("utf-8", "replace"))
            except (TapwrightError, OSError):
                continue

    return read_all
