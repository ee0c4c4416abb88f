"""Unpacks zip (also split) and tar archives to a directory, if all their members stay in it."""

import bz2
import gzip
import lzma
import os
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, cast

from tapwright.files.atomic import wrap_disk_errors
from tapwright.files.regular import open_regular
from tapwright.formats import limits
from tapwright.formats.errors import UNSAFE_ARCHIVE, ForeignDataError
from tapwright.formats.importers.split_zip import open_zip, zip_parts
from tapwright.formats.unpacking import BoundedStream, StreamLimitError, unpacked_limit

__all__ = ["is_archive", "unpack_archive"]

_BY_HAND = "unpack it yourself if you trust who made it, and import the directory"
_PIECE = 1 << 18  # bytes, less than the longest header
_LONGEST_NAME = 255  # bytes, of Linux
_OPENERS: Mapping[bytes, Callable[[Path], object]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


def is_archive(path: Path) -> bool:
    """Whether `path` is a file with the suffix of an archive."""
    return path.name.lower().endswith((".zip", *_TARS)) and path.is_file()


def unpack_archive(path: Path, into: Path) -> None:
    """Unpack an archive's files into an existing directory.

    Every name is checked before anything is written.

    Raises:
        ForeignDataError: a name leads out of the archive, a member is a link or a device, or the
            disk has no room for the declared sizes; names the member.
        ForeignDataError: it is broken, encrypted, or not an archive.
        DiskError: the disk is full or not writable.
    """
    try:
        packed = sum(part.stat().st_size for part in zip_parts(path))
        limit = unpacked_limit(packed)
        with _open_members(path, packed) as members:
            room = shutil.disk_usage(into).free
            held = sum(member.size for member in members)
            if held > limit:
                raise UNSAFE_ARCHIVE(
                    f"{path}: {packed:,} bytes hold {held:,}; at most {limit:,} are unpacked",
                    hint=_BY_HAND,
                )
            if held > room:
                raise UNSAFE_ARCHIVE(
                    f"{path}: holds {held:,} bytes, and {into} has room for {room:,}",
                    hint="unpack it on a larger disk, and import the directory",
                )
            for member in members:
                target = into.joinpath(*PurePosixPath(member.name).parts)
                with member.open() as source:
                    _copy(source, target)
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError) as error:
        raise ForeignDataError(
            f"{path}: a broken archive: {error}", hint="get the file again"
        ) from error
    except (NotImplementedError, RuntimeError) as error:
        raise ForeignDataError(f"{path}: cannot be unpacked: {error}", hint=_BY_HAND) from error
    except StreamLimitError as error:
        raise UNSAFE_ARCHIVE(f"{path}: {error}", hint=_BY_HAND) from error
    except OSError as error:
        raise ForeignDataError(f"{path}: cannot be read: {error.strerror or error}") from error


def _copy(source: IO[bytes], target: Path) -> None:
    with wrap_disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        file = target.open("wb", buffering=0)
    with file:
        while piece := source.read(_PIECE):
            with wrap_disk_errors(target):
                file.write(piece)


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    size: int
    open: Callable[[], IO[bytes]]


@contextmanager
def _open_members(path: Path, packed: int) -> Iterator[list[_Member]]:
    if path.name.lower().endswith(".zip"):
        with open_zip(path) as file, zipfile.ZipFile(file) as archive:
            yield _counted(_zip_members(archive, path), packed, path)
    else:
        with _open_tar(path) as stream:
            bounded = BoundedStream(
                stream, limit=unpacked_limit(packed), largest=limits.MAX_ARCHIVE_HEADER_BYTES
            )
            # `tarfile` needs no more of a file than this has.
            with tarfile.open(fileobj=cast(IO[bytes], bounded), mode="r:") as tar:
                yield _counted(_tar_members(tar, path), packed, path)


def _open_tar(path: Path) -> IO[bytes]:
    with open_regular(path) as file:
        head = file.read(6)
    for start, opener in _OPENERS.items():
        if head.startswith(start):
            return cast(IO[bytes], opener(path))
    return open_regular(path)


def _counted(members: Iterator[_Member], packed: int, path: Path) -> list[_Member]:
    most = limits.MAX_ARCHIVE_MEMBERS + limits.MAX_ARCHIVE_MEMBERS_PER_KB * packed // 1000
    found = list(islice(members, most + 1))
    if len(found) > most:
        raise UNSAFE_ARCHIVE(
            f"{path}: {packed:,} bytes hold more than {most:,} files", hint=_BY_HAND
        )
    return found


def _zip_members(archive: zipfile.ZipFile, path: Path) -> Iterator[_Member]:
    for info in archive.infolist():
        name = _check_name(info.orig_filename, path)
        if info.external_attr >> 28 == 0o12:  # the mode that Unix gives a link
            raise _unsafe_error(path, name, "is a link")
        if not info.orig_filename.endswith(("/", "\\")):  # a directory
            yield _Member(name, info.file_size, partial(archive.open, info))


def _tar_members(archive: tarfile.TarFile, path: Path) -> Iterator[_Member]:
    for info in archive:
        if info.isdir() and not PurePosixPath(info.name).parts:
            continue  # "." itself, which `tar -c .` begins with
        name = _check_name(info.name, path)
        if not (info.isfile() or info.isdir()):
            raise _unsafe_error(path, name, "is a link or a device")
        if info.isfile():
            yield _Member(name, info.size, partial(_open_tar_member, archive, info))


def _open_tar_member(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    file = archive.extractfile(info)
    if file is None:
        raise tarfile.TarError(f"{info.name} has no data")
    return file


def _check_name(name: str, path: Path) -> str:
    """The name as a path; archives that Windows made may have backslashes in theirs."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    has_drive = ":" in name if os.name == "nt" else PureWindowsPath(name).drive
    if not parts or parts[0].startswith("/") or ".." in parts or has_drive or "\0" in name:
        raise _unsafe_error(path, name, "leads out of it")
    if len(parts) > limits.MAX_MEMBER_DEPTH:
        raise _unsafe_error(
            path, name, f"lies more than {limits.MAX_MEMBER_DEPTH} directories deep"
        )
    if any(len(part.encode("utf-8", "surrogateescape")) > _LONGEST_NAME for part in parts):
        raise _unsafe_error(path, name, f"has a name of more than {_LONGEST_NAME} bytes")
    return "/".join(parts)


def _unsafe_error(path: Path, name: str, why: str) -> ForeignDataError:
    return UNSAFE_ARCHIVE(
        f"{path}: the member {name[:200]!r} {why}; nothing was unpacked", hint=_BY_HAND
    )
