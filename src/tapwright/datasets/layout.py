"""From the layout that a server has to the one that is read: archives unpacked, tables written out.

It is done beside the data, and repeated from the start after an interruption. Archives and tables
are removed by the caller, when all is done.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

from tapwright.datasets.benchmark_tables import TABLES, find_tables, write_tables
from tapwright.datasets.dataset import Archive, Dataset
from tapwright.datasets.errors import BadLayoutError
from tapwright.files.atomic import wrap_disk_errors
from tapwright.formats.importers.archives import unpack_archive
from tapwright.formats.importers.split_zip import zip_parts

__all__ = ["lay_out", "packed_files"]

_BESIDE = ".unpacked"


def packed_files(dataset: Dataset, root: Path) -> list[Path]:
    """The archives, with all parts of split ones, and the tables below `root`."""
    parts = [part for archive in _present(dataset, root) for part in zip_parts(root / archive.path)]
    return [*parts, *(find_tables(root) if dataset.name in TABLES else [])]


def lay_out(dataset: Dataset, packed: Path, root: Path) -> None:
    """Unpack what lies in `packed` into `root`, which may be the same directory.

    Raises:
        ForeignDataError: an archive's member would leave it, or they have no room on the disk.
        ForeignDataError: an archive is broken, or a part of it is missing.
        BadLayoutError: a table lacks columns, or a row breaks them.
        DiskError: the disk is full or not writable.
    """
    for archive in _present(dataset, packed):
        _unpack(archive, packed, root)
    tables = find_tables(packed) if dataset.name in TABLES else []
    if tables:
        write_tables(TABLES[dataset.name], tables, root)
    if not dataset.is_laid_out(root):
        missing = [mark for mark in dataset.marks if not any(root.glob(mark))]
        raise BadLayoutError(
            f"{packed}: after unpacking, {dataset.title} lacks {', '.join(missing)}",
            hint=f"compare it with {dataset.source.address}",
        )


def _present(dataset: Dataset, root: Path) -> Iterator[Archive]:
    return (one for one in dataset.archives if (root / one.path).is_file())


def _unpack(archive: Archive, packed: Path, root: Path) -> None:
    beside = root / _BESIDE
    with wrap_disk_errors(beside):
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
    try:
        unpack_archive(packed / archive.path, beside)
        target = root / archive.into
        with wrap_disk_errors(target):
            if archive.folder:
                _move_tree(_find_folder(beside, archive.folder), target)
            else:
                _move_files(beside, target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _find_folder(beside: Path, folder: str) -> Path:
    """The folder of this name that is nearest to the top; the top when there is none."""
    found = [one for one in beside.rglob(folder) if one.is_dir() and "__MACOSX" not in one.parts]
    return min(found, key=lambda one: (len(one.parts), str(one)), default=beside)


def _move_tree(source: Path, target: Path) -> None:
    for path in sorted(source.rglob("*")):
        if path.is_file() and "__MACOSX" not in path.parts:
            place = target / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            path.replace(place)


def _move_files(source: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for path in source.rglob("*"):
        if path.is_file() and "__MACOSX" not in path.parts:
            path.replace(target / path.name)
