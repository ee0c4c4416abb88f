"""Reads whole public sets, and compares the account of each import with what it was.

DIRECTORY holds checkouts of their repositories, each called owner+name or owner/name, at the commit
that `SETS` and hierarchy_dumps.json name: nothing is fetched, and what is not there is said. The
dumps are answers of Android's uiautomator that people have published, read as a phone's are.

Run: python bench/whole_sets.py DIRECTORY [--json]
"""

import argparse
import asyncio
import hashlib
import json
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tapwright.core.geometry import Size
from tapwright.core.observation import UiTree
from tapwright.devices.adb.hierarchy import dump_hierarchy
from tapwright.devices.adb.shell import PhoneShell, ProgramOutput
from tapwright.devices.errors import BadDeviceOutputError
from tapwright.formats import formats
from tapwright.formats.format import EpisodeImporter
from tapwright.formats.importers.account import KINDS, Totals
from tapwright.formats.importers.job import import_sources
from tapwright.formats.importers.sources import find_sources
from tapwright.store.store import EpisodeStore

DUMPS = Path(__file__).with_name("hierarchy_dumps.json")
FOR_A_SCREEN = Size(1080, 2400)


@dataclass(frozen=True)
class PublishedSet:
    """A folder of a repository at a commit, and how many of each kind were read, of how many."""

    repository: str
    commit: str
    folder: str
    read: Mapping[str, tuple[int, int]]


SETS = (
    PublishedSet(
        "niuzaisheng/ScreenAgent",
        "2312c852908dda5fbc43d903fad5929a9dec649d",
        "data/ScreenAgent",
        {"files": (3999, 5016), "episodes": (203, 203), "steps": (891, 891)},
    ),
    PublishedSet(
        "X-PLUG/MobileAgent",
        "11cea575561fb7800b5fb6b6cafa56f7a91de11f",
        "UI-S1/evaluation/dataset",
        {"files": (2, 2), "episodes": (1544, 1544)},
    ),
    PublishedSet(
        "X-PLUG/MobileAgent",
        "11cea575561fb7800b5fb6b6cafa56f7a91de11f",
        "UI-S1/datasets",
        {"files": (2, 2), "episodes": (1575, 1575)},
    ),
    PublishedSet(
        "xlang-ai/OpenCUA",
        "1d70f20663dcaa01f10c7fed5669887286545866",
        "evaluation/agentnetbench/sample_data",
        {"files": (59, 59), "episodes": (5, 5), "steps": (54, 54)},
    ),
)
READ_DUMPS = (326, 328)
"""Two of them are excerpts, cut in their middle."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found, differs = {}, False
    for one in SETS:
        name, root = f"{one.repository}/{one.folder}", find_checkout(given.directory, one)
        if root is None:
            print(f"{name}: not in {given.directory}", file=sys.stderr)
            continue
        totals = read_set(root)
        found[name] = {kind: (one.read, one.seen) for kind, one in totals.items()}
        differs |= any(found[name][kind] != read for kind, read in one.read.items())
    read, seen, there = read_dumps(given.directory)
    found["hierarchy dumps"] = {"files": (read, seen)}
    differs |= there and (read, seen) != READ_DUMPS
    if given.json:
        print(json.dumps(found))
    else:
        for name, kinds in found.items():
            told = ", ".join(f"{read:,} of {of:,} {kind}" for kind, (read, of) in kinds.items())
            print(f"{name}: {told}")
    sys.exit(differs)


def find_checkout(directory: Path, one: PublishedSet) -> Path | None:
    roots = (directory / one.repository.replace("/", "+"), directory / one.repository)
    return next((root / one.folder for root in roots if (root / one.folder).is_dir()), None)


def read_set(root: Path) -> Mapping[str, Totals]:
    """The account of an import of a folder."""
    members = [one for _, one in formats.installed()]
    importers = [one for one in members if isinstance(one, EpisodeImporter)]
    seen: Counter[str] = Counter()
    left: Counter[str] = Counter()

    async def run(store: EpisodeStore) -> None:
        async for ended in import_sources(find_sources([root], importers), store):
            for kind, totals in ended.totals.items():
                seen[kind] += totals.seen
                left[kind] += totals.left_out

    with tempfile.TemporaryDirectory(prefix="whole-sets-") as store:
        asyncio.run(run(EpisodeStore(Path(store, "store"))))
    return {kind: Totals(seen[kind], left[kind]) for kind in KINDS}


class Printed:
    """A phone's shell that has printed a dump."""

    def __init__(self, data: bytes) -> None:
        self.serial, self._data = "a dump", data

    def script(self, _: object) -> ProgramOutput:
        return ProgramOutput(self._data, b"", 0)


def read_dumps(directory: Path) -> tuple[int, int, bool]:
    """How many dumps were read, of how many that are there, and whether all are there."""
    pinned: dict[str, dict[str, str]] = json.loads(DUMPS.read_text())
    read = seen = 0
    for data in find_dumps(directory, pinned):
        seen += 1
        shell = cast(PhoneShell, Printed(data))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # characters that XML forbids, told by their number
                xml = dump_hierarchy(shell, "uiautomator")
        except BadDeviceOutputError as error:
            print(error, file=sys.stderr)
            continue
        read += bool(UiTree(xml, FOR_A_SCREEN).nodes)
    return read, seen, seen == sum(map(len, pinned.values()))


def find_dumps(directory: Path, pinned: Mapping[str, Mapping[str, str]]) -> Iterator[bytes]:
    for address, files in pinned.items():
        repository = address.partition("@")[0]
        for path, sha256 in files.items():
            for root in (directory / repository.replace("/", "+"), directory / repository):
                if (root / path).is_file():
                    data = (root / path).read_bytes()
                    if hashlib.sha256(data).hexdigest() == sha256:
                        yield data
                    break


if __name__ == "__main__":
    main()
