"""Episodes that were recorded twice: the same actions on screens that nearly look the same.

Actions are compared exactly. Screens are compared by `screen_hashes`, and only where the pictures
of two episodes with the same actions differ at all; two episodes are duplicates when no step's
screens differ in more than a share of their hashes' bits. Each is compared with the oldest of a
group, so that what is recorded later changes no group of what was there. An episode with a screen
of which no picture was recorded is in no group: a stand-in for it says nothing (`core.fit`).
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tapwright.core.screenshot import Screenshot
from tapwright.curate.screen_hashes import ScreenHashes, share_of_bits
from tapwright.files.regular import open_regular
from tapwright.jobs.processes import MapBatches
from tapwright.store.catalog import Catalog
from tapwright.store.catalog_entry import CatalogEntry
from tapwright.store.ids import directory_name

__all__ = ["MAX_DIFFERENCE", "DuplicateGroup", "FindDuplicates", "find_best"]

MAX_DIFFERENCE = 0.03
"""Share of bits. Pictures of the built-in phone differ from the originals by up to 0.018 as JPEG
of quality 40 to 95, by 0.023 at half the size, by 0.008 with another time in the status bar."""

_HASH = 32
_HEAD_BYTES = 256


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Episodes that are nearly the same, the oldest first; `differences` from it are 0 to 1."""

    ids: tuple[str, ...]
    differences: tuple[float, ...]


