"""Downloads a data set: a plan that says what and how much, and then the download itself.

Eight files at a time, each checked by its hash; then archives are unpacked and tables written out,
and the whole takes its name in one move. What is in the hub's own cache at this commit is taken
from there. An interrupted download continues with what is there, after checking it again.
"""

import asyncio
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from tapwright.datasets.dataset import Access, Dataset, Digest, Listing, RemoteFile
from tapwright.datasets.download import Downloader, open_session
from tapwright.datasets.errors import DownloadError, WrongHashError
from tapwright.datasets.github import GitHubSource, check_commit, hash_folder
from tapwright.datasets.home import RECORD, DatasetHome
from tapwright.datasets.hub import HubSource, find_cached
from tapwright.datasets.layout import lay_out, packed_files
from tapwright.datasets.records import FileRecord, Pin, Record
from tapwright.errors import DiskError, UsageError
from tapwright.files.atomic import rename_directory, sync_all, wrap_disk_errors, write_atomically
from tapwright.files.lock import DirectoryLock
from tapwright.formats.errors import ForeignDataError

__all__ = ["DownloadPlan", "download", "plan_download"]

_AT_A_TIME = 8
_REVISION = "revision"


@dataclass(frozen=True, slots=True)
class DownloadPlan:
    """What is downloaded: all files of a listing, some of which are there in part or completely.

    `total` is in bytes, as far as the server announces them; `present` is there already.
    """

    dataset: Dataset
    home: DatasetHome
    listing: Listing
    total: int
    present: int

    @property
    def files(self) -> Path:
        """Where the files are gathered."""
        return self.home.partial(self.dataset.name) / "files"

    @property
    def missing(self) -> int:
        """Bytes to be downloaded; the published size where the server announces none."""
        return max(0, (self.total or self.dataset.size) - self.present)


def plan_download(dataset: Dataset, home: DatasetHome, access: Access) -> DownloadPlan | None:
    """What has to be downloaded for a data set; None when it is there.

    Raises:
        UsageError: another directory has its name.
        DownloadError: its server has no such data, or does not respond.
    """
    if home.has(dataset):
        shutil.rmtree(home.partial(dataset.name), ignore_errors=True)  # of a kill at the very end
        return None
    directory = home.directory(dataset.name)
    if directory.exists():
        raise UsageError(
            f"{directory} exists, and is not {dataset.title} as it is read",
            hint="remove it, or choose another --dir",
        )
    pin = home.pin(dataset.name)
    listing = dataset.source.list_files(access, dataset.source.revision or pin.revision)
    if not listing.files:
        raise DownloadError(f"{dataset.source.address}: has none of the files of {dataset.title}")
    # A file of that name would be taken for our own record.
    files = tuple(_known(dataset, pin, one) for one in listing.files if one.path != RECORD)
    plan = DownloadPlan(dataset, home, replace(listing, files=files), 0, 0)
    _forget_other_revision(plan)
    total = sum(one.size or 0 for one in files)
    return replace(plan, total=total, present=sum(_length(plan.files / one.path) for one in files))


async def download(
    plan: DownloadPlan, access: Access, on_bytes: Callable[[int], object] = lambda _: None
) -> Path:
    """Download, check and unpack; returns the directory. `on_bytes` is called with bytes done.

    Raises:
        WrongHashError: a file is not the published one; it was removed.
        DownloadError: a server does not deliver.
        DiskError: the disk has no room, or is full or not writable; what is downloaded is kept.
        UsageError: another process is downloading it.
    """
    beside = plan.home.partial(plan.dataset.name)
    with wrap_disk_errors(beside):
        plan.files.mkdir(parents=True, exist_ok=True)
        lock = DirectoryLock(beside)
    with lock:
        if not lock.take():
            raise UsageError(f"{beside}: another process is downloading {plan.dataset.name}")
        if not (plan.files / RECORD).is_file():
            _check_room(plan)
            write_atomically(beside / _REVISION, plan.listing.revision.encode())
            records = await _download_all(plan, access, on_bytes)
            await asyncio.to_thread(_finish, plan, records)
        return await asyncio.to_thread(_publish, plan)


async def _download_all(
    plan: DownloadPlan, access: Access, on_bytes: Callable[[int], object]
) -> dict[str, FileRecord]:
    free = asyncio.Semaphore(_AT_A_TIME)
    records: dict[str, FileRecord] = {}
    async with open_session() as session:
        downloader = Downloader(session, access, on_bytes)

        async def get(file: RemoteFile) -> None:
            async with free:
                records[file.path] = await _get(plan, downloader, file)

        tasks = [asyncio.create_task(get(file)) for file in plan.listing.files]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    return records


