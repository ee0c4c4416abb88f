"""Work on many episodes that goes on behind a page: one job after the other, with its progress.

A job that is stopped, or that a full disk ends, has changed what it says; the rest is as it was.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock
from typing import Literal, TypeAlias

from tapwright.curate.edit.errors import BadModifierError
from tapwright.errors import DiskError, StoreError, TapwrightError
from tapwright.files.temporary import OwnedDirectory
from tapwright.web.episode_views import view_of
from tapwright.web.error_responses import ErrorView
from tapwright.web.errors import LeaseError, RequestError, ResourceNotFoundError

__all__ = ["BulkJob", "BulkJobs", "JobKind", "JobState", "JobView"]

JobKind: TypeAlias = Literal["tag", "edit", "remove", "review", "undo", "export"]
JobState: TypeAlias = Literal["waiting", "running", "ended", "stopped", "failed"]

_MOST_WAITING = 20
_KEPT_JOBS = 50
_KEPT_FILES = 4


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as a page shows it: `done` of `total` episodes were looked at, `changed` changed.

    `left` counts those that were left as they were, by the code of the error. `change` is the id by
    which it is undone; `file` is the name of the file that it made, or "".
    """

    id: str
    kind: JobKind
    state: JobState
    total: int
    done: int
    changed: int
    left: Mapping[str, int]
    change: str
    error: ErrorView | None
    file: str


class _Stopped(Exception):  # noqa: N818 - it is no error
    """Somebody stopped the job."""


class BulkJob:
    """A job; its work calls `each` or `advance`, and both end it when it was stopped."""

    def __init__(self, id_: str, kind: JobKind, total: int) -> None:
        self.id = id_
        self.kind: JobKind = kind
        self.total = total
        self.done = self.changed = 0
        self.left: Counter[str] = Counter()
        self.file: Path | None = None
        self.state: JobState = "waiting"
        self.error: TapwrightError | None = None
        self.stopping = Event()
        self.ended = Event()

    def each(self, ids: Sequence[str], work: Callable[[str], bool]) -> None:
        """Do `work`, which says whether it changed anything, to each episode.

        An episode that it cannot be done to is left, and counted by the code of the error.

        Raises:
            DiskError: the disk is full or not writable; the episodes before are changed.
        """
        for id_ in ids:
            try:
                self.changed += work(id_)
            except DiskError:
                raise
            except (StoreError, BadModifierError, LeaseError) as error:
                self.left[error.code] += 1
            self.advance(1)

    def advance(self, count: int, doing: str = "") -> None:
        """Report that `count` more episodes were looked at."""
        self.done += count
        if self.stopping.is_set():
            raise _Stopped

    def view(self, show_error: Callable[[TapwrightError], ErrorView]) -> JobView:
        """The job as it stands."""
        return view_of(
            JobView,
            self,
            left=dict(self.left),
            change=self.id if self.kind not in ("undo", "export") else "",
            error=None if self.error is None else show_error(self.error),
            file="" if self.file is None else self.file.name,
        )


class BulkJobs:
    """The jobs of one library; exports do not keep changes waiting."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, BulkJob] = OrderedDict()
        self._lock = Lock()
        self._changes = ThreadPoolExecutor(1, thread_name_prefix="bulk")
        self._exports = ThreadPoolExecutor(1, thread_name_prefix="export")
        self._folders: OrderedDict[str, OwnedDirectory] = OrderedDict()

    def start(self, job: BulkJob, work: Callable[[BulkJob], None]) -> None:
        """Begin a job, once those before it have ended.

        Raises:
            RequestError: too many are waiting already.
        """
        with self._lock:
            waiting = sum(not one.ended.is_set() for one in self._jobs.values())
            if waiting >= _MOST_WAITING:
                raise RequestError(
                    f"{waiting} jobs are waiting already", hint="try again when some have ended"
                )
            self._jobs[job.id] = job
            for id_ in [id_ for id_, one in self._jobs.items() if one.ended.is_set()]:
                if len(self._jobs) > _KEPT_JOBS:
                    del self._jobs[id_]
        pool = self._exports if job.kind == "export" else self._changes
        # A defect of ours is told on the server's terminal.
        pool.submit(_run, job, work).add_done_callback(lambda run: run.result())

    def find(self, id_: str) -> BulkJob:
        """A job that goes on, or ended not long ago.

        Raises:
            ResourceNotFoundError: there is none of this id.
        """
        found = self._jobs.get(id_)
        if found is None:
            raise ResourceNotFoundError(
                f"there is no job {id_[:40]!r}", hint="look at the list of changes"
            )
        return found

    def kept(self) -> list[BulkJob]:
        """The jobs that have not ended, and those whose files can be had, in their order."""
        with self._lock:
            return [job for job in self._jobs.values() if not job.ended.is_set() or job.file]

    def folder(self, job: BulkJob) -> Path:
        """A folder for what a job makes; those of the last few jobs are kept."""
        with self._lock:
            made = self._folders[job.id] = OwnedDirectory("tapwright-export-")
            while len(self._folders) > _KEPT_FILES:
                old, folder = self._folders.popitem(last=False)
                self._jobs[old].file = None
                folder.remove()
        return made.path

    def close(self) -> None:
        """Stop every job, wait for its end, and delete what was made."""
        for job in self.kept():
            job.stopping.set()
        for pool in (self._changes, self._exports):
            pool.shutdown(wait=True)
        while self._folders:
            self._folders.popitem()[1].remove()


def _run(job: BulkJob, work: Callable[[BulkJob], None]) -> None:
    job.state = "running"
    try:
        if job.stopping.is_set():
            raise _Stopped
        work(job)
        job.state = "ended"
    except _Stopped:
        job.state = "stopped"
    except TapwrightError as error:
        job.error, job.state = error, "failed"
    except BaseException:
        job.state = "failed"
        raise
    finally:
        job.ended.set()
