"""Episodes of a selection as files of a format, in one zip file for a browser to keep."""

import shutil
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tapwright.conventions import conventions
from tapwright.core.episode import Episode
from tapwright.curate.copying import CopyPlan, StoreCopier
from tapwright.errors import UnknownNameError
from tapwright.files.atomic import wrap_disk_errors
from tapwright.formats import formats
from tapwright.formats.exporters.training_set import SftFormat
from tapwright.formats.format import EpisodeExporter
from tapwright.formats.importers.job import import_order
from tapwright.store.store import EpisodeStore
from tapwright.web.library.bulk_jobs import BulkJob, BulkJobs
from tapwright.web.library.bulk_ledger import new_change_id
from tapwright.workflows.progress import Advance
from tapwright.workflows.selecting import read_explained
from tapwright.workflows.sft import SampleConfig, export_training_set

__all__ = ["ExportChoices", "export_choices", "start_export"]

_STORE = "tapwright"


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format by its name; one of training sets takes a convention."""

    name: str
    training: bool


@dataclass(frozen=True, slots=True)
class ExportChoices:
    """The formats that episodes can be exported in, and the conventions of training texts."""

    formats: tuple[ExportFormat, ...]
    conventions: tuple[str, ...]


@cache
def export_choices() -> ExportChoices:
    """What is installed here; "tapwright" is a store with all that there is of the episodes."""
    found = [ExportFormat(_STORE, training=False)]
    for name, one in formats.installed():
        if isinstance(one, EpisodeExporter | SftFormat):
            found.append(ExportFormat(name, training=isinstance(one, SftFormat)))
    return ExportChoices(tuple(found), tuple(conventions.names()))


def start_export(
    jobs: BulkJobs, store: EpisodeStore, ids: Sequence[str], to: str, convention: str
) -> BulkJob:
    """Begin to write episodes as a file of the job.

    Raises:
        UnknownNameError: there is no such format or convention.
    """
    known = {one.name: one.training for one in export_choices().formats}
    if to not in known:
        raise UnknownNameError("format", to, known)
    if known[to] and convention not in export_choices().conventions:
        raise UnknownNameError("convention", convention, export_choices().conventions)
    job = BulkJob(new_change_id(), "export", len(ids))

    def work(job: BulkJob) -> None:
        folder = jobs.folder(job)
        if to == _STORE:
            made = _copy(job, store, ids, folder / "episodes")
        elif known[to]:
            made = _make_training_set(job, store, ids, folder, to, convention)
        else:
            made = _convert(job, store, ids, folder / "episodes", to)
        job.file = _zip(made, folder / f"episodes-{to}.zip")

    jobs.start(job, work)
    return job


def _copy(job: BulkJob, store: EpisodeStore, ids: Sequence[str], out: Path) -> Path:
    copier = StoreCopier(EpisodeStore(out))
    for one in copier.copy(CopyPlan(store, ids, {})):
        if one.error is not None:
            job.left[one.error.code] += 1
        job.changed += one.error is None
        job.advance(1)
    return out


def _make_training_set(
    job: BulkJob, store: EpisodeStore, ids: Sequence[str], folder: Path, to: str, convention: str
) -> Path:
    job.total = 2 * len(ids)
    copy = _copy(job, store, ids, folder / "selected")

    @contextmanager
    def show_progress(title: str, total: int) -> Iterator[Advance]:
        yield job.advance

    config = SampleConfig(convention, outcome="any")
    out = folder / "sft"
    export_training_set([copy], out, config, format_name=to, show_progress=show_progress)
    shutil.rmtree(copy)
    return out


def _convert(job: BulkJob, store: EpisodeStore, ids: Sequence[str], out: Path, to: str) -> Path:
    format_ = formats.get(to)
    assert isinstance(format_, EpisodeExporter)

    def read() -> Iterator[Episode]:
        for id_ in import_order(store, ids):
            yield read_explained(store, id_)
            job.changed += 1
            job.advance(1)

    format_.write(read(), out)
    return out


def _zip(made: Path, target: Path) -> Path:
    """Everything below a directory, or one file, as a zip file; pictures are packed already."""
    with wrap_disk_errors(target), zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as file:
        for path in sorted(made.rglob("*")) if made.is_dir() else [made]:
            name = path.relative_to(made.parent)
            if path.is_file() and not any(part.startswith(".") for part in name.parts):
                file.write(path, name)
    shutil.rmtree(made, ignore_errors=True)
    return target