async def _get(plan: DownloadPlan, downloader: Downloader, file: RemoteFile) -> FileRecord:
    target = plan.files / file.path
    if isinstance(plan.dataset.source, HubSource):
        await asyncio.to_thread(_take_cached, plan, plan.dataset.source, file.path)
    sha256 = await downloader.fetch(file, target)
    return FileRecord(size=_length(target), sha256=sha256)


def _take_cached(plan: DownloadPlan, source: HubSource, path: str) -> None:
    """Take a file from the hub's own cache, if it is there and was not begun here."""
    target = plan.files / path
    if _length(target):
        return
    cached = find_cached(source, plan.listing.revision, path)
    if cached is None:
        return
    with wrap_disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(cached.resolve(), target)
        except OSError:  # on another file system
            shutil.copyfile(cached, target)


def _finish(plan: DownloadPlan, records: dict[str, FileRecord]) -> None:
    """Unpack, check the whole, and write the record, which says that nothing is missing."""
    dataset, files = plan.dataset, plan.files
    if isinstance(dataset.source, GitHubSource):
        check_commit(files / plan.listing.files[0].path, dataset.source.revision)
    try:
        lay_out(dataset, files, files)
    except ForeignDataError as error:
        _refuse_unknown(plan, error)
        raise
    pin = plan.home.pin(dataset.name)
    if isinstance(dataset.source, GitHubSource):
        packed = {one.path for one in plan.listing.files}
        records = {"": FileRecord(size=0, sha256=hash_folder(files, packed))}
        expected = dataset.sums.get("") or (pin.files[""].sha256 if "" in pin.files else "")
        if expected and records[""].sha256 != expected:
            shutil.rmtree(files)
            raise WrongHashError(
                f"{dataset.source.address}: the content has the hash {records[''].sha256}; "
                f"expected {expected}; it was removed"
            )
    record = Record(
        revision=plan.listing.revision,
        files=records,
        name=dataset.name,
        address=dataset.source.address,
        unlike=sorted(
            path
            for path, sha256 in dataset.sums.items()
            if path in records and records[path].sha256 != sha256
        ),
    )
    if not dataset.source.revision or "" in records:
        fixed = {path: one for path, one in records.items() if _is_unpublished(plan, path)}
        plan.home.write_pin(dataset.name, Pin(revision=plan.listing.revision, files=fixed))
    write_atomically(files / RECORD, json.dumps(record.model_dump(), indent=1).encode())


def _refuse_unknown(plan: DownloadPlan, error: ForeignDataError) -> None:
    """Remove a file of which no hash is known when it cannot be unpacked: it may be a web page."""
    page = plan.dataset.source.address
    for file in plan.listing.files:
        if file.digest is None:
            (plan.files / file.path).unlink(missing_ok=True)
            raise DownloadError(
                f"{file.url}: sends no archive that can be read: {error}; it was removed",
                hint=f"download it from {page} in a browser, and use its path",
            ) from error


def _publish(plan: DownloadPlan) -> Path:
    for path in packed_files(plan.dataset, plan.files):
        path.unlink()
    for folder in sorted(plan.files.rglob("*"), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    directory = plan.home.directory(plan.dataset.name)
    with wrap_disk_errors(directory):
        sync_all()
        rename_directory(plan.files, directory)
        shutil.rmtree(plan.home.partial(plan.dataset.name))
    return directory


def _is_unpublished(plan: DownloadPlan, path: str) -> bool:
    digests = {one.path: one.digest for one in plan.listing.files}
    return digests.get(path) is None


def _known(dataset: Dataset, pin: Pin, file: RemoteFile) -> RemoteFile:
    """The file, with the hash of its first download if its server states none."""
    parts = PurePosixPath(file.path).parts
    if not parts or parts[0] == "/" or ".." in parts or set(file.path) & set("\\:\0"):
        raise DownloadError(f"{dataset.source.address}: lists a file at {file.path[:200]!r}")
    if file.digest is not None or file.path not in pin.files:
        return file
    return replace(file, digest=Digest("sha256", pin.files[file.path].sha256))


def _forget_other_revision(plan: DownloadPlan) -> None:
    beside = plan.home.partial(plan.dataset.name)
    try:
        before = (beside / _REVISION).read_text(encoding="utf-8")
    except FileNotFoundError:
        return
    if before != plan.listing.revision:
        shutil.rmtree(beside, ignore_errors=True)


def _check_room(plan: DownloadPlan) -> None:
    with wrap_disk_errors(plan.files):
        free = shutil.disk_usage(plan.files).free
    if plan.missing > free:
        raise DiskError(
            f"{plan.home.path}: {plan.dataset.name} needs {plan.missing:,} bytes more, and there "
            f"is room for {free:,}",
            hint="free some space, or choose another directory with --dir or TAPWRIGHT_DATA",
        )


def _length(path: Path) -> int:
    for one in (path, path.with_name(f"{path.name}.part")):
        if one.is_file():
            return one.stat().st_size
    return 0
