"""What the catalog knows of one episode, read from its files, and the stamp by which they change.

A stamp is made of the times and sizes of the files that were read. It is taken before they are
read, so that what changes meanwhile is seen the next time.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tapwright.core.episode import APPS, EpisodeOutcome, OutcomeEvidence
from tapwright.core.fit import FitKind, count_unfit
from tapwright.core.language import Language, language_of
from tapwright.errors import CorruptEpisodeError, StoreError
from tapwright.files.jsonl import split_lines
from tapwright.store import recording_reviews
from tapwright.store.annotations import name_annotator
from tapwright.store.errors import SchemaVersionError
from tapwright.store.fitness import RecordedFit
from tapwright.store.lines import RECORDED, apply_revisions, read_file, read_header, read_line
from tapwright.store.records import EndRecord, EpisodeHeader, ObservationRecord, StepRecord
from tapwright.store.tags import TAGS, read_tags
from tapwright.store.versions import VersionHistory

__all__ = ["CatalogEntry", "EpisodeRow", "ListedEpisode", "hash_screens", "read_row", "stamp_files"]

_SETTLED_NS = 2_000_000_000
"""A file changed later than this before it was read may change again within one tick of the clock
of its file system (1 s on some), and keep its stamp."""

_MAX_COMMENT = 200

FileStamp = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ListedEpisode:
    """What lists tell of one episode, in its current version.

    `apps` are those in front at any step, in the order in which they came, or those that the
    episode itself names. `duration_s` is the time from the first screen to the last. `reviewed`
    counts the lines of the reviews of its annotations; `review` is the state of the recording's
    own, "open" while none holds for this version. `comments` counts what was written about it and
    its steps, `comment` is the latest of that. `rating` is that of who recorded it, 1 to 5, or 0.
    """

    id: str
    suite: str
    instruction: str
    agent: str
    device: str
    created: str
    version: int
    steps: int
    duration_s: float
    outcome: EpisodeOutcome
    evidence: OutcomeEvidence
    apps: tuple[str, ...]
    tags: tuple[str, ...]
    reviewed: int
    review: str
    comments: int
    comment: str
    rating: int


@dataclass(frozen=True, slots=True)
class CatalogEntry(ListedEpisode):
    """One episode; `screens` is the `hash_screens` of its steps' pictures.

    `first` and `last` are the hashes of the first picture and of the last one, "" where there is
    none. `annotators` have annotated it. `ended` is false while nothing has ended the recording.
    `fit` counts its steps by what they are for what teaches a reasoning, and `unfit` those that are
    no target of anything; none where who shared the episode did not count them.
    """

    task_id: str
    language: Language
    annotators: tuple[str, ...]
    ended: bool
    screens: str
    first: str
    last: str
    unfit: int = 0
    fit: Mapping[FitKind, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """What was found in a directory of the store: an entry, an error, or no episode (None).

    None is a removed one, or a directory that holds none yet. `inode` is that of the directory.
    `watched` are the files, beside those of the recording, whose times and sizes are in the
    `stamp` too. The stamp is not to be relied on before `settled_ns`, a time; 0 when it had settled
    as the files were read. `actions` is the hash of the entry's actions, and
    `frames` are the SHA-256 of its steps' pictures, one after the other.
    """

    directory: str
    stamp: int
    inode: int
    watched: tuple[str, ...]
    found: CatalogEntry | StoreError | None
    actions: str = ""
    frames: bytes = b""
    settled_ns: int = 0

    @property
    def likely_to_change(self) -> bool:
        """Whether it was written a moment ago, or is not complete."""
        ended = isinstance(self.found, CatalogEntry) and self.found.ended
        return bool(self.settled_ns) or not (ended or (self.found is None and self.stamp))


def stamp_files(directory: str, changed: tuple[int, int], watched: Iterable[str]) -> int:
    """The stamp of an episode's files; `changed` is its directory's time of change, and inode."""
    stat = os.stat
    parts = [changed]
    for name in (*RECORDED, *watched):
        try:
            found = stat(f"{directory}/{name}")
        except OSError:
            parts.append((0, -1))
        else:
            parts.append((found.st_mtime_ns, found.st_size))
    return hash(tuple(parts))


def read_row(root: str, name: str) -> EpisodeRow | None:
    """What is in the directory `name` of a store; None when it is no directory."""
    directory = f"{root}/{name}"
    try:
        made = os.stat(directory)
        names = set(os.listdir(directory))
    except OSError:
        return None
    if names.isdisjoint(RECORDED):
        return EpisodeRow(name, 0, made.st_ino, (), None)
    files = _Files(directory)
    files.look(RECORDED)
    found: CatalogEntry | StoreError | None
    try:
        found, actions, frames = _read(files, names)
    except (CorruptEpisodeError, SchemaVersionError) as error:
        found, actions, frames = error, "", b""
    parts = ((made.st_mtime_ns, made.st_ino), *files.stamps.values())
    settled_ns = max(time_ns for time_ns, _ in parts) + _SETTLED_NS
    return EpisodeRow(
        directory=name,
        stamp=hash(parts),
        inode=made.st_ino,
        watched=tuple(files.stamps)[len(RECORDED) :],
        found=found,
        actions=actions,
        frames=frames,
        settled_ns=settled_ns if settled_ns > time.time_ns() else 0,
    )


def hash_screens(frames: Sequence[str]) -> str:
    """One hash of the pictures on which an episode's steps were decided, from their hashes."""
    return hashlib.sha256("\n".join(frames).encode()).hexdigest()