class FindDuplicates:
    """The search for duplicates among the episodes of a catalog, or among `ids` of it.

    `others` are catalogs of other stores, each with the ids to search among; no id may occur twice.
    `pictures` is how many pictures are hashed, which is what takes the time. `broken` has the ids
    of episodes with a picture that cannot be read; they are in no group.
    """

    def __init__(
        self,
        catalog: Catalog,
        ids: Collection[str] | None = None,
        others: Sequence[tuple[Catalog, Collection[str]]] = (),
    ) -> None:
        self._root = catalog.store.root
        self._stand_ins: dict[bytes, bool] = {}
        self._roots = {id_: other.store.root for other, wanted in others for id_ in wanted}
        self._alike = (
            _find_alike_in_all(catalog, ids, others) if others else _find_alike(catalog, ids)
        )
        self._alike = [rows for rows in map(self._with_screens, self._alike) if len(rows) > 1]
        self._places = self._find_places()
        self.pictures = sum(map(len, self._places.values()))
        self.broken: list[str] = []

    def run(
        self,
        max_difference: float = MAX_DIFFERENCE,
        advance: Callable[[int], object] = lambda _: None,
        mapping: MapBatches | None = None,
    ) -> list[DuplicateGroup]:
        """The groups of two and more; `advance` counts pictures, which `mapping` hashes.

        `max_difference` is the largest share of differing bits of the screens' hashes.
        """
        hashes: dict[bytes, bytes] = {}
        for root, places in self._places.items():
            hashes |= ScreenHashes(root).find(places, advance, mapping)
        groups: list[DuplicateGroup] = []
        for rows in self._alike:
            groups += self._group(rows, hashes, max_difference)
        return groups

    def _with_screens(self, rows: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
        """Those of the episodes all of whose screens were recorded: stand-ins say nothing."""
        return [
            (id_, frames)
            for id_, frames in rows
            if not any(self._is_stand_in(id_, frame) for frame in _split(frames))
        ]

    def _is_stand_in(self, id_: str, frame: bytes) -> bool:
        if frame not in self._stand_ins:
            path = self._path(id_, frame).with_suffix(".png")  # as `Screenshot.stand_in` is
            try:
                with open_regular(path) as file:
                    head = file.read(_HEAD_BYTES)
            except OSError:
                head = b""
            self._stand_ins[frame] = bool(head) and not Screenshot(head).recorded
        return self._stand_ins[frame]

    def _path(self, id_: str, frame: bytes) -> Path:
        """The file of a picture, without its suffix."""
        root = self._roots.get(id_, self._root)
        return root / directory_name(id_) / "frames" / frame.hex()

    def _find_places(self) -> Mapping[Path, Mapping[bytes, str]]:
        """The pictures of each store that have to be hashed, by their SHA-256; each is once."""
        places: dict[Path, dict[bytes, str]] = {}  # a `Path` takes six times as much
        seen: set[bytes] = set()
        for rows in self._alike:
            if len({frames for _, frames in rows}) == 1:
                continue
            for id_, frames in rows:
                root = self._roots.get(id_, self._root)
                for frame in _split(frames):
                    if frame not in seen:
                        seen.add(frame)
                        places.setdefault(root, {})[frame] = str(self._path(id_, frame))
        return places

    def _group(
        self,
        rows: Sequence[tuple[str, bytes]],
        hashes: Mapping[bytes, bytes],
        max_difference: float,
    ) -> Iterator[DuplicateGroup]:
        alone = len({frames for _, frames in rows}) == 1
        leaders: list[NDArray[np.uint8]] = []
        members: list[list[tuple[str, float]]] = []
        placed: dict[bytes, tuple[int, float]] = {}
        for id_, frames in rows:
            if frames not in placed:
                own = np.zeros((1, 1), np.uint8) if alone else _stack(frames, hashes)
                if own is None:
                    self.broken.append(id_)
                    continue
                number, difference = _find_nearest(leaders, own)
                if difference > max_difference:
                    number, difference = len(leaders), 0.0
                    leaders.append(own)
                    members.append([])
                placed[frames] = number, difference
            number, difference = placed[frames]
            members[number].append((id_, round(difference, 4)))
        for found in members:
            if len(found) > 1:
                ids, differences = zip(*found, strict=True)
                yield DuplicateGroup(ids, differences)


def _find_alike(catalog: Catalog, ids: Collection[str] | None) -> list[list[tuple[str, bytes]]]:
    """Lists of episodes with the same actions: id, and the SHA-256 of each step's picture."""
    wanted = None if ids is None else set(ids)
    alike = []
    for rows in catalog.same_actions():
        kept = [row for row in rows if wanted is None or row[0] in wanted]
        if len(kept) > 1:
            alike.append(kept)
    return alike


def _find_alike_in_all(
    catalog: Catalog, ids: Collection[str] | None, others: Sequence[tuple[Catalog, Collection[str]]]
) -> list[list[tuple[str, bytes]]]:
    """The same lists over several stores, in the same order."""
    found: list[tuple[str, str, str, bytes]] = []
    for one, among in ((catalog, ids), *others):
        wanted = None if among is None else set(among)
        found += [row for row in one.action_rows() if wanted is None or row[2] in wanted]
    found.sort()
    groups = [list(rows) for _, rows in groupby(found, key=lambda row: row[0])]
    groups = sorted((rows for rows in groups if len(rows) > 1), key=lambda rows: rows[0][1:3])
    return [[(id_, frames) for _, _, id_, frames in rows] for rows in groups]


def find_best(entries: Sequence[CatalogEntry]) -> CatalogEntry:
    """The one of duplicates that is worth most: a success, the shortest, the newest; then by id."""
    return max(
        sorted(entries, key=lambda one: one.id),
        key=lambda one: (one.outcome == "success", -one.steps, one.created),
    )


def _find_nearest(
    leaders: Sequence[NDArray[np.uint8]], own: NDArray[np.uint8]
) -> tuple[int, float]:
    """Which of the episodes is nearest, and how far its farthest step is: 0 to 1, or infinite."""
    if not leaders:
        return 0, inf
    apart = share_of_bits(np.stack(leaders), own).max(axis=1)
    nearest = int(np.argmin(apart))
    return nearest, float(apart[nearest])


def _split(frames: bytes) -> Iterator[bytes]:
    return (frames[start : start + _HASH] for start in range(0, len(frames), _HASH))


def _stack(frames: bytes, hashes: Mapping[bytes, bytes]) -> NDArray[np.uint8] | None:
    """The hashes of an episode's screens, one row for each step; None when one is missing."""
    found = [hashes.get(frame) for frame in _split(frames)]
    if None in found:
        return None
    return np.array([np.frombuffer(one or b"", np.uint8) for one in found])
