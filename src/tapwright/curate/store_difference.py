"""What two stores do not have in common: episodes of one alone, and those that differ."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tapwright.curate.contents import current_place
from tapwright.errors import StoreError
from tapwright.files.jsonl import split_lines
from tapwright.store.catalog import Catalog
from tapwright.store.ids import directory_name
from tapwright.store.lines import apply_revisions, read_file, read_line
from tapwright.store.records import EndRecord, StepRecord
from tapwright.store.selection import EVERYTHING
from tapwright.store.tags import read_tags

__all__ = ["StoreComparison", "StoreDifference", "find_differences"]

_HEADER_DEFAULTS: Mapping[str, object] = {"extra": {}, "log": [], "state": {}, "state_files": {}}
_LEFT_OUT = ("schema", "version")


@dataclass(frozen=True, slots=True)
class StoreDifference:
    """An episode of one store alone, or one that differs in `places`.

    A place is a field of the episode, "step 2: action, target" or "steps: 3 and 4".
    """

    id: str
    what: Literal["first", "second", "differs"]
    places: tuple[str, ...] = ()


class StoreComparison:
    """Compares the stores of two catalogs; `common` counts the episodes that both have.

    Compared are the current versions, tags and annotations; versions that are not current, and the
    numbers of versions, are not. Pictures are compared by their hashes.
    """

    def __init__(self, first: Catalog, second: Catalog) -> None:
        self._roots = first.store.root, second.store.root
        self._ids = first.ids(EVERYTHING), second.ids(EVERYTHING)
        self._broken = {*first.unreadable(), *second.unreadable()}
        there = set(self._ids[1])
        self._common = [id_ for id_ in self._ids[0] if id_ in there]
        self.common = len(self._common)
        self.failed: dict[str, StoreError] = {}

    def run(self, advance: Callable[[int], object] = lambda _: None) -> Iterator[StoreDifference]:
        """The differences: what the first store has alone, the second, and what both have.

        An episode that cannot be read in one of the stores is compared with nothing; what was found
        out late is in `failed`.
        """
        common = set(self._common)
        for id_ in self._ids[0]:
            if id_ not in common and directory_name(id_) not in self._broken:
                yield StoreDifference(id_, "first")
        for id_ in self._ids[1]:
            if id_ not in common and directory_name(id_) not in self._broken:
                yield StoreDifference(id_, "second")
        for id_ in self._common:
            try:
                places = find_differences(*(root / directory_name(id_) for root in self._roots))
            except StoreError as error:
                self.failed[id_] = error
            else:
                if places:
                    yield StoreDifference(id_, "differs", tuple(places))
            advance(1)


def find_differences(first: Path, second: Path) -> list[str]:
    """The places in which the episodes of two directories differ.

    Raises:
        CorruptEpisodeError: a file of one cannot be read.
        SchemaVersionError: another version of tapwright wrote one.
    """
    found = []
    one, other = current_place(first), current_place(second)
    headers = [_HEADER_DEFAULTS | json.loads(read_file(at / "episode.json")) for at in (one, other)]
    names = dict.fromkeys(name for header in headers for name in header)
    found += [
        name
        for name in names
        if name not in _LEFT_OUT and headers[0].get(name) != headers[1].get(name)
    ]
    found += _compare_lines(one / "steps.jsonl", other / "steps.jsonl")
    if read_tags(first) != read_tags(second):
        found.append("tags")
    found += _compare_annotations(first / "annotations", second / "annotations")
    return found


def _compare_lines(first: Path, second: Path) -> list[str]:
    lines = [_read_lines(path) for path in (first, second)]
    if lines[0] == lines[1]:
        return []
    parsed = [
        [read_line(line, path, number) for number, line in numbered]
        for path, numbered in zip((first, second), lines, strict=True)
    ]
    steps = [[one for one in records if isinstance(one, StepRecord)] for records in parsed]
    found = []
    if len(steps[0]) != len(steps[1]):
        found.append(f"steps: {len(steps[0])} and {len(steps[1])}")
    for number, (one, other) in enumerate(zip(*steps, strict=False)):
        fields = _compare_records(one, other)
        if fields:
            found.append(f"step {number}: {', '.join(fields)}")
    ends = [
        next((one for one in records if isinstance(one, EndRecord)), None) for records in parsed
    ]
    match ends:
        case [EndRecord() as end, EndRecord() as other_end]:
            found += _compare_records(end, other_end)
        case [None, None]:
            pass
        case _:
            found.append("end")
    return found


def _compare_records(one: StepRecord | EndRecord, other: StepRecord | EndRecord) -> list[str]:
    return [name for name in type(one).model_fields if getattr(one, name) != getattr(other, name)]


def _read_lines(path: Path) -> Sequence[tuple[int, bytes]]:
    return apply_revisions(split_lines(read_file(path)).lines, path).kept


def _compare_annotations(first: Path, second: Path) -> list[str]:
    names = sorted({path.name for folder in (first, second) for path in folder.glob("*.jsonl")})
    return [
        f"annotations/{name}"
        for name in names
        if (first / name).exists() != (second / name).exists()
        or read_file(first / name) != read_file(second / name)
    ]
