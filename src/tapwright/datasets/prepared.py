"""Data that people downloaded themselves, read in the layout that the hub has.

    <given>/                        files as `hf download --local-dir` writes them, or
    <given>/snapshots/<commit>/     a data set in the hub's cache, whose files are links

What is packed there is unpacked once, below <home>/.prepared/, with links to the rest; the given
directory is left as it is.
"""

import hashlib
import shutil
from pathlib import Path

from tapwright.datasets import datasets
from tapwright.datasets.dataset import Dataset
from tapwright.datasets.errors import BadLayoutError
from tapwright.datasets.home import DatasetHome
from tapwright.files.atomic import atomic_directory
from tapwright.files.links import LINK_HINT, describe_link_out

__all__ = ["check_links", "dataset_of", "prepare_directory"]


def dataset_of(benchmark: str) -> Dataset | None:
    """The data set that a benchmark is measured on; None when it has none by name."""
    for name in datasets.names():
        dataset = datasets.get(name)
        if benchmark in dataset.benchmarks:
            return dataset
    return None


def check_links(given: Path) -> None:
    """Check that the links below a given directory, which may be one itself, stay in it.

    Raises:
        BadLayoutError: one leads out.
    """
    if problem := describe_link_out(given, given):
        raise BadLayoutError(problem, hint=LINK_HINT)


def prepare_directory(dataset: Dataset, given: Path, home: DatasetHome) -> Path:
    """A directory in the layout that is read: the given one if it can be read as it is.

    Raises:
        ForeignDataError: an archive's member would leave it, or they have no room on the disk.
        ForeignDataError: an archive is broken, or a part of it is missing.
        BadLayoutError: a table lacks columns, or a row breaks them.
        DiskError: the disk is full or not writable.
    """
    root = _snapshot(given)
    if not root.is_dir() or dataset.is_laid_out(root):
        return root
    # Unpacking is imported by who needs it.
    from tapwright.datasets.layout import lay_out, packed_files

    packed = packed_files(dataset, root)
    if not packed:
        return root
    prepared = home.path / ".prepared" / f"{dataset.name}-{_key(root)}"
    if not prepared.is_dir():
        with atomic_directory(prepared) as beside:
            _link_others(dataset, root, beside)
            lay_out(dataset, root, beside)
    return prepared


def _snapshot(given: Path) -> Path:
    """The newest commit of a data set in the hub's cache; another directory is itself."""
    snapshots = given / "snapshots"
    if not snapshots.is_dir():
        return given
    main = given / "refs" / "main"
    if main.is_file() and (found := snapshots / main.read_text(encoding="ascii").strip()).is_dir():
        return found
    return max(snapshots.iterdir(), key=lambda one: one.stat().st_mtime, default=given)


def _key(root: Path) -> str:
    """Changes when any file of the directory does."""
    digest = hashlib.sha256(str(root.resolve()).encode())
    for path in sorted(root.rglob("*")):
        if path.is_file():
            stat = path.stat()
            name = path.relative_to(root).as_posix()
            digest.update(f"\0{name}\0{stat.st_size}\0{stat.st_mtime_ns}".encode())
    return digest.hexdigest()[:16]


def _link_others(dataset: Dataset, root: Path, beside: Path) -> None:
    """Link all but the archives, and what is unpacked out of them."""
    from tapwright.datasets.benchmark_tables import TABLES
    from tapwright.datasets.layout import packed_files

    table = TABLES.get(dataset.name)
    written = {one.into.partition("/")[0] for one in dataset.archives}
    written |= {*table.files, table.pictures} if table is not None else set()
    packed = {path.name for path in packed_files(dataset, root)}
    for path in root.iterdir():
        if path.name not in written | packed:
            _link(path.resolve(), beside / path.name)


def _link(path: Path, link: Path) -> None:
    """Let `link` lead to a file or directory; where one may not make links, it is a copy."""
    try:
        link.symlink_to(path, target_is_directory=path.is_dir())
    except OSError:
        if path.is_dir():
            shutil.copytree(path, link)
        else:
            shutil.copyfile(path, link)
