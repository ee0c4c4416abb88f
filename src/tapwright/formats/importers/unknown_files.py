"""Files that no format recognizes, in a directory that is searched: told, never just left out.

What may hold recordings is an unreadable source of its own: a file with its reason, or many of one
suffix together. Companions (pictures, papers, programs, lists of a data set's parts) hold none.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tapwright.core.episode import Episode
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.foreign_record import describe_lfs_pointer
from tapwright.formats.limits import MAX_HEAD_BYTES

__all__ = ["UnknownFiles", "file_kind", "group_unknown", "is_companion", "is_picture"]

_MANY = 5
"""More files of one suffix in a folder are told together."""
_MANY_FOLDERS = 20
"""In more folders, those of all folders are told together."""
_PICTURES = frozenset(
    {".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".svg", ".ico"}
)
_COMPANIONS = frozenset(
    {
        ".md", ".rst", ".txt", ".log", ".pdf", ".docx", ".pptx", ".bib", ".tex",
        ".html", ".htm", ".css", ".js", ".ts", ".py", ".sh", ".ipynb",
        ".yaml", ".yml", ".toml", ".ini", ".cfg", ".lock", ".textproto", ".proto",
        ".csv", ".tsv", ".xlsx", ".xml",
        ".mp4", ".webm", ".mov", ".avi", ".mkv", ".mp3", ".wav", ".ttf", ".safetensors",
    }
)  # fmt: skip
_NAMES = (
    "README*", "LICEN[CS]E*", "NOTICE*", "AUTHORS*", "CITATION*", "CHANGELOG*", "CODEOWNERS",
    "Makefile", "Dockerfile*", "SHA256SUMS", "MD5SUMS", "args.json", "*split*.json",
    "dataset_info*.json", "features.json", "package*.json", "manifest.json", "eval-set.json",
    "logs.json", "all_result*.json", "summary*.json", "dataset.json", "*.z[0-9][0-9]",
)  # fmt: skip


def is_picture(path: Path) -> bool:
    """Whether a file is a picture by its suffix; those of a data set belong to its recordings."""
    return path.suffix.lower() in _PICTURES


def is_companion(path: Path) -> bool:
    """Whether a file lies beside recordings and holds none, by its name."""
    return (
        is_picture(path)
        or path.suffix.lower() in _COMPANIONS
        or any(fnmatchcase(path.name, pattern) for pattern in _NAMES)
    )


def file_kind(path: Path) -> str:
    """The pattern of files like this one: "*.json", or its name where it has no suffix."""
    return f"*{path.suffix}" if path.suffix else path.name


@dataclass(frozen=True, slots=True)
class UnknownFiles:
    """Stands for the reader of files of one kind that no format recognizes."""

    files: tuple[Path, ...]
    known: tuple[str, ...]
    name: str = "unknown"

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Nothing.

        Raises:
            ForeignDataError: always; says why.
        """
        first = self.files[0]
        pointers = [one for one in self.files if describe_lfs_pointer(one)]
        if len(self.files) == 1:
            raise ForeignDataError(describe_lfs_pointer(first) or f"{first}: {self._reason()}")
        count = f"{path}: {len(self.files):,} files, such as {first}"
        if pointers:
            raise ForeignDataError(f"{count}; {describe_lfs_pointer(pointers[0])}")
        raise ForeignDataError(f"{count}: {self._reason()}")

    def _reason(self) -> str:
        large = self.files[0].stat().st_size > MAX_HEAD_BYTES
        what = f"the first {MAX_HEAD_BYTES:,} bytes of it" if large else "it"
        return (
            f"no format recognizes {what}, and it was not read; known are {', '.join(self.known)}"
        )


def group_unknown(
    files: Iterable[Path], root: Path, known: Sequence[str]
) -> Iterator[tuple[Path, UnknownFiles]]:
    """The files below `root`, each alone; or many of one kind together, under their pattern."""
    kinds: dict[str, dict[Path, list[Path]]] = defaultdict(lambda: defaultdict(list))
    for file in files:
        kinds[f"*{file.suffix}"][file.parent].append(file)
    for kind, folders in kinds.items():
        if len(folders) > _MANY_FOLDERS:
            every = tuple(file for those in folders.values() for file in those)
            yield root / "**" / kind, UnknownFiles(every, tuple(known))
            continue
        for folder, those in folders.items():
            if len(those) > _MANY:
                yield folder / kind, UnknownFiles(tuple(those), tuple(known))
                continue
            for file in those:
                yield file, UnknownFiles((file,), tuple(known))