class _Files:
    """The files of one episode, and the stamps that they had before they were read."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.stamps: dict[str, FileStamp] = {}

    def look(self, names: Iterable[str]) -> None:
        for name in names:
            try:
                found = os.stat(f"{self.directory}/{name}")
            except OSError:
                self.stamps[name] = 0, -1
            else:
                self.stamps[name] = found.st_mtime_ns, found.st_size

    def path(self, name: str) -> Path:
        return Path(self.directory, name)


def _read(files: _Files, names: set[str]) -> tuple[CatalogEntry | None, str, bytes]:
    about = _read_annotations(files) if "annotations" in names else _Annotations()
    tags: tuple[str, ...] = ()
    if TAGS in names:
        files.look([TAGS])
        tags = read_tags(files.path(""))
    log: list[recording_reviews.RecordingReview] = []
    if recording_reviews.RECORDING_REVIEWS in names:
        files.look([recording_reviews.RECORDING_REVIEWS])
        log = recording_reviews.read_recording_reviews(files.path(""))
    header = recorded = read_header(files.path("episode.json"))
    place = ""
    if "versions" in names:
        files.look(["versions/log.jsonl"])
        history = VersionHistory.read(files.path(""), recorded.version)
        version = history.version_directory(history.current)
        if version is None:
            return None, "", b""
        if history.current != recorded.version:
            place = f"versions/{history.current}/"
            files.look([f"{place}episode.json", f"{place}steps.jsonl"])
            header = read_header(version / "episode.json")
    steps, end = _read_steps(files.path(f"{place}steps.jsonl"))
    return (
        _make_entry(header, steps, end, tags, about, log, RecordedFit(files.path("")).count(steps)),
        _hash_actions(steps),
        b"".join(bytes.fromhex(step.observation.frame[:64]) for step in steps),
    )


def _read_steps(path: Path) -> tuple[list[StepRecord], EndRecord | None]:
    steps: list[StepRecord] = []
    end: EndRecord | None = None
    # Half of a last line is what a running recorder may leave for a moment; it is not told here.
    for number, line in apply_revisions(split_lines(read_file(path)).lines, path).kept:
        match read_line(line, path, number):
            case StepRecord() as step:
                steps.append(step)
            case EndRecord() as ended:
                end = ended
    return steps, end


def _make_entry(
    header: EpisodeHeader,
    steps: Sequence[StepRecord],
    end: EndRecord | None,
    tags: tuple[str, ...],
    about: "_Annotations",
    log: Sequence[recording_reviews.RecordingReview],
    fit: Mapping[FitKind, int],
) -> CatalogEntry:
    said = sorted([*about.comments, *((line.time, line.text) for line in log if line.text)])
    held = recording_reviews.current_recording_review(log, header.version)
    frames = [step.observation.frame.partition(".")[0] for step in steps]
    final: ObservationRecord | None = None if end is None else end.final
    times = [step.observation.time_s for step in steps]
    times += [] if final is None else [final.time_s]
    last = frames[-1:] if final is None else [final.frame.partition(".")[0]]
    return CatalogEntry(
        id=header.id,
        task_id=header.task_id,
        suite=header.extra.get("suite", ""),
        instruction=header.instruction,
        agent=header.agent,
        device=header.device,
        language=language_of(header.instruction),
        created=header.created,
        version=header.version,
        steps=len(steps),
        duration_s=max(0.0, times[-1] - times[0]) if times else 0.0,
        outcome="interrupted" if end is None else end.outcome,
        evidence="" if end is None else end.evidence,
        apps=_list_apps(header, steps),
        tags=tags,
        annotators=about.annotators,
        reviewed=about.reviewed,
        review="open" if held is None else held.state,
        comments=len(said),
        comment=said[-1][1][:_MAX_COMMENT] if said else "",
        rating=next((line.rating for line in reversed(log) if line.rating), 0),
        ended=end is not None,
        screens=hash_screens(frames),
        first="".join(frames[:1]),
        last="".join(last),
        unfit=count_unfit(fit),
        fit=fit,
    )


def _list_apps(header: EpisodeHeader, steps: Iterable[StepRecord]) -> tuple[str, ...]:
    """The apps in front at the steps; where none is known, those that the episode names."""
    seen = dict.fromkeys(one.observation.app for one in steps if one.observation.app)
    return tuple(seen or filter(None, header.extra.get(APPS, "").splitlines()))


def _hash_actions(steps: Iterable[StepRecord]) -> str:
    actions = [one.model_dump(mode="json") for step in steps for one in step.decided]
    return hashlib.sha256(json.dumps(actions, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Annotations:
    """Who annotated an episode, how many reviews that has, and comments with their times."""

    annotators: tuple[str, ...] = ()
    reviewed: int = 0
    comments: tuple[tuple[str, str], ...] = ()


def _read_annotations(files: _Files) -> _Annotations:
    files.look(["annotations"])
    try:
        names = sorted(os.listdir(f"{files.directory}/annotations"))
    except OSError:
        names = []
    logs = [f"annotations/{name}" for name in names if name.endswith(".jsonl")]
    logs = [log for log in logs if not log.endswith(".answers.jsonl")]
    files.look(logs)
    annotators: list[str] = []
    comments: list[tuple[str, str]] = []
    reviewed = 0
    for log in logs:
        lines = _list_lines(files.path(log))
        if log.endswith(".reviews.jsonl"):
            reviewed += len(lines)
        elif log.endswith(".comments.jsonl"):
            comments += filter(None, map(_read_comment, lines))
        elif lines:
            name = log.removeprefix("annotations/").removesuffix(".jsonl")
            annotators.append(name_annotator(lines[0]) or name)
    return _Annotations(tuple(annotators), reviewed, tuple(comments))


def _list_lines(path: Path) -> list[bytes]:
    try:
        return split_lines(path.read_bytes()).lines
    except OSError:
        return []


def _read_comment(line: bytes) -> tuple[str, str] | None:
    try:
        match json.loads(line):
            case {"time": str(time_), "text": str(text)}:
                return time_, text
    except (ValueError, RecursionError):
        pass  # as below
    return None
