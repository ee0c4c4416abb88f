import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from tapwright.formats.errors import ForeignDataError, UnsafeArchiveError
from tapwright.formats.importers.archives import is_archive, unpack_archive

BAD_NAMES = ["../out.pkl", "a/../../out.pkl", "/etc/out.pkl", "..\\out.pkl", "c:/out.pkl"]


def zipped(path: Path, **files: bytes) -> Path:
    return zipped_as(path, files)


def zipped_as(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return path


def tarred(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for info, data in members:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def unpacked(path: Path, into: Path) -> dict[str, bytes]:
    into.mkdir()
    unpack_archive(path, into)
    return {
        str(found.relative_to(into)): found.read_bytes()
        for found in sorted(into.rglob("*"))
        if found.is_file()
    }


def test_what_is_in_an_archive_comes_out(tmp_path: Path) -> None:
    files = {"a.pkl": b"one", "b/c.pkl": b"two"}
    assert unpacked(zipped_as(tmp_path / "x.zip", files), tmp_path / "zip") == files
    members = [(tarfile.TarInfo(name), data) for name, data in files.items()]
    assert unpacked(tarred(tmp_path / "x.tar.gz", *members), tmp_path / "tar") == files


@pytest.mark.parametrize("name", BAD_NAMES)
@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_a_name_that_leads_out_is_refused_by_name(tmp_path: Path, kind: str, name: str) -> None:
    path = tmp_path / f"x.{kind}"
    if kind == "zip":
        zipped_as(path, {"good.pkl": b"x", name: b"x"})
    else:
        tarred(path, (tarfile.TarInfo("good.pkl"), b"x"), (tarfile.TarInfo(name), b"x"))
    into = tmp_path / "below" / "into"
    into.mkdir(parents=True)
    with pytest.raises(UnsafeArchiveError) as caught:
        unpack_archive(path, into)
    assert repr(name) in str(caught.value)
    assert [found for found in tmp_path.rglob("*") if found.name.endswith("out.pkl")] == []
    assert list(into.iterdir()) == []


def test_a_link_is_refused(tmp_path: Path) -> None:
    link = tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc"
    info = zipfile.ZipInfo("link")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(info, "/etc")
    for path in (tarred(tmp_path / "x.tgz", (link, b"")), tmp_path / "x.zip"):
        with pytest.raises(UnsafeArchiveError, match="is a link"):
            unpack_archive(path, tmp_path)


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "tar.xz"])
def test_a_broken_archive_is_told(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"x.{kind}"
    path.write_bytes(b"no archive at all")
    with pytest.raises(ForeignDataError, match=rf"x\.{kind}"):
        unpack_archive(path, tmp_path)


def test_a_damaged_member_is_told(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", a=b"some text that is stored")
    path.write_bytes(path.read_bytes().replace(b"some text", b"same text"))
    with pytest.raises(ForeignDataError, match="CRC"):
        unpack_archive(path, tmp_path)


def test_archives_are_known_by_name(tmp_path: Path) -> None:
    zipped(tmp_path / "X.ZIP")
    (tmp_path / "dir.zip").mkdir()
    assert is_archive(tmp_path / "X.ZIP")
    assert not is_archive(tmp_path / "dir.zip")
    assert not is_archive(tmp_path / "missing.zip")
