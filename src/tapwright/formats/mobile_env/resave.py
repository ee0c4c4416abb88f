"""Collects Mobile-Env's recordings by task, with the tokens that its recorder stores as numbers.

Does what `pkl_tools/resave_pickles.py` of https://github.com/X-LANCE/Mobile-Env/tree/976145e does,
without its losses: a second run adds to the first, a run that dies leaves no partial file and no
duplicates, a recording of an unknown task or token leaves the others unaffected, and negative
numbers are not tokens. Two definitions of one task are an error.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tapwright.core.episode import Episode
from tapwright.errors import NothingFoundError, TaskError, UsageError
from tapwright.files.atomic import atomic_file
from tapwright.files.names import portable_name
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.account import OpenedFiles, keep_account
from tapwright.formats.mobile_env.episodes import MOBILE_ENV, write_task
from tapwright.formats.mobile_env.records import TaskVocabularies, TaskVocabulary
from tapwright.formats.temporary_storage import TemporaryStorage
from tapwright.store.ids import directory_name
from tapwright.tasks.attempt import judge_recording
from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.definitions.textproto import read_task
from tapwright.tasks.errors import BadDefinitionError
from tapwright.tasks.task import Task

__all__ = [
    "ResaveReport", "VocabularyReader", "find_numbered_files", "read_definitions",
    "read_vocabularies", "resave_pickles",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class VocabularyReader:
    """Reads recorder's files with the vocabularies of their tasks (an `EpisodeImporter`).

    An attempt that reaches its goal by the events of one of the `tasks`, as far as they can be read
    off the recorded hierarchies, is a success.
    """

    vocabularies: TaskVocabularies
    tasks: Mapping[str, Task] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the format with a hash of the definitions, which change the episodes."""
        known = {id_: [one.name, *one.tokens] for id_, one in self.vocabularies.items()}
        known |= {f"{id_} is done by": [repr(task.check)] for id_, task in self.tasks.items()}
        digest = hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()
        return f"{MOBILE_ENV.name} by the tasks {digest[:8]}"

    def recognizes(self, path: Path) -> bool:
        """Whether `path` is a file with the suffix `.pkl`."""
        return MOBILE_ENV.recognizes(path)

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the episodes in one file."""
        for found in MOBILE_ENV.read(path, self.vocabularies):
            if isinstance(found, Episode) and self._is_proved(found):
                found = replace(found, outcome="success", evidence="proved")
            yield found

    def _is_proved(self, episode: Episode) -> bool:
        task = self.tasks.get(episode.task_id)
        if task is None or not episode.steps:
            return False
        try:
            return judge_recording(task, episode).outcome == "success"
        except TaskError:  # its events do not fit what was recorded
            return False


@dataclass(frozen=True, slots=True)
class ResaveReport:
    """The numbers of new and existing recordings of each file, and the unreadable ones."""

    files: dict[Path, tuple[int, int]]
    unreadable: tuple[UnreadableEpisode, ...]


def find_numbered_files(pattern: str) -> list[Path]:
    """Finds the files of `PATTERN:S:T`, with numbers from S to T, both included.

    Raises:
        UsageError: the pattern has no %d, or S and T are not numbers in order.
        NothingFoundError: none of the files exists.
    """
    name, *ends = pattern.rsplit(":", 2)
    try:
        first, last = (int(end) for end in ends)
    except ValueError as error:
        raise UsageError(
            f"{pattern!r}: no range of numbers at the end; expected PATTERN:S:T",
            hint="such as 'web-dumps/alice.%d.pkl:0:10'",
        ) from error
    if name.count("%d") != 1:
        raise UsageError(f"{name!r}: expected one %d in place of the number")
    if last < first:
        raise UsageError(f"{pattern!r}: the range ends before it starts", hint=f"{last}:{first}")
    numbered = (Path(name.replace("%d", str(number))) for number in range(first, last + 1))
    files = [path for path in numbered if path.is_file()]
    if not files:
        raise NothingFoundError(f"{name}: no file with a number from {first} to {last}")
    return files


def read_vocabularies(directory: Path) -> TaskVocabularies:
    """Reads the vocabularies in the `.textproto` files of a directory, by their task ids.

    Raises:
        NothingFoundError: there are none.
        BadDefinitionError: a file is not a definition; names line and column.
        ForeignDataError: two declare the same id.
    """
    files: dict[str, Path] = {}
    found: dict[str, TaskVocabulary] = {}
    for path in sorted(directory.glob("*.textproto")):
        task = read_task(path)
        if task.id in found:
            raise ForeignDataError(
                f"{path}: declares the id {task.id!r}, as {files[task.id]} does",
                hint="leave one of them out of the directory",
            )
        files[task.id] = path
        found[task.id] = TaskVocabulary(path.stem, tuple(task.vocabulary))
    if not found:
        raise NothingFoundError(
            f"{directory}: no .textproto files",
            hint="give the directory of the tasks' definitions as the last argument",
        )
    return found


def read_definitions(directory: Path) -> Mapping[str, Task]:
    """Reads the tasks in the `.textproto` files of a directory that have a right check, by id."""
    tasks: dict[str, Task] = {}
    for path in sorted(directory.glob("*.textproto")):
        try:
            task = task_from_definition(read_task(path), folder=directory)
        except BadDefinitionError:  # of a task for a vocabulary alone nothing else is asked
            continue
        tasks[task.id] = task
    return tasks


def resave_pickles(
    files: Sequence[Path], vocabularies: TaskVocabularies, out: Path, advance: Callable[[int], None]
) -> ResaveReport:
    """Adds the recordings in `files` to `out`, a file `TASK.pkl` for each task, in their order.

    What a file holds stays in it, and is not added again; a file is replaced atomically. `advance`
    is called with 1 after each file.

    Raises:
        ForeignDataError: an existing file in `out` cannot be read.
        DiskError: the disk is full or not writable; then the file is unchanged.
    """
    storage = TemporaryStorage()  # one for all, as each keeps a file open
    fresh: dict[str, dict[str, Episode]] = {}
    bad: list[UnreadableEpisode] = []
    for path in files:
        try:
            for found in _read_whole(path, vocabularies, storage):
                if isinstance(found, UnreadableEpisode):
                    bad.append(found)
                else:
                    # Mobile-Env's own files do not have the annotator either.
                    task = found.extra.get("task_definition_id", found.task_id)
                    fresh.setdefault(task, {})[found.id] = replace(found, agent="")
        except ForeignDataError as error:
            bad.append(UnreadableEpisode.of(str(path), error))
        advance(1)
    resaved = {}
    for task, episodes in fresh.items():
        name = task if portable_name(task) == task else directory_name(task)
        path = out / f"{name}.pkl"
        old = list(_read_existing(path, storage)) if path.exists() else []
        existing = {episode.id for episode in old}
        new = [episode for id_, episode in episodes.items() if id_ not in existing]
        if new:
            with atomic_file(path) as file:
                write_task([*old, *new], file)
        resaved[path] = len(new), len(old)
    return ResaveReport(resaved, tuple(bad))


def _read_existing(path: Path, storage: TemporaryStorage) -> Iterator[Episode]:
    for found in _read_whole(path, None, storage):
        if isinstance(found, UnreadableEpisode):
            raise ForeignDataError(
                f"{found.reason}; nothing is added to a file that would lose it",
                hint=f"move {path} away, and resave again",
            )
        yield found


def _read_whole(
    path: Path, vocabularies: TaskVocabularies | None, storage: TemporaryStorage
) -> list[Episode | UnreadableEpisode]:
    """As the format reads it; but of what is kept in part the rest would be lost when written."""
    read: list[Episode | UnreadableEpisode] = []
    with keep_account(OpenedFiles()) as account:
        for found in MOBILE_ENV.read(path, vocabularies, storage):
            fault, account.broken = account.broken, ""
            if isinstance(found, Episode) and fault:
                read.append(UnreadableEpisode(str(path), ForeignDataError.code, f"{path}: {fault}"))
            else:
                read.append(found)
    return read
