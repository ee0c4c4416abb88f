import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.archives import is_archive, unpack_archive
from tapwright.formats.limits import (
    MAX_ARCHIVE_HEADER_BYTES,
    MAX_ARCHIVE_MEMBERS,
    MAX_MEMBER_DEPTH,
)

BAD_NAMES = [
    "../out.pkl", "a/../../out.pkl", "/etc/out.pkl", "..\\out.pkl", "c:/out.pkl", "c:\\out.pkl",
    "\\\\host\\out.pkl", "a\\..\\..\\out.pkl",
]  # fmt: skip


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


def test_names_of_another_system_are_paths(tmp_path: Path) -> None:
    folders = {"a\\": b"", "a\\b\\": b""}
    files = folders | {"a\\b\\c.pkl": b"one", "open:0%2#9/12:30.jpg": b"two"}
    found = unpacked(zipped_as(tmp_path / "x.zip", files), tmp_path / "zip")
    assert found == {"a/b/c.pkl": b"one", "open:0%2#9/12:30.jpg": b"two"}


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
    with pytest.raises(ForeignDataError) as caught:
        unpack_archive(path, into)
    assert repr(name) in str(caught.value)
    assert [found for found in tmp_path.rglob("*") if found.name.endswith("out.pkl")] == []
    assert list(into.iterdir()) == []


@pytest.mark.parametrize(
    "kind",
    [
        "zip",
        "tar.gz",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("tar.xz", "tar.bz2")),
    ],
)
@pytest.mark.parametrize("above", [False, True])
@pytest.mark.slow_but_one
def test_what_unpacks_to_too_much_is_refused_before_it_is_written(
    tmp_path: Path, kind: str, above: bool
) -> None:
    path, into, size = (
        tmp_path / f"x.{kind}",
        tmp_path / "into",
        100_000_000 if above else 50_000_000,
    )
    into.mkdir()
    with open(tmp_path / "zeros", "wb") as file:
        file.truncate(size)
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(tmp_path / "zeros", "zeros")
    else:
        packer = kind.removeprefix("tar.")
        options = {"preset": 0} if packer == "xz" else {"compresslevel": 1}
        with tarfile.open(path, f"w:{packer}", **options) as tar:  # type: ignore[call-overload]
            tar.add(tmp_path / "zeros", "zeros")
    if above:
        with pytest.raises(ForeignDataError, match=r"at most|more than") as caught:
            unpack_archive(path, into)
        assert "unpack it yourself" in caught.value.hint
        assert list(into.iterdir()) == []
    else:
        unpack_archive(path, into)
        assert (into / "zeros").stat().st_size == size


@pytest.mark.slow
@pytest.mark.parametrize("count", [MAX_ARCHIVE_MEMBERS, 5 * MAX_ARCHIVE_MEMBERS])
def test_more_files_than_an_archive_of_its_size_may_hold_are_refused(
    tmp_path: Path, count: int
) -> None:
    path, into = tmp_path / "x.tar.gz", tmp_path / "into"
    into.mkdir()
    tarred(path, *((tarfile.TarInfo(str(number)), b"") for number in range(count)))
    if count > MAX_ARCHIVE_MEMBERS:
        with pytest.raises(ForeignDataError, match="hold more than"):
            unpack_archive(path, into)
        assert list(into.iterdir()) == []
    else:
        unpack_archive(path, into)
        assert len(list(into.iterdir())) == count


@pytest.mark.parametrize("above", [0, 1_000_000])
def test_a_header_that_is_a_bomb_is_not_read(tmp_path: Path, above: int) -> None:
    info = tarfile.TarInfo("a")
    info.pax_headers = {"comment": "x" * (MAX_ARCHIVE_HEADER_BYTES // 2 + above)}
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info)
    if above:
        with pytest.raises(ForeignDataError, match="header of"):
            unpack_archive(tmp_path / "x.tar.gz", tmp_path)
    else:
        unpack_archive(tmp_path / "x.tar.gz", tmp_path)


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
@pytest.mark.parametrize(
    ("name", "told"),
    [("a/" * MAX_MEMBER_DEPTH + "a", "directories deep"), ("a" * 256, "255 bytes")],
)
def test_a_name_that_no_disk_needs_is_refused(
    tmp_path: Path, kind: str, name: str, told: str
) -> None:
    path, into = tmp_path / f"x.{kind}", tmp_path / "into"
    into.mkdir()
    if kind == "zip":
        zipped_as(path, {name: b"x"})
    else:
        tarred(path, (tarfile.TarInfo(name), b"x"))
    with pytest.raises(ForeignDataError, match=told):
        unpack_archive(path, into)
    assert list(into.iterdir()) == []


def test_a_link_is_refused(tmp_path: Path) -> None:
    link = tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc"
    info = zipfile.ZipInfo("link")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(info, "/etc")
    for path in (tarred(tmp_path / "x.tgz", (link, b"")), tmp_path / "x.zip"):
        with pytest.raises(ForeignDataError, match="is a link"):
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
