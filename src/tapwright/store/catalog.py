"""The catalog of a store: one entry per episode, quick enough for ten thousand of them.

An episode is read once and again only when its files have changed since, so listing a store a
second time costs a `stat` of two files for each episode. No picture, tree or state is opened.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from tapwright.episode import EpisodeOutcome
from tapwright.errors import CorruptEpisodeError, StoreError
from tapwright.store.errors import SchemaVersionError
from tapwright.store.lines import read_header, read_lines, wrap_read_errors
from tapwright.store.records import EndRecord, ObservationRecord, StepRecord
from tapwright.store.store import EpisodeStore
from tapwright.store.versions import VersionHistory

__all__ = ["Catalog", "CatalogEntry", "CatalogQuery", "count_facets", "hash_screens"]

Stamp: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """One episode, in its current version.

    `apps` are those in front at any step, in the order in which they came; `screens` is the
    `hash_screens` of its steps' pictures. `first` and `last` are the hashes of the first picture
    and of the last one, "" where there is none.
    """

    id: str
    task_id: str
    instruction: str
    agent: str
    device: str
    created: str
    version: int
    steps: int
    outcome: EpisodeOutcome
    apps: tuple[str, ...]
    screens: str
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class CatalogQuery:
    """A filter: an entry matches when it matches every field that is not empty.

    `app` is a package or its last part, `text` is searched in id, task and instruction without
    regard to case, and the others must be equal.
    """

    text: str = ""
    task: str = ""
    app: str = ""
    outcome: str = ""
    agent: str = ""

    def matches(self, entry: CatalogEntry) -> bool:
        """Whether an entry matches."""
        if self.text:
            words = f"{entry.id}\n{entry.task_id}\n{entry.instruction}".casefold()
            if self.text.casefold() not in words:
                return False
        if self.app and not any(self.app in (app, app.rpartition(".")[2]) for app in entry.apps):
            return False
        return (
            self.task in ("", entry.task_id)
            and self.outcome in ("", entry.outcome)
            and self.agent in ("", entry.agent)
        )


class Catalog:
    """The entries of one store; any thread may use it."""

    def __init__(self, store: EpisodeStore) -> None:
        self.store = store
        self._known: dict[str, tuple[Stamp, CatalogEntry | StoreError | None]] = {}
        self._lock = Lock()

    def read(self) -> tuple[list[CatalogEntry], dict[str, StoreError]]:
        """The entries, oldest first; and the error of each unreadable episode, by its directory.

        Removed episodes are in neither.

        Raises:
            CorruptEpisodeError: the store itself cannot be read.
        """
        entries: list[CatalogEntry] = []
        unreadable: dict[str, StoreError] = {}
        with self._lock:
            self._refresh()
            for name, (_, found) in self._known.items():
                match found:
                    case CatalogEntry():
                        entries.append(found)
                    case StoreError():
                        unreadable[name] = found
                    case None:
                        pass
        entries.sort(key=lambda entry: (entry.created, entry.id))
        return entries, dict(sorted(unreadable.items()))

    def _refresh(self) -> None:
        known: dict[str, tuple[Stamp, CatalogEntry | StoreError | None]] = {}
        root = self.store.root
        with wrap_read_errors(root):
            names = os.listdir(root) if root.is_dir() else []
        for name in names:
            stamp = None if name.startswith(".") else _read_stamp(f"{root}/{name}")
            if stamp is None:
                continue
            before = self._known.get(name)
            if before is not None and before[0] == stamp:
                known[name] = before
            else:
                known[name] = stamp, _read_entry(root / name)
        self._known = known


def count_facets(entries: Iterable[CatalogEntry]) -> Mapping[str, Mapping[str, int]]:
    """How many of the entries have each task, app, outcome and agent; the most frequent first."""
    counts: dict[str, Counter[str]] = {
        name: Counter() for name in ("task", "app", "outcome", "agent")
    }
    for entry in entries:
        counts["task"][entry.task_id] += 1
        counts["outcome"][entry.outcome] += 1
        counts["agent"][entry.agent] += 1
        counts["app"].update(entry.apps)
    return {
        facet: dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))
        for facet, found in counts.items()
    }


def hash_screens(frames: Sequence[str]) -> str:
    """One hash of the pictures on which an episode's steps were decided, from their hashes."""
    return hashlib.sha256("\n".join(frames).encode()).hexdigest()


def _read_stamp(directory: str) -> Stamp | None:
    """A value that changes whenever an episode does; None for other directories."""
    try:
        steps = os.stat(f"{directory}/steps.jsonl")
    except OSError:
        if not os.path.exists(f"{directory}/episode.json"):
            return None
        return 0, 0, 0, 0
    try:
        log = os.stat(f"{directory}/versions/log.jsonl")
    except OSError:
        return steps.st_mtime_ns, steps.st_size, 0, 0
    return steps.st_mtime_ns, steps.st_size, log.st_mtime_ns, log.st_size


def _read_entry(directory: Path) -> CatalogEntry | StoreError | None:
    try:
        recorded = read_header(directory / "episode.json")
        history = VersionHistory.read(directory, recorded.version)
        place = history.version_directory(history.current)
        if place is None:
            return None
        header = recorded if place == directory else read_header(place / "episode.json")
        steps: list[StepRecord] = []
        outcome: EpisodeOutcome = "unknown"
        final: ObservationRecord | None = None
        for line in read_lines(place / "steps.jsonl"):
            match line:
                case StepRecord():
                    steps.append(line)
                case EndRecord():
                    outcome, final = line.outcome, line.final
    except (CorruptEpisodeError, SchemaVersionError) as error:
        return error
    apps = dict.fromkeys(step.observation.app for step in steps if step.observation.app)
    frames = [step.observation.frame.partition(".")[0] for step in steps]
    last = frames[-1:] if final is None else [final.frame.partition(".")[0]]
    return CatalogEntry(
        id=header.id,
        task_id=header.task_id,
        instruction=header.instruction,
        agent=header.agent,
        device=header.device,
        created=header.created,
        version=header.version,
        steps=len(steps),
        outcome=outcome,
        apps=tuple(apps),
        screens=hash_screens(frames),
        first="".join(frames[:1]),
        last="".join(last),
    )
