"""Files that no format recognizes, in a directory that is searched: told, never just left out.

What may hold recordings is an unreadable source of its own: a file with its reason, or many of one
suffix together. Companions (pictures, papers, programs, lists of a data set's parts) hold none:
those that no reader opened are left out, and counted.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path

from tapwright.core.episode import Episode
from tapwright.files.regular import open_regular
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.foreign_record import describe_lfs_pointer
from tapwright.formats.importers.known_sources import describe_known, read_head

__all__ = [
    "LeftFiles", "OwnData", "UnknownFiles", "UnlistedDirectory", "group_companions",
    "group_unknown", "is_companion", "leave_files",
]  # fmt: skip

_MANY = 5
"""More files of one suffix in a folder are told together."""
_MANY_FOLDERS = 20
"""In more folders, those of all folders are told together."""
_MANY_KINDS = 50
"""Of more kinds, those of all kinds are told together."""
_PICTURES = frozenset(
    {".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".svg", ".ico"}
)
_COMPANIONS = frozenset(
    {
        ".md", ".rst", ".txt", ".log", ".pdf", ".docx", ".pptx", ".bib", ".tex",
        ".html", ".htm", ".css", ".js", ".ts", ".py", ".sh", ".ipynb",
        ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".lock", ".textproto", ".proto",
        ".template", ".task",
        ".csv", ".tsv", ".xlsx", ".xml",
        ".mp4", ".webm", ".mov", ".avi", ".mkv", ".mp3", ".wav", ".ttf", ".safetensors",
    }
)  # fmt: skip
_NAMES = (
    "README*", "LICEN[CS]E*", "NOTICE*", "AUTHORS*", "CITATION*", "CHANGELOG*", "CODEOWNERS",
    "Makefile", "Dockerfile*", "SHA256SUMS", "MD5SUMS", "args.json", "*split*.json",
    "dataset_info*.json", "features.json", "package*.json", "manifest.json", "eval-set.json",
    "logs.json", "state.json", "dataset_dict.json", "all_result*.json", "summary*.json",
    "dataset.json", "*.z[0-9][0-9]", "study.pkl.gz", "goal_object.pkl.gz", "*.pkl.old*",
)  # fmt: skip
_NAMED = re.compile("|".join(map(translate, _NAMES)))
_FOLDERS = frozenset({"element_anno", "refs"})
"""What lies beside the recordings of a data set, or in a hub's cache, and holds none by itself."""
_RECORD = re.compile(rb'(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*"[^"\n]+"\s*:')
_PICTURE_STARTS = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"RIFF")
_UNNAMED = "a picture that no recording names"
_UNNAMED_NOW = "a picture that no recording names which was read this time"
_COMPANION = "holds no recording"
_OLDER = "what a recording was before it was edited"
_WORDS = {"pictures": (_UNNAMED, _UNNAMED_NOW), "*.pkl.old": (_OLDER, "")}


def _is_picture(path: Path) -> bool:
    return path.suffix.lower() in _PICTURES or path.parent.name == "blobs"


def is_companion(path: Path) -> bool:
    """Whether a file lies beside recordings and holds none, by its name."""
    return (
        path.name.startswith(".")
        or path.suffix.lower() in _PICTURES
        or (path.suffix.lower() in _COMPANIONS and not _has_records(path))
        or _NAMED.match(path.name) is not None
        or path.parent.name in _FOLDERS
        or (not path.suffix and read_head(path, 6).startswith(_PICTURE_STARTS))
    )


def _has_records(path: Path) -> bool:
    """Whether a text is one of JSON records, under the name of another text."""
    return path.suffix.lower() == ".txt" and _RECORD.match(read_head(path, 256)) is not None


@dataclass(frozen=True, slots=True)
class LeftFiles:
    """Stands for the reader of files that hold no recordings, or were not to be read.

    `reason_now` is the reason where not every recording was read this time.
    """

    files: tuple[Path, ...]
    reason: str
    reason_now: str = ""
    name: str = "none"

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Nothing: there is none."""
        return iter(())


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

    def without(self, opened: Iterable[Path]) -> "UnknownFiles":
        """Those of the files that no reader opened."""
        gone = set(opened)
        return UnknownFiles(tuple(one for one in self.files if one not in gone), self.known)

    def _reason(self) -> str:
        first = self.files[0]
        if first.is_symlink() and not first.exists():
            return "is a link that leads nowhere, or back to itself"
        if not first.exists():
            return "is gone: it was there when the directory was searched"
        try:
            open_regular(first).close()
        except OSError as error:
            return f"cannot be read: {error.strerror}"
        if not first.stat().st_size:
            return "is empty: get the file again"
        way = describe_known(first) or f"known are {', '.join(self.known)}"
        return f"no format recognizes it, and it was not read: {way}"


@dataclass(frozen=True, slots=True)
class OwnData:
    """Stands for the reader of a store or a pack, which other commands read."""

    way: str
    name: str = "tapwright"

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Nothing.

        Raises:
            ForeignDataError: always; names the command.
        """
        raise ForeignDataError(self.way)


@dataclass(frozen=True, slots=True)
class UnlistedDirectory:
    """Stands for the reader of a directory whose files cannot be listed."""

    why: str
    name: str = "unlisted"

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Nothing.

        Raises:
            ForeignDataError: always; says why.
        """
        raise ForeignDataError(f"{path}: cannot be listed: {self.why}")


def leave_files(files: Iterable[Path], reason: str) -> LeftFiles:
    """The reader of files that are left out for a reason."""
    return LeftFiles(tuple(files), reason)


def group_companions(files: Iterable[Path], root: Path) -> Iterator[tuple[Path, LeftFiles]]:
    """The companions below `root`, those of one kind together; all pictures are one kind."""
    kinds: dict[str, list[Path]] = defaultdict(list)
    for file in files:
        kinds[_kind_of(file)].append(file)
    for kind, those in kinds.items():
        words = _WORDS.get(kind, (_COMPANION, ""))
        yield root / "**" / kind, LeftFiles(tuple(those), *words)


def _kind_of(file: Path) -> str:
    if _is_picture(file):
        return "pictures"
    if ".pkl.old" in file.name:
        return "*.pkl.old"
    return f"*{file.suffix}" if file.suffix else file.name


def group_unknown(
    files: Sequence[Path], root: Path, known: Sequence[str]
) -> Iterator[tuple[Path, UnknownFiles]]:
    """The files below `root`, each alone; or many of one kind together, under their pattern."""
    kinds: dict[str, dict[Path, list[Path]]] = defaultdict(lambda: defaultdict(list))
    for file in files:
        kinds[f"*{file.suffix}"][file.parent].append(file)
    if len(kinds) > _MANY_KINDS:
        yield root / "**" / "*", UnknownFiles(tuple(files), tuple(known))
        return
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
